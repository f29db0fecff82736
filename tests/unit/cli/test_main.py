"""The command line: what it serves, and its errors."""

import ast
import json
import re
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import posting
from plainmcp import Server
from plainmcp.cli import client, main, remote, schema_text, show
from plainmcp.compat.advice import CLIENT
from plainmcp.revisions import REVISIONS
from serving import EXAMPLES, served
from talking import Program, on_a_terminal, until

WEATHER = str(EXAMPLES / "weather.py")
NOTES = f"{sys.executable} {EXAMPLES / 'stdio_server.py'}"

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
    (tmp_path / "notes.txt").write_text("words\n", "utf-8")
    return tmp_path


def told(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code of a command that serves nothing, and what it says."""
    command = [sys.executable, "-m", "plainmcp", *arguments]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    assert done.stdout == "" or "--help" in arguments
    return done.returncode, done.stderr + done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["one.py"], ["one.py", "--stdio"], ["one.py:server"], ["./one.py:same"]])
def test_a_file_is_served_on_stdio(folder: Path, arguments: list[str]) -> None:
    with Program("-m", "plainmcp", "serve", *arguments, cwd=folder) as program:
        assert program.shake_hands()["serverInfo"]["name"] == "one"
        program.call(1, "greet")
        assert program.answer(1)["result"]["content"][0]["text"] == "hello"
        assert program.hang_up() == 0
        assert program.stderr == b"loading\n"
        assert program.lines.empty()


@pytest.mark.slow
def test_one_of_several_servers_is_chosen_by_its_name(folder: Path) -> None:
    with Program("-m", "plainmcp", "serve", "two.py:b", cwd=folder) as program:
        assert program.shake_hands()["serverInfo"]["name"] == "b"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("missing.py", "there is no file missing.py"),
        ("missing.py:server", "there is no file missing.py"),
        (".", "there is no file ."),
        ("one", "there is no file one; did you mean one.py?"),
        ("notes.txt", "notes.txt is not a Python file"),
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


@pytest.mark.slow
def test_a_file_that_fails_shows_its_own_traceback_and_none_of_ours(folder: Path) -> None:
    code, said = told(folder, "serve", "broken.py")
    assert code == 1
    assert "broken.py cannot be loaded" in said
    assert 'broken.py", line 4, in <module>' in said
    assert 'broken.py", line 2, in inner' in said
    assert "ZeroDivisionError: division by zero" in said
    assert "importlib" not in said
    assert "cli.py" not in said


@pytest.mark.slow
def test_a_file_that_is_no_python_shows_where(folder: Path) -> None:
    code, said = told(folder, "serve", "unwritten.py")
    assert code == 1
    assert 'unwritten.py", line 1' in said
    assert "SyntaxError" in said
    assert "cli.py" not in said


@pytest.mark.slow
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
        ["serve", "one.py", "--reload"],
        ["serve", "one.py", "--stdio", "--reload"],
        ["serve", "one.py", "--http", "127.0.0.1:0", "--reload", "--workers", "2"],
    ],
)
def test_a_wrong_command_line_is_a_two(folder: Path, arguments: list[str]) -> None:
    code, said = told(folder, *arguments)
    assert code == 2
    assert "usage: plainmcp" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "one.py", "two.py"],
        ["serve", "one.py", "--http", "127.0.0.1:0", "--workers", "0"],
        ["list"],
        ["list", "one.py", "two.py"],
        ["list", "--command", "true", "one.py"],
        ["call", "one.py"],
        ["read", "one.py", "a://b", "more"],
        ["call", "one.py", "greet", "--header", "nonsense"],
        ["call", "one.py", "greet", "--timeout", "0"],
        ["list", "-m", "one", "--command", "true"],
        ["call", "one.py", "greet", "--revision", "1999-01-01"],
        ["call", "one.py", "greet", "--policy", "mine"],
        ["call", "one.py", "greet", "--loud"],
        ["preview", "one.py"],
        ["preview", "one.py", "greet", "--lines", "0"],
        ["preview", "one.py", "greet", "--lines", "few"],
    ],
)
def test_wrong_words_and_options_are_a_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main.main(arguments)
    assert left.value.code == 2
    assert f"usage: plainmcp {arguments[0]}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--reload"], "--reload needs --http: on standard input the client starts the server"),
        (["--http", "127.0.0.1:0", "--reload", "--workers", "2"], "--reload serves in one process"),
        (["--workers", "2"], "--workers needs --http: on standard input there is one client"),
        (["--redis", "redis://127.0.0.1"], "--store needs --http: on standard input there is one client"),
        (["--store", "sqlite:///a.db"], "--store needs --http: on standard input there is one client"),
        (["--http", "127.0.0.1:0", "--reload", "--redis", "redis://127.0.0.1"], "leave out --store"),
        (["--http", "127.0.0.1:0", "--principal", "ada"], "--principal is for standard input and output"),
    ],
)
def test_options_that_do_not_go_together_say_why(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main.main(["serve", "one.py", *arguments])
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("serve", ["0", "1", "2", "3"]),
        ("list", ["0", "1", "2", "3", "130"]),
        ("call", ["0", "1", "2", "3", "130"]),
        ("preview", ["0", "1", "2", "3", "130"]),
    ],
)
def test_the_help_of_a_command_lists_its_exit_codes(
    command: str, codes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main.main([command, "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert re.findall(r"^  (\d+) +\S", said.partition("exit codes:\n")[2], re.MULTILINE) == codes


@pytest.mark.slow
def test_without_a_word_the_help_is_shown(folder: Path) -> None:
    code, said = told(folder)
    assert code == 2
    assert "examples:\n  plainmcp serve app.py " in said


# Files written for other packages -----------------------------------------------------------------

FASTMCP = """\
from fastmcp import Client, Context, FastMCP as Maker
from fastmcp.utilities.types import Image
import fastmcp

mcp = Maker("theirs")
"""
CHANGES = """\

to serve it with plainmcp, pass --drop-in, or change its imports:

  line 1: from fastmcp import Client, Context, FastMCP as Maker
      becomes from plainmcp.compat.fastmcp import Client, Context, FastMCP as Maker
  line 2: from fastmcp.utilities.types import Image
      becomes from plainmcp.compat.fastmcp.utilities.types import Image
  line 3: import fastmcp
      becomes import plainmcp.compat.fastmcp as fastmcp
"""
OFFICIAL = """\
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import TextContent

mcp = MCPServer("theirs")
"""


@pytest.mark.slow
def test_a_file_of_another_package_is_told_which_imports_to_change(folder: Path) -> None:
    (folder / "theirs.py").write_text(FASTMCP, "utf-8")
    assert told(folder, "serve", "theirs.py") == (
        1,
        f"plainmcp: theirs.py has a server of another package\n{CHANGES}",
    )
    assert told(folder, "serve", "theirs.py:mcp")[1].endswith(f"called 'mcp': it is a FastMCP\n{CHANGES}")
    (folder / "theirs.py").write_text(OFFICIAL, "utf-8")
    assert told(folder, "list", "theirs.py")[1].endswith(
        "  line 1: from mcp.server.mcpserver import Context, MCPServer\n"
        "      becomes from plainmcp.compat.mcp.server.mcpserver import Context, MCPServer\n"
        "  line 2: from mcp.types import TextContent\n"
        "      becomes from plainmcp.compat.mcp.types import TextContent\n"
    )


@pytest.mark.slow
def test_the_changed_imports_serve(folder: Path) -> None:
    change = "from plainmcp.compat.mcp.server.mcpserver import Context, MCPServer"
    (folder / "theirs.py").write_text(OFFICIAL.replace(OFFICIAL.splitlines()[0], change), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "plainmcp", "list", "theirs.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "theirs, on 2026-07-28")


@pytest.mark.slow
def test_a_package_that_is_not_installed_is_told_the_same(folder: Path) -> None:
    (folder / "fastmcp.py").write_text(
        "raise ModuleNotFoundError('No module named fastmcp', name='fastmcp')", "utf-8"
    )
    (folder / "theirs.py").write_text(FASTMCP, "utf-8")
    code, said = told(folder, "serve", "theirs.py")
    assert code == 1
    assert said.startswith("plainmcp: theirs.py cannot be loaded\n\nTraceback")
    hint = f"      Client: it is refused when it is used; {CLIENT}\n"
    assert said.endswith(CHANGES.replace("  line 2", f"{hint}  line 2"))


@pytest.mark.slow
def test_a_part_of_a_facade_that_there_is_not_is_told_where_its_names_are(folder: Path) -> None:
    (folder / "part.py").write_text("from plainmcp.compat.fastmcp.errors import ToolError\n", "utf-8")
    code, said = told(folder, "serve", "part.py")
    assert code == 1
    assert said.endswith(
        "  line 1: from plainmcp.compat.fastmcp.errors import ToolError\n"
        "      becomes from plainmcp.compat.fastmcp import ToolError\n"
    )


# Imports in every form, and a use of each: what the advice does not mention breaks here.
MANY = """\
import os, mcp.types
import mcp
import mcp_types
import mcp.server.fastmcp.prompts.base as prompts
import fastmcp.server.middleware
from mcp import ClientSession, McpError
from mcp.types import (
    TextContent,
    ToolAnnotations as Hints,
)
from mcp.shared.exceptions import McpError as Same
from mcp.client.stdio import stdio_client
from fastmcp import Client, FastMCP
from fastmcp.server.auth.providers.github import GitHubProvider
from fastmcp.server.dependencies import get_http_headers

from typing import Any

server = FastMCP("many")


@server.tool(annotations=Hints(readOnlyHint=True))
def look(name: str) -> Any:
    from fastmcp.exceptions import ToolError
    from mcp.server.fastmcp import Image

    assert McpError is Same is mcp.McpError and prompts.Message and fastmcp.server.middleware.Middleware
    assert mcp.types.TextContent is mcp_types.TextContent is TextContent and Image and ToolError and os
    return [TextContent(type="text", text=f"{name} {get_http_headers()}")]
"""


def followed(code: str, said: str) -> str:
    """A file, changed as the advice says: each named statement is replaced by what it becomes."""
    lines = code.splitlines()
    ends = {node.lineno: node.end_lineno for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)}
    for line, new in re.findall(r"^  line (\d+): .*\n      becomes (.*)$", said, re.MULTILINE):
        first, last = int(line) - 1, ends[int(line)]
        indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        lines[first:last] = [indent + new, *[""] * (last - first - 1)]
    return "\n".join(lines)


@pytest.mark.slow
def test_a_file_that_follows_the_advice_is_served_without_the_packages(folder: Path) -> None:
    """D16. To the letter: every import of the packages is named, in a form that is Python."""
    for name in ("mcp", "mcp_types", "fastmcp"):
        absent = f"raise ModuleNotFoundError('No module named {name}', name='{name}')"
        (folder / f"{name}.py").write_text(absent, "utf-8")
    (folder / "theirs.py").write_text(MANY, "utf-8")
    code, said = told(folder, "serve", "theirs.py")
    assert code == 1
    (folder / "theirs.py").write_text(followed(MANY, said), "utf-8")
    with Program("-m", "plainmcp", "serve", "theirs.py", cwd=folder) as program:
        program.shake_hands()
        program.call(1, "look", name="it")
        assert program.answer(1)["result"]["content"] == [{"type": "text", "text": "it {}"}]


# A program of several files: a package, a folder in it without `__init__.py`, and modules beside it.
SEVERAL = {
    "shop/__init__.py": "from mcp.types import Tool\n",
    "shop/server.py": """\
from fastmcp import FastMCP

import beside, json
from . import notes
from .parts.prices import price

server = FastMCP("shop")
server.tool(price)
""",
    "shop/notes.py": "import mcp.types\n",
    "shop/parts/prices.py": """\
from .. import Tool
from ..notes import mcp


def price() -> list[mcp.types.TextContent]:
    import late

    return [late.TextContent(type="text", text=Tool.__name__)]
""",
    "beside.py": "from mcp.shared.exceptions import McpError\n",
    "late.py": "from mcp.types import TextContent\n",
    "other.py": "from mcp.types import TextContent\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("target", [("shop/server.py",), ("-m", "shop.server"), ("-m", "shop.server:server")])
def test_a_program_of_several_files_that_follows_the_advice_is_served(folder: Path, target: tuple[str, ...]) -> None:
    """D16. The imports of all files that it imports are named at once, and those of no other file."""
    for name in ("mcp", "fastmcp"):
        absent = f"raise ModuleNotFoundError('No module named {name}', name='{name}')"
        (folder / f"{name}.py").write_text(absent, "utf-8")
    for name, code in SEVERAL.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code, "utf-8")
    code, said = told(folder, "serve", *target)
    assert code == 1
    sections = re.split(r"^(?:to serve it .*|in (.+):)\n", said, flags=re.MULTILINE)[1:]
    named = {
        name or "shop/server.py": said
        for name, said in zip(sections[::2], sections[1::2], strict=True)
        if said != "\n"
    }
    assert set(named) == {"shop/server.py", "shop/__init__.py", "shop/notes.py", "beside.py", "late.py"}
    for name, section in named.items():
        (folder / name).write_text(followed(SEVERAL[name], section), "utf-8")
    with Program("-m", "plainmcp", "serve", *target, cwd=folder) as program:
        program.shake_hands()
        program.call(1, "price")
        assert program.answer(1)["result"]["content"] == [{"type": "text", "text": "Tool"}]


@pytest.mark.slow
def test_a_program_that_has_the_facades_is_not_told_to_take_them(folder: Path) -> None:
    """D16. A name that no version of the package has is missing in the facade, too."""
    (folder / "theirs.py").write_text("from mcp.types import NoSuchName\nserver = 1\n", "utf-8")
    code, said = told(folder, "list", "--drop-in", "theirs.py")
    assert (code, "cannot import name 'NoSuchName'" in said, "pass --drop-in" in said) == (1, True, False)


def test_a_file_named_like_a_module_is_still_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / "json.py"
    file.write_text("from plainmcp import Server\nserver = Server('json')\n", "utf-8")
    try:
        assert main.load(str(file)).info.name == "json"
        assert sys.modules["json"].__file__ != str(file)
    finally:
        sys.modules.pop("served_json", None)


# Listing and calling ------------------------------------------------------------------------------

LISTED = """\
weather 1.0.0, on 2026-07-28

tools
  compare   Tomorrow in several cities, as a table.
      cities  array of string, required
  forecast  The highs and lows of the coming days.
      city  string, required  The name of the city
      days  integer = 3       How many days ahead

resource templates
  weather://{city}  The weather at this moment.

prompts
  brief  Ask for a weather report.
      city  required
      tone  optional

approximate tokens of all definitions: characters / 4, the heaviest first
  ~140  forecast
  ~119  compare
   ~35  brief
   ~32  weather://{city}
  ~324  all
"""


def test_a_listing_shows_everything_with_its_arguments(run: Any) -> None:
    assert run("list", WEATHER) == (0, LISTED, "")


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_listing_for_machines_is_what_the_revision_lists(run: Any, revision: str) -> None:
    code, out, _ = run("list", WEATHER, "--json", "--revision", revision)
    listed = json.loads(out)
    assert (code, listed["revision"], listed["serverInfo"]["name"]) == (0, revision, "weather")
    assert [tool["name"] for tool in listed["tools"]] == ["compare", "forecast"]
    assert ("outputSchema" in listed["tools"][0]) == (REVISIONS[revision].structured != "none")
    assert listed["resources"] == []
    assert listed["resourceTemplates"][0]["uriTemplate"] == "weather://{city}"


def test_a_server_that_offers_nothing_is_listed_as_that(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "bare_server.py"
    file.write_text("from plainmcp import Server\nserver = Server('bare')\n", "utf-8")
    for revision in REVISIONS:
        code, out, _ = run("list", str(file), "--revision", revision)
        assert (code, out) == (0, f"bare 0.0.0, on {revision}\n\nIt offers nothing.\n")


def test_a_call_prints_text_and_data(run: Any) -> None:
    code, out, err = run("call", WEATHER, "compare", '{"cities": ["Oslo"]}')
    text, data = out.split("\n\nstructured content\n")
    assert (code, err) == (0, "")
    assert text == "city  high  low\nOslo  19.5   13"
    assert json.loads(data) == {"result": [{"city": "Oslo", "high": 19.5, "low": 13}]}


def test_a_call_for_machines_prints_the_exact_result(run: Any) -> None:
    code, out, _ = run(
        "call", WEATHER, "--json", "forecast", "--revision", "2025-03-26", '{"city": "Oslo", "days": 1}'
    )
    text = r"{\"city\": \"Oslo\", \"high\": 19.5, \"low\": 13}"
    assert (code, out) == (0, '{"content":[{"type":"text","text":"' + text + '"}]}\n')


def test_a_call_takes_another_policy(run: Any) -> None:
    arguments = ("call", WEATHER, "forecast", '{"city": "Oslo"}', "--json")
    blocks = {
        policy: json.loads(run(*arguments, "--policy", policy)[1])["content"] for policy in ("standard", "lean")
    }
    assert [len(content) for content in blocks.values()] == [3, 1]
    assert len(json.loads(run(*arguments)[1])["content"]) == 3


@pytest.mark.parametrize("revision", REVISIONS)
def test_progress_and_logs_are_shown_beside_the_result(run: Any, busy: str, revision: str) -> None:
    code, out, err = run("call", busy, "work", "--revision", revision, "--json")
    told = [f"[{done}/2] round {done}" if REVISIONS[revision].progress_message else f"[{done}/2]" for done in (1, 2)]
    assert code == 0
    assert json.loads(out)["content"][0]["text"] == '{"rounds": 2}'
    assert err.splitlines() == ["loading", "working", *told, "warning: nearly there"]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["file", "command", "url"])
def test_progress_is_a_line_that_changes_on_a_terminal(busy: str, way: str) -> None:
    command = f"{sys.executable} -m plainmcp serve {busy}"
    with Program("-m", "plainmcp", "serve", busy, "--http", "127.0.0.1:0") as program:
        url = until(lambda: re.search(rb"serving MCP at (\S+)\n", program.stderr))[1].decode()
        target = {"file": [busy], "command": ["--command", command], "url": [url]}[way]
        code, shown = on_a_terminal("call", *target, "work")
    dim, wiped = "\x1b[2m{}\x1b[0m", "\r\x1b[K"
    bars = "[##########..........]  50%", "[####################] 100%"
    rounds = [dim.format(f"{bar}  round {number}") for number, bar in enumerate(bars, 1)]
    told = [f"{wiped}{rounds[0]}{wiped}{rounds[1]}", f"{wiped}{dim.format('warning: nearly there')}\r\n"]
    assert code == 0
    assert "".join(told) in shown
    assert shown.endswith('\x1b[1mstructured content\x1b[0m\r\n{\r\n  "rounds": 2\r\n}\r\n')


@pytest.mark.slow
def test_a_failed_call_is_a_one_and_shows_the_users_own_frames(run: Any, busy: str) -> None:
    code, out, _ = run("call", busy, "work", '{"rounds": "many"}')
    assert (code, out.partition(":")[0]) == (1, "rounds")
    command = [sys.executable, "-m", "plainmcp", "call", busy, "crash"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert done.stdout.startswith("Tool crash failed unexpectedly (incident ")
    assert 'in crash\n    raise ValueError("no such luck")' in done.stderr
    assert "drive.py" not in done.stderr


def test_what_is_no_text_is_named_and_what_a_terminal_obeys_is_spelled_out(run: Any, busy: str) -> None:
    assert run("call", busy, "paint", "--policy", "lean")[1] == "[image, image/png, 13 bytes]\n"
    assert run("call", busy, "obey", "--policy", "lean")[1] == "red: \\x1b[31m\n"


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["forcast"], 2, "there is no tool 'forcast'; did you mean forecast?"),
        (["sing"], 2, "there is no tool 'sing'; there are: compare, forecast"),
        (
            ["forecast", "Oslo"],
            2,
            'the arguments are not a JSON object or pairs, such as city=Oslo or \'{"city": "Oslo"}\': JSON is malf',
        ),
        (["forecast", "[1]"], 2, "the arguments are not a JSON object"),
    ],
)
@pytest.mark.parametrize("command", ["call", "preview"])
def test_a_call_that_cannot_be_made_is_explained(
    run: Any, command: str, arguments: list[str], code: int, complaint: str
) -> None:
    found, out, err = run(command, WEATHER, *arguments)
    assert (found, out) == (code, "")
    assert err.startswith(f"plainmcp: {complaint}")


def test_a_tool_that_asks_cannot_be_called_from_here(run: Any, busy: str) -> None:
    code, out, err = run("call", busy, "ask")
    assert (code, out) == (2, "")
    assert "this needs the client capability elicitation.form" in err


@pytest.mark.parametrize("command", ["list", "call", "preview"])
def test_every_command_explains_a_file_without_a_server(run: Any, tmp_path: Path, command: str) -> None:
    words = [] if command == "list" else ["tool"]
    assert run(command, str(tmp_path / "missing.py"), *words)[::2] == (
        1,
        f"plainmcp: there is no file {tmp_path / 'missing.py'}\n",
    )


# Servers elsewhere --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_server_is_reached_over_http(run: Any) -> None:
    with served("weather") as url:
        code, out, _ = run("list", url)
        assert (code, out) == (0, LISTED.replace("2026-07-28", "2025-11-25"))
        for revision in REVISIONS:
            code, out, err = run("call", url, "forecast", '{"city": "Oslo"}', "--json", "--revision", revision)
            assert (code, err) == (0, "")
            assert out == run("call", WEATHER, "forecast", '{"city": "Oslo"}', "--json", "--revision", revision)[1]
        assert run("call", url, "forcast")[::2] == (
            2,
            "plainmcp: there is no tool 'forcast'; did you mean forecast?\n",
        )
        assert run("call", url, "forecast", "{}")[0] == 1
        assert run("call", url, "forecast", "{}", "--policy", "lean")[0] == 2
    code, out, err = run("list", url)
    assert (code, out) == (3, "")
    assert err.startswith(f"plainmcp: there is no server at {url}: ")


@pytest.mark.slow
def test_progress_over_http_comes_on_a_stream(run: Any) -> None:
    with served("everything") as url:
        code, _, err = run("call", url, "test_tool_with_progress")
        assert code == 0
        told = [line.partition(" ")[0] for line in err.splitlines()]
        assert told == ["[0/100]", "[50/100]", "[100/100]"]


@pytest.mark.slow
def test_an_interrupted_call_is_a_hundred_and_thirty(tmp_path: Path) -> None:
    file = tmp_path / "slow_server.py"
    file.write_text(
        "import sys, time\nfrom plainmcp import Server\nserver = Server('slow')\n"
        "@server.tool\ndef sleep() -> None:\n    print('asleep', file=sys.stderr, flush=True)\n    time.sleep(60)\n",
        "utf-8",
    )
    with Program("-m", "plainmcp", "call", file, "sleep") as program:
        until(lambda: b"asleep" in program.stderr)
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 130
        assert b"Traceback" not in program.stderr


@pytest.mark.slow
def test_a_page_that_is_no_server_is_explained(run: Any) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as pages:
        thread = threading.Thread(target=pages.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{pages.server_port}/page"
            code, out, err = run("list", url)
        finally:
            pages.shutdown()
            thread.join()
    assert (code, out) == (3, "")
    below = "and there is no MCP server at /mcp below it"
    assert err.endswith(f"plainmcp: {url} answered 501 Unsupported method ('POST'), {below}\n")


@pytest.mark.parametrize("url", ["http://", "https:///mcp", "http://127.0.0.1:99999/mcp", "http://[/mcp"])
def test_an_address_of_nothing_is_explained(run: Any, url: str) -> None:
    code, out, err = run("list", url)
    assert (code, out) == (3, "")
    assert err.startswith("plainmcp: ") and url in err


@pytest.mark.slow
def test_a_server_is_reached_on_the_pipes_of_a_command(run: Any, busy: str) -> None:
    code, out, _ = run("list", "--command", NOTES)
    assert code == 0
    assert out.startswith("notes 1.0.0, on 2025-11-25\n\ntools\n  proofread  Read a note slowly")
    command = f"{sys.executable} -m plainmcp serve {busy}"
    code, out, err = run("call", "--command", command, "work", '{"rounds": 1}', "--revision", "2026-07-28")
    assert code == 0
    assert out.startswith('{"rounds": 1}\n')
    assert err.splitlines() == ["[1/1] round 1", "warning: nearly there"]
    assert run("call", "--command", NOTES, "wright")[0] == 2


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("no-such-program", "the command 'no-such-program' cannot be started: "),
        ("", "the command '' cannot be started: "),
        (f"{sys.executable} -c 'print(1 + 1, chr(33))'", "the command wrote a line that is not a message: b'2 !\\n'"),
        (f"{sys.executable} -c 'raise SystemExit(5)'", "the command ended with code 5 and did not answer"),
    ],
)
def test_a_command_that_is_no_server_is_explained(run: Any, command: str, complaint: str) -> None:
    code, out, err = run("list", "--command", command)
    assert (code, out) == (3, "")
    assert err.startswith(f"plainmcp: {complaint}")


def test_events_are_cut_out_of_a_stream() -> None:
    stream = [b": hello\r\n", b"id: 1\n", b"data:\n", b"\n", b"data: {\n", b"data:}\r\n", b"\r\n", b"data: lost\n"]
    assert list(remote._events_of(stream)) == [b"{\n}"]


def test_a_question_is_declined_and_a_ping_answered() -> None:
    sent: list[dict[str, Any]] = []

    class Asking(client.InProcessTransport):
        def notify(self, message: bytes, revision: str) -> None:
            sent.append(json.loads(message))

    peer = client.McpClient(lambda receive: Asking(Server("x"), receive), REVISIONS["2025-11-25"])
    peer._receive(b'{"jsonrpc":"2.0","id":"a","method":"roots/list"}')
    peer._receive(b'{"jsonrpc":"2.0","id":"b","method":"ping"}')
    assert [message.get("id") for message in sent] == [None, "a", "b"]
    assert sent[1]["error"]["code"] == -32601
    assert sent[2]["result"] == {}


# Colours ------------------------------------------------------------------------------------------


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert show.in_colour("word", "bold") == "word"
    assert show.in_colour("word", "bold", Terminal()) == "\x1b[1mword\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert show.in_colour("word", "bold", Terminal()) == "word"


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (True, "anything"),
        ({}, "anything"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"enum": ["a", 1]}, '"a" or 1'),
        ({"const": "a"}, '"a"'),
        ({"$ref": "#/$defs/Point"}, "Point"),
        ({"type": "array"}, "array"),
        ({"anyOf": [{"type": "integer"}, {"type": "array", "items": {}}]}, "integer or array of anything"),
    ],
)
def test_a_schema_is_named_in_a_word_or_two(schema: Any, kind: str) -> None:
    assert schema_text.kind_of(schema) == kind


@pytest.mark.slow
def test_keys_in_a_file_protect_a_server(folder: Path) -> None:
    (folder / "keys.txt").write_text("ada ada-0123456789abcdef notes:read\n", "utf-8")
    for more in ([], ["--workers", "2"], ["--reload"]):
        command = ["-m", "plainmcp", "serve", "one.py", "--http", "127.0.0.1:0", "--auth", "keys.txt", *more]
        with posting.served(*command, cwd=folder) as (_, port):
            assert until(lambda port=port: posting.exchange(port, "none")[0] == 401)
            headers = {**posting.modern_headers("none"), "Authorization": "Bearer ada-0123456789abcdef"}
            assert posting.ask(port, "POST", "/mcp", {}, **headers)[0] == 400
            assert posting.ask(port, "GET", "/.well-known/oauth-protected-resource")[0] == 404


@pytest.mark.slow
def test_a_file_of_keys_that_cannot_work_is_explained(folder: Path) -> None:
    (folder / "bad.txt").write_text("ada short\n", "utf-8")
    for name, complaint in (("bad.txt", "bad.txt, line 1: a key has"), ("no.txt", "the file of keys cannot be read")):
        code, said = told(folder, "serve", "one.py", "--http", "127.0.0.1:0", "--auth", name)
        assert (code, complaint in said) == (3, True)
    code, said = told(folder, "serve", "one.py", "--auth", "bad.txt")
    assert (code, "--auth needs --http" in said) == (2, True)


PROTECTED = """
from plainmcp import Context, Server

server = Server("library")

@server.tool(requires="books:lend")
def lend(ctx: Context) -> str:
    return f"lent to {getattr(ctx.principal, 'subject', ctx.principal)}"

if __name__ == "__main__":
    server.run()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "result"),
    [
        ([], "lent to None"),
        (["--principal", "ada books:lend books:read"], "lent to ada"),
        (["--principal", '{"subject": "ada", "scopes": ["books:lend"]}'], "lent to ada"),
        (["--principal", '"ada"'], None),
        (["--principal", "ada books:read"], None),
    ],
)
def test_a_principal_is_who_calls_on_standard_input(tmp_path: Path, more: list[str], result: str | None) -> None:
    """P35"""
    (tmp_path / "library.py").write_text(PROTECTED, "utf-8")
    with Program("-m", "plainmcp", "serve", "library.py", *more, cwd=tmp_path) as program:
        program.shake_hands()
        program.call(1, "lend")
        answer = program.answer(1)
        if result is None:
            assert answer["error"]["data"] == {"requiredScopes": ["books:lend"]}
        else:
            assert answer["result"]["content"] == [{"type": "text", "text": result}]
        assert program.hang_up() == 0


@pytest.mark.slow
def test_a_principal_that_cannot_be_used_is_explained(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(PROTECTED, "utf-8")
    code, said = told(tmp_path, "serve", "library.py", "--principal", '{"name": "ada"}')
    assert (code, '--principal \'{"name": "ada"}\': ' in said) == (2, True)
    (tmp_path / "program.py").write_text("import library\n\nlibrary.server.run()\n", "utf-8")
    code, said = told(tmp_path, "serve", "--drop-in", "program.py", "--principal", "ada")
    assert (code, "--principal needs a server in FILE: this program starts its own" in said) == (2, True)


def test_redis_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    (tmp_path / "one.py").write_text('from plainmcp import Server\n\nserver = Server("one")\n')
    serve = ["serve", str(tmp_path / "one.py"), "--http", "127.0.0.1:0", "--workers", "2"]
    assert main.main([*serve, "--redis", "redis://127.0.0.1"]) == 3
    assert "pip install 'plainmcp[redis]'" in capsys.readouterr().err


def test_redis_in_one_process_needs_a_key(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "one.py").write_text('from plainmcp import Server\n\nserver = Server("one")\n')
    assert (
        main.main(["serve", str(tmp_path / "one.py"), "--http", "127.0.0.1:0", "--redis", "redis://127.0.0.1:1"]) == 3
    )
    assert "needs the same Server(key=…) in all processes" in capsys.readouterr().err
