"""Notes on a server of several processes: any of them answers, asks and notifies. `make replicas` starts two.

NOTES_KEY=… plainmcp serve examples/shared_notes.py --http 127.0.0.1:8001 --store redis://127.0.0.1:6379/0
"""

import asyncio
import os

from plainmcp import Context, Server

# All replicas need the same key. Keep a real one where you keep other secrets.
server = Server("notes", version="1.0.0", key=os.environ["NOTES_KEY"].encode())


@server.tool
def process() -> int:
    """The process that answers."""
    return os.getpid()


@server.tool
def add(a: int, b: int) -> int:
    """Add two numbers: a call that shares nothing."""
    return a + b


@server.tool
async def confirm(what: str, ctx: Context) -> str:
    """Ask the user a question. The answer may reach any process."""
    answer = await ctx.elicit(what, {"type": "object", "properties": {"word": {"type": "string"}}})
    return f"{answer.action} {answer.data['word'] if answer.data else ''}"


@server.tool
async def count(to: int, seconds: float, ctx: Context) -> str:
    """Count with progress. A client that loses the stream continues at any process."""
    for number in range(to):
        await ctx.progress(number + 1, to)
        await asyncio.sleep(seconds)
    return f"counted to {to}"


@server.tool
def change(name: str) -> str:
    """Change a note. Whoever subscribed to it hears of it, wherever its stream is."""
    server.resource_updated(f"note://{name}")
    return f"{name} changed in process {os.getpid()}"


@server.resource("note://{name}")
def note(name: str) -> str:
    """A note."""
    return f"This is the note {name}."
