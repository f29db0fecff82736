"""The exit of Python after a server: what it waits for, and what a program keeps. test_ending has the rest of P20."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from posting import ask, call, exchange, served
from talking import Program, until

pytestmark = pytest.mark.slow  # it starts processes and waits

SLACK = 4.0  # of a busy machine
START = """
import atexit, contextlib, multiprocessing, os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from plainmcp import Server

def say(text):
    sys.stderr.write(text + "\\n")
    sys.stderr.flush()

def start_thread(seconds):
    threading.Thread(target=lambda: (time.sleep(seconds), say("the thread has ended"))).start()

def sleep_alone():
    os.closerange(0, 3)
    time.sleep(20)

server = Server("s")

@server.tool
def process() -> int:
    return os.getpid()
"""


def run(tmp_path: Path, text: str, *arguments: str) -> tuple[int, float, bytes, list[bytes]]:
    """Run a program without input: its exit code, the seconds it took, and what it wrote."""
    file = tmp_path / "program.py"
    file.write_text(START + text, "utf-8")
    with Program(file, *arguments, cwd=tmp_path) as program:
        start = time.monotonic()
        code = program.hang_up()
        return code, time.monotonic() - start, program.stderr, list(program.lines.queue)


def test_the_exit_code_the_buffers_and_atexit_are_the_programs(tmp_path: Path) -> None:
    """P20: also if the process leaves threads behind."""
    text = """
atexit.register(say, "atexit was called")
start_thread(3600)
server.run()
print("a line in a buffer")
sys.exit(7)
"""
    code, seconds, stderr, lines = run(tmp_path, text)
    assert (code, stderr, lines) == (7, b"atexit was called\n", [b"a line in a buffer\n"])
    assert seconds < SLACK


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        # A job is waited for, within the grace period.
        ("ThreadPoolExecutor(1).submit(start_thread(0) or time.sleep, 0.8); server.run(grace=20)", True),
        (
            "pool = ThreadPoolExecutor(1); pool.submit(lambda: (time.sleep(1), say('done'))); server.run(grace=20)",
            True,
        ),
        (
            "pool = ThreadPoolExecutor(1); pool.submit(lambda: (time.sleep(60), say('done'))); server.run(grace=1)",
            False,
        ),
        # A thread is not, unless the lifespan waits for it.
        ("threading.Thread(target=lambda: (time.sleep(60), say('done'))).start(); server.run(grace=20)", False),
        # What the program starts after its server is its own.
        ("server.run(grace=0); threading.Thread(target=lambda: (time.sleep(1.5), say('done'))).start()", True),
        ("server.run(grace=0); ThreadPoolExecutor(1).submit(lambda: (time.sleep(1.5), say('done')))", True),
    ],
)
def test_who_is_waited_for(tmp_path: Path, text: str, ends: bool) -> None:
    code, seconds, stderr, _ = run(tmp_path, text)
    assert (code, b"Traceback" in stderr) == (0, False)
    assert b"done\n" in stderr or "done" not in text or not ends
    assert seconds < 2 + SLACK


def test_the_end_of_the_lifespan_may_wait_for_a_thread(tmp_path: Path) -> None:
    text = """
@contextlib.contextmanager
def life(server):
    thread = threading.Thread(target=lambda: (time.sleep(1), say("the thread has ended")))
    thread.start()
    yield
    thread.join()

Server("s", lifespan=life).run(grace=20)
"""
    code, seconds, stderr, _ = run(tmp_path, text)
    assert (code, stderr) == (0, b"the thread has ended\n")
    assert 1 <= seconds < 1 + SLACK


@pytest.mark.parametrize(
    "last",
    [
        "atexit.register(time.sleep, 3600)",
        "import logging; atexit.register(threading.Event().wait)",
        "multiprocessing.get_context('fork').Process(target=sleep_alone).start()",  # atexit joins it
        "server = Server('s', lifespan=contextlib.contextmanager(lambda server: ((yield), time.sleep(3600))))",
    ],
)
def test_nothing_at_the_exit_takes_longer_than_the_grace_period(tmp_path: Path, last: str) -> None:
    code, seconds, stderr, lines = run(tmp_path, f"{last}\nserver.run(grace=1)\nprint('the last line')\n")
    assert (code, b"Traceback" in stderr) == (0, False)
    assert seconds < 1 + SLACK
    assert lines == ([] if "lifespan" in last else [b"the last line\n"])


def test_a_program_that_is_stuck_has_its_atexit_functions_and_buffers(tmp_path: Path) -> None:
    """The thread that serves is held, so that another one ends the process."""
    text = """
atexit.register(print, "atexit was called")

@server.tool(inline=True)
def hold() -> str:
    print("held")
    say("held")
    time.sleep(3600)

server.run(http="127.0.0.1:0", grace=1)
"""
    (tmp_path / "program.py").write_text(START + text, "utf-8")
    with ThreadPoolExecutor(1) as pool, served("program.py", cwd=tmp_path) as (program, port):
        pool.submit(exchange, port, "hold")
        until(lambda: b"held\n" in program.stderr)
        start = time.monotonic()
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert time.monotonic() - start < 1 + SLACK
        assert list(program.lines.queue) == [b"held\n", b"atexit was called\n"]
        assert b"something still runs 1 seconds after the server was asked to end" in program.stderr
        assert b"Traceback" not in program.stderr


def test_a_ctrl_c_while_jobs_are_waited_for_ends_the_process_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    text = (
        "ThreadPoolExecutor(1).submit(time.sleep, 3600)\nserver.run(http='127.0.0.1:0', grace=60)\nsay('it ended')\n"
    )
    file.write_text(START + text, "utf-8")
    with served(file, cwd=tmp_path) as (program, port):
        assert call(port)["structuredContent"]["result"] == program.process.pid
        program.process.send_signal(signal.SIGINT)
        until(lambda: b"it ended\n" in program.stderr)
        time.sleep(0.3)
        assert program.process.poll() is None
        start = time.monotonic()
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0
        assert time.monotonic() - start < SLACK
        assert b"Traceback" not in program.stderr
        assert b"the process ends, although the jobs of an executor still run\n" in program.stderr


def test_an_idle_executor_is_no_job(tmp_path: Path) -> None:
    text = "pool = ThreadPoolExecutor(4); list(pool.map(time.sleep, [0.1] * 4)); server.run(grace=0)"
    code, seconds, stderr, _ = run(tmp_path, text)
    assert (code, stderr) == (0, b"")
    assert seconds < SLACK


def test_a_program_that_goes_on_for_longer_has_its_exit_in_peace(tmp_path: Path) -> None:
    text = """
server.run(grace=1)
time.sleep(1.5)
atexit.register(lambda: (time.sleep(0.4), say("atexit was called")))
"""
    code, _, stderr, _ = run(tmp_path, text)
    assert (code, stderr) == (0, b"atexit was called\n")


def test_a_server_in_a_child_of_multiprocessing_ends_too(tmp_path: Path) -> None:
    text = """
import socket

def serve(port):
    start_thread(3600)
    server.run(http=f"127.0.0.1:{port}", grace=20)

def is_served(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False

if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    child = multiprocessing.get_context("spawn").Process(target=serve, args=(port,))
    child.start()
    while not is_served(port) and child.is_alive():
        time.sleep(0.05)
    child.terminate()
    child.join()
    say(f"its code is {child.exitcode}")
"""
    code, _, stderr, _ = run(tmp_path, text)
    assert code == 0
    assert b"its code is 0\n" in stderr
    assert b"Traceback" not in stderr


@pytest.mark.parametrize("where", ["uvicorn.open_socket", "uvicorn.print_login", "http_server._build_server"])
def test_a_signal_before_it_serves_ends_it_too(tmp_path: Path, where: str) -> None:
    """P20: the port is open, and a supervisor changes its mind."""
    text = """
import importlib, signal

module, name = sys.argv[1].split(".")
module = importlib.import_module(f"plainmcp.transports.{module}")
before = getattr(module, name)

def signal_first(*arguments, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    return before(*arguments, **options)

setattr(module, name, signal_first)
start_thread(3600)
server.run(http="127.0.0.1:0", grace=20)
say("it goes on")
"""
    code, seconds, stderr, _ = run(tmp_path, text, where)
    assert (code, stderr.splitlines()[-1]) == (0, b"it goes on")
    assert seconds < SLACK


def test_a_worker_that_is_stuck_does_not_call_the_atexit_functions_of_its_parent(tmp_path: Path) -> None:
    text = """
atexit.register(lambda: say("atexit was called"))

@server.tool(inline=True)
def hold() -> str:
    say("held")
    time.sleep(3600)

server.run(http="127.0.0.1:0", workers=2, grace=1)
"""
    (tmp_path / "program.py").write_text(START + text, "utf-8")
    with ThreadPoolExecutor(1) as pool, served("program.py", cwd=tmp_path) as (program, port):
        pool.submit(exchange, port, "hold")
        until(lambda: b"held\n" in program.stderr)
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert program.stderr.count(b"atexit was called\n") == 1


def test_what_workers_print_at_their_end_is_written(tmp_path: Path) -> None:
    text = """
@contextlib.contextmanager
def life(server):
    say("it begins")
    yield
    print("the lifespan ended")

Server("s", lifespan=life).run(http="127.0.0.1:0", workers=2)
"""
    (tmp_path / "program.py").write_text(START + text, "utf-8")
    with served("program.py", cwd=tmp_path) as (program, port):
        until(lambda: program.stderr.count(b"it begins\n") == 2)
        assert ask(port, "GET", "/health")[0] == 200
        time.sleep(0.5)
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert sorted(program.lines.queue) == [b"the lifespan ended\n"] * 2


@pytest.mark.parametrize("command", [("list", "app.py"), ("config", "cursor", "app.py"), ("call", "app.py", "work")])
def test_a_command_ends_although_the_file_starts_a_thread(tmp_path: Path, command: tuple[str, ...]) -> None:
    """P20: what the file starts is left behind, what a tool starts is not."""
    text = """
threading.Thread(target=time.sleep, args=(3600,)).start()

@server.tool
def work() -> str:
    threading.Thread(target=lambda: (time.sleep(1), say("the work is done")), daemon=False).start()
    return "begun"
"""
    (tmp_path / "app.py").write_text(START + text, "utf-8")
    with Program("-m", "plainmcp", *command, cwd=tmp_path) as program:
        assert program.wait() == 0
        assert (b"the work is done\n" in program.stderr) == ("call" in command)


def test_a_second_server_in_a_program_replaces_what_the_first_left_behind() -> None:
    import threading

    from plainmcp import Server
    from plainmcp.transports.stdio import StdioPipes

    def run_one() -> Any:
        Server("s").run(streams=StdioPipes(lambda size: b"", lambda line: None))

    run_one()  # Python 3.12.0 and 3.12.1 need threads in advance
    before = threading.active_count()
    for _ in range(5):
        run_one()
    until(lambda: threading.active_count() <= before, 5, lambda: f"{threading.enumerate()}")
