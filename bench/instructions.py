"""How many instructions one request takes through `server.asgi()` in this process: make instructions.

Counted by callgrind, so the same on every run and under any load. Two runs that differ only in how many requests they
make are compared: so import and warm-up do not count. Needs valgrind and CPython 3.11, for which the limits are.
"""

import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from payloads import Model
from workload import LATEST, Case

FEW, MANY = 200, 500
LIMITS = {"echo of 300 characters": 116_000, "model with five fields": 165_000}
"""The most instructions of a request on 2026-07-28."""
TEXT = "All sunny days are the same; each rainy one rains in its own way. " * 5
CASES = {
    "echo of 300 characters": Case("echo", "tools/call", {"name": "echo", "arguments": {"text": TEXT[:300]}}, bool),
    "model with five fields": Case("model", "tools/call", {"name": "model", "arguments": {}}, bool),
}
COLLECTED = re.compile(r"Collected : (\d+)")


def make_requests(name: str, count: int) -> None:
    """Make so many requests to a server."""
    from plainmcp import Server
    from ways.asgi import Client

    server, model = Server("bench"), Model(station="Oslo", high=21.5, low=12.0, calm=True, note="dry")

    @server.tool(name="echo")
    async def echo(text: str) -> str:
        return text

    @server.tool(name="model")
    async def make_model() -> Model:
        return model

    client = Client(server.asgi(), LATEST)
    client.checked("plainmcp", CASES[name])
    client.timed(CASES[name], FEW)
    gc.collect()
    gc.freeze()  # a collection of all that the imports left would count for a few requests
    client.timed(CASES[name], count)


def count_instructions(name: str, count: int) -> int:
    """The instructions of a process that makes so many requests."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        sys.executable,
        __file__,
        name,
        str(count),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    found = COLLECTED.search(done.stderr)
    if done.returncode or found is None:
        raise SystemExit(done.stderr)
    return int(found[1])


def main() -> int:
    """Print the instructions of a request of each case; returns 1 if one is over its limit."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed, so nothing was counted: install it with the packages of your system")
        return 0
    if sys.version_info[:2] != (3, 11):
        print(f"the limits are for CPython 3.11, and this is {sys.version.split()[0]}: counted all the same")
    is_over = False
    for name, limit in LIMITS.items():
        each = (count_instructions(name, MANY) - count_instructions(name, FEW)) // (MANY - FEW)
        is_over |= each > limit
        print(
            f"{name}: {each:,} instructions a request; at most {limit:,}{'' if each <= limit else ': MISSED'}",
            flush=True,
        )
    return int(is_over)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    if len(sys.argv) == 3:
        make_requests(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(main())
