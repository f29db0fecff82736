"""The command line of MCP Inspector, strict about schemas, against examples/everything.py."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from npm import NODE, installed

SECONDS = 30


def inspect(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    package = installed("@modelcontextprotocol/inspector", "2.12.0")
    program = package / json.loads((package / "package.json").read_text("utf-8"))["bin"]["mcp-inspector"]
    return subprocess.run(
        [NODE, program, "--cli", *arguments],
        env={**os.environ, "HOME": str(home)},  # where it keeps a catalog
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_tool_is_portable_in_the_eyes_of_the_inspector(target: list[str], era: str, tmp_path: Path) -> None:
    done = inspect(tmp_path, "--method", "tools/list", "--strict", "--protocol-era", era, *target)
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout)["tools"][0]["name"] == "test_simple_text"
