"""stdio, as a client meets it: a real process, real pipes, real signals."""

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import pytest

from plainmcp import Server
from plainmcp.transports import stdio
from plainmcp.transports.lines import Lines
from plainmcp.transports.stdio import StdioPipes
from talking import ENVIRONMENT, META, Program, until

pytestmark = pytest.mark.slow  # real pipes and threads

PROGRAM = """
import asyncio, subprocess, sys, time
from contextvars import ContextVar
from plainmcp import Context, Server

print("printed before anything is served")
server = Server("test", "1.0", threads=8)

@server.tool
def echo(text: str) -> str:
    return text

@server.tool
async def echo_async(text: str) -> str:
    await asyncio.sleep(0)
    return text

@server.tool
def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"

@server.tool
async def sleep_async(seconds: float) -> str:
    print("the task began", file=sys.stderr, flush=True)
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        print("the task was cancelled", file=sys.stderr, flush=True)
        raise
    return "slept"

@server.tool
async def hold_up(seconds: float) -> str:
    print("the loop is held up", file=sys.stderr, flush=True)
    time.sleep(seconds)
    return "held up"

who = ContextVar("who", default="nobody")
loops = set()

@server.tool
async def remember(name: str) -> str:
    before = who.get()
    who.set(name)
    loops.add(asyncio.get_running_loop())
    await asyncio.sleep(0)
    return f"{before}, then {who.get()}, in {len(loops)} loop"

@server.tool
def work(ctx: Context) -> str:
    ctx.progress(1)
    for step in range(1000):
        if ctx.cancelled:
            print("the work saw the cancel", file=sys.stderr, flush=True)
            ctx.progress(2)
            return "stopped"
        time.sleep(0.01)
    return "done"

@server.tool(timeout=0.2)
def bounded(ctx: Context) -> str:
    while not ctx.cancelled:
        time.sleep(0.01)
    print("the bounded one saw the end", file=sys.stderr, flush=True)
    return "too late"

@server.tool(timeout=0.2)
async def bounded_async() -> str:
    await asyncio.sleep(60)
    return "too late"

@server.tool
def noisy() -> str:
    print("a stray print")
    sys.__stdout__.write("a stray write\\n")
    sys.__stdout__.flush()
    subprocess.run([sys.executable, "-c", "print('a stray child')"], check=True, timeout=20)
    return f"quiet, and {len(sys.stdin.read())} bytes to read"

@server.tool
def leave() -> str:
    sys.exit(7)

@server.tool
async def leave_async() -> str:
    sys.exit(7)

@server.tool
def grow() -> str:
    server.tool(name=f"grown_{time.time_ns()}")(echo)
    return "grown"

@server.tool
def ask(ctx: Context) -> str:
    return ctx.elicit("Who?", {"type": "object", "properties": {"name": {"type": "string"}}}).action

@server.tool
async def ask_async(ctx: Context) -> str:
    answer = await ctx.elicit("Who?", {"type": "object", "properties": {"name": {"type": "string"}}})
    return answer.action

if __name__ == "__main__":
    server.run()
    print("printed after everything is served")
"""


@pytest.fixture(params=["without a loop", "with a loop"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Program]:
    """A program that serves; an event loop runs from the first call of an `async def` function on."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    with Program(file) as started:
        if request.param == "with a loop":
            started.call("first", "echo_async", modern=True, text="awake")
            assert text(started.answer("first")) == "awake"
        yield started


class Piped:
    """A server of this process on pipes of its own, until it has ended; and what it answered."""

    def __init__(self, server: Server) -> None:
        self.answers: list[dict[str, Any]] = []
        self._source, self._to = os.pipe()
        streams = StdioPipes(partial(os.read, self._source), self._heard)
        self._thread = threading.Thread(target=stdio.run, args=(server,), kwargs={"streams": streams}, daemon=True)

    def _heard(self, line: bytes) -> None:
        self.answers.append(json.loads(line))

    def write(self, message: dict[str, Any]) -> None:
        """Send a message."""
        os.write(self._to, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def __enter__(self) -> "Piped":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        os.close(self._to)
        self._thread.join(20)
        assert not self._thread.is_alive(), "it goes on without its client"
        os.close(self._source)


def text(answer: dict[str, Any]) -> str:
    said: str = answer["result"]["content"][0]["text"]
    return said


# Framing ------------------------------------------------------------------------------------------


def test_a_client_shakes_hands_calls_a_tool_and_hangs_up(program: Program) -> None:
    """R2511-STDIO-01, R2511-VER-01."""
    assert program.shake_hands()["protocolVersion"] == "2025-11-25"
    program.call(1, "echo", text="hällo\nwörld")
    assert text(program.answer(1)) == "hällo\nwörld"
    assert program.hang_up() == 0
    assert program.lines.get_nowait() == b"printed after everything is served\n"  # stdout is its own again


def test_a_client_without_a_handshake_is_served(program: Program) -> None:
    """R26-STDIO-01, R26-VER-10."""
    program.send("server/discover", {"_meta": META}, 1)
    assert program.answer(1)["result"]["supportedVersions"] == ["2026-07-28"]
    program.call(2, "echo_async", modern=True, text="hi")
    assert program.answer(2)["result"]["resultType"] == "complete"


def test_blank_lines_and_carriage_returns_are_nothing(program: Program) -> None:
    program.write(b'\r\n\n  \n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n')
    assert program.read() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_garbage_is_answered_and_the_next_request_too(program: Program) -> None:
    """R26-BASE-02: an error for what has no readable id has none."""
    program.write(b"\xff\xfe\x00garbage\n{not json}\n[]\n")
    for code in (-32700, -32700, -32600):
        error = program.read()
        assert error["error"]["code"] == code
        assert "id" not in error
    program.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert program.read()["id"] == 1


def test_a_message_that_nests_too_deep_is_answered_and_the_next_request_too(program: Program) -> None:
    """R*-BASE-04"""
    program.shake_hands()
    call = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}\n'
    for number, levels in enumerate((126, 900)):
        program.write((call % (number, "[" * levels + "]" * levels)).encode())
        error = program.answer(number)["error"]
        assert error["code"] == -32700 and "128 levels" in error["message"]
    program.write((call % (2, "[" * 100_000 + "]" * 100_000)).encode())
    assert "128 levels" in program.read()["error"]["message"]
    program.call(3, "echo", text="on")
    assert text(program.answer(3)) == "on"


def test_an_overlong_line_is_skipped_and_answered_and_the_next_request_too(program: Program) -> None:
    piece = b"x" * (1024 * 1024)
    program.write(b'{"jsonrpc":"2.0","id":1,"method":"')
    for _ in range(6):
        program.write(piece)
    program.write(b'"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    error = program.read()
    assert error["error"]["code"] == -32600
    assert "id" not in error
    assert program.read()["id"] == 2


def test_a_large_message_goes_both_ways_in_one_piece(program: Program) -> None:
    program.shake_hands()
    large = "ä" * 500_000
    program.call(1, "echo", text=large)
    assert text(program.answer(1)) == large


def test_a_last_line_without_an_end_is_answered(program: Program) -> None:
    program.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert program.hang_up() == 0
    assert json.loads(program.lines.get_nowait())["id"] == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_lines_are_the_same_however_they_are_cut(size: int) -> None:
    raw = b"one\r\n\n" + b"too long" * 5 + b"\ntwo\n  \nexactly ten\nthree"
    chunks = [raw[at : at + size] for at in range(0, len(raw), size)] + [b""]
    assert list(Lines(lambda _: chunks.pop(0), limit=11)) == [b"one", None, b"two", b"exactly ten", b"three"]


def test_files_will_do_for_input_and_output(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    call = {"name": "echo_async", "arguments": {"text": "hi"}, "_meta": META}
    calls = [{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call} for id in range(3)]
    (tmp_path / "asked").write_bytes(b"".join(json.dumps(asked).encode() + b"\n" for asked in calls))
    with open(tmp_path / "asked", "rb") as asked, open(tmp_path / "answered", "wb") as answered:
        command = [sys.executable, tmp_path / "program.py"]
        subprocess.run(command, stdin=asked, stdout=answered, env=ENVIRONMENT, timeout=20, check=True)
    *written, last = (tmp_path / "answered").read_bytes().splitlines()
    assert sorted(json.loads(line)["id"] for line in written) == [0, 1, 2]
    assert last == b"printed after everything is served"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes always block there")
def test_pipes_that_do_not_block_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    unblocked = "import os\nos.set_blocking(0, False)\nos.set_blocking(1, False)\n"
    file.write_text(unblocked + PROGRAM, "utf-8")
    with Program(file) as program:
        program.shake_hands()
        large = "x" * 2_000_000  # more than a pipe holds
        for id, name in enumerate(["echo", "echo_async", "echo_async", "echo"]):
            program.call(id, name, text=large)
            time.sleep(0.2)
            assert text(program.answer(id)) == large


# Standard output is for messages ------------------------------------------------------------------


def test_nothing_a_handler_prints_reaches_the_client(program: Program) -> None:
    """R24-STDIO-02, R2503-STDIO-02, R2506-STDIO-02, R2511-STDIO-02, R26-STDIO-02."""
    program.shake_hands()
    program.call(1, "noisy")
    assert text(program.read()) == "quiet, and 0 bytes to read"  # nor does it read what the client sends
    strays = [b"printed before", b"a stray print", b"a stray write", b"a stray child"]
    until(lambda: all(stray in program.stderr for stray in strays))


def test_a_tool_that_exits_does_not_take_the_server_along(program: Program) -> None:
    program.shake_hands()
    for id, name in enumerate(["leave", "leave_async"]):
        program.call(id, name)
        assert program.answer(id)["result"]["isError"] is True
    assert program.hang_up() == 0


# Many at a time -----------------------------------------------------------------------------------


def test_a_slow_request_holds_up_no_other(program: Program) -> None:
    """R26-BASE-19."""
    program.shake_hands()
    for id in range(4):
        program.call(id, "sleep", seconds=1)
        program.call(f"async {id}", "sleep_async", seconds=1)
    start = time.monotonic()
    program.call("quick", "echo", text="at once")
    program.send("ping", id="ping")
    assert {program.read()["id"], program.read()["id"]} == {"quick", "ping"}
    answered = {program.read()["id"] for _ in range(8)}
    assert answered == {0, 1, 2, 3, "async 0", "async 1", "async 2", "async 3"}
    assert time.monotonic() - start < 4, "they ran one after the other"


def test_more_requests_than_threads_are_all_answered_and_pings_in_between(program: Program) -> None:
    """R2511-PING-01."""
    program.shake_hands()
    for id in range(24):
        program.call(id, "sleep", seconds=0.3)
    program.send("ping", id="ping")
    assert program.read()["id"] == "ping"
    assert {program.read()["id"] for _ in range(24)} == set(range(24))


def test_every_answer_carries_its_own_request(program: Program) -> None:
    program.shake_hands()
    for id in range(400):
        program.call(id, "echo_async" if id % 3 else "echo", text=f"text {id}")
    answers = [program.read() for _ in range(400)]
    assert sorted(answer["id"] for answer in answers) == list(range(400))
    assert all(text(answer) == f"text {answer['id']}" for answer in answers)


def test_requests_that_come_in_one_piece_are_all_answered(program: Program) -> None:
    names = ["echo_async", "echo", "echo_async", "echo_async", "echo"]
    calls = [{"name": name, "arguments": {"text": name}, "_meta": META} for name in names]
    asked = [{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call} for id, call in enumerate(calls)]
    program.write(b"".join(json.dumps(request).encode() + b"\n" for request in asked))
    answers = [program.read() for _ in asked]
    assert {answer["id"]: text(answer) for answer in answers} == dict(enumerate(names))


def test_a_client_that_asks_too_much_is_refused_and_can_still_cancel() -> None:
    server = Server("crowded", threads=1)

    @server.tool
    async def wait() -> str:
        await asyncio.sleep(20)
        return "late"

    @server.tool
    async def wake() -> str:
        return "awake"

    start = time.monotonic()
    with Piped(server) as piped:
        piped.write({"id": "first", "method": "tools/call", "params": {"name": "wake", "_meta": META}})
        until(lambda: piped.answers)
        for id in range(1003):
            piped.write({"id": id, "method": "tools/call", "params": {"name": "wait", "_meta": META}})
        for id in range(1000):
            piped.write({"method": "notifications/cancelled", "params": {"requestId": id}})
    assert time.monotonic() - start < 15
    first, *refused = piped.answers
    assert first["id"] == "first"
    assert [answer["id"] for answer in refused] == [1000, 1001, 1002]
    assert all("too many requests" in answer["error"]["message"] for answer in refused)


def test_an_id_in_use_is_refused(program: Program) -> None:
    program.shake_hands()
    program.call(1, "sleep", seconds=1)
    program.call(1, "echo", text="too")
    assert program.read()["error"]["code"] == -32600
    assert text(program.read()) == "slept"


def test_a_handler_that_holds_up_the_loop_holds_up_nothing_else(program: Program) -> None:
    """R2511-PING-01."""
    program.shake_hands()
    program.call("slow", "hold_up", seconds=2)
    until(lambda: b"the loop is held up" in program.stderr)
    program.send("ping", id="ping")
    assert program.read()["id"] == "ping"
    program.call("plain", "echo", text="meanwhile")
    assert program.read()["id"] == "plain"
    for id in range(60):  # they wait for the loop, and nobody waits for them
        program.call(id, "echo_async", text="afterwards")
        time.sleep(0.002)
        program.send("ping", id=f"ping {id}")
        assert program.read()["id"] == f"ping {id}"
    assert program.read()["id"] == "slow"
    assert {program.read()["id"] for _ in range(60)} == set(range(60))
    for id in range(3):  # and the loop reads again
        program.call(id, "echo_async", text="again")
        assert program.read()["id"] == id


def test_a_handler_that_holds_up_the_loop_does_not_keep_the_process(program: Program) -> None:
    program.shake_hands()
    program.call(1, "hold_up", seconds=600)
    until(lambda: b"the loop is held up" in program.stderr)
    start = time.monotonic()
    assert program.hang_up() == 0
    assert time.monotonic() - start < 8


def test_async_calls_share_a_loop_and_no_context_variables(program: Program) -> None:
    program.shake_hands()
    for name in ("ada", "grace", "joan"):
        program.call(name, "remember", name=name)
        assert text(program.answer(name)) == f"nobody, then {name}, in 1 loop"


def test_plain_functions_keep_to_their_threads_beside_async_ones() -> None:
    server = Server("narrow", threads=2)
    running, most, gate = 0, 0, threading.Lock()

    @server.tool
    def work() -> str:
        nonlocal running, most
        with gate:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with gate:
            running -= 1
        return "done"

    @server.tool
    async def wake() -> str:
        return "awake"

    names = ["work", "work", "work", "wake", "work", "work", "work"]
    with Piped(server) as piped:
        for id, name in enumerate(names):
            piped.write({"id": id, "method": "tools/call", "params": {"name": name, "_meta": META}})
            time.sleep(0.01)
    assert sorted(answer["id"] for answer in piped.answers) == list(range(7))
    assert most == 2


# Cancelling ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("modern", [False, True])
def test_a_cancelled_request_stops_and_is_never_answered(program: Program, modern: bool) -> None:
    """R24-CANC-01, R2503-CANC-01, R2506-CANC-01, R2511-CANC-01, R26-CANC-01, R26-STDIO-04, R26-PROG-03."""
    if not modern:
        program.shake_hands()
    meta = {**(META if modern else {}), "progressToken": "t"}
    program.send("tools/call", {"name": "work", "arguments": {}, "_meta": meta}, 1)
    assert program.read()["params"] == {"progressToken": "t", "progress": 1}
    program.send("notifications/cancelled", {"requestId": 1, "reason": "no longer"})
    until(lambda: b"the work saw the cancel" in program.stderr)
    program.call(2, "echo", modern=modern, text="next")
    assert program.read()["id"] == 2
    assert program.hang_up() == 0
    assert b'"id":1,' not in b"".join(program.lines.queue)


def test_a_cancelled_async_handler_is_cancelled_where_it_waits(program: Program) -> None:
    """R2511-CANC-01."""
    program.shake_hands()
    program.call("a", "sleep_async", seconds=60)
    until(lambda: b"the task began" in program.stderr)
    program.send("notifications/cancelled", {"requestId": "a"})
    until(lambda: b"the task was cancelled" in program.stderr)
    program.call("b", "echo_async", text="next")
    assert program.read()["id"] == "b"


@pytest.mark.parametrize("params", [None, {}, {"requestId": 99}, {"requestId": None}, {"requestId": [1]}, {"x": 1}])
def test_a_cancel_of_nothing_is_ignored(program: Program, params: Any) -> None:
    """R24-CANC-03, R2503-CANC-03, R2506-CANC-03, R2511-CANC-03, R26-CANC-03."""
    program.shake_hands()
    program.send("notifications/cancelled", params)
    program.send("ping", id=1)
    assert program.read()["id"] == 1


def test_a_cancelled_request_no_longer_waits_for_its_question(program: Program) -> None:
    """R2511-VER-08: the question is taken back too."""
    program.shake_hands(elicitation={"form": {}})
    for id, name in enumerate(["ask", "ask_async"]):
        program.call(id, name)
        question = program.read()
        assert question["method"] == "elicitation/create"
        program.send("notifications/cancelled", {"requestId": id})
        taken_back = program.read()
        assert taken_back["method"] == "notifications/cancelled"
        assert taken_back["params"]["requestId"] == question["id"]
    program.send("ping", id="ping")
    assert program.read()["id"] == "ping"


@pytest.mark.parametrize("name", ["ask", "ask_async"])
def test_a_question_is_asked_and_answered_while_the_call_runs(program: Program, name: str) -> None:
    """R2511-BASE-07, R2511-BASE-08."""
    program.shake_hands(elicitation={"form": {}})
    program.call(1, name)
    question = program.read()
    program.write(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}).encode())
    program.write(b"\n")
    assert text(program.answer(1)) == "decline"


@pytest.mark.parametrize("name", ["bounded", "bounded_async"])
def test_a_tool_that_takes_too_long_is_given_up_and_told_so(program: Program, name: str) -> None:
    """R2511-VER-09."""
    program.shake_hands()
    program.call(1, name)
    answer = program.answer(1)
    assert answer["result"]["isError"] is True
    assert "longer than 0.2 seconds" in text(answer)
    if name == "bounded":
        until(lambda: b"the bounded one saw the end" in program.stderr)


# Subscriptions ------------------------------------------------------------------------------------


def test_a_modern_client_hears_of_changes_until_it_cancels(program: Program) -> None:
    """R26-SUB-02, R26-SUB-03, R26-META-09, R26-STDIO-04."""
    program.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": META}, 7)
    first = program.read()
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"]["notifications"] == {"toolsListChanged": True}
    program.call(8, "grow", modern=True)
    assert text(program.answer(8)) == "grown"
    [change] = program.unread
    assert change["method"] == "notifications/tools/list_changed"
    assert change["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": 7}
    program.send("notifications/cancelled", {"requestId": 7})
    program.call(9, "grow", modern=True)
    assert program.read()["id"] == 9  # nothing before it
    assert program.hang_up() == 0


def test_a_subscription_ends_with_a_result_and_a_cancel(program: Program) -> None:
    """R26-SUB-05, R26-SUB-06: the result first."""
    program.send("subscriptions/listen", {"notifications": {"promptsListChanged": True}, "_meta": META}, 7)
    assert program.read()["method"] == "notifications/subscriptions/acknowledged"
    program.process.send_signal(signal.SIGTERM)
    result, cancel = program.read(), program.read()
    assert result["id"] == 7
    assert result["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 7
    assert cancel == {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert program.wait() == 0


def test_a_handshake_client_hears_of_changes_without_asking(program: Program) -> None:
    program.shake_hands()
    program.call(1, "grow")
    assert program.answer(1)
    assert [message["method"] for message in program.unread] == ["notifications/tools/list_changed"]


# The end ------------------------------------------------------------------------------------------


def test_the_end_of_input_ends_the_process_at_once(program: Program) -> None:
    """R24-STDIO-05, R2503-STDIO-05, R2506-STDIO-05, R2511-STDIO-05, R26-STDIO-05."""
    program.shake_hands()
    start = time.monotonic()
    assert program.hang_up() == 0
    assert time.monotonic() - start < 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("name", ["sleep", "sleep_async"])
def test_a_signal_ends_the_process_once_what_runs_is_answered(program: Program, number: int, name: str) -> None:
    program.shake_hands()
    program.call(1, name, seconds=0.5)
    program.send("ping", id=2)
    assert program.read()["id"] == 2
    program.process.send_signal(number)
    assert text(program.read()) == "slept"
    assert program.wait() == 0


def test_the_end_of_input_leaves_time_for_what_runs(program: Program) -> None:
    program.shake_hands()
    program.call(1, "sleep", seconds=0.5)
    assert program.hang_up() == 0
    assert json.loads(program.lines.get_nowait())["id"] == 1


@pytest.mark.parametrize("name", ["sleep", "sleep_async", "work", "ask"])
def test_what_takes_too_long_does_not_keep_the_process(program: Program, name: str) -> None:
    program.shake_hands(elicitation={"form": {}})
    program.call(1, name, **({"seconds": 600} if name.startswith("sleep") else {}))
    program.send("ping", id=2)
    program.answer(2)
    start = time.monotonic()
    assert program.hang_up() == 0
    assert time.monotonic() - start < 8
    assert b"Traceback" not in program.stderr
    last = {"sleep_async": b"the task was cancelled", "work": b"the work saw the cancel"}
    assert last.get(name, b"") in program.stderr  # whoever is given up may clean up


def test_a_client_that_reads_no_more_ends_the_process_quietly(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, file], stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
        assert process.stdin and process.stdout and process.stderr
        try:
            process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            process.stdin.flush()
            assert process.stdout.readline() == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
            process.stdout.close()
            process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
            process.stdin.flush()
            complaints = process.stderr.read()
            process.wait(20)
        finally:
            process.kill()
    # The program itself prints to the same broken pipe in the end, which is its own affair.
    assert b"Traceback" not in complaints


# In this process ----------------------------------------------------------------------------------


def test_streams_of_any_kind_will_do() -> None:
    server = Server("inner")
    asked = [b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', b""]
    written: list[bytes] = []
    server.run(streams=StdioPipes(lambda size: asked.pop(0), written.append))
    assert written == [b'{"jsonrpc":"2.0","id":1,"result":{}}\n']


def test_standard_streams_are_as_before_when_it_is_over(capfd: pytest.CaptureFixture[str]) -> None:
    with stdio.guard_stdio() as streams:
        print("not a message")
        streams.write(b"a message\n")
    print("after")
    out, err = capfd.readouterr()
    assert out == "a message\nafter\n"
    assert err == "not a message\n"


def test_a_stream_that_breaks_is_an_end() -> None:
    def read(size: int) -> bytes:
        raise OSError("gone")

    Server("inner").run(streams=StdioPipes(read, queue.Queue().put))


def test_a_newline_between_the_parts_of_a_message_never_reaches_the_stream() -> None:
    """R26-STDIO-01: what an author encoded himself may have line breaks."""
    server = Server("inner")

    @server.tool
    def odd() -> dict[str, Any]:
        return {"pretty": msgspec.Raw(b'{\n  "a": 1\n}')}

    asked = [b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n']
    asked += [b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"odd"}}\n', b""]
    written: list[bytes] = []
    server.run(streams=StdioPipes(lambda size: asked.pop(0), written.append))
    assert [line.count(b"\n") for line in written] == [1, 1]


def test_a_server_of_plain_functions_loads_no_event_loop(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        "import sys\n"
        "from plainmcp import Server\n"
        "server = Server('plain')\n"
        "@server.tool\n"
        "def loaded() -> bool:\n"
        "    return 'asyncio' in sys.modules\n"
        "server.run()\n",
        "utf-8",
    )
    with Program(file) as program:
        program.shake_hands()
        program.call(1, "loaded")
        assert program.answer(1)["result"]["structuredContent"] == {"result": False}
        assert program.hang_up() == 0


def test_threads_go_with_the_client_they_served() -> None:
    server = Server("inner")
    server.run(streams=StdioPipes(lambda size: b"", lambda line: None))  # what is left for the exit of Python stays
    before = threading.active_count()

    @server.tool
    def nap() -> str:
        time.sleep(0.02)
        return "rested"

    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nap", "_meta": META}}
    for _ in range(3):
        asked = [b"".join(json.dumps({**call, "id": id}).encode() + b"\n" for id in range(4)), b""]
        written: list[bytes] = []
        server.run(streams=StdioPipes(lambda size, asked=asked: asked.pop(0), written.append))
        assert len(written) == 4
    until(lambda: threading.active_count() <= before)


FORKING = """
import asyncio, multiprocessing, time
from concurrent.futures import ProcessPoolExecutor
from plainmcp import Server

server = Server("forking")
context = multiprocessing.get_context("fork")
kept = []

@server.tool
async def pooled(number: int) -> int:
    kept.append(kept[0] if kept else ProcessPoolExecutor(1, mp_context=context))
    return await asyncio.get_running_loop().run_in_executor(kept[0], abs, number)

@server.tool
async def spawned() -> str:
    kept.append(context.Process(target=time.sleep, args=(60,), daemon=True))
    kept[-1].start()
    return "spawned"

server.run()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize(("tool", "arguments"), [("pooled", {"number": -3}), ("spawned", {})])
def test_a_child_process_neither_keeps_us_from_reading_on_nor_from_ending(
    tool: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "forking.py"
    file.write_text(FORKING, "utf-8")
    with Program(file) as program:
        for id in range(3):
            program.call(id, tool, modern=True, **arguments)
            assert "isError" not in program.answer(id)["result"]
        start = time.monotonic()
        assert program.hang_up() == 0
        assert time.monotonic() - start < 8
