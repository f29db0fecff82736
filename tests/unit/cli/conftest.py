"""What the tests of the command line share: a command run in this process, and a server that does everything."""

import sys
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli import main

BUSY = """
import sys
from plainmcp import Context, Server
server = Server("busy", "2.0")
print("loading")

@server.tool
def work(ctx: Context, rounds: int = 2) -> dict[str, int]:
    print("working")
    for done in range(rounds):
        ctx.progress(done + 1, rounds, f"round {done + 1}")
    ctx.log("warning", "nearly there")
    return {"rounds": rounds}

@server.tool
def crash() -> str:
    raise ValueError("no such luck")

@server.tool
def ask(ctx: Context) -> str:
    return str(ctx.elicit("Who?", {"type": "object", "properties": {"name": {"type": "string"}}}))

@server.tool
def paint() -> bytes:
    return b"\\x89PNG\\r\\n\\x1a\\n rest"

@server.tool
def obey() -> str:
    return "red: \\x1b[31m"
"""


@pytest.fixture
def busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    file = tmp_path / "busy_server.py"
    file.write_text(BUSY, "utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return str(file)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command here; gives its exit code, what it printed, and what it said on standard error."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main.main(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
