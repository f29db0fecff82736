"""Calls of async tools over HTTP: they run inline until they wait, and from then on count, and can be given up."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from mounted import Live, session, speak
from plainmcp import Context, Server

META = b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
Headers = list[tuple[str, str]]


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
            meta = None if sent is headers else META
            refused = await speak(app, message("wait", None, meta, b"8"), sent)
            assert refused.status == 503 and "too many requests" in refused.json["error"]["message"]
        going.set()
        assert (await first.done()).status == 200 and not app.endpoint.responses.running

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
            assert (live.status, len(app.endpoint.sessions.kept)) == (200, 0)
            assert live.json["error"]["message"] == "the session ended before this request was answered"
        assert len(seen) <= 2 and not app.endpoint.responses.running

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


def test_context_variables_and_the_task_are_the_same_before_and_after_a_function_waits() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="unset")

    async def run() -> None:
        server = Server("s")

        @server.tool
        async def remember(ctx: Context) -> list[str | bool]:
            variable.set("set")
            before = asyncio.current_task()
            async with asyncio.timeout(5):
                await asyncio.sleep(0.001)
            return [variable.get(), asyncio.current_task() is before]

        app = server.asgi()
        live = await speak(app, message("remember", None), await session(app))
        assert live.json["result"]["structuredContent"]["result"] == ["set", True]
        assert variable.get() == "unset"

    asyncio.run(run())
