"""P32: exceptions, values and callers whose class has code that raises when anyone looks at them.

Whatever it raises, also SystemExit, fails its own request only, and the log says where.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fetching import fetch_asgi, fetch_wsgi
from hostile import BASES, PARTS, exceptions, values
from plainmcp import Context, Depends, Server, ToolError, ToolResult
from plainmcp.auth import Principal
from plainmcp.errors import ProtocolError
from plainmcp.protocol.failures import describe, log_exception
from plainmcp.protocol.interrupts import tame
from posting import exchange, served
from protected import APPS, ask, call, mount
from speaking import message
from talking import Program
from ways import WAYS, send

Make = Callable[[], Any]


def raising(make: Make, *, is_async: bool) -> Callable[[], Any]:
    """A function that raises what is made, after a wait if it is async."""

    def plain() -> str:
        raise make()

    async def later() -> str:
        await asyncio.sleep(0)
        raise make()

    return later if is_async else plain


def fails(way: str, server: Server, method: str, **params: Any) -> None:
    """The request has an error, and the next one to the server is answered as always."""
    answer = send(way, server, method, **params)
    assert "error" in answer or answer["result"]["isError"], answer
    assert send(way, server, "tools/call", name="fine", arguments={})["result"]["content"][0]["text"] == "fine"


def with_fine(**options: Any) -> Server:
    server = Server("s", "1", **options)
    server.tool(name="fine")(lambda: "fine")
    return server


def made_of(base: type[BaseException], *names: str) -> Iterator[tuple[str, Make]]:
    """The hostile exceptions of a base, by the name of what they raise; all without a name."""
    for name, make in exceptions(base):
        if not names or name.split()[1] in names:
            yield name, make


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("way", ["handle", "handle_async", "connection", "asgi", "wsgi"])
def test_an_exception_of_a_handler_fails_its_own_call(way: str, base: type[BaseException], is_async: bool) -> None:
    names = () if way == "handle" else ("exit", "own")
    for _, make in made_of(base, *names):
        server, function = with_fine(), raising(make, is_async=is_async)
        server.tool(name="t")(function)
        server.resource("x://y", name="r")(function)
        server.prompt(name="p")(function)
        fails(way, server, "tools/call", name="t", arguments={})
        fails(way, server, "resources/read", uri="x://y")
        fails(way, server, "prompts/get", name="p")


@pytest.mark.parametrize("way", ["handle", "handle_async", "asgi"])
def test_so_does_one_of_whatever_else_runs_for_a_request(way: str) -> None:
    for _, make in made_of(Exception, "exit", "own", "runtime"):

        def boom(*given: Any, make: Make = make) -> Any:
            raise make()

        def observe(request: Any, make: Make = make) -> Any:
            raise make()
            yield

        class Unplain:
            def __plain__(self, make: Make = make) -> Any:
                raise make()

        server = with_fine()
        server.tool(name="generator")(bit_by_bit_of(make))
        server.tool(name="value")(lambda kind=Unplain: kind())
        server.tool(name="requires", requires=boom)(lambda: "x")
        for is_async in (False, True):
            server.tool(name=f"dependency_{is_async}")(depending(raising(make, is_async=is_async)))
        names = ("generator", "value", "requires", "dependency_True", "dependency_False")
        for name in names:
            fails(way, server, "tools/call", name=name, arguments={})

        hidden = Server("s", "1")
        hidden.tool(name="hidden", visible=boom)(lambda: "x")
        assert "error" in send(way, hidden, "tools/list")
        assert "error" in send(way, hidden, "tools/call", name="hidden", arguments={})

        around = with_fine(middleware=[observe])
        assert send(way, around, "tools/call", name="fine", arguments={})["result"]["isError"]
        for seen in (boom, lambda facts, boom=boom: boom):
            fails_not = with_fine(observe=seen)
            answer = send(way, fails_not, "tools/call", name="fine", arguments={})
            assert answer["result"]["content"][0]["text"] == "fine"


def bit_by_bit_of(make: Make) -> Callable[[], Any]:
    def bit_by_bit() -> Any:
        yield 1
        raise make()

    return bit_by_bit


def depending(function: Callable[[], Any]) -> Callable[..., str]:
    def dependent(value: str = Depends(function)) -> str:
        return value

    return dependent


@pytest.mark.parametrize("kind", APPS)
def test_an_exception_of_who_finds_the_caller_is_a_status(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    for _, make in made_of(Exception, "exit", "own", "runtime"):
        for is_async in (False, True):
            function = raising(make, is_async=is_async)

            def verify(token: str, function: Any = function) -> Any:
                return function()

            async def verify_later(token: str, function: Any = function) -> Any:
                return await function()

            app = mount(kind, with_fine(), auth=verify_later if is_async else verify)
            assert call(app, "token", "fine").status == 503
        app = mount(kind, with_fine(), principal=lambda scope, make=make: raising(make, is_async=False)())
        assert call(app, None, "fine").status == 500


@pytest.mark.parametrize("kind", APPS)
def test_an_exception_of_a_route_is_a_500(kind: str) -> None:
    for _, make in made_of(Exception, "exit", "own", "runtime"):
        for is_async in (False, True):
            server = with_fine()
            server.route("/r")(raising(make, is_async=is_async))
            app = mount(kind, server, path="/mcp")
            answer = fetch_wsgi(app, "GET", "/r") if kind == "wsgi" else asyncio.run(fetch_asgi(app, "GET", "/r"))
            assert answer.status == 500


# Values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [way for way in WAYS if way != "stdio"])
def test_a_value_fails_its_own_call_or_is_sent(way: str) -> None:
    for name, make in values():
        if name.endswith(("exit", "own")):
            server = with_fine()
            server.tool(name="alone")(lambda make=make: make())
            server.tool(name="list")(later(lambda make=make: [make(), "x"]))
            server.tool(name="content")(later(lambda make=make: ToolResult([make()])))
            server.tool(name="data", inline=True)(lambda make=make: {"a": make()})
            server.tool(name="seen", visible=lambda who, make=make: make())(lambda: "x")
            server.tool(name="required", requires=lambda request, make=make: make())(lambda: "x")
            for tool in ("alone", "list", "content", "data", "seen", "required"):
                answer = send(way, server, "tools/call", name=tool, arguments={})
                assert "result" in answer or "error" in answer
            answer = send(way, with_fine(observe=lambda facts, make=make: make()), "tools/list")
            assert answer["result"]["tools"]


def later(make: Make) -> Callable[[], Any]:
    async def returning() -> Any:
        return make()

    return returning


FACTS = ("expires", "scopes", "issuer", "subject", "client", "identity")


def callers() -> Iterator[Make]:
    """Callers of a host application, and principals of verifiers."""
    for name, make in values():
        if name.endswith(("exit", "own")):
            yield make
    for fact in FACTS:
        for kind in (SystemExit, KeyboardInterrupt, RuntimeError):

            def strike(self: Any, kind: type[BaseException] = kind) -> Any:
                raise kind("hunter2")

            yield type("Hostile", (), {fact: property(strike)})


@pytest.mark.parametrize("kind", APPS)
def test_a_caller_that_cannot_be_looked_at_is_answered(kind: str) -> None:
    server = with_fine(key=b"k" * 32)

    @server.tool(requires="x")
    def required() -> str:
        return "x"

    @server.tool
    async def speaking(ctx: Context) -> str:
        await ctx.progress(1)
        return "x"

    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    for make in callers():
        one = make()
        for principal in (lambda scope, one=one: one, lambda scope, make=make: make()):
            for options in ({}, {"sessions": "signed"}):
                app = mount(kind, server, principal=principal, **options)
                for tool in ("fine", "required", "speaking"):
                    assert 200 <= call(app, None, tool).status < 600
                answer = ask(app, opening)
                if answer.status == 200 and "mcp-session-id" in answer.headers:
                    headers = {"mcp-session-id": answer.headers["mcp-session-id"]}
                    headers["mcp-protocol-version"] = "2025-11-25"
                    ask(app, message("2025-11-25", "tools/call", {"name": "fine", "arguments": {}}), headers)
                    ask(app, None, headers, "DELETE")
        assert call(mount(kind, server, auth=lambda token, make=make: make()), "token", "fine").status == 503


@pytest.mark.parametrize("kind", APPS)
def test_a_principal_that_cannot_be_looked_at_is_a_503_or_is_served(kind: str) -> None:
    for fact in FACTS:
        for raised in (SystemExit, KeyboardInterrupt, RuntimeError):

            def strike(self: Any, raised: type[BaseException] = raised) -> Any:
                raise raised("hunter2")

            made = type("Hostile", (Principal,), {fact: property(strike)})

            def verify(token: str, made: Any = made) -> Any:
                return made("https://a", "ada", "app", frozenset({"x"}), {}, 1e12)

            assert call(mount(kind, with_fine(), auth=verify), "token", "fine").status in (200, 500, 503)


# Real processes -----------------------------------------------------------------------------------

PROGRAM = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from hostile import exceptions
from plainmcp import Server

server = Server("hostile", "1")

def offer(number, make):
    def plain() -> str:
        raise make()

    async def later() -> str:
        await asyncio.sleep(0)
        raise make()

    server.tool(name=f"plain_{{number}}")(plain)
    server.tool(name=f"later_{{number}}")(later)

for number, (name, make) in enumerate(one for one in exceptions() if one[0].split()[1] in ("exit", "keyboard")):
    offer(number, make)
server.tool(name="fine")(lambda: "fine")
print(number, file=sys.stderr, flush=True)
server.run(**({{"http": "127.0.0.1:0"}} if "http" in sys.argv else {{}}))
"""
COUNT = 2 * (len(PARTS) + 1)
NAMES = [f"{way}_{number}" for number in range(COUNT) for way in ("plain", "later")]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "hostile_program.py"
    path.write_text(PROGRAM.format(tests=str(Path(__file__).parents[1])), "utf-8")
    return path


@pytest.mark.slow
def test_a_process_on_standard_input_goes_on(program: Path) -> None:
    """P32: `__getattribute__` that raises SystemExit ended the server."""
    with Program(program) as running:
        running.shake_hands()
        for name in NAMES:
            running.call(name, name)
            assert running.answer(name)["result"]["isError"], name
        running.call("last", "fine")
        assert running.answer("last")["result"]["content"][0]["text"] == "fine"
        assert running.hang_up() == 0
        assert b"Logging error" not in running.stderr


@pytest.mark.slow
def test_a_process_over_http_goes_on(program: Path) -> None:
    """P32"""
    with served(program, "http") as (running, port):
        for name in NAMES:
            status, body = exchange(port, name)
            assert status == 200 and json.loads(body)["result"]["isError"], name
        status, body = exchange(port, "fine")
        assert (status, json.loads(body)["result"]["content"][0]["text"]) == (200, "fine")
        assert running.process.poll() is None


# The log ------------------------------------------------------------------------------------------


def test_the_log_says_where_it_was_raised(caplog: pytest.LogCaptureFixture) -> None:
    """P32: with the class of the exception, and the lines of the author."""
    for name, make in made_of(Exception):
        server = with_fine()
        server.tool(name="t")(raising(make, is_async=False))
        caplog.clear()
        send("handle", server, "tools/call", name="t", arguments={})
        [record] = caplog.records
        said = logging.Formatter().format(record)
        assert "Tool t failed (incident" in said and "raise make()" in said and "Hostile" in said, name


def test_a_cause_that_cannot_be_looked_at_does_not_hide_the_exception(caplog: pytest.LogCaptureFixture) -> None:
    """P32"""
    for name, make in made_of(Exception, "exit", "runtime"):

        def chained(make: Make = make) -> str:
            try:
                raise make()
            except BaseException as error:
                raise LookupError("what happened") from error

        def handled(make: Make = make) -> str:
            try:
                raise make()
            except BaseException:
                raise LookupError("what happened")  # noqa: B904

        for function in (chained, handled):
            caplog.clear()
            server = with_fine()
            server.tool(name="t")(lambda function=function: function())
            send("handle", server, "tools/call", name="t", arguments={})
            said = logging.Formatter().format(caplog.records[0])
            assert "LookupError: what happened" in said and "raise make()" in said, name


def test_what_is_harmless_stays_as_it_is() -> None:
    class Own(ToolError):
        def __getattr__(self, name: str) -> str:
            raise AttributeError(name)

        @property
        def detail(self) -> str:
            raise SystemExit

    for error in (Own("x"), ToolError("x"), ProtocolError("x"), KeyError("x"), KeyboardInterrupt(), SystemExit(3)):
        assert tame(error) is error
    server = with_fine()
    server.tool(name="t")(raising(lambda: Own("sent"), is_async=False))
    assert send("handle", server, "tools/call", name="t", arguments={})["result"]["content"][0]["text"] == "sent"


def test_a_handler_of_the_log_that_fails_ends_nothing() -> None:
    class Exiting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise SystemExit

    handler = Exiting()
    logging.getLogger("plainmcp").addHandler(handler)
    try:
        log_exception(ValueError("x"), "it failed")
        server = with_fine()
        server.tool(name="t")(raising(lambda: ValueError("x"), is_async=False))
        fails("handle", server, "tools/call", name="t", arguments={})
    finally:
        logging.getLogger("plainmcp").removeHandler(handler)
    assert describe(ValueError("x")) == "ValueError: x"
