"""Programs that start their server themselves, under `plainmcp serve --drop-in`: scripts, packages and files (D1)."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli.program import is_program
from plainmcp.cli.source import LoadError, find_source
from posting import ask, modern_headers, served
from talking import META, Program

# A published server as it is usual: the script parses its own arguments, and makes the server only then.
SHOP = """
import argparse, asyncio, sys
from mcp.server import Server
from mcp.server.stdio import stdio_server
import mcp.types as types


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--db-path", default="none")
    parser.add_argument("--crash", action="store_true")
    options = parser.parse_args()
    if options.crash:
        raise RuntimeError("no such luck")
    asyncio.run(serve(options.db_path))
    return 7


async def serve(path):
    server = Server(path)

    @server.list_tools()
    async def list_tools():
        return [types.Tool(name="argv", inputSchema={"type": "object"})]

    @server.call_tool()
    async def call_tool(name, arguments):
        return [types.TextContent(type="text", text=" ".join([parser_name(), *sys.argv[1:]]))]

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def parser_name():
    return argparse.ArgumentParser().prog
"""
# A file with a server at its top level, whose arguments are read in the part for __main__.
LIBRARY = """
import sys
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("library")


@mcp.tool()
def argv() -> str:
    return " ".join([__name__, *sys.argv[1:]])


if __name__ == "__main__":
    mcp.run()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which a distribution with a script is installed, and packages with and without `__main__.py`."""
    (tmp_path / "shop_server").mkdir()
    (tmp_path / "shop_server" / "__init__.py").write_text("from .server import main\n", "utf-8")
    (tmp_path / "shop_server" / "server.py").write_text(SHOP, "utf-8")
    (tmp_path / "shop_server" / "__main__.py").write_text("from . import main\nmain()\n", "utf-8")
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "__init__.py").write_text("NAME = 'bare'\n", "utf-8")
    (tmp_path / "library.py").write_text(LIBRARY, "utf-8")
    (tmp_path / "importing.py").write_text("from library import mcp\n", "utf-8")
    details = tmp_path / "mcp_server_shop-1.0.dist-info"
    details.mkdir()
    about = "Metadata-Version: 2.1\nName: mcp-server-shop\nVersion: 1.0\nRequires-Dist: mcp>=1.2\n"
    (details / "METADATA").write_text(about, "utf-8")
    scripts = "[console_scripts]\nmcp-server-shop = shop_server:main\nmcp-server-library = library:mcp.run\n"
    (details / "entry_points.txt").write_text(scripts, "utf-8")
    return tmp_path


def said_by(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """The exit code of a command in a folder, what it printed, and what it said on standard error."""
    command = [sys.executable, "-m", "plainmcp", *arguments]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout, done.stderr


def seen(folder: Path, *arguments: str) -> tuple[str, str, int]:
    """The name of the server that a command starts, what its tool `argv` says, and the exit code."""
    with Program("-m", "plainmcp", *arguments, cwd=folder) as program:
        name = program.shake_hands()["serverInfo"]["name"]
        program.call(1, "argv")
        text = program.answer(1)["result"]["content"][0]["text"]
        return name, text, program.hang_up()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (["mcp-server-shop"], ("t.db", "mcp-server-shop --db-path t.db", 7)),
        (["-m", "shop_server"], ("t.db", "__main__.py --db-path t.db", 0)),
        (["shop_server/__main__.py"], ("t.db", "__main__.py --db-path t.db", 0)),
        (["library.py"], ("library", "__main__ --db-path t.db", 0)),
        (["-m", "library"], ("library", "__main__ --db-path t.db", 0)),
        (["library.py:mcp"], ("library", "library --db-path t.db", 0)),
        (["mcp-server-library"], ("library", "library --db-path t.db", 0)),
    ],
)
def test_what_follows_the_dashes_are_the_arguments_of_the_program(
    folder: Path, target: list[str], shown: tuple[str, str, int]
) -> None:
    """D1. The program sees its own arguments and its own name, and its exit code is that of the command."""
    assert seen(folder, "serve", "--drop-in", *target, "--", "--db-path", "t.db") == shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("mcp-server-shop", ("none", "mcp-server-shop", 7)),
        ("library.py", ("library", "library", 0)),
        ("importing.py", ("library", "library", 0)),
    ],
)
def test_a_program_without_arguments_sees_none_of_ours(
    folder: Path, target: str, shown: tuple[str, str, int]
) -> None:
    """D1. A file that only imports its server is served, too."""
    assert seen(folder, "serve", "--drop-in", "--log-level", "error", target) == shown


@pytest.mark.slow
def test_code_that_is_imported_sees_its_arguments_in_every_command(folder: Path) -> None:
    """D1. So does a file for plainmcp, which may read them while it is loaded."""
    (folder / "own.py").write_text("import sys\nfrom plainmcp import Server\nserver = Server(' '.join(sys.argv))\n")
    assert said_by(folder, "list", "own.py")[1].startswith("own.py 0.0.0, on ")
    with Program("-m", "plainmcp", "serve", "own.py", "--", "--fast", cwd=folder) as program:
        assert program.shake_hands()["serverInfo"]["name"] == "own.py --fast"
        assert program.hang_up() == 0


OVER_HTTP = """
import sys
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("over http", host="127.0.0.1", port=int(sys.argv[2]))
mcp.add_tool(lambda: "here", name="where")

if __name__ == "__main__":
    mcp.run(transport=sys.argv[1])
"""


@pytest.mark.slow
def test_a_program_serves_http_if_it_has_an_option_for_that(folder: Path) -> None:
    """D1. The program chooses its transport, by its own arguments."""
    (folder / "over_http.py").write_text(OVER_HTTP, "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ("-m", "plainmcp", "serve", "--drop-in", "over_http.py", "--", "streamable-http", str(port))
    with served(*command, cwd=folder) as (_, where):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "where", "arguments": {}}}
        body["params"]["_meta"] = META  # type: ignore[index]
        status, raw = ask(where, "POST", "/mcp", body, **modern_headers("where"))
    assert (where, status) == (port, 200)
    assert json.loads(raw)["result"]["content"] == [{"type": "text", "text": "here"}]


def test_a_file_that_is_almost_named_so_comes_before_a_script(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D1. It is more likely what was meant, and a script runs code from elsewhere."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    assert find_source("mcp-server-shop").script == "main"
    (folder / "mcp-server-shop.py").write_text("", "utf-8")
    with pytest.raises(LoadError, match=r"there is no file mcp-server-shop; did you mean mcp-server-shop\.py\?"):
        find_source("mcp-server-shop")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["serve", "--drop-in", "mcp-server-shop", "--", "--help"], 0, ""),
        (["serve", "--drop-in", "mcp-server-shop", "--", "--crash"], 1, "RuntimeError: no such luck"),
        (["serve", "--drop-in", "mcp-server-shop", "--", "--gone"], 2, "unrecognized arguments: --gone"),
        (
            ["serve", "--drop-in", "mcp-server-shap"],
            1,
            "no installed script of this name; did you mean mcp-server-sh",
        ),
        (["serve", "--drop-in", "words"], 1, "scripts of servers that are installed: "),
        (["serve", "--drop-in", "-m", "bare"], 1, "bare has no server, and no __main__.py; write server = "),
        (
            ["serve", "mcp-server-shop"],
            1,
            "plainmcp serve --drop-in mcp-server-shop runs it on the transport that it",
        ),
        (["serve", "--drop-in", "mcp-server-shop", "--http", "127.0.0.1:0"], 1, "starts its server itself: plainmcp"),
        (["list", "mcp-server-shop"], 1, "takes --command 'plainmcp serve --drop-in mcp-server-shop'"),
    ],
)
def test_a_program_that_cannot_be_served_is_explained(
    folder: Path, arguments: list[str], code: int, said: str
) -> None:
    """D1. An unknown script, a package without `__main__.py`, and programs that fail."""
    found, out, err = said_by(folder, *arguments)
    assert found == code and said in err, err
    assert ("--db-path DB_PATH" in out) == (arguments[-1] == "--help")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "name", "place"),
    [
        (["mcp-server-shop"], "mcp-server-shop", "mcp-server-shop"),
        (["-m", "shop_server"], "shop_server", "shop_server/__main__.py"),
        (["library.py"], "library", "library.py"),
    ],
)
def test_a_client_is_told_to_start_a_program_in_the_same_way(
    folder: Path, target: list[str], name: str, place: str
) -> None:
    """D1. What `plainmcp config` prints starts the server from any folder where the script is installed."""
    code, out, _ = said_by(folder, "config", "cursor", "--drop-in", *target, "--", "--db-path", "t.db")
    where = place if place == "mcp-server-shop" else str((folder / place).resolve())
    start = ["-m", "plainmcp", "serve", "--drop-in", where, "--", "--db-path", "t.db"]
    assert (code, json.loads(out)) == (0, {"mcpServers": {name: {"command": sys.executable, "args": start}}})
    assert seen(folder, *start[2:])[0] in ("t.db", "library")


def test_which_files_are_run_is_known_before_they_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """D1. What a file is has to be known from its text: running it starts the server."""
    monkeypatch.chdir(folder)
    (folder / "program.py").write_text("raise SystemExit(1)\n", "utf-8")
    (folder / "broken.py").write_text("def (\n", "utf-8")

    def run(target: str, *arguments: str, **options: Any) -> bool:
        return is_program(find_source(target, **options), arguments)

    assert run("program.py") and not run("program.py:server") and not run("broken.py")
    assert not run("importing.py") and not run("importing.py", "--fast")
    assert not run("library.py") and run("library.py", "--fast")
    assert run("shop_server", is_module=True) and not run("bare", is_module=True)
    assert run("shop_server.__main__", is_module=True) and not run("shop_server/__init__.py")
    (folder / "bare" / "part").mkdir()  # without __init__.py
    (folder / "bare" / "part" / "__main__.py").write_text("", "utf-8")
    assert run("bare.part", is_module=True)
