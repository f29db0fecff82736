"""One request to a server by every way there is: handle, handle_async, a connection, stdio, WSGI and ASGI."""

import asyncio
import io
import json
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from mounted import modern, session, speak
from plainmcp import Server
from plainmcp.transports import stdio
from speaking import initialize, message

__all__ = ["REVISIONS", "WAYS", "send"]

REVISIONS = ("2025-11-25", "2026-07-28")


def send(way: str, server: Server, method: str, revision: str = "2026-07-28", **params: Any) -> dict[str, Any]:
    """The response to one request."""
    response = WAYS[way](server, revision, method, params)
    return json.loads(response) if isinstance(response, (bytes, str)) else response


def _handle(server: Server, revision: str, method: str, params: dict[str, Any]) -> Any:
    return server.handle(message(revision, method, params), revision=revision)


def _handle_async(server: Server, revision: str, method: str, params: dict[str, Any]) -> Any:
    async def run() -> Any:
        try:
            return await server.handle_async(message(revision, method, params), revision=revision)
        finally:
            await server.close_async()

    return asyncio.run(run())


def _connection(server: Server, revision: str, method: str, params: dict[str, Any]) -> Any:
    connection = server.connect(lambda message: None)
    if revision != "2026-07-28":
        connection.handle(initialize(revision))
    return connection.handle(message(revision, method, params))


def _stdio(server: Server, revision: str, method: str, params: dict[str, Any]) -> Any:
    source, sink = os.pipe()
    written: SimpleQueue[bytes] = SimpleQueue()
    pipes = stdio.StdioPipes(lambda size: os.read(source, size), written.put)
    thread = threading.Thread(target=lambda: stdio.run(server, streams=pipes), daemon=True)
    thread.start()

    def ask(request: dict[str, Any]) -> Any:
        os.write(sink, json.dumps(request).encode() + b"\n")
        while True:
            response = json.loads(written.get(timeout=20))
            if response.get("id") == request["id"]:
                return response

    try:
        if revision != "2026-07-28":
            ask(initialize(revision))
        return ask(message(revision, method, params, id=7))
    finally:
        os.close(sink)
        thread.join(20)
        os.close(source)


def _wsgi(server: Server, revision: str, method: str, params: dict[str, Any]) -> Any:
    app = server.wsgi()

    def post(body: Any, headers: dict[str, str]) -> tuple[dict[str, str], bytes]:
        raw, got = json.dumps(body).encode(), {}
        environ = {
            "REQUEST_METHOD": "POST",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_ACCEPT": "application/json, text/event-stream",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.input": io.BytesIO(raw),
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
        }

        def start_response(status: str, pairs: list[tuple[str, str]]) -> None:
            got.update({name.lower(): value for name, value in pairs})

        return got, b"".join(app(environ, start_response))

    if revision == "2026-07-28":
        body, headers = modern(method, **params)
        return _last_message(*post(body, headers))
    opened, _ = post(initialize(revision), {})
    return _last_message(
        *post(
            message(revision, method, params),
            {"mcp-session-id": opened["mcp-session-id"], "mcp-protocol-version": revision},
        )
    )


def _asgi(server: Server, revision: str, method: str, params: dict[str, Any]) -> Any:
    async def run() -> Any:
        app = server.asgi()
        try:
            if revision == "2026-07-28":
                live = await speak(app, *modern(method, **params))
            else:
                live = await speak(app, message(revision, method, params), await session(app, revision))
            return _last_message(dict(live.headers), live.body)
        finally:
            await server.close_async()

    return asyncio.run(run())


def _last_message(headers: dict[str, str], body: bytes) -> Any:
    if headers.get("content-type") != "text/event-stream":
        return json.loads(body)
    data = [line[6:] for line in body.decode().splitlines() if line.startswith("data: ")]
    return json.loads(data[-1])


WAYS: dict[str, Callable[[Server, str, str, dict[str, Any]], Any]] = {
    "handle": _handle,
    "handle_async": _handle_async,
    "connection": _connection,
    "stdio": _stdio,
    "wsgi": _wsgi,
    "asgi": _asgi,
}
