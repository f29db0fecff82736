"""A function that forks and returns in the child as well: the parent responds, and the child ends silently."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from posting import exchange, served
from talking import META, Program, until

pytestmark = [
    pytest.mark.slow,  # it starts processes
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
]

PROGRAM = """
import asyncio, os, sys, time
from plainmcp import Context, Server

server = Server("forking")

def fork():
    child = os.fork()
    if child:
        print("child:", child, file=sys.stderr, flush=True)
    return "parent" if child else "child"

@server.tool
def plain() -> str:
    return fork()

@server.tool(inline=True)
def inline() -> str:
    return fork()

@server.tool
async def waiting() -> str:
    return fork()

@server.tool
async def waiting_before() -> str:
    await asyncio.sleep(0.01)
    return fork()

@server.tool
async def waiting_after() -> str:
    which = fork()
    await asyncio.sleep(0.01)
    return which

@server.tool
async def in_a_thread() -> str:
    return await asyncio.to_thread(plain)

@server.tool
def knowing(ctx: Context) -> str:
    which = fork()
    ctx.progress(1)
    return which

@server.tool
async def knowing_later(ctx: Context) -> str:
    which = fork()
    await ctx.progress(1)
    return which

@server.tool
def failing() -> str:
    if fork() == "child":
        raise ValueError("in the child")
    return "parent"

@server.tool
def leaving() -> str:
    if fork() == "child":
        sys.exit(3)
    return "parent"

@server.tool
def bit_by_bit():
    yield fork()

@server.tool
def waited_for() -> str:
    child = os.fork()
    if not child:
        return "child"
    return f"parent of one that ended with {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"

@server.tool
def fine() -> str:
    return "fine"

if __name__ == "__main__":
    if "http" in sys.argv:
        server.run(http="127.0.0.1:0", workers=int(sys.argv[2]))
    elif "handle" in sys.argv:
        request = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%b"}}' % sys.argv[2].encode()
        print(server.handle(request).decode(), flush=True)
        print(server.handle(b" " + request).decode(), flush=True)
    else:
        server.run()
"""
NAMES = (
    "plain", "inline", "waiting", "waiting_before", "waiting_after", "in_a_thread", "knowing", "knowing_later",
    "failing", "leaving", "bit_by_bit",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "forking.py").write_text(PROGRAM, "utf-8")
    return tmp_path


def children(program: Program) -> list[int]:
    return [int(found) for found in re.findall(rb"child: (\d+)\n", program.stderr)]


def has_ended(process: int) -> bool:
    """Whether it has; one whose parent does not ask how it ended is not gone, but does nothing any more."""
    try:
        return " Z " in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True


def text(answer: Any) -> str:
    said = answer["result"]["content"][0]["text"]
    assert isinstance(said, str)
    return said


@pytest.mark.parametrize("modern", [False, True])
def test_a_child_that_returns_never_answers_on_standard_output(folder: Path, modern: bool) -> None:
    with Program("forking.py", cwd=folder) as program:
        if not modern:
            program.shake_hands()
        for number, name in enumerate(NAMES, 1):
            program.send(
                "tools/call",
                {"name": name, "arguments": {}, "_meta": {**(META if modern else {}), "progressToken": name}},
                name,
            )
            assert text(program.answer(name)) == "parent"
            until(lambda number=number: len(children(program)) == number)
        until(lambda: all(map(has_ended, children(program))))
        program.call("waited_for", "waited_for", modern=modern)
        assert text(program.answer("waited_for")) == "parent of one that ended with 0"
        program.call("fine", "fine", modern=modern)
        assert text(program.answer("fine")) == "fine"
        progress = [message["params"]["progressToken"] for message in program.unread]
        assert progress == ["knowing", "knowing_later"]  # once each
        assert program.hang_up() == 0
        assert program.lines.empty()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_nor_over_http(folder: Path, workers: str) -> None:
    with served("forking.py", "http", workers, cwd=folder) as (program, port):
        for number, name in enumerate(NAMES, 1):
            status, body = exchange(port, name)
            assert (status, text(json.loads(body))) == (200, "parent"), name
            until(lambda number=number: len(children(program)) == number)
        until(lambda: all(map(has_ended, children(program))))
        for _ in range(10):  # no child serves at our port either
            assert text(json.loads(exchange(port, "fine")[1])) == "fine"
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        with pytest.raises(ConnectionError):
            exchange(port, "fine")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("knowing")])
def test_nor_out_of_handle(folder: Path, name: str) -> None:
    with Program("forking.py", "handle", name, cwd=folder) as program:
        assert program.wait() == 0
        lines = [json.loads(line) for line in list(program.lines.queue)]
        assert [text(line) for line in lines] == ["parent", "parent"]
        until(lambda: all(map(has_ended, children(program))))


SERVING_CHILD = """
import multiprocessing
from plainmcp import Server

server, inner = Server("outer"), Server("inner")

@inner.tool
def which() -> str:
    return multiprocessing.current_process().name

def ask(queue):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "which"}}
    for _ in range(3):
        queue.put(inner.handle(request).decode())

@server.tool
def spread() -> list[str]:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=ask, args=(queue,), name="the child")
    child.start()
    said = [queue.get(timeout=20) for _ in range(3)]
    child.join(20)
    return [str("the child" in one) for one in said] + [str(child.exitcode)]

server.run()
"""


def test_a_child_that_has_work_of_its_own_may_call_tools_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "serving.py").write_text(SERVING_CHILD, "utf-8")
    with Program("serving.py", cwd=tmp_path) as program:
        program.call(1, "spread", modern=True)
        assert program.answer(1)["result"]["structuredContent"] == {"result": ["True", "True", "True", "0"]}
