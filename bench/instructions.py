"""How many instructions one request takes through `server.asgi()` in this process: make instructions.

Counted by callgrind, so the same on every run and under any load. Two runs that differ only in how many requests they
make are compared: so import and warm-up do not count. Needs valgrind and CPython 3.11, for which the limits are.
"""

import asyncio
import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pydantic

from payloads import ORDINARY
from workload import LATEST, Case, check, headers, request

FEW, MANY = 200, 500
LIMITS = {"echo of 300 characters": 116_000, "model with five fields": 165_000}
"""The most instructions of a request on 2026-07-28."""
CASES = {
    "echo of 300 characters": Case("echo", "tools/call", {"name": "echo", "arguments": {"text": ORDINARY}}, bool),
    "model with five fields": Case("model", "tools/call", {"name": "model", "arguments": {}}, bool),
}


class Model(pydantic.BaseModel):
    """A product: a list and a None, as most models have."""

    id: int
    name: str
    price: float
    tags: list[str]
    note: str | None


COLLECTED = re.compile(r"Collected : (\d+)")


def make_requests(name: str, count: int) -> None:
    """Make so many requests to a server, one after the other, with as little around them as a server has."""
    from plainmcp import Server

    server, model = Server("bench"), Model(id=1, name="Kettle", price=21.5, tags=["kitchen", "steel"], note=None)

    @server.tool(name="echo")
    async def echo(text: str) -> str:
        return text

    @server.tool(name="model")
    async def make_model() -> Model:
        return model

    asyncio.run(_make_requests(server.asgi(stateless=True), CASES[name], count))


async def _make_requests(app: Any, case: Case, count: int) -> None:
    body = request(case, LATEST)
    sent = [(name.encode(), value.encode()) for name, value in headers(case, LATEST).items()]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": [*sent, (b"content-length", b"%d" % len(body))],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    message, parts = {"type": "http.request", "body": body, "more_body": False}, list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        return message

    async def send(message: dict[str, Any]) -> None:
        parts.append(message)

    async def ask(times: int) -> None:
        for _ in range(times):
            parts.clear()
            await app(scope.copy(), receive, send)

    await ask(FEW)
    check("plainmcp", case, b"".join(part.get("body", b"") for part in parts))
    gc.collect()
    gc.freeze()  # a collection of all that the imports left would count for a few requests
    await ask(count)


def count_instructions(name: str, count: int) -> int:
    """The instructions of a process that makes so many requests."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        sys.executable,
        __file__,
        name,
        str(count),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    found = COLLECTED.search(done.stderr)
    if done.returncode or found is None:
        raise SystemExit(done.stderr)
    return int(found[1])


def main() -> int:
    """Print the instructions of a request of each case; returns 1 if one is over its limit."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed, so nothing was counted: install it with the packages of your system")
        return 0
    if sys.version_info[:2] != (3, 11):
        print(f"the limits are for CPython 3.11, and this is {sys.version.split()[0]}: counted all the same")
    is_over = False
    for name, limit in LIMITS.items():
        each = (count_instructions(name, MANY) - count_instructions(name, FEW)) // (MANY - FEW)
        is_over |= each > limit
        print(
            f"{name}: {each:,} instructions a request; at most {limit:,}{'' if each <= limit else ': MISSED'}",
            flush=True,
        )
    return int(is_over)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    if len(sys.argv) == 3:
        make_requests(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(main())
