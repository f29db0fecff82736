"""The tools of the public benchmark in each system: a file for `plainmcp serve`, and a program for the others.

public_server.py SYSTEM PORT   serves on one uvicorn worker
public_server.py upstream PORT is the HTTP service that the tools call: answers that are made beforehand
"""

import asyncio
import json
import logging
import sys
from typing import Any, ClassVar

from public_tools import ANSWERS, TOOLS

__all__: list[str] = []


def build(system: str) -> Any:
    """The server, registered the system's own way."""
    if system == "plainmcp":
        from plainmcp import Server as Kind
    elif system == "mcp":
        from mcp.server import MCPServer as Kind
    else:
        from fastmcp import FastMCP as Kind
    server: Any = Kind("bench")
    for tool in TOOLS:
        server.tool()(tool)
    return server


def serve(system: str, port: int) -> None:
    """Serve as the public benchmark does: without sessions, and with JSON instead of events."""
    import uvicorn

    logging.disable(logging.CRITICAL)
    app = bare if system == "floor" else make_app(system)
    tuned: Any = {"loop": "uvloop", "http": "httptools", "log_level": "critical", "access_log": False}
    uvicorn.run(app, host="127.0.0.1", port=port, **tuned)


def make_app(system: str) -> Any:
    """The ASGI application of a peer."""
    server = build(system)
    make = server.streamable_http_app if system == "mcp" else server.http_app
    return make(json_response=True, stateless_http=True)


async def bare(scope: Any, receive: Any, send: Any) -> None:
    """An ASGI application that calls the tools and checks nothing: what is left is their cost."""
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    asked = json.loads(body)
    params, answer = asked["params"] if "id" in asked else {}, b""
    if "name" in params:
        text = await {tool.__name__: tool for tool in TOOLS}[params["name"]](**params["arguments"])
        result = {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}}
        answer = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": answer})


class Upstream(asyncio.Protocol):
    """A connection of the HTTP service; requests have no body."""

    answers: ClassVar = {
        path: b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        for path, body in ((path.encode(), json.dumps(value).encode()) for path, value in ANSWERS.items())
    }

    def connection_made(self, transport: Any) -> None:
        self._transport, self._got = transport, b""

    def data_received(self, data: bytes) -> None:
        self._got += data
        while b"\r\n\r\n" in self._got:
            head, _, self._got = self._got.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].partition(b"?")[0]
            self._transport.write(self.answers[path])


async def serve_upstream(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "upstream":
        asyncio.run(serve_upstream(int(sys.argv[2])))
    else:
        serve(sys.argv[1], int(sys.argv[2]))
else:
    server = build("plainmcp")
