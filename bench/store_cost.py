"""What a store costs a plain call: its CPU time over ASGI, in this process, with a store and without, in turns.

Run as a program it takes the URL of a Redis, or nothing for a store in memory, and prints a ratio for each revision.
The threads that follow the store count, too.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from plainmcp import Server
from plainmcp.store import MemoryStore

WIRES = ("2025-11-25", "2026-07-28")
ROUNDS, CALLS, WARM = 600, 100, 2_000
HEADERS = {
    "host": "127.0.0.1:8000",
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
}

Call = Callable[[], Awaitable[dict[str, str]]]


def make_app(store: Any) -> Any:
    """An application with one tool."""
    server = Server("bench", "1.0.0", key=b"a key of the benchmark", store=store)

    @server.tool
    async def echo(text: str) -> str:
        return text

    return server.asgi()


def call_of(app: Any, method: str, params: dict[str, Any], headers: dict[str, str]) -> Call:
    """A function that sends one request to an application, and returns the headers of the response."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    pairs = [(name.encode(), value.encode()) for name, value in {**HEADERS, **headers}.items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": pairs, "server": ("127.0.0.1", 8000)}

    async def call() -> dict[str, str]:
        bodies, sent = [body], []

        async def receive() -> dict[str, Any]:
            if bodies:
                return {"type": "http.request", "body": bodies.pop(), "more_body": False}
            await asyncio.Event().wait()
            return {}

        async def send(part: Any) -> None:
            sent.append(part)

        await app(dict(scope), receive, send)
        assert sent[0]["status"] == 200, sent
        return {name.decode(): value.decode() for name, value in sent[0]["headers"]}

    return call


async def prepare(app: Any, wire: str) -> Call:
    """A plain call of a client of a revision."""
    params: dict[str, Any] = {"name": "echo", "arguments": {"text": "hi"}}
    if wire == "2026-07-28":
        meta = {"protocolVersion": wire, "clientCapabilities": {}}
        params["_meta"] = {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}
        headers = {"mcp-protocol-version": wire, "mcp-method": "tools/call", "mcp-name": "echo"}
        return call_of(app, "tools/call", params, headers)
    hello = {"protocolVersion": wire, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    opened = await call_of(app, "initialize", hello, {})()
    headers = {"mcp-protocol-version": wire, "mcp-session-id": opened["mcp-session-id"]}
    return call_of(app, "tools/call", params, headers)


async def measure(store: Any) -> dict[str, tuple[float, float]]:
    """For each revision: CPU microseconds of a call without a store, and the ratio with one; medians of rounds."""
    apps = [make_app(None), make_app(store)]
    found = {}
    for wire in WIRES:
        calls = [await prepare(app, wire) for app in apps]
        for _ in range(WARM):
            for call in calls:
                await call()
        rounds = []
        for number in range(ROUNDS):
            taken = [0.0, 0.0]
            for which in (0, 1) if number % 2 else (1, 0):
                call, began = calls[which], time.process_time()
                for _ in range(CALLS):
                    await call()
                taken[which] = time.process_time() - began
            rounds.append(taken)
        without = statistics.median(one for one, _ in rounds) / CALLS * 1e6
        found[wire] = without, statistics.median(other / one for one, other in rounds)
    for app in apps:
        await asyncio.to_thread(app.close)
    return found


def main() -> None:
    store: Any = MemoryStore()
    if len(sys.argv) > 1:
        from plainmcp.redis import RedisStore

        store = RedisStore(sys.argv[1])
    print(json.dumps(asyncio.run(measure(store))))


if __name__ == "__main__":
    main()
