"""An HTTP client for a program under test: starts it, finds its port, and sends requests."""

import http.client
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from talking import META, Program, until

__all__ = ["ask", "call", "exchange", "modern_headers", "served"]

SAID = re.compile(rb"serving MCP at http://127\.0\.0\.1:(\d+)/mcp\n")


@contextmanager
def served(*command: str | Path, **options: Any) -> Iterator[tuple[Program, int]]:
    """A program that serves HTTP, and the port it says it does so at."""
    with Program(*command, **options) as program:
        yield program, int(until(lambda: SAID.search(program.stderr))[1])


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
    """One request over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def modern_headers(name: str, accept: str = "application/json, text/event-stream") -> dict[str, str]:
    """What a client of the stateless revision says of the call of a tool."""
    return {
        "Content-Type": "application/json",
        "Accept": accept,
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }


def exchange(port: int, name: str, accept: str = "application/json, text/event-stream", **params: Any) -> Any:
    """Call a tool as a client of the stateless revision does: the status, and the response as it came."""
    meta = {**META, **params.pop("meta", {})}
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": {}, **params, "_meta": meta},
    }
    return ask(port, "POST", "/mcp", message, **modern_headers(name, accept))


def call(port: int, name: str = "process", **params: Any) -> dict[str, Any]:
    """The same; gives its result."""
    status, body = exchange(port, name, **params)
    assert status == 200, body
    result: dict[str, Any] = json.loads(body)["result"]
    return result
