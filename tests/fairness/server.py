"""A server for callers that do their worst. Its argument is the address; the options are JSON."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from plainmcp import Context, Server

server = Server("fair", "1.0")


@server.tool
def quick() -> str:
    return "quick"


@server.tool
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "waited"


@server.tool
def hold(seconds: float) -> str:
    time.sleep(seconds)
    return "held"


@server.tool(timeout=0.2)
def overstay(seconds: float) -> str:
    time.sleep(seconds)
    return "never"


@server.tool
def ask(ctx: Context) -> str:
    return ctx.elicit("Who?", {"type": "object", "properties": {"name": {"type": "string"}}}).action


@server.tool
async def flood(ctx: Context, times: int) -> str:
    for _ in range(times):
        await ctx.info("x" * 100_000)
        await asyncio.sleep(0)
    await asyncio.sleep(20)
    return "flooded"


server.add_file(Path(__file__), "memo://file", mime_type="text/plain")


def name_of(scope: Any) -> str | None:
    """The caller in the header X-User, as an application in front would know it."""
    return dict(scope["headers"]).get(b"x-user", b"").decode() or None


if __name__ == "__main__":
    server.run(http=sys.argv[1], principal=name_of, **json.loads(sys.argv[2]))
