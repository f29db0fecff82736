"""A server that is asked to end does so within its grace period, whatever the author's code and the clients hold.

P20, P21, P22 and P26: each way to serve, each thing that may hold it, and each way to ask. Several processes run at a
time, because they mostly wait.
"""

import http.client
import itertools
import json
import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from posting import SAID, exchange
from talking import Program, until

pytestmark = pytest.mark.slow  # it starts processes and waits

PROGRAM = """
import asyncio, atexit, contextlib, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from plainmcp import Server

def say(text):
    sys.stderr.write(text + "\\n")  # in one piece: others write at the same time
    sys.stderr.flush()

@contextlib.asynccontextmanager
async def life(server):
    yield
    say("the lifespan ended")

atexit.register(say, "atexit was called")
server = Server("held", lifespan=life)
pool = ThreadPoolExecutor(1)

@server.tool
def ping() -> str:
    return "pong"

@server.tool
def thread() -> str:
    threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
    return "started"

@server.tool
def job() -> str:
    pool.submit(time.sleep, 3600)
    return "started"

@server.tool
def plain() -> str:
    say("began")
    time.sleep(3600)

@server.tool
async def waiting() -> str:
    say("began")
    await asyncio.sleep(3600)

@server.tool
async def blocking() -> str:
    say("began")
    time.sleep(3600)

@server.tool
async def stubborn() -> str:
    say("began")
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)

@server.tool
async def joining() -> str:
    say("began")
    await asyncio.to_thread(time.sleep, 3600)

@server.tool
def soon() -> str:
    say("began")
    time.sleep(0.7)
    return "in time"

@server.tool
def later() -> str:
    say("began")
    time.sleep(3)
    return "in time"

app = server.asgi(path="/mcp")

if "idle" in __file__:
    threading.Thread(target=time.sleep, args=(3600,)).start()

if __name__ == "__main__":
    way, grace = sys.argv[1:]
    server.run(**({"http": "127.0.0.1:0"} if way == "http" else {}), grace=float(grace))
    print("the program went on", end="")  # stays in a buffer
"""
GIVEN_UP = "the server is shutting down, and gave up this request"
SLACK = 4.0  # of a busy machine
LONG, SHORT = 10.0, 1.0  # grace periods: for what must not take as long, and for what needs all of it
RUNNING = re.compile(rb"Uvicorn running on http://127\.0\.0\.1:(\d+) ")


@dataclass(frozen=True)
class Way:
    """A way to serve: its command, with {file}, {module} and {grace}."""

    command: str
    stdio: bool = False
    host: bool = False  # somebody else's server

    @contextmanager
    def started(self, folder: Path, file: str, grace: float) -> Iterator["Served"]:
        arguments = self.command.format(file=f"{file}.py", module=file, grace=f"{grace:g}").split()
        with Program(*arguments, cwd=folder) as program:
            port = (
                0
                if self.stdio
                else int(until(lambda: (SAID if not self.host else RUNNING).search(program.stderr))[1])
            )
            if self.stdio:
                program.shake_hands()
            served = Served(program, port)
            served.call("ping")()  # it serves
            yield served


WAYS = {
    "serve, HTTP": Way("-m plainmcp serve {file} --http 127.0.0.1:0 --grace {grace}"),
    "run, HTTP": Way("{file} http {grace}"),
    "serve, stdio": Way("-m plainmcp serve {file} --grace {grace}", stdio=True),
    "run, stdio": Way("{file} stdio {grace}", stdio=True),
    "uvicorn": Way("-m uvicorn {module}:app --port 0 --timeout-graceful-shutdown {grace}", host=True),
}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


@dataclass
class Served:
    """A server under test, and its client."""

    program: Program
    port: int

    def call(self, name: str) -> Callable[[], Any]:
        """Call a tool; gives a function that waits for its response."""
        if not self.port:
            self.program.call(1, name)
            return lambda: self.program.answer(1)
        pool = ThreadPoolExecutor(1)
        asked = pool.submit(exchange, self.port, name)
        pool.shutdown(wait=False)
        return lambda: json.loads(asked.result(20)[1])

    def begin(self, name: str) -> Callable[[], Any]:
        """Call a tool that takes its time, and wait until it runs."""
        answer = self.call(name)
        until(lambda: b"began\n" in self.program.stderr)
        return answer

    @contextmanager
    def stream(self) -> Iterator[None]:
        """A GET stream for later messages."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
            connection.request("POST", "/mcp", json.dumps(message), headers)
            answer = connection.getresponse()
            answer.read()
            connection.request("GET", "/mcp", headers={**headers, "Mcp-Session-Id": answer.headers["Mcp-Session-Id"]})
            with connection.getresponse() as stream:
                assert stream.status == 200
                yield


HELD: dict[str, tuple[Callable[[Served, ExitStack], Any], bool]] = {
    # What holds the server, and whether it may need the whole grace period.
    "nothing": (lambda served, stack: None, False),
    "a thread that is started at import": (lambda served, stack: None, False),
    "a thread of a tool": (lambda served, stack: served.call("thread")()["result"], False),
    "a stream": (lambda served, stack: stack.enter_context(served.stream()), False),
    "a job of an executor": (lambda served, stack: served.call("job")()["result"], True),
    "a call": (lambda served, stack: served.begin("plain"), True),
    "a call of an async function": (lambda served, stack: served.begin("waiting"), True),
}


def describe_ending(folder: Path, way: Way, held: str, how: str) -> str | None:
    """How a server has ended; None if it is as it should be."""
    hold, is_slow = HELD[held]
    needs_grace = is_slow or (way.host and "thread" in held)  # the process is not ours
    grace = SHORT if needs_grace else LONG
    with way.started(folder, "idle" if "import" in held else "held", grace) as served, ExitStack() as stack:
        program = served.program
        hold(served, stack)
        time.sleep(0.2)
        start = time.monotonic()
        if how == "end of input":
            code = program.hang_up()
        else:
            program.process.send_signal(signal.Signals[how])
            code = program.wait()
        seconds = time.monotonic() - start
        is_killed = way.host and how == "SIGTERM"  # uvicorn ends its process by the signal
        problems = {
            f"it took {seconds:.1f} s": seconds > SHORT + SLACK,
            f"its code is {code}": code != (-signal.SIGTERM if is_killed else 0),
            "a traceback": b"Traceback" in program.stderr,
            "no end of the lifespan": b"the lifespan ended\n" not in program.stderr,
            "no call of atexit": b"atexit was called\n" not in program.stderr and not is_killed,
        }
    found = ", ".join(problem for problem, is_there in problems.items() if is_there)
    return f"{held}, {how}: {found}; {program.stderr.decode()}" if found else None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("held", "idle"):
        (tmp_path / f"{name}.py").write_text(PROGRAM, "utf-8")
    return tmp_path


def problems_of(describe: Callable[..., str | None], cases: list[Any]) -> list[str]:
    """What is wrong with some cases; several run at a time."""
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda case: describe(*case), cases))
    return [one for one in found if one]


@pytest.mark.parametrize("name", WAYS)
def test_a_server_ends_in_time_whatever_is_held(folder: Path, name: str) -> None:
    """P20, P21: at once where nothing of a call is left, and else within the grace period."""
    way = WAYS[name]
    ways_to_end = ["SIGTERM", "SIGINT", *(["end of input"] if way.stdio else [])]
    cases = [(held, how) for held in HELD for how in ways_to_end if held != "a stream" or not way.stdio]
    assert problems_of(partial(describe_ending, folder, way), cases) == []


def test_what_keeps_the_loop_does_not_keep_the_process(folder: Path) -> None:
    """P20: calls that nobody can cancel. Under uvicorn too, which waits for them without an end."""

    def describe(name: str, tool: str, number: signal.Signals) -> str | None:
        with WAYS[name].started(folder, "held", SHORT) as served:
            served.begin(tool)
            start = time.monotonic()
            served.program.process.send_signal(number)
            code, seconds = served.program.wait(), time.monotonic() - start
            if code in (0, -signal.SIGTERM) and seconds < SHORT + SLACK:
                return None
            return f"{name}, {tool}, {number.name}: {code} in {seconds:.1f} s; {served.program.stderr.decode()}"

    calls = ("blocking", "stubborn", "joining")
    numbers = (signal.SIGTERM, signal.SIGINT)
    assert problems_of(describe, [(name, *one) for name in WAYS for one in itertools.product(calls, numbers)]) == []


def test_a_second_ctrl_c_ends_a_server_at_once(folder: Path) -> None:
    """P22: calls are answered with an error, and the lifespan ends."""

    def describe(name: str, tool: str) -> str | None:
        with WAYS[name].started(folder, "held", 60) as served:
            answer = served.begin(tool)
            program = served.program
            program.process.send_signal(signal.SIGINT)
            time.sleep(0.7)
            start = time.monotonic()
            program.process.send_signal(signal.SIGINT)
            message = answer()["error"]["message"]
            code, seconds = program.wait(), time.monotonic() - start
            is_quiet = b"Traceback" not in program.stderr and b"the lifespan ended\n" in program.stderr
            if (message, code, is_quiet) == (GIVEN_UP, 0, True) and seconds < SLACK:
                return None
            return f"{name}, {tool}: {message}, {code} in {seconds:.1f} s; {program.stderr.decode()}"

    assert problems_of(describe, [(name, tool) for name in WAYS for tool in ("plain", "waiting")]) == []


def test_a_response_within_the_grace_period_is_sent_and_then_nobody_waits(folder: Path) -> None:
    def describe(name: str, number: signal.Signals) -> str | None:
        with WAYS[name].started(folder, "held", LONG) as served:
            answer = served.begin("soon")
            start = time.monotonic()
            served.program.process.send_signal(number)
            content = answer()["result"]["content"]
            served.program.wait()
            seconds = time.monotonic() - start
            if content == [{"type": "text", "text": "in time"}] and seconds < 0.7 + SLACK:
                return None
            return f"{name}, {number.name}: {content} in {seconds:.1f} s; {served.program.stderr.decode()}"

    assert problems_of(describe, [(name, one) for name in WAYS for one in (signal.SIGTERM, signal.SIGINT)]) == []


def test_a_call_over_http_has_ten_seconds_and_a_server_without_one_takes_none(folder: Path) -> None:
    """P26: what the defaults are."""
    way = Way("-m plainmcp serve {file} --http 127.0.0.1:0")
    with way.started(folder, "held", 0) as busy, way.started(folder, "held", 0) as idle:
        answer = busy.begin("later")
        start = time.monotonic()
        for served in (busy, idle):
            served.program.process.send_signal(signal.SIGTERM)
        assert idle.program.wait() == 0
        assert time.monotonic() - start < SLACK
        assert answer()["result"]["content"] == [{"type": "text", "text": "in time"}]
        assert busy.program.wait() == 0
