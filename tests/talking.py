"""A client on real pipes: starts a program, sends it lines, and reads its lines with a timeout. Ends the
program."""

import json
import os
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["ENVIRONMENT", "META", "ROOT", "Program", "on_a_terminal", "until"]

ROOT = Path(__file__).parents[1]
SECONDS = 20.0  # for anything at all; a busy machine is slow, a broken server is never done
ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "", "PYTHONWARNINGS": "", "PYTHONDONTWRITEBYTECODE": ""}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Program:
    """A program under test, and what it has written; nobody reads its messages if `reads` is False."""

    def __init__(self, *command: str | Path, reads: bool = True, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            **options,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.stderr = b""
        self.unread: list[dict[str, Any]] = []
        targets = (self._read_lines, self._read_stderr) if reads else (self._read_stderr,)
        self._readers = [threading.Thread(target=target, daemon=True) for target in targets]
        for reader in self._readers:
            reader.start()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line

    def write(self, raw: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, method: str, params: Any = None, id: Any = None) -> None:
        """Send a request, or a notification when there is no id."""
        message = {"jsonrpc": "2.0", "method": method}
        message |= {} if id is None else {"id": id}
        self.write(json.dumps(message | ({} if params is None else {"params": params})).encode() + b"\n")

    def call(self, id: Any, name: str, /, modern: bool = False, **arguments: Any) -> None:
        """Send a tools/call."""
        params: dict[str, Any] = {"name": name, "arguments": arguments}
        self.send("tools/call", params | ({"_meta": META} if modern else {}), id)

    def read(self, seconds: float = SECONDS) -> dict[str, Any]:
        """The next message."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"nothing was written in time; stderr: {self.stderr.decode()}") from None
        assert line.endswith(b"\n")
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, id: Any) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept in `unread`."""
        while True:
            message = self.read()
            if message.get("id") == id and "method" not in message:
                return message
            self.unread.append(message)

    def shake_hands(self, revision: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
        """Initialize; gives the result."""
        client = {"name": "talking", "version": "1"}
        params = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client}
        self.send("initialize", params, "hello")
        result: dict[str, Any] = self.answer("hello")["result"]
        self.send("notifications/initialized")
        return result

    def hang_up(self, seconds: float = SECONDS) -> int:
        """Close its input; gives its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait(seconds)

    def wait(self, seconds: float = SECONDS) -> int:
        """Its exit code, once it has ended and everything it wrote is read."""
        until(lambda: self.process.poll() is not None, seconds, lambda: f"it still runs; stderr: {self.stderr!r}")
        code = self.process.wait()
        for reader in self._readers:
            reader.join(seconds)
        return code

    def __enter__(self) -> "Program":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        for reader in self._readers:
            reader.join(SECONDS)
        streams = (self.process.stdin, self.process.stdout, self.process.stderr)
        if any(reader.is_alive() for reader in self._readers):
            streams = streams[:1]  # a process that it has left behind still has the others: closing them would wait
        for stream in streams:
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


def until(
    true: Callable[[], Any], seconds: float = SECONDS, explain: Callable[[], str] = lambda: "it did not become so"
) -> Any:
    """Wait for something to be so. Looks are counted, not seconds: a machine that pauses does not pause the clock."""
    for _ in range(int(seconds / 0.01)):
        found = true()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"{explain()} in time")


def on_a_terminal(*arguments: str, typed: bytes = b"", has_colours: bool = True) -> tuple[int, str]:
    """The exit code of a command at a terminal where a person may type, and all that is shown there."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    if has_colours:
        del environment["NO_COLOR"]
    command = [sys.executable, "-m", "plainmcp", *arguments]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        os.write(ours, typed)
        while select.select([ours], [], [], SECONDS)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
        return process.wait(SECONDS), shown.decode()
    finally:
        process.kill()
        process.wait()
        os.close(ours)
