"""Several workers on one port: they accept each other's signed state, are replaced if they die, and end together."""

import http.client
import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mounted import initialize
from plainmcp.transports.workers import _receive_signals
from posting import ask, call, served
from redis_server import running_redis
from talking import Program, until

pytestmark = [
    pytest.mark.slow,  # it starts processes
    pytest.mark.skipif(not hasattr(os, "fork"), reason="several workers are forked"),
]

PROGRAM = """
import os, sys, time
from dataclasses import dataclass
from plainmcp import Context, Server

server = Server("asking")

@dataclass
class Name:
    name: str

@server.tool
def process() -> int:
    return os.getpid()

@server.tool(inline=True)
def busy() -> int:
    time.sleep(0.05)  # in the event loop: whoever calls meanwhile is answered by another process, or waits
    return os.getpid()

@server.tool
def greet(ctx: Context) -> str:
    first = os.getpid()
    return f"{first} {ctx.elicit('Who are you?', Name).data.name}"

@server.tool(inline=True)
def stuck() -> int:
    import sqlite3  # a signal handler of Python does not run until this ends
    print("it is stuck", file=sys.stderr, flush=True)
    numbers = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    return sqlite3.connect(":memory:").execute(numbers).fetchone()[0]

@server.tool(inline=True)
def crash() -> None:
    os._exit(7)

if __name__ == "__main__":
    options = {"http": "nonsense"} if "broken" in sys.argv else {}
    if "failing" in sys.argv:  # the third worker cannot be started at once
        forks, fork = iter([True, True, False] + [True] * 100), os.fork
        def fork_sometimes():
            if not next(forks):
                raise BlockingIOError(11, "Resource temporarily unavailable")
            return fork()
        os.fork = fork_sometimes
    store = None
    if "--store" in sys.argv:
        from plainmcp.redis import RedisStore
        from plainmcp.store import SQLiteStore
        scheme, _, rest = sys.argv[-1].partition("://")
        store = SQLiteStore(rest[1:]) if scheme == "sqlite" else RedisStore(sys.argv[-1])
    server.run(http="127.0.0.1:0", workers=2, store=store, uvicorn=options)
"""
MODES: dict[str, tuple[str, ...]] = {
    "run": ("asking.py",),
    "serve": ("-m", "plainmcp", "serve", "asking.py", "--http", "127.0.0.1:0", "--workers", "2"),
}
ELICITS = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "asking.py").write_text(PROGRAM, "utf-8")
    return tmp_path


def workers_of(port: int, count: int = 2) -> set[int]:
    """The processes that answer at a port, once there are as many."""
    found: set[int] = set()
    with ThreadPoolExecutor(8) as pool:

        def all_of_them() -> bool:
            answers = pool.map(lambda _: call(port, "busy"), range(8))
            found.update(answer["structuredContent"]["result"] for answer in answers)
            return len(found) == count

        until(all_of_them)
    return found


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it has ended since, or this system does not have such files
        return not Path("/proc/self/stat").exists()


def questioned(port: int) -> Any:
    """A question and its answer, each over a connection of its own: the result, or what was said instead."""
    asked = call(port, "greet", meta=ELICITS)
    assert asked["resultType"] == "input_required"
    [key] = asked["inputRequests"]
    answers = {key: {"action": "accept", "content": {"name": "Ada"}}}
    return call(port, "greet", meta=ELICITS, requestState=asked["requestState"], inputResponses=answers)


@pytest.mark.parametrize("mode", MODES)
def test_every_question_is_answered_whichever_worker_it_reaches(folder: Path, mode: str) -> None:
    """R26-MRTR-06: the state was sealed by this server, so every process of it opens it, without a key of ours."""
    with served(*MODES[mode], cwd=folder) as (program, port), ThreadPoolExecutor(8) as pool:
        workers = workers_of(port)
        said = [result["content"][0]["text"].split() for result in pool.map(questioned, [port] * 100)]
        assert [name for _, name in said] == ["Ada"] * 100
        assert {int(process) for process, _ in said} == workers, "all went to one worker"
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0


def ask_in_session(port: int) -> str:
    """A question in a session: the handshake, the call and the answer have connections of their own."""
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    asking, opening = (http.client.HTTPConnection("127.0.0.1", port, timeout=20) for _ in range(2))
    opening.request("POST", "/mcp", json.dumps(initialize(elicitation={})), headers)
    headers["Mcp-Session-Id"] = opening.getresponse().headers["mcp-session-id"]
    opening.close()
    greet = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": {}}}
    asking.request("POST", "/mcp", json.dumps(greet), headers)
    lines = (line for line in iter(asking.getresponse().readline, b"") if line.startswith(b"data: {"))
    question = json.loads(next(lines)[6:])
    answer = {"action": "accept", "content": {"name": "Ada"}}
    assert ask(port, "POST", "/mcp", {"jsonrpc": "2.0", "id": question["id"], "result": answer}, **headers)[0] == 202
    text: str = json.loads(next(lines)[6:])["result"]["content"][0]["text"]
    asking.close()
    return text


@pytest.mark.parametrize("kind", ["redis", "sqlite"])
@pytest.mark.parametrize("mode", MODES)
def test_with_a_store_a_session_is_asked_by_one_worker_and_answers_another(
    folder: Path, mode: str, kind: str
) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(running_redis()).url if kind == "redis" else "sqlite:///shared.db"
        program, port = stack.enter_context(served(*MODES[mode], "--store", url, cwd=folder))
        workers = workers_of(port)
        with ThreadPoolExecutor(8) as pool:
            said = [text.split() for text in pool.map(ask_in_session, [port] * 60)]
        assert [name for _, name in said] == ["Ada"] * 60
        assert {int(process) for process, _ in said} == workers, "all went to one worker"
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_worker_that_is_killed_is_replaced_and_the_other_keeps_serving(folder: Path, mode: str) -> None:
    with served(*MODES[mode], cwd=folder) as (program, port):
        before = workers_of(port)
        time.sleep(1)  # one that dies at once is not replaced at once
        victim, survivor = before
        asked = call(port, "greet", meta=ELICITS)
        os.kill(victim, signal.SIGKILL)
        until(lambda: not is_alive(victim))
        for _ in range(20):
            assert call(port)["structuredContent"]["result"] != victim
        after = workers_of(port)
        assert survivor in after and victim not in after
        [key] = asked["inputRequests"]
        answers = {key: {"action": "accept", "content": {"name": "Ada"}}}
        for _ in range(8):  # a new worker opens what the old ones sealed
            result = call(port, "greet", meta=ELICITS, requestState=asked["requestState"], inputResponses=answers)
            assert result["content"][0]["text"].endswith(" Ada")
        assert f"worker {victim} was ended by SIGKILL; another one takes its place\n".encode() in program.stderr
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert not any(map(is_alive, after))


def test_all_workers_may_die_and_are_replaced(folder: Path) -> None:
    with served(*MODES["serve"], cwd=folder) as (program, port):
        before = workers_of(port)
        for worker in before:
            os.kill(worker, signal.SIGKILL)
        assert not workers_of(port) & before
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0


def test_a_worker_that_exits_or_is_told_to_end_is_replaced_too(folder: Path) -> None:
    with served(*MODES["serve"], cwd=folder) as (program, port):
        before = workers_of(port)
        time.sleep(1)
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            call(port, "crash")
        until(lambda: b" ended with code 7; another one takes its place\n" in program.stderr)
        after = workers_of(port)
        [other] = before & after
        os.kill(other, signal.SIGTERM)
        until(lambda: f"worker {other} was ended by SIGTERM; another".encode() in program.stderr)
        assert other not in workers_of(port)
        assert program.process.poll() is None


def test_a_worker_that_cannot_be_replaced_at_once_is_replaced_later(folder: Path) -> None:
    with served("asking.py", "failing", cwd=folder) as (program, port):
        before = workers_of(port)
        time.sleep(1)
        victim, survivor = before
        os.kill(victim, signal.SIGKILL)
        until(lambda: b"a worker could not be started, which is tried again: Resource temporarily" in program.stderr)
        assert survivor in workers_of(port)
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0


def test_workers_are_replaced_also_if_the_program_around_them_blocks_signals(folder: Path) -> None:
    def block() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGTERM])

    with served(*MODES["serve"], cwd=folder, preexec_fn=block) as (program, port):
        before = workers_of(port)
        time.sleep(1)
        victim, survivor = before
        os.kill(victim, signal.SIGKILL)
        until(lambda: not is_alive(victim))
        assert survivor in workers_of(port)
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0


def test_a_worker_that_is_stuck_ends_when_its_parent_was_killed(folder: Path) -> None:
    with served(*MODES["serve"], "--grace", "0.6", cwd=folder) as (program, port), ThreadPoolExecutor(1) as pool:
        workers = workers_of(port)
        asked = pool.submit(call, port, "stuck")
        until(lambda: b"it is stuck" in program.stderr)
        program.process.kill()
        until(lambda: not any(map(is_alive, workers)))
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            asked.result(20)


def test_workers_that_cannot_even_start_end_the_server(folder: Path) -> None:
    with Program("asking.py", "broken", cwd=folder) as program:
        assert program.wait() == 1
        assert b"AuthorError: a worker ended with code 1 before it served anything" in program.stderr


def test_workers_do_not_outlive_the_process_that_started_them(folder: Path) -> None:
    with served(*MODES["serve"], cwd=folder) as (program, port):
        workers = workers_of(port)
        program.process.kill()
        program.process.wait(20)
        until(lambda: not any(map(is_alive, workers)))
        with pytest.raises(ConnectionError):
            call(port)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_right_after_the_start_leaves_no_worker_behind(folder: Path, number: int) -> None:
    for _ in range(5):
        with served(*MODES["serve"], cwd=folder) as (program, port):
            program.process.send_signal(number)
            assert program.wait() == 0, program.stderr
        with pytest.raises(ConnectionError):
            call(port)


def test_a_signal_that_came_before_the_wait_is_not_overlooked() -> None:
    with _receive_signals(signal.SIGUSR1, signal.SIGUSR2) as wait:
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0)  # the handler has run
        assert wait(20) == {signal.SIGUSR1}
        assert wait(0.01) == set()
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL


def test_two_servers_do_not_open_what_the_other_sealed(folder: Path) -> None:
    """R26-MRTR-06."""
    with served(*MODES["run"], cwd=folder) as (one, port), served(*MODES["run"], cwd=folder) as (two, other):
        asked = call(port, "greet", meta=ELICITS)
        [key] = asked["inputRequests"]
        with pytest.raises(AssertionError, match="requestState is not one this server gave out"):
            call(other, "greet", meta=ELICITS, requestState=asked["requestState"], inputResponses={key: {}})
        for program in (one, two):
            program.process.send_signal(signal.SIGTERM)
            assert program.wait() == 0
