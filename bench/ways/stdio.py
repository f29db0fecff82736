"""Standard input and output: a server in its own process behind a real pipe, asked one by one or many at once."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

from rounds import HERE, environment
from workload import CASES, check, opening, request

__all__ = ["WINDOW", "Pipe", "serving"]

WINDOW = 64
"""How many requests are under way at once when they are not asked one by one."""


class Pipe:
    """A child process, talked to in lines."""

    def __init__(self, command: list[str], **variables: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0, env={**environment(), **variables}
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out, self._rest = self.process.stdin.fileno(), self.process.stdout.fileno(), b""

    def ask(self, message: bytes) -> bytes:
        """One message, one line back."""
        self.write(message + b"\n")
        lines = self.lines(1)
        return lines[0]

    def write(self, data: bytes) -> None:
        os.write(self._in, data)

    def lines(self, count: int) -> list[bytes]:
        """So many lines, and no more may come."""
        got = self._rest
        while got.count(b"\n") < count:
            chunk = os.read(self._out, 1 << 16)
            if not chunk:
                raise SystemExit(f"the server ended after {got[-600:]!r}")
            got += chunk
        *lines, self._rest = got.split(b"\n", count)
        return lines

    def initialize(self) -> bytes:
        """The first answer."""
        first, second = opening()
        answer = self.ask(first)
        self.write(second + b"\n")
        return answer

    def close(self) -> None:
        """Hang up; whoever does not leave is ended."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def serving(system: str, kind: str) -> Pipe:
    """A system that serves the workload, after a look at its echo."""
    pipe = Pipe([sys.executable, str(HERE / "worker.py"), system, "stdio", kind])
    pipe.initialize()
    check(system, CASES["echo"], pipe.ask(request(CASES["echo"], None)))
    return pipe


def sequential(pipe: Pipe) -> Callable[[int], float]:
    """Each request after the answer to the last."""
    body = request(CASES["echo"], None)

    def timed(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            pipe.ask(body)
        return time.perf_counter() - start

    return timed


def pipelined(pipe: Pipe) -> Callable[[int], float]:
    """A window of requests in one write, then their answers; counted in windows' worth of calls."""
    window = b"".join(request(CASES["echo"], None, id) + b"\n" for id in range(1, WINDOW + 1))

    def timed(calls: int) -> float:
        windows = -(-calls // WINDOW)
        start = time.perf_counter()
        for _ in range(windows):
            pipe.write(window)
            pipe.lines(WINDOW)
        return (time.perf_counter() - start) * calls / (windows * WINDOW)

    return timed
