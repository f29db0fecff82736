"""A server for one client on standard input and output, started by a desktop application.

Try it:

    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | python examples/stdio_server.py

or give an application that speaks MCP the command `python examples/stdio_server.py`.
"""

import time

from plainmcp import Context, Server

server = Server("notes", "1.0.0", instructions="Keeps notes while it runs.")
notes: dict[str, str] = {}


@server.tool
def write(title: str, text: str) -> str:
    """Write a note.

    Args:
        title: What the note is called
        text: What it says
    """
    print(f"writing {title!r}")  # goes to standard error: standard output is for messages
    notes[title] = text
    server.resource_updated(f"note://{title}")
    return f"{len(notes)} notes"


@server.tool
def proofread(title: str, ctx: Context) -> str:
    """Read a note slowly, word for word; stops when the client cancels."""
    words = notes.get(title, "").split()
    for number, word in enumerate(words, 1):
        if ctx.cancelled:
            break
        ctx.progress(number, len(words), word)
        time.sleep(0.1)
    return f"{len(words)} words, all fine"


@server.resource("note://{title}", mime_type="text/plain")
def read(title: str) -> str:
    """What a note says."""
    return notes[title]


if __name__ == "__main__":
    server.run()
