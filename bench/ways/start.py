"""A process from nothing: what importing a system costs, how soon its server answers, and how much memory it holds.

The servers here are the smallest there are, one echo each, as each system's documentation begins.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rounds import cpu_seconds_of, environment
from rounds import resident as rounds_resident
from ways.stdio import Pipe

__all__ = ["FILES", "IMPORTS", "Start", "answered", "answered_unchanged", "imported", "resident"]

IMPORTS = {
    "plainmcp": "from plainmcp import Server",
    "mcp": "from mcp.server import MCPServer",
    "fastmcp": "from fastmcp import FastMCP",
    "mcp-serializer": "from mcp_serializer.serializers import MCPSerializer",
}
_MADE = {
    "plainmcp": "server = Server('bench', '1.0')",
    "mcp": "server = MCPServer('bench', log_level='CRITICAL')",
    "fastmcp": "server = FastMCP('bench')",
}
_ECHO = "@server.tool()\ndef echo(text: str) -> str:\n    return text\n"
_RUN = {"plainmcp": "server.run()", "mcp": "server.run()", "fastmcp": "server.run(show_banner=False)"}
FILES = {
    "mcp 1": "from mcp.server.fastmcp import FastMCP\nserver = FastMCP('bench', log_level='CRITICAL')\n",
    "mcp 2": f"{IMPORTS['mcp']}\n{_MADE['mcp']}\n",
    "FastMCP": f"{IMPORTS['fastmcp']}\n{_MADE['fastmcp']}\n",
}
"""Files for other packages, which plainmcp serves as they are."""
_MAIN = "if __name__ == '__main__':\n    server.run()\n"
_OLD = Path(sys.prefix) / "mcp1"  # `mcp` 1 has its own folder: it cannot be installed beside `mcp` 2
_MEASURE = """\
import resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
{}
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
"""


class Start(NamedTuple):
    """What a process has taken until its answer to initialize."""

    seconds: float
    cpu: float  # seconds as well


def _server(system: str) -> Pipe:
    source = f"{IMPORTS[system]}\n{_MADE[system]}\n{_ECHO}\n{_RUN[system]}"
    return Pipe([sys.executable, "-c", source])


def imported(system: str) -> float:
    """Seconds of user time an import takes."""
    code = _MEASURE.format(IMPORTS[system])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    return float(run.stdout)


def answered(system: str) -> float:
    """Seconds from the start of a process to its answer to initialize."""
    return _time_first_answer(lambda: _server(system)).seconds


def answered_unchanged(package: str, by_plainmcp: bool) -> Start:
    """From the start of a process to its answer to initialize: a file for a package, run by it or by us."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "server_of_theirs.py"
        file.write_text(FILES[package] + _ECHO + _MAIN, "utf-8")
        command = ["-m", "plainmcp", "serve", "--drop-in", str(file)] if by_plainmcp else [str(file)]
        variables = {"PYTHONPATH": str(_OLD)} if package == "mcp 1" and not by_plainmcp else {}
        return _time_first_answer(lambda: Pipe([sys.executable, *command], **variables))


def _time_first_answer(begin: Callable[[], Pipe]) -> Start:
    start = time.perf_counter()
    pipe = begin()
    try:
        answer = pipe.initialize()
        took = Start(time.perf_counter() - start, cpu_seconds_of(pipe.process.pid))
    finally:
        pipe.close()
    assert json.loads(answer)["result"]["serverInfo"]["name"] == "bench"
    return took


def resident(system: str) -> float:
    """MiB of resident memory once a server has answered initialize and one call."""
    pipe = _server(system)
    try:
        pipe.initialize()
        call = {"name": "echo", "arguments": {"text": "hello"}}
        pipe.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode())
        return rounds_resident(pipe.process.pid)
    finally:
        pipe.close()
