"""Traces calls of tools by every transport, and prints what was visited as JSON: a program of its own.

Every thread is traced from its start, so this runs in a fresh process. What is printed for a case is a list of
[module, function, whether it is called], in the order of time: a call, or the return to a function of ours.
"""

import asyncio
import io
import json
import queue
import sys
import threading
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import plainmcp
from plainmcp import Context, Server
from plainmcp.store import MemoryStore

PACKAGE = str(Path(plainmcp.__file__).parent) + "/"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {
    "host": "127.0.0.1:8000",
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
}

REPLICAS = ("plainmcp-read", "plainmcp-write")
"""The threads that follow a store, whatever the requests are."""

Event = tuple[str, str, bool]
events: list[Event] = []
recording = False


def module_of(frame: FrameType | None) -> str | None:
    """The module of a function of ours; None for others."""
    name = "" if frame is None else frame.f_code.co_filename
    return name[len(PACKAGE) : -3] if name.startswith(PACKAGE) else None


def record(frame: FrameType, event: str, argument: Any) -> None:
    """Record a call of a function of ours, or the return to one."""
    if not recording or event not in ("call", "return") or threading.current_thread().name.startswith(REPLICAS):
        return
    module = module_of(frame)
    if module is None:
        return
    if event == "call":
        events.append((module, frame.f_code.co_name, True))
    elif (caller := module_of(frame.f_back)) is not None and frame.f_back is not None:
        events.append((caller, frame.f_back.f_code.co_name, False))


@dataclass
class Model:
    """Five fields."""

    name: str
    count: int
    share: float
    open: bool
    note: str


def make_server(**options: Any) -> Server:
    """A server with one tool for each case, and a resource and a prompt."""
    server = Server("traced", "1", **options)
    model = Model("a", 1, 0.5, True, "b")

    @server.tool
    def echo(text: str) -> str:
        return text

    @server.tool
    async def echo_async(text: str) -> str:
        return text

    @server.tool(name="model")
    def give_model(text: str) -> Model:
        return model

    @server.tool(name="model_async")
    async def give_model_async(text: str) -> Model:
        return model

    @server.tool
    def echo_context(text: str, ctx: Context) -> str:
        return text

    @server.tool
    async def echo_context_async(text: str, ctx: Context) -> str:
        return text

    @server.tool
    def progress(text: str, ctx: Context) -> str:
        ctx.progress(1, 2)
        return text

    @server.tool
    async def progress_async(text: str, ctx: Context) -> str:
        ctx.progress(1, 2)
        return text

    @server.resource("memo://note")
    async def note() -> str:
        return "a note"

    @server.tool(name="ask")
    async def ask_user(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", {"type": "object", "properties": {}})).action

    @server.prompt
    async def ask() -> str:
        return "a question"

    return server


def request(method: str, params: dict[str, Any], modern: bool, id: int = 7) -> bytes:
    """A request as bytes."""
    meta = {"progressToken": "p"} | (META if modern else {})
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": meta}}
    return json.dumps(message).encode()


INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def headers_of(method: str, params: dict[str, Any], modern: bool) -> dict[str, str]:
    """The headers of a request."""
    if not modern:
        return {**HEADERS, "mcp-protocol-version": "2025-11-25"}
    name = str(params.get("name") or params.get("uri"))
    return {**HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": name}


# Transports: each gives a function that sends one request and waits for its response ---------------

Send = Callable[[str, dict[str, Any], bool], None]


def by_handle(server: Server) -> Send:
    def send(method: str, params: dict[str, Any], modern: bool) -> None:
        assert server.handle(request(method, params, modern))

    return send


def by_connection(server: Server) -> Send:
    connection = server.connect(lambda message: None)
    connection.handle(request("initialize", INITIALIZE, False, 0))

    def send(method: str, params: dict[str, Any], modern: bool) -> None:
        assert connection.handle(request(method, params, modern))

    return send


def by_stdio(server: Server) -> Send:
    from plainmcp.transports.stdio import StdioPipes, StdioServer

    lines: queue.Queue[bytes] = queue.Queue()
    written: queue.Queue[bytes] = queue.Queue()
    pipes = StdioPipes(lambda size: lines.get(), written.put)
    threading.Thread(target=StdioServer(server, pipes).serve, daemon=True).start()

    def exchange(message: bytes) -> None:
        lines.put(message + b"\n")
        while b'"id"' not in written.get(timeout=10):
            pass

    exchange(request("initialize", INITIALIZE, False, 0))
    return lambda method, params, modern: exchange(request(method, params, modern))


async def post(
    app: Any, body: bytes, headers: dict[str, str], see: Callable[[bytes], None] = bytes.strip
) -> tuple[int, dict[bytes, bytes]]:
    """Send a request to an application; returns the status and headers. Parts of the body are passed to `see`."""
    bodies, sent = [body], list[Any]()

    async def receive() -> dict[str, Any]:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        await asyncio.Event().wait()
        return {}

    async def send(part: Any) -> None:
        sent.append(part)
        see(part.get("body", b""))

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": pairs, "server": ("127.0.0.1", 8000)}
    await app(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"])


async def open_session(app: Any, **capabilities: Any) -> dict[str, str]:
    """The headers of a request in a new session."""
    hello = request("initialize", {**INITIALIZE, "capabilities": capabilities}, False, 0)
    status, headers = await post(app, hello, headers_of("initialize", {}, False))
    assert status == 200
    return {**headers_of("", {}, False), "mcp-session-id": headers[b"mcp-session-id"].decode()}


def by_asgi(server: Server) -> Send:
    app, loop = server.asgi(), asyncio.new_event_loop()
    session = loop.run_until_complete(open_session(app))

    def send(method: str, params: dict[str, Any], modern: bool) -> None:
        headers = headers_of(method, params, modern) if modern else session
        status, _ = loop.run_until_complete(post(app, request(method, params, modern), headers))
        assert status == 200

    return send


async def answer_elsewhere(server: Server, other: Server) -> list[Event]:
    """What a question in a session visits, from the call to its result, if the answer reaches another application."""
    app, other_app = server.asgi(), other.asgi()
    session = await open_session(app, elicitation={})

    async def ask() -> None:
        questions: asyncio.Queue[str] = asyncio.Queue()
        seen: list[bytes] = []

        def see(part: bytes) -> None:
            seen.append(part)
            for line in part.splitlines():
                if b"elicitation/create" in line:
                    questions.put_nowait(json.loads(line.removeprefix(b"data: "))["id"])

        asking = request("tools/call", {"name": "ask", "arguments": {}}, False)
        call = asyncio.create_task(post(app, asking, session, see))
        answer = {"jsonrpc": "2.0", "id": await questions.get(), "result": {"action": "decline"}}
        status, _ = await post(other_app, json.dumps(answer).encode(), session)
        await call
        assert status == 202 and b"decline" in seen[-1], seen

    await ask()
    found: list[list[Event]] = []
    for _ in range(3):  # threads that run at the same time come in between, and more often on a busy machine
        await asyncio.sleep(1.5)  # nothing is due: neither a heartbeat nor a sign that the session is used
        found.append(await trace_async(ask))
    return min(found, key=moves_of)


def moves_of(events: list[Event]) -> int:
    """How often a trace goes from one module to another."""
    return sum(one[0] != other[0] for one, other in pairwise(events))


def by_wsgi(server: Server) -> Send:
    app = server.wsgi()

    def call(body: bytes, headers: dict[str, str]) -> dict[str, str]:
        environ: dict[str, Any] = {
            "REQUEST_METHOD": "POST",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        environ |= {"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}
        started: list[Any] = []
        answer = app(environ, lambda status, head: started.append((status, dict(head))))
        b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        assert started[0][0].startswith("200"), started
        return started[0][1]  # type: ignore[no-any-return]

    hello = call(request("initialize", INITIALIZE, False, 0), headers_of("initialize", {}, False))
    session = {"mcp-session-id": hello["Mcp-Session-Id"]}

    def send(method: str, params: dict[str, Any], modern: bool) -> None:
        call(request(method, params, modern), headers_of(method, params, modern) | ({} if modern else session))

    return send


TRANSPORTS: dict[str, Callable[[Server], Send]] = {
    "handle": by_handle,
    "connection": by_connection,
    "stdio": by_stdio,
    "wsgi": by_wsgi,
    "asgi": by_asgi,
}


def pass_on(request: Any, call_next: Any) -> Any:
    """A middleware function that does nothing."""
    return call_next(request)


async def pass_on_async(request: Any, call_next: Any) -> Any:
    """The same for event loops."""
    return await call_next(request)


def look(request: Any) -> Generator[None, None, None]:
    """A middleware generator that does nothing."""
    yield


def read_arguments(request: Any) -> Generator[None, None, None]:
    """A middleware generator that could change the arguments, and looks at the request before and afterwards."""
    _ = request.arguments, request.name
    yield
    _ = request.arguments, request.name, request.normalize("hi")


MIDDLEWARE = {"reading": read_arguments, "plain": pass_on, "async": pass_on_async, "generator": look}
TOOLS = [f"{name}{kind}" for name in ("echo", "model", "echo_context", "progress") for kind in ("", "_async")]
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{tool: ("tools/call", {"name": tool, "arguments": {"text": "hi"}}) for tool in TOOLS},
    "read": ("resources/read", {"uri": "memo://note"}),
    "prompt": ("prompts/get", {"name": "ask"}),
}


async def trace_async(work: Callable[[], Coroutine[Any, Any, None]]) -> list[Event]:
    """What something visits the fourth time, as in `trace`."""
    global recording
    for _ in range(3):
        await work()
    events.clear()
    recording = True
    await work()
    recording = False
    return list(events)


def trace(send: Send, method: str, params: dict[str, Any], modern: bool) -> list[Event]:
    """What one request visits, once everything is compiled that is compiled when first needed."""
    global recording
    for _ in range(3):
        send(method, params, modern)
    events.clear()
    recording = True
    send(method, params, modern)
    recording = False
    return list(events)


def main() -> None:
    """Trace every case and print it."""
    threading.setprofile(record)
    sys.setprofile(record)
    found: dict[str, list[Event]] = {}
    for transport, open_transport in TRANSPORTS.items():
        send = open_transport(make_server())
        for case, (method, params) in CASES.items():
            for modern in (False, True):
                revision = "2026-07-28" if modern else "2025-11-25"
                found[f"{transport} {case} {revision}"] = trace(send, method, params, modern)
        for kind, function in MIDDLEWARE.items():
            send = open_transport(make_server(middleware=[function]))
            for case in ("echo", "echo_async"):
                for modern, revision in ((False, "2025-11-25"), (True, "2026-07-28")):
                    name = f"{transport} {case} {revision} {kind} middleware"
                    found[name] = trace(send, *CASES[case], modern)
    send = by_asgi(make_server(store=MemoryStore()))
    for modern, revision in ((False, "2025-11-25"), (True, "2026-07-28")):
        found[f"store echo_async {revision}"] = trace(send, *CASES["echo_async"], modern)
    store = MemoryStore()
    one, other = (make_server(store=store, key=b"the key of both replicas") for _ in range(2))
    found["elicitation elsewhere"] = asyncio.run(answer_elsewhere(one, other))
    sys.setprofile(None)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
