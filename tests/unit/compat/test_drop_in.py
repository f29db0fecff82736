"""`plainmcp.compat.install()`: programs for other packages run unchanged, whether or not these are installed."""

import subprocess
import sys
from pathlib import Path

import pytest

SERVER = '''
import mcp.types as types
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ToolError

mcp = FastMCP("Demo")


@mcp.tool()
def add(a: int, b: int) -> int:
    """Add."""
    return a + b
'''


def run(*arguments: str | Path, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.slow
def test_the_imports_lead_to_the_facades() -> None:
    program = (
        "from plainmcp import compat; undo = compat.install(); compat.install()\n"
        "import mcp.server.fastmcp, mcp.types, fastmcp, fastmcp.exceptions, mcp_types\n"
        "import plainmcp.compat.mcp.types as ours\n"
        "print(mcp.__name__, fastmcp.FastMCP.__module__, mcp.types is ours)\n"
        "print(fastmcp.exceptions.ToolError.__module__)\n"
        "undo(); import mcp.types; print(mcp.types.__name__, ours.__spec__.name)\n"
    )
    done = run("-c", program)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "plainmcp.compat.mcp plainmcp.compat.fastmcp.fast_mcp True",
        "plainmcp.compat.fastmcp.exceptions",
        "mcp.types plainmcp.compat.mcp.types",
    ]


@pytest.mark.slow
def test_an_import_of_a_module_does_not_replace_a_value_of_its_name() -> None:
    """D5. `fastmcp.settings` is the settings; `fastmcp.tools.tool` is the module of FastMCP 2 and the decorator."""
    program = (
        "from plainmcp import compat; compat.install()\n"
        "import fastmcp, mcp\n"
        "from fastmcp.settings import Settings\n"
        "import fastmcp.settings, fastmcp.tools.tool as tool, mcp.types\n"
        "assert isinstance(fastmcp.settings, Settings) and fastmcp.settings.home\n"
        "assert tool.ToolResult and callable(fastmcp.tools.tool) and mcp.types.Tool\n"
    )
    assert run("-c", program).stderr == ""


@pytest.mark.slow
def test_a_package_that_is_imported_already_is_an_error() -> None:
    done = run("-c", "import mcp\nfrom plainmcp import compat\ncompat.install()")
    assert "is imported already; call plainmcp.compat.install() before that" in done.stderr


@pytest.mark.slow
def test_the_command_line_serves_an_unchanged_file(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    done = run("-m", "plainmcp", "call", "--json", "--drop-in", file, "add", '{"a": 2, "b": 3}')
    assert '"structuredContent":{"result":5}' in done.stdout, done.stderr
    done = run("-m", "plainmcp", "list", "--drop-in", file)
    assert "add" in done.stdout
