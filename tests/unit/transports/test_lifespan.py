"""The lifespan of a server: started once before the first request, on every transport, and ended with the server."""

import asyncio
import gc
import json
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mounted import modern, speak
from plainmcp import Context, Server
from speaking import initialize
from talking import Program
from ways import REVISIONS, WAYS, send


class Db:
    """What a lifespan yields: it notes where it was opened."""

    def __init__(self) -> None:
        self.log = ["open"]
        self.thread = threading.current_thread().name
        try:
            self.loop: Any = asyncio.get_running_loop()
        except RuntimeError:
            self.loop = None


def make_server(kind: str) -> tuple[Server, list[Db]]:
    opened: list[Db] = []

    @contextmanager
    def plain(server: Server) -> Iterator[Db]:
        opened.append(Db())
        yield opened[-1]
        opened[-1].log.append("close")

    @asynccontextmanager
    async def asynchronous(server: Server) -> AsyncIterator[Db]:
        opened.append(Db())
        await asyncio.sleep(0.01)
        async with asyncio.timeout(None):  # it has to be left in the task that entered it
            yield opened[-1]
        opened[-1].log.append("close")

    async def generator(server: Server) -> AsyncIterator[Db]:
        opened.append(Db())
        yield opened[-1]
        opened[-1].log.append("close")

    server = Server("s", lifespan={"plain": plain, "async": asynchronous, "generator": generator}[kind])

    @server.tool
    def use(ctx: Context[Db]) -> str:
        return ctx.lifespan.log[-1]

    @server.tool
    async def use_async(ctx: Context[Db]) -> str:
        assert ctx.lifespan.loop in (None, asyncio.get_running_loop())
        return ctx.lifespan.log[-1]

    return server, opened


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["plain", "async", "generator"])
def test_it_starts_before_the_first_request_and_ends_with_close(way: str, revision: str, kind: str) -> None:
    server, opened = make_server(kind)
    assert not opened
    response = send(way, server, "tools/call", revision, name="use_async", arguments={})
    assert response["result"]["content"][0]["text"] == "open"
    server.close()
    assert [db.log for db in opened] == [["open", "close"]]
    assert server.lifespan is None
    response = send(way, server, "tools/call", revision, name="use", arguments={})  # it starts again
    assert response["result"]["content"][0]["text"] == "open"
    server.close()
    assert [db.log for db in opened] == [["open", "close"]] * 2


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_it_starts_once_for_many_requests_at_once(kind: str) -> None:
    server, opened = make_server(kind)

    async def main() -> None:
        app = server.asgi()
        calls = [speak(app, *modern("tools/call", name="use", arguments={})) for _ in range(20)]
        answers = await asyncio.gather(*calls)
        assert all(one.json["result"]["content"][0]["text"] == "open" for one in answers)
        await server.close_async()

    asyncio.run(main())
    assert [db.log for db in opened] == [["open", "close"]]

    server, opened = make_server(kind)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "use", "arguments": {}}}
    threads = [threading.Thread(target=server.handle, args=(call,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.close()
    assert [db.log for db in opened] == [["open", "close"]]


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_the_lifespan_of_the_host_starts_and_ends_it(kind: str) -> None:
    server, opened = make_server(kind)

    async def main() -> list[str]:
        app, inbox, sent = server.asgi(), asyncio.Queue[Any](), []

        async def send(message: Any) -> None:
            sent.append(message["type"])

        life = asyncio.create_task(app({"type": "lifespan"}, inbox.get, send))
        await inbox.put({"type": "lifespan.startup"})
        while not sent:
            await asyncio.sleep(0)
        assert [db.log for db in opened] == [["open"]]
        answer = await speak(app, *modern("tools/call", name="use_async", arguments={}))
        assert answer.json["result"]["content"][0]["text"] == "open"
        await inbox.put({"type": "lifespan.shutdown"})
        await life
        return sent

    assert asyncio.run(main()) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert [db.log for db in opened] == [["open", "close"]]


@pytest.mark.parametrize("kind", ["plain", "async", "generator"])
def test_a_program_starts_it_before_the_first_request(kind: str) -> None:
    inner, opened = make_server(kind)
    server = Server("main")
    server.mount(inner, prefix="p")
    server.start()
    server.start()
    assert [db.log for db in opened] == [["open"]]
    server.close()

    async def run() -> None:
        await server.start_async()
        assert [db.log for db in opened] == [["open", "close"], ["open"]]
        result = await server.call_tool("p_use_async")
        assert result.content[0].text == "open"
        await server.close_async()

    asyncio.run(run())
    assert [db.log for db in opened] == [["open", "close"], ["open", "close"]]


def test_a_lifespan_that_fails_ends_the_start_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    attempts: list[int] = []

    @asynccontextmanager
    async def fail(server: Server) -> AsyncIterator[None]:
        attempts.append(1)
        raise OSError("no database at db:5432")
        yield

    server = Server("s", lifespan=fail)

    async def main() -> Any:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "lifespan.startup"}

        async def send(message: Any) -> None:
            sent.append(message)

        await server.asgi()({"type": "lifespan"}, receive, send)
        return sent

    [message] = asyncio.run(main())
    assert message == {"type": "lifespan.startup.failed", "message": "OSError: no database at db:5432"}
    for way in ("handle", "asgi", "wsgi"):
        error = send(way, server, "server/discover")["error"]
        assert error["code"] == -32603 and "The start of the server failed" in error["message"]
        assert "database" not in error["message"]
    assert len(attempts) == 4 and "no database at db:5432" in caplog.text


def test_a_request_state_and_a_session_state_are_dicts() -> None:
    server = Server("s")

    @server.tool
    def count(ctx: Context) -> list[int]:
        ctx.state["n"] = ctx.state.get("n", 0) + 1
        ctx.session_state["n"] = ctx.session_state.get("n", 0) + 1
        return [ctx.state["n"], ctx.session_state["n"]]

    def call(target: Any) -> list[int]:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {}}}
        numbers: list[int] = json.loads(target.handle(message))["result"]["structuredContent"]["result"]
        return numbers

    connection, other = server.connect(), server.connect()
    for one in (connection, other):
        one.handle(initialize("2025-11-25"))
    assert [call(connection), call(connection), call(other)] == [[1, 1], [1, 2], [1, 1]]


def test_a_server_is_freed_with_its_lifespan() -> None:
    server, opened = make_server("plain")
    send("handle", server, "tools/call", name="use", arguments={})
    server.close()
    reference = weakref.ref(server)
    del server
    gc.collect()
    assert reference() is None and opened[0].log == ["open", "close"]


PROGRAM = """
import sys
from contextlib import {decorator} as manager
from plainmcp import Context, Server

@manager
{kind}def life(server):
    print("opened", file=sys.stderr, flush=True)
    yield "db"
    print("closed", file=sys.stderr, flush=True)

server = Server("s", lifespan=life)

@server.tool
{kind}def use(ctx: Context) -> str:
    return ctx.lifespan

{end}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "async "])
def test_it_ends_with_stdio_and_with_the_process(tmp_path: Path, kind: str) -> None:
    decorator = "asynccontextmanager" if kind else "contextmanager"
    file = tmp_path / "stdio.py"
    file.write_text(PROGRAM.format(kind=kind, decorator=decorator, end="server.run()"))
    with Program(file) as program:
        program.shake_hands()
        program.call(2, "use")
        assert program.answer(2)["result"]["content"][0]["text"] == "db"
        assert program.hang_up() == 0
    assert program.stderr.split() == [b"opened", b"closed"]

    file = tmp_path / "script.py"
    ask = 'server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "use"}})'
    file.write_text(PROGRAM.format(kind=kind, decorator=decorator, end=f"assert b'db' in {ask}"))
    with Program(file) as program:
        assert program.wait() == 0
    assert program.stderr.split() == [b"opened", b"closed"], sys.version


@pytest.mark.parametrize("decorate", [asynccontextmanager, lambda function: function])
def test_a_partial_of_an_async_lifespan_is_async(decorate: Any) -> None:
    async def open_db(name: str, server: Server) -> AsyncIterator[str]:
        await asyncio.sleep(0)
        yield name

    server = Server("s", lifespan=partial(decorate(open_db), "notes.db"))

    @server.tool
    def use(ctx: Context[str]) -> str:
        return ctx.lifespan

    response = send("handle", server, "tools/call", REVISIONS[0], name="use", arguments={})
    assert response["result"]["content"][0]["text"] == "notes.db"
    server.close()


def test_a_lifespan_that_is_not_a_context_manager_is_described(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s", lifespan=lambda server: 5)
    response = send("handle", server, "tools/list", REVISIONS[0])
    assert response["error"]["code"] == -32603
    assert "returned 5, which is not a context manager" in caplog.text
