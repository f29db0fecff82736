"""The command line: what it serves, and what it says when it cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

from plainmcp import cli
from talking import Program

ONE = """
from plainmcp import Server
from neighbour import word
print("loading")
server = same = Server("one")

@server.tool
def greet() -> str:
    return word

if __name__ == "__main__":
    raise SystemExit("this is not run as a program")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "neighbour.py").write_text("word = 'hello'\n", "utf-8")
    (tmp_path / "one.py").write_text(ONE, "utf-8")
    (tmp_path / "two.py").write_text("from plainmcp import Server\na, b = Server('a'), Server('b')\n", "utf-8")
    (tmp_path / "none.py").write_text("number = 1\n", "utf-8")
    (tmp_path / "broken.py").write_text("def inner():\n    return 1 / 0\n\ninner()\n", "utf-8")
    (tmp_path / "unwritten.py").write_text("def inner(:\n", "utf-8")
    (tmp_path / "leaving.py").write_text("raise SystemExit(4)\n", "utf-8")
    (tmp_path / "mistaken.py").write_text("from plainmcp import Server\nserver = Server('')\n", "utf-8")
    return tmp_path


def told(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code of a command that serves nothing, and what it says."""
    command = [sys.executable, "-m", "plainmcp", *arguments]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    assert done.stdout == "" or "--help" in arguments
    return done.returncode, done.stderr + done.stdout


@pytest.mark.parametrize("arguments", [["one.py"], ["one.py", "--stdio"], ["one.py:server"], ["./one.py:same"]])
def test_a_file_is_served_on_stdio(folder: Path, arguments: list[str]) -> None:
    with Program("-m", "plainmcp", "serve", *arguments, cwd=folder) as program:
        assert program.shake_hands()["serverInfo"]["name"] == "one"
        program.call(1, "greet")
        assert program.answer(1)["result"]["content"][0]["text"] == "hello"
        assert program.hang_up() == 0
        assert program.stderr == b"loading\n"
        assert program.lines.empty()


def test_one_of_several_servers_is_chosen_by_its_name(folder: Path) -> None:
    with Program("-m", "plainmcp", "serve", "two.py:b", cwd=folder) as program:
        assert program.shake_hands()["serverInfo"]["name"] == "b"


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("missing.py", "there is no file missing.py"),
        ("missing.py:server", "there is no file missing.py"),
        (".", "there is no file ."),
        ("none.py", "none.py has no server; write server = Server(...)"),
        ("none.py:number", "none.py has no server called 'number': it is a int"),
        ("one.py:other", "one.py has no server called 'other': there is none"),
        ("two.py", "two.py has several servers; say which: two.py:a, two.py:b"),
        ("leaving.py", "SystemExit: 4"),
        ("mistaken.py", "a server needs a name"),
    ],
)
def test_a_file_without_a_server_to_serve_is_explained(folder: Path, target: str, complaint: str) -> None:
    code, said = told(folder, "serve", target)
    assert code == 1
    assert said.removeprefix("loading\n").startswith("plainmcp: ")
    assert complaint in said
    assert "server.py" not in said


def test_a_file_that_fails_shows_its_own_traceback_and_none_of_ours(folder: Path) -> None:
    code, said = told(folder, "serve", "broken.py")
    assert code == 1
    assert "broken.py cannot be loaded" in said
    assert 'broken.py", line 4, in <module>' in said
    assert 'broken.py", line 2, in inner' in said
    assert "ZeroDivisionError: division by zero" in said
    assert "importlib" not in said
    assert "cli.py" not in said


def test_a_file_that_is_no_python_shows_where(folder: Path) -> None:
    code, said = told(folder, "serve", "unwritten.py")
    assert code == 1
    assert 'unwritten.py", line 1' in said
    assert "SyntaxError" in said
    assert "cli.py" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["serve"],
        ["dance"],
        ["serve", "one.py", "--http"],
        ["serve", "one.py", "--http", "8000"],
        ["serve", "one.py", "--http", "127.0.0.1:99999"],
        ["serve", "one.py", "--http", "127.0.0.1:8000", "--stdio"],
        ["serve", "one.py", "--workers", "many"],
        ["serve", "one.py", "--workers", "2"],
    ],
)
def test_a_wrong_command_line_is_a_two(folder: Path, arguments: list[str]) -> None:
    code, said = told(folder, *arguments)
    assert code == 2
    assert "usage: plainmcp" in said


def test_the_help_lists_the_exit_codes(folder: Path) -> None:
    for arguments in (["--help"], ["serve", "--help"]):
        code, said = told(folder, *arguments)
        assert code == 0
        assert "exit codes:" in said


def test_a_file_named_like_a_module_is_still_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / "json.py"
    file.write_text("from plainmcp import Server\nserver = Server('json')\n", "utf-8")
    try:
        assert cli.load(str(file)).info.name == "json"
        assert sys.modules["json"].__file__ != str(file)
    finally:
        sys.modules.pop("served_json", None)
