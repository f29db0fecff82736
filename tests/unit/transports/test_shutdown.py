"""A server ends in time after a signal, also if clients and functions do not, and responds to cancelled calls."""

import http.client
import json
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from mounted import events
from plainmcp import Server
from plainmcp.errors import AuthorError
from posting import call, exchange, modern_headers, served
from talking import META, Program, until

pytestmark = pytest.mark.slow  # it starts processes and waits

PROGRAM = """
import asyncio, sys, time
from concurrent.futures import ThreadPoolExecutor
from plainmcp import Context, Server

server = Server("busy")

def say(name):
    sys.stderr.write(f"began: {name}\\n")  # in one piece: others write at the same time
    sys.stderr.flush()

@server.tool
def plain() -> str:
    say("plain")
    time.sleep(3600)

@server.tool
async def waiting() -> str:
    say("waiting")
    await asyncio.sleep(3600)

@server.tool
def plain_aloud(ctx: Context) -> str:
    ctx.progress(1)
    say("plain_aloud")
    time.sleep(3600)

@server.tool
async def waiting_aloud(ctx: Context) -> str:
    await ctx.progress(1)
    say("waiting_aloud")
    await asyncio.sleep(3600)

@server.tool
async def in_a_thread() -> str:
    say("in_a_thread")
    await asyncio.to_thread(time.sleep, 3600)

@server.tool
def in_a_pool() -> str:
    say("in_a_pool")
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(time.sleep, 3600).result()

@server.tool
async def stubborn() -> str:
    say("stubborn")
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

@server.tool
async def holding_the_loop() -> str:
    say("holding_the_loop")
    time.sleep(3600)

@server.tool
def soon() -> str:
    say("soon")
    time.sleep(0.6)
    return "in time"

@server.tool
def large() -> str:
    say("large")
    return "x" * 50_000_000

@server.tool
def process() -> str:
    return "here"

if __name__ == "__main__":
    arguments = dict(pair.split("=") for pair in sys.argv[1:])
    grace = {"grace": float(arguments["grace"])} if "grace" in arguments else {}
    if "stdio" in arguments:
        server.run(**grace)
    else:
        server.run(http="127.0.0.1:0", workers=int(arguments.get("workers", 1)), **grace)
    print("it came to an end", file=sys.stderr, flush=True)
"""
GRACE = 2.0
SLACK = 2.0  # of a busy machine; a server that waits for its clients takes twelve seconds, or an hour
COMMAND = ("-m", "plainmcp", "serve", "busy.py", "--http", "127.0.0.1:0")
MODES: dict[str, tuple[str, ...]] = {
    "run": ("busy.py",),
    "run with workers": ("busy.py", "workers=2"),
    "serve": COMMAND,
    "serve with workers": (*COMMAND, "--workers", "2"),
    "serve with reload": (*COMMAND, "--reload"),
}
GIVEN_UP = {"code": -32603, "message": "the server is shutting down, and gave up this request"}

only_forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="several workers are forked")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "busy.py").write_text(PROGRAM, "utf-8")
    return tmp_path


@contextmanager
def owing_a_body(port: int, sent: bytes) -> Iterator[None]:
    """A client that has said how long its body is, and has sent some of it."""
    lines = [f"{name}: {value}" for name, value in modern_headers("process").items()]
    head = "\r\n".join(["POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Content-Length: 500", *lines, "", ""])
    with socket.create_connection(("127.0.0.1", port), 20) as client:
        client.sendall(head.encode() + sent)
        yield


@contextmanager
def reading_nothing(port: int) -> Iterator[None]:
    """A client that asks for more than fits between us, and does not read it."""
    params = {"name": "large", "arguments": {}, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    lines = [f"{name}: {value}" for name, value in modern_headers("large").items()]
    head = "\r\n".join(["POST /mcp HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}", *lines, "", ""])
    with socket.create_connection(("127.0.0.1", port), 20) as client:
        client.sendall((head + body).encode())
        yield


def end(program: Program, number: int = signal.SIGTERM) -> tuple[int, float]:
    """Tell a program to end: its exit code, and how long it took."""
    start = time.monotonic()
    program.process.send_signal(number)
    code = program.wait()
    return code, time.monotonic() - start


def began(program: Program, *names: str) -> None:
    """Wait until calls have begun, each name as often as it is given."""
    missing = Counter(f"began: {name}\n".encode() for name in names)
    until(
        lambda: all(program.stderr.count(line) >= count for line, count in missing.items()),
        explain=lambda: f"not all of {names} began; stderr: {program.stderr!r}",
    )


def is_answer(status: int, body: bytes) -> Any:
    assert status == 200, body
    return json.loads(body)


@pytest.mark.parametrize(
    "mode", [pytest.param(mode, marks=only_forks if "workers" in mode else ()) for mode in MODES]
)
def test_a_server_ends_in_time_whatever_its_clients_and_functions_do(folder: Path, mode: str) -> None:
    grace = (f"grace={GRACE:g}",) if mode.startswith("run") else ("--grace", f"{GRACE:g}")
    with (
        ThreadPoolExecutor(8) as pool,
        served(*MODES[mode], *grace, cwd=folder) as (program, port),
        ExitStack() as stack,
    ):
        assert call(port)["content"][0]["text"] == "here"
        stack.enter_context(owing_a_body(port, b""))
        stack.enter_context(owing_a_body(port, b'{"jsonrpc":'))
        plain = pool.submit(exchange, port, "plain")
        waiting = pool.submit(exchange, port, "waiting")
        aloud = pool.submit(exchange, port, "waiting_aloud", meta={"progressToken": 1})
        events_only = pool.submit(exchange, port, "plain", "text/event-stream")
        began(program, "plain", "plain", "waiting", "waiting_aloud")
        stack.enter_context(reading_nothing(port))  # later requests of this address would be refused
        began(program, "large")
        time.sleep(0.3)
        code, seconds = end(program)
        assert (code, seconds < GRACE + 2 * SLACK) == (0, True), (code, seconds, program.stderr)
        for asked in (plain, waiting):
            assert is_answer(*asked.result(20)) == {"jsonrpc": "2.0", "id": 1, "error": GIVEN_UP}
        said = [event["data"] for event in events(aloud.result(20)[1]) if event.get("data")]
        assert said[0]["method"] == "notifications/progress"
        assert said[1:] == [{"jsonrpc": "2.0", "id": 1, "error": GIVEN_UP}]
        [only] = [event["data"] for event in events(events_only.result(20)[1]) if event.get("data")]
        assert only["error"] == GIVEN_UP
        assert b"Traceback" not in program.stderr
        assert b"were given up" in program.stderr
        assert (b"it came to an end" in program.stderr) == mode.startswith("run")


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("run", "in_a_thread"),
        ("run", "in_a_pool"),
        ("run", "stubborn"),
        ("run", "holding_the_loop"),
        ("serve", "in_a_pool"),
        pytest.param("run with workers", "holding_the_loop", marks=only_forks),
        pytest.param("run with workers", "in_a_pool", marks=only_forks),
        ("serve with reload", "stubborn"),
        ("serve with reload", "in_a_pool"),
    ],
)
def test_what_cannot_be_stopped_does_not_keep_the_process(folder: Path, mode: str, name: str) -> None:
    option = ("grace=1",) if mode.startswith("run") else ("--grace", "1")
    with ThreadPoolExecutor(1) as pool, served(*MODES[mode], *option, cwd=folder) as (program, port):
        asked = pool.submit(exchange, port, name)
        began(program, name)
        time.sleep(0.2)
        code, seconds = end(program)
        assert (code, seconds < 1 + SLACK) == (0, True), (code, seconds, program.stderr)
        if name == "holding_the_loop":  # nobody else could have told them
            with pytest.raises((http.client.HTTPException, ConnectionError)):
                asked.result(20)
        else:
            assert is_answer(*asked.result(20))["error"] == GIVEN_UP


def test_a_call_that_ends_in_time_is_answered_and_the_server_waits_no_longer(folder: Path) -> None:
    with ThreadPoolExecutor(1) as pool, served(*MODES["serve"], cwd=folder) as (program, port):
        asked = pool.submit(call, port, "soon")
        began(program, "soon")
        code, seconds = end(program)
        assert (code, seconds < 0.6 + SLACK) == (0, True), (code, seconds)
        assert asked.result(20)["content"][0]["text"] == "in time"


def test_a_second_ctrl_c_waits_no_longer_and_the_call_is_told_all_the_same(folder: Path) -> None:
    """P22"""
    with ThreadPoolExecutor(1) as pool, served(*MODES["serve"], "--grace", "60", cwd=folder) as (program, port):
        asked = pool.submit(exchange, port, "plain")
        began(program, "plain")
        program.process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        code, seconds = end(program, signal.SIGINT)
        assert (code, seconds < SLACK) == (0, True), (code, seconds)
        assert is_answer(*asked.result(20))["error"] == GIVEN_UP
        assert b"Traceback" not in program.stderr


@pytest.mark.parametrize("mode", ["run", "serve"])
@pytest.mark.parametrize(("grace", "least", "most"), [("0", 0.0, 0.6), ("3.5", 2.5, 3.5)])
def test_the_grace_period_is_an_option(folder: Path, mode: str, grace: str, least: float, most: float) -> None:
    option = (f"grace={grace}",) if mode == "run" else ("--grace", grace)
    with ThreadPoolExecutor(1) as pool, served(*MODES[mode], *option, cwd=folder) as (program, port):
        asked = pool.submit(exchange, port, "plain")
        began(program, "plain")
        code, seconds = end(program)
        assert (code, least < seconds < most + SLACK) == (0, True), (code, seconds)
        assert is_answer(*asked.result(20))["error"] == GIVEN_UP


@pytest.mark.parametrize("grace", [-1, float("nan"), float("inf"), "2", True])
def test_a_grace_period_is_a_number_of_seconds(grace: Any) -> None:
    with pytest.raises(AuthorError, match=r"grace is a number of seconds from 0 to 86400|grace= takes a number"):
        Server("s").run(http="127.0.0.1:0", grace=grace)
    with pytest.raises(AuthorError, match=r"grace is a number of seconds from 0 to 86400|grace= takes a number"):
        Server("s").run(grace=grace)


def test_the_command_line_says_so_too(folder: Path) -> None:
    with Program(*COMMAND, "--grace", "soon", cwd=folder) as program:
        assert program.wait() == 2
        assert b"argument --grace: 'soon' is not a number of seconds, from 0 to 86400" in program.stderr


# Standard input and output ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("SIGTERM", "plain"),
        ("SIGINT", "waiting"),
        ("hang up", "plain_aloud"),
        ("hang up", "waiting_aloud"),
        ("SIGTERM", "in_a_thread"),
        ("hang up", "in_a_pool"),
        ("SIGTERM", "stubborn"),
        ("hang up", "holding_the_loop"),
    ],
)
def test_a_call_that_is_given_up_on_standard_output_is_told(folder: Path, way: str, name: str) -> None:
    with Program("busy.py", "stdio=1", "grace=1", cwd=folder) as program:
        program.shake_hands()
        program.call(1, name)
        began(program, name)
        program.send("ping", id=2)
        program.answer(2)
        start = time.monotonic()
        code = program.hang_up() if way == "hang up" else end(program, signal.Signals[way])[0]
        assert (code, time.monotonic() - start < 1 + SLACK) == (0, True), program.stderr
        answers = [json.loads(line) for line in program.lines.queue]
        assert [one for one in answers if one.get("id") == 1] == [{"jsonrpc": "2.0", "id": 1, "error": GIVEN_UP}]
        assert b"it came to an end" in program.stderr


def test_standard_input_has_a_grace_period_of_two_seconds(folder: Path) -> None:
    with Program("-m", "plainmcp", "serve", "busy.py", cwd=folder) as program:
        program.shake_hands()
        program.call(1, "plain")
        began(program, "plain")
        code, seconds = end(program)
        assert (code, 1 < seconds < GRACE + SLACK) == (0, True), (code, seconds)
        assert program.answer(1)["error"] == GIVEN_UP


def test_a_batch_that_is_given_up_is_answered_as_one(folder: Path) -> None:
    with Program("busy.py", "stdio=1", cwd=folder) as program:
        program.shake_hands("2025-03-26")
        calls = [
            {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}}
            for id, name in ((1, "process"), ("two", "plain"), (3, "waiting"))
        ]
        calls.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        program.write(json.dumps(calls).encode() + b"\n")
        began(program, "plain")
        assert end(program)[0] == 0
        [answers] = [json.loads(line) for line in program.lines.queue]
        assert answers == [{"jsonrpc": "2.0", "id": id, "error": GIVEN_UP} for id in (1, "two", 3)]
        assert b"began: waiting" not in program.stderr


@pytest.mark.parametrize("name", ["large", "plain"])
def test_a_client_on_a_pipe_that_does_not_read_keeps_nobody(folder: Path, name: str) -> None:
    """Not even what is to be told to the calls that are given up."""
    with Program("busy.py", "stdio=1", "grace=1", reads=False, cwd=folder) as program:
        program.call(1, "large", modern=True)
        program.call(2, name, modern=True)
        began(program, "large", name)
        time.sleep(0.3)
        code, seconds = end(program)
        assert (code, seconds < 1 + SLACK) == (0, True), (code, seconds)
