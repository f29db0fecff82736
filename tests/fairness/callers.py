"""Callers of the server in server.py: a polite one, and connections that send something and never read."""

import json
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, cast

__all__ = ["HANDSHAKE", "MODERN", "Caller", "Served", "read_status", "serve"]

PROGRAM = Path(__file__).with_name("server.py")
HANDSHAKE, MODERN = "2025-11-25", "2026-07-28"
ACCEPT = "application/json, text/event-stream"
META = "io.modelcontextprotocol/"
SECONDS = 15


class Served:
    """A server that runs in its own process."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port

    @property
    def resident(self) -> int:
        """Its memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024


@contextmanager
def serve(**options: Any) -> Iterator[Served]:
    """The server in a process of its own, with these options."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, PROGRAM, f"127.0.0.1:{port}", json.dumps({"grace": 1, **options})],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _wait_for(port)
        yield Served(process, port)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


def _wait_for(port: int) -> None:
    ends = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)


class Caller:
    """One caller: a session on 2025-11-25, or a name on 2026-07-28; at an address of this machine."""

    def __init__(
        self,
        served: Served,
        revision: str = HANDSHAKE,
        user: str | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        self.port = served.port
        self.source = (address, 0)
        self.revision = revision
        self.headers = {"Content-Type": "application/json", "Accept": ACCEPT, "MCP-Protocol-Version": revision}
        if user is not None:
            self.headers["X-User"] = user
        if revision == HANDSHAKE:
            status, headers, _ = self.post(self.initialize())
            assert status == 200
            self.headers["Mcp-Session-Id"] = headers["mcp-session-id"]
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def initialize(self) -> dict[str, Any]:
        """The handshake of a client that can be asked."""
        client = {"capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}}
        params = {"protocolVersion": HANDSHAKE, **client}
        return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}

    def message(self, method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
        """A request and its headers."""
        headers = dict(self.headers)
        if self.revision == MODERN:
            params["_meta"] = {
                f"{META}protocolVersion": MODERN,
                f"{META}clientInfo": {"name": "c", "version": "1"},
                f"{META}clientCapabilities": {},
            }
            headers["Mcp-Method"] = method
            if "name" in params or "uri" in params:
                headers["Mcp-Name"] = params.get("name") or params["uri"]
        Caller.ids += 1
        return {"jsonrpc": "2.0", "id": Caller.ids, "method": method, "params": params}, headers

    ids = 0

    def post(self, message: Any, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], Any]:
        """Send a message, and wait for its response: the status, the headers, and the JSON."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS, source_address=self.source)
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers or self.headers)
            response = connection.getresponse()
            body = response.read()
            if response.getheader("content-type") == "text/event-stream":
                body = [line for line in body.splitlines() if line.startswith(b"data: {")][-1][6:]
            named = {name.lower(): value for name, value in response.getheaders()}
            return response.status, named, json.loads(body) if body else None
        finally:
            connection.close()

    def request(self, method: str, **params: Any) -> tuple[int, dict[str, str], Any]:
        """Send a request, and wait for its response."""
        return self.post(*self.message(method, **params))

    def call(self, name: str, **arguments: Any) -> str:
        """The text that a tool returns."""
        status, _, response = self.request("tools/call", name=name, arguments=arguments)
        assert status == 200, response
        return str(response["result"]["content"][0]["text"])

    def is_served(self) -> bool:
        """Whether a plain tool is answered within a second."""
        start = time.monotonic()
        assert self.call("quick") == "quick"
        return time.monotonic() - start < 1

    def begin(self, method: str, **params: Any) -> socket.socket:
        """Send a request, and do not read its response."""
        return self.send(*self.message(method, **params))

    def send(
        self, message: Any, headers: dict[str, str], verb: str = "POST", size: int | None = None
    ) -> socket.socket:
        """Send a request on a new connection; `size` is the length that is announced, without a body."""
        connection = socket.create_connection(("127.0.0.1", self.port), SECONDS, self.source)
        connection.sendall(self._encode(message, headers, verb, size))
        return connection

    def _encode(self, message: Any, headers: dict[str, str], verb: str = "POST", size: int | None = None) -> bytes:
        body = b"" if message is None or size is not None else json.dumps(message).encode()
        lines = [f"{verb} /mcp HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Content-Length: {size or len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def call_steadily(self, connections: int, seconds: float, name: str, /, **arguments: Any) -> list[float]:
        """When calls of a tool ended within some seconds, with one under way on each connection."""
        request = self._encode(*self.message("tools/call", name=name, arguments=arguments))
        ended, ends = list[float](), time.monotonic() + seconds
        with ExitStack() as stack, selectors.DefaultSelector() as selector:
            for _ in range(connections):
                connection = socket.create_connection(("127.0.0.1", self.port), SECONDS, self.source)
                selector.register(stack.enter_context(connection), selectors.EVENT_READ, bytearray())
                connection.sendall(request)
            while time.monotonic() < ends:
                for key, _ in selector.select(0.1):
                    connection, response = cast(socket.socket, key.fileobj), key.data
                    response += connection.recv(2**16)
                    assert response.startswith(b"HTTP/1.1 200"), response
                    if response.endswith(b"}}"):
                        response.clear()
                        ended.append(time.monotonic())
                        connection.sendall(request)
        return ended


def read_status(connection: socket.socket) -> int:
    """The status of a response."""
    return int(connection.makefile("rb").readline().split()[1])
