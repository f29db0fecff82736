"""The server of the soak. It keeps a journal: what each operation did here, whichever replica did it."""

import asyncio
import json
import os

from plainmcp import Context, Server

server = Server("soak", version="1.0.0", key=os.environ.get("NOTES_KEY", "").encode() or None)


def note_down(word: str, what: str) -> None:
    """Add a line to the journal, in one write, so that lines of several processes do not mix."""
    with open(os.environ["SOAK_JOURNAL"], "ab", buffering=0) as journal:
        journal.write(json.dumps([word, what, os.getpid()]).encode() + b"\n")


@server.tool
def add(word: str, a: int, b: int) -> int:
    note_down(word, "done")
    return a + b


@server.tool
async def confirm(word: str, ctx: Context) -> str:
    answer = await ctx.elicit(word, {"type": "object", "properties": {"word": {"type": "string"}}})
    note_down(word, "done")
    return f"{answer.action} {answer.data['word'] if answer.data else ''}"


@server.tool
async def count(word: str, to: int, seconds: float, ctx: Context, leave_after: int = 0) -> str:
    """Count with progress. After some numbers, the client is sent away, and has to continue the stream."""
    try:
        for number in range(1, to + 1):
            await ctx.progress(number, to)
            if number == leave_after:
                await ctx.close_stream()
            await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        note_down(word, "cancelled")
        raise
    note_down(word, "done")
    return f"counted to {to}"


@server.tool
def change(word: str, uri: str) -> str:
    server.resource_updated(uri)
    note_down(word, "done")
    return f"{uri} changed"


@server.resource("note://{name}")
def note(name: str) -> str:
    return f"This is the note {name}."
