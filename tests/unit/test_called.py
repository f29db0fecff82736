"""Over HTTP the plain call of an async tool has a short way: nobody can tell from the answer."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from mounted import Live, session, speak
from plainmcp import Context, Server, ToolError
from plainmcp.errors import InvalidParams
from plainmcp.protocol.steps import Cancelled

TOOLS = [
    "echo", "record", "number", "nothing", "formless", "waiting", "waiting_and_failing", "plain", "wrapper",
    "hurried", "knowing", "hidden", "needy", "failing", "complaining", "refusing", "leaving", "giving_up", "headed",
    "nobody", "=?base64?ZWNobw==?=", "écho",
]  # fmt: skip
ARGUMENTS = [b"{}", b'{"text":"hi"}', b'{"text":{}}', b"[1]", b"null", b'{"text":"\xff"}', b'{"more":1}', None]
IDS = [b"1", b"0", b"-0", b"-5", b"1.0", b"1e3", b"12345678901234567890123", b'"a"', b'"\\u0061"', b"null", b"true"]
META = b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%b}'
METAS = [
    META % b"",
    META % b',"progressToken":1,"com.example/x":[1]',
    META % b',"io.modelcontextprotocol/logLevel":"debug"',
    META % b',"io.modelcontextprotocol/logLevel":"loud"',
    META % b',"io.modelcontextprotocol/clientInfo":"\xff"',
    (META % b"").replace(b"{}", b"[]"),
    (META % b"").replace(b"2026-07-28", b"2099-01-01"),
    (META % b"").replace(b"2026-07-28", b"2025-11-25"),
    b'{"progressToken":1}',
    b'{"io.modelcontextprotocol/logLevel":"loud"}',
    b"{}",
    b"null",
    b"3",
    None,
]
ACCEPTS = ["application/json, text/event-stream", "application/json", "text/event-stream", "text/html", "*/*"]

Headers = list[tuple[str, str]]


def server_of_all_kinds() -> Server:
    server = Server("s")

    @dataclass
    class Record:
        text: str
        count: float

    def giver(value: Any) -> Callable[[], Awaitable[Any]]:
        async def giving() -> Any:
            return value

        return giving

    def raiser(error: BaseException) -> Callable[[], Awaitable[str]]:
        async def raising() -> str:
            raise error

        return raising

    async def echo(text: str) -> str:
        return text

    async def waiting() -> str:
        await asyncio.sleep(0)
        return "later"

    async def waiting_and_failing() -> str:
        await asyncio.sleep(0)
        raise ValueError("secret")

    async def knowing(context: Context) -> str:
        return context.revision

    async def headed(**given: str) -> str:
        return str(given)

    server.tool(name="echo")(echo)
    server.tool(name="record")(giver(Record("}, {", 1.5)))
    server.tool(name="number")(giver(5))
    server.tool(name="nothing")(giver(None))
    server.tool(name="formless")(giver({"x": float("nan"), "y": object()}))
    server.tool(waiting)
    server.tool(waiting_and_failing)
    server.tool(name="plain")(lambda: "plain")
    server.tool(name="wrapper")(lambda: waiting())
    server.tool(name="hurried", timeout=9)(waiting)
    server.tool(knowing)
    server.tool(name="hidden", visible=lambda principal: principal == "me")(giver("seen"))
    server.tool(name="needy", needs={"sampling": {}})(giver("served"))
    server.tool(name="failing")(raiser(ValueError("secret")))
    server.tool(name="complaining")(raiser(ToolError("not like this")))
    server.tool(name="refusing")(raiser(InvalidParams("no", {"why": 1})))
    server.tool(name="leaving")(raiser(SystemExit(3)))
    server.tool(name="giving_up")(raiser(Cancelled()))
    text = {"type": "string", "x-mcp-header": "Text"}
    server.tool(name="headed", input_schema={"type": "object", "properties": {"text": text}})(headed)
    return server


class Both:
    """One server behind two doors, the second of which has no short way."""

    def __init__(self, **settings: Any) -> None:
        self.short, self.long = (server_of_all_kinds().asgi(**settings) for _ in range(2))
        self.long.endpoint.called = lambda *given: None  # type: ignore[method-assign]
        self.sessions: list[dict[str, str]] = []

    async def open(self, version: str) -> None:
        self.sessions = [await session(app, version) for app in (self.short, self.long)]

    async def compare(self, body: bytes, headers: Headers, method: str = "POST") -> tuple[int, bytes]:
        """Ask both; a header `mcp-session-id` names the session each of them has."""
        seen = []
        for number, app in enumerate((self.short, self.long)):
            own = [(k, v.replace("SESSION", self.sessions[number]["mcp-session-id"] if self.sessions else "none"))
                   for k, v in headers]  # fmt: skip
            live = await speak(app, body, own, method)
            told = re.sub(rb"incident \w+", b"incident", live.body)
            head = {k: v for k, v in live.headers.items() if k != "content-length"}
            seen.append((live.status, head, re.sub(rb"id: \S+", b"id", told)))
        assert seen[0] == seen[1], (body, headers)
        assert not self.short.endpoint._running and not self.long.endpoint._running
        return seen[0][0], seen[0][2]


def message(
    name: str = "echo", arguments: bytes | None = b'{"text":"hi"}', meta: bytes | None = None, id: bytes = b"7"
) -> bytes:
    params = [b'"name":"%b"' % name.encode()]
    params += [] if arguments is None else [b'"arguments":%b' % arguments]
    params += [] if meta is None else [b'"_meta":%b' % meta]
    return b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":{%b}}' % (id, b",".join(params))


def modern(name: str = "echo") -> Headers:
    shown = name.encode().decode("latin-1")
    return [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", shown)]


def within(version: str = "2025-11-25") -> Headers:
    return [("mcp-protocol-version", version), ("mcp-session-id", "SESSION")]


async def on_every_wire(both: Both, case: bytes, case_of_2026: bytes, name: str, accept: str = ACCEPTS[0]) -> None:
    await both.compare(case, [*within(), ("accept", accept)])
    await both.compare(case_of_2026, [*modern(name), ("accept", accept)])


@pytest.mark.parametrize("stateless", [False, True])
def test_every_tool_answers_alike_on_the_short_and_the_long_way(stateless: bool) -> None:
    async def run() -> None:
        both = Both(stateless=stateless)
        if not stateless:
            await both.open("2025-11-25")
        for name, arguments in product(TOOLS, ARGUMENTS):
            case = message(name, arguments), message(name, arguments, METAS[0])
            await on_every_wire(both, *case, name)

    asyncio.run(run())


def test_an_id_comes_back_as_it_was_sent() -> None:
    async def run() -> None:
        both = Both()
        await both.open("2025-06-18")
        for name, id in product(("echo", "record", "failing", "refusing", "waiting"), IDS):
            await on_every_wire(both, message(name, id=id), message(name, meta=METAS[0], id=id), name)
            _, told = await both.compare(message(name, id=id), within("2025-06-18"))
            assert id in (b"null", b"true") or b'"id":%b,' % id in told

    asyncio.run(run())


@pytest.mark.parametrize("meta", METAS)
def test_what_a_request_says_of_itself_is_weighed_alike(meta: bytes | None) -> None:
    async def run() -> None:
        both = Both()
        await both.open("2025-03-26")
        case = message(meta=meta)
        for accept in ACCEPTS:
            await on_every_wire(both, case, case, "echo", accept)
        for version in ("2025-03-26", "2024-11-05", "1999-01-01", "", "2026-07-28"):
            await both.compare(case, within(version))
        await both.compare(case, [])

    asyncio.run(run())


@pytest.mark.parametrize("accept", ACCEPTS)
def test_headers_are_weighed_alike(accept: str) -> None:
    version, method, name = modern()
    odd: list[Headers] = [
        [version, method], [version, name], [method, name], [version, method, ("mcp-name", "other")],
        [version, method, ("mcp-name", " echo ")], [version, method, ("mcp-name", "=?base64?ZWNobw==?=")],
        [version, method, name, name], [version, version, method, name], [version, method, method, name],
        [version, ("mcp-method", "tools/list"), name], [version, ("mcp-method", " tools/call"), name],
        [("mcp-protocol-version", "2025-11-25"), method, name], [("mcp-protocol-version", "x"), method, name],
        [version, method, name, ("content-type", "text/plain")], [version, method, name, ("origin", "http://evil")],
        within(), [*within(), *within()], [*within(), ("mcp-session-id", "other")], [("mcp-session-id", " SESSION ")],
        [("mcp-session-id", "other")], [("mcp-session-id", "")], [("mcp-session-id", "SESSION"), version],
        [("mcp-session-id", "SESSION")], [*within(), method, ("mcp-name", "other")],
        [*within(), version, method, name],
    ]  # fmt: skip

    async def run() -> None:
        both = Both()
        await both.open("2025-11-25")
        for headers, meta, how in product(odd, (None, METAS[0]), ("POST", "GET", "PUT")):
            if how == "GET" and any("SESSION" in value for _, value in headers):
                continue  # a stream that stays
            await both.compare(message(meta=meta), [*headers, ("accept", accept)], how)

    asyncio.run(run())


def test_only_an_answer_that_waits_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        both = Both()
        await both.open("2025-11-25")
        app = both.short
        asked: list[Any] = []

        def receive(*given: Any) -> Any:
            raise AssertionError(given)

        waits = app.endpoint.waits
        monkeypatch.setattr(app.endpoint, "receive", receive)
        monkeypatch.setattr(app.endpoint, "waits", lambda *given: asked.append(given[0]) or waits(*given))
        for name in ("echo", "record", "number", "failing", "refusing", "waiting"):
            arguments = b'{"text":"hi"}' if name == "echo" else b"{}"
            assert (await speak(app, message(name, arguments), both.sessions[0])).status == 200
            live = await speak(app, message(name, arguments, METAS[0]), modern(name))
            assert live.status == (400 if name == "refusing" else 200)
        assert [single.feature.definition.name for single in asked] == ["waiting"] * 2

    asyncio.run(run())


def test_a_call_that_waits_has_its_id_to_itself_and_can_be_given_up() -> None:
    """CANC-01"""

    async def run() -> None:
        server, seen = Server("s"), list[str]()
        going = asyncio.Event()

        @server.tool
        async def wait() -> str:
            try:
                await going.wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise
            return "went"

        app = server.asgi()
        headers = await session(app)
        call = message("wait", None)
        first = Live(app, call, headers)
        await asyncio.sleep(0.01)
        again = await speak(app, call, headers)
        assert again.json["error"]["message"] == "a request with this id is still running"
        other = Live(app, message("wait", None, id=b"8"), headers)
        await asyncio.sleep(0.01)
        note = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
        assert (await speak(app, note, headers)).status == 202
        assert ((await first.done()).status, seen) == (202, ["cancelled"])
        going.set()
        assert (await other.done()).json["result"]["content"][0]["text"] == "went"
        assert (await speak(app, call, headers)).json["result"]["content"][0]["text"] == "went"

    asyncio.run(run())


def test_a_call_that_waits_counts_among_those_that_run() -> None:
    async def run() -> None:
        server, going = Server("s"), asyncio.Event()

        @server.tool
        async def wait() -> str:
            await going.wait()
            return "went"

        app = server.asgi(max_running=1)
        headers = await session(app)
        first = Live(app, message("wait", None), headers)
        await asyncio.sleep(0.01)
        for sent in (headers, dict(modern("wait"))):
            meta = None if sent is headers else METAS[0]
            refused = await speak(app, message("wait", None, meta, b"8"), sent)
            assert refused.status == 503 and "too many requests" in refused.json["error"]["message"]
        going.set()
        assert (await first.done()).status == 200 and not app.endpoint._running

    asyncio.run(run())


def test_a_session_that_ends_ends_a_call_whose_function_has_not_waited_yet() -> None:
    async def run() -> None:
        server, seen = Server("s"), list[str]()

        async def pausing() -> str:
            try:
                await asyncio.sleep(5)
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise
            return "done"

        @server.tool
        async def close_by_itself() -> str:
            app.close()
            return await pausing()

        @server.tool
        async def close_from_a_thread() -> str:
            thread = threading.Thread(target=app.close)
            thread.start()
            thread.join()
            return await pausing()

        app = server.asgi()
        for name in ("close_by_itself", "close_from_a_thread"):
            live = await speak(app, message(name, None), await session(app))
            assert (live.status, len(app.endpoint.sessions)) == (200, 0)
            assert live.json["error"]["message"] == "the session ended before this request was answered"
        assert len(seen) <= 2 and not app.endpoint._running

    asyncio.run(run())


class Seeming:
    """What decorators of the less careful kind make of an async function: it looks like one."""

    def __init__(self, function: Callable[[], Any], gives: Any) -> None:
        self.__dict__["function"], self.__dict__["gives"] = function, gives

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __call__(self) -> Any:
        return self.gives()


def test_a_function_that_only_seems_to_be_async_fails_in_words() -> None:
    async def run() -> None:
        server = Server("s")

        async def broken() -> str:
            return "x"

        server.tool(name="nothing")(Seeming(broken, lambda: None))
        server.tool(name="text")(Seeming(broken, lambda: "text"))
        server.tool(name="future")(Seeming(broken, lambda: asyncio.get_running_loop().create_task(broken())))
        app = server.asgi()
        headers = await session(app)
        for name in ("nothing", "text"):
            live = await speak(app, message(name, None), headers)
            assert live.json["result"]["isError"] and "incident" in live.body.decode()
            assert b"incident" in (await server.handle_async(message(name, None)) or b"")
        live = await speak(app, message("future", None), headers)
        assert live.json["result"]["content"] == [{"type": "text", "text": "x"}]

    asyncio.run(run())
