"""HTTP: the server in one process, the load in another.

plainmcp is the installed command, `plainmcp serve`. Beside it, and for the others, uvicorn is started by hand with
uvloop and httptools. The TypeScript SDK runs on Node; the server on the Go SDK is a program of its own.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import node
from rounds import HERE, environment

__all__ = ["BLOCKING", "BY_HAND", "Served", "hammered", "hammered_beside"]

BY_HAND = "plainmcp by hand"
"""The same server as plainmcp, on the fastest uvicorn there is."""
BLOCKING = 64
"""How many blocking calls are under way at once."""


class Served:
    """A system on a port of loopback; raises node.Missing where it needs a Node and there is none."""

    def __init__(
        self, system: str, stack: ExitStack, command: Callable[[str, int], list[str]] | None = None, **variables: str
    ) -> None:
        self.system = system
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        quiet = subprocess.DEVNULL
        started = (command or _command)(system, self.port)
        self._process = subprocess.Popen(started, stdout=quiet, stderr=quiet, env={**environment(), **variables})
        stack.callback(self._end)
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise SystemExit(f"{system} does not serve") from None
                time.sleep(0.05)

    @property
    def pid(self) -> int:
        """The process that serves."""
        return self._process.pid

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _command(system: str, port: int) -> list[str]:
    """The command that serves a system on a port; raises node.Missing."""
    if system == node.TYPESCRIPT:
        return node.serve_command(port)
    if system == node.GO:
        return node.serve_go_command(port)
    if system == "plainmcp":
        return [sys.executable, "-m", "plainmcp", "serve", str(HERE / "served.py"), "--http", f"127.0.0.1:{port}"]
    return [sys.executable, str(HERE / "worker.py"), system.removesuffix(" by hand"), "http", str(port)]


def hammered(served: Served, wire: str, connections: int, seconds: float, case: str) -> dict[str, Any]:
    """What the load generator saw: see hammer. A call and its CPU time are in microseconds."""
    with _hammering(served, wire, connections, seconds, case) as load:
        said, _ = load.communicate()
    if load.returncode:
        raise SystemExit(f"{served.system} was not measured with {case!r} on {wire}")
    found: dict[str, Any] = json.loads(said)
    times = {name: found[name] / found["answers"] * 1e6 for name in ("seconds", "cpu")}
    return {**found, "rate": times["seconds"], "cpu": times["cpu"]}


def hammered_beside(served: Served, wire: str, connections: int, seconds: float) -> dict[str, Any]:
    """The same for a short echo while as many other connections call a tool that blocks."""
    with _hammering(served, wire, connections, seconds * 2, "blocking") as load:
        found = hammered(served, wire, connections, seconds, "echo")
        load.communicate()
    return found


def _hammering(served: Served, wire: str, connections: int, seconds: float, case: str) -> subprocess.Popen[bytes]:
    """The load generator on its way."""
    asked = [served.port, wire, connections, seconds, case, served.pid]
    command = [sys.executable, str(HERE / "hammer.py"), *map(str, asked)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment())
