"""Every exit code in the help of a command, by a command line that ends with it."""

import argparse
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli import main
from plainmcp.cli.grammar import build_parser
from serving import EXAMPLES
from talking import ENVIRONMENT

WEATHER = str(EXAMPLES / "weather.py")
GONE = "gone.py"
NOWHERE = "http://127.0.0.1:1/mcp"
FAILING = """
from plainmcp import Server
server = Server("failing")

@server.tool
def fail() -> str:
    raise ValueError("no such luck")

@server.resource("failing://text")
def text() -> str:
    raise ValueError("no such luck")

@server.prompt
def prompt(city: str) -> str:
    raise ValueError("no such luck")
"""
BY_CODE: dict[str, dict[int, list[str]]] = {
    "serve": {
        0: [WEATHER],
        1: [GONE],
        2: [WEATHER, "--reload"],
        3: [WEATHER, "--http", "127.0.0.1:{taken}"],
    },
    "list": {0: [WEATHER], 1: [GONE], 2: [WEATHER, "more"], 3: [NOWHERE], 130: ["interrupted.py"]},
    "call": {
        0: [WEATHER, "forecast", "city=Oslo"],
        1: ["failing.py", "fail"],
        2: [WEATHER, "forcast"],
        3: [NOWHERE, "forecast"],
        130: ["interrupted.py", "forecast"],
    },
    "read": {
        0: [WEATHER, "weather://cities"],
        1: [GONE, "a://b"],
        2: [WEATHER],
        3: ["failing.py", "failing://text"],
        130: ["interrupted.py", "a://b"],
    },
    "prompt": {
        0: [WEATHER, "brief", "city=Oslo"],
        1: [GONE, "brief"],
        2: [WEATHER, "breif"],
        3: ["failing.py", "prompt", "city=Oslo"],
        130: ["interrupted.py", "brief"],
    },
    "completion": {
        0: ["completing.py", "plan", "city=O"],
        1: [GONE, "plan", "city=O"],
        2: ["completing.py", "plan"],
        3: [WEATHER, "brief", "city=O"],
        130: ["interrupted.py", "plan", "city=O"],
    },
    "preview": {
        0: [WEATHER, "forecast", "city=Oslo"],
        1: ["failing.py", "fail"],
        2: [WEATHER, "forecast", "--policy", "fat"],
        3: [NOWHERE, "forecast"],
        130: ["interrupted.py", "forecast"],
    },
    "config": {0: ["cursor", WEATHER], 1: ["cursor", GONE], 2: ["emacs", WEATHER]},
    "shell-completion": {0: ["bash"], 2: ["tcsh"]},
}
CASES = [(command, code) for command, codes in BY_CODE.items() for code in codes]


@pytest.fixture
def taken() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield str(other.getsockname()[1])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with servers, in which commands run."""
    completing = "server.completion('plan', 'city')(lambda text: ['Oslo'])\n"
    (tmp_path / "failing.py").write_text(FAILING, "utf-8")
    (tmp_path / "completing.py").write_text(f"{FAILING}\n{completing}".replace("prompt(", "plan("), "utf-8")
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def codes_in_help() -> dict[str, set[int]]:
    """The exit codes that the help of each command lists."""
    commands = next(one for one in build_parser()._actions if isinstance(one, argparse._SubParsersAction))
    helps = {name: command.format_help().partition("exit codes:\n")[2] for name, command in commands.choices.items()}
    return {name: {int(line.split()[0]) for line in text.splitlines()} for name, text in helps.items()}


def test_every_code_has_a_case() -> None:
    assert {command: set(codes) for command, codes in BY_CODE.items()} == codes_in_help()


@pytest.mark.parametrize(("command", "code"), [case for case in CASES if case[0] != "serve"])
def test_a_command_ends_with_its_code(here: Path, capsys: Any, command: str, code: int) -> None:
    try:
        found = main.main([command, *BY_CODE[command][code]])
    except SystemExit as left:  # argparse
        found = int(str(left.code))
    printed = capsys.readouterr()
    assert found == code, printed.err
    assert (printed.out != "") == (code == 0 or (command, code) in (("call", 1), ("preview", 1)))
    assert "Traceback" not in printed.err or code == 3 or (command, code) in (("call", 1), ("preview", 1))


@pytest.mark.slow
@pytest.mark.parametrize("code", BY_CODE["serve"])
def test_serve_ends_with_its_code(here: Path, taken: str, code: int) -> None:
    arguments = [one.format(taken=taken) for one in BY_CODE["serve"][code]]
    command = [sys.executable, "-m", "plainmcp", "serve", *arguments]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=20, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert "Traceback" not in done.stderr
