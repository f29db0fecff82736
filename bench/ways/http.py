"""HTTP: the server in one process, the load in another.

What is written in Python runs on one uvicorn worker, with uvloop and httptools; the TypeScript SDK on Node.
"""

import json
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import Any

import node
from rounds import HERE, environment

__all__ = ["Served", "hammered"]


class Served:
    """A system on a port of loopback; raises node.Missing where it needs a Node and there is none."""

    def __init__(self, system: str, stack: ExitStack) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if system == node.TYPESCRIPT:
            command = node.serve_command(self.port)
        else:
            command = [sys.executable, str(HERE / "worker.py"), system, "http", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment())
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

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def hammered(served: Served, wire: str, connections: int, seconds: float) -> dict[str, Any]:
    """What the load generator saw: see hammer."""
    command = [sys.executable, str(HERE / "hammer.py"), str(served.port), wire, str(connections), str(seconds)]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment())
    found: dict[str, Any] = json.loads(run.stdout)
    return found
