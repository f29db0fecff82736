"""Every public name of the published packages can be imported under the facades (D2).

`make suites` compares the data with the packages themselves.
"""

import importlib
import subprocess
import sys

import pytest

from plainmcp.compat import advice, published_names
from plainmcp.compat.refused import MissingFeature

MODULES = sorted(published_names._lines())

IMPORT_ALL = """
import importlib, sys
from plainmcp import compat
from plainmcp.compat.refused import RefusedName
from plainmcp.errors import AuthorError
prefix = sys.argv[1]
if not prefix:
    compat.install()

def says_what_to_do(value):
    try:
        value()
    except AuthorError as error:
        text = str(error)
        return text.startswith("there is no ") and len(text.partition(" here; ")[2]) > 10
    return False

for line in sys.stdin:
    module, *names = line.split()
    space = {}
    exec(f"from {prefix}{module} import *", space)
    imported = importlib.import_module(f"{prefix}{module}")
    for name in names:
        value = getattr(imported, name, None)
        if value is None or name not in space or (isinstance(value, RefusedName) and not says_what_to_do(value)):
            print(module, name)
"""


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["", "plainmcp.compat."], ids=["drop-in", "changed import"])
def test_every_public_name_works_or_is_refused_when_it_is_used(prefix: str) -> None:
    """D2: a name that cannot be imported ends a server before it starts. In a process without imports of pytest."""
    lines = [f"{module} {' '.join(published_names.names_in(module))}" for module in MODULES]
    if not prefix:
        lines += [f"mcp_types{line.removeprefix('mcp.types')}" for line in lines if line.startswith("mcp.types")]
    command = [sys.executable, "-c", IMPORT_ALL, prefix]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_packages_have_their_best_known_names() -> None:
    """The data is not empty, so the tests above are about something."""
    assert len(MODULES) > 400
    assert sum(len(published_names.names_in(module)) for module in MODULES) > 5000
    assert "ClientSession" in published_names.names_in("mcp")
    assert "OAuthProxy" in published_names.names_in("fastmcp.server.auth")


def test_a_name_says_where_it_comes_from() -> None:
    assert published_names.find_name("mcp.server.fastmcp.server", "MCPTool") == [("mcp.types", "Tool", "")]
    assert published_names.find_name("mcp", "McpError") == [("mcp.shared.exceptions", "McpError", "!")]
    assert published_names.find_name("mcp", "nothing") == []


@pytest.mark.parametrize("name", ["mcp.nothing", "fastmcp.server.nothing", "mcp.client.stdio.nothing"])
def test_a_module_that_no_package_has_is_missing(name: str) -> None:
    """Programs try an import to find out which version there is."""
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"plainmcp.compat.{name}")


def test_the_longest_rule_that_fits_gives_the_advice() -> None:
    assert advice.advice_for("fastmcp.client.transports", "StdioTransport") == advice.CLIENT
    assert advice.advice_for("fastmcp.server.server", "create_proxy") == advice.FUNCTIONS
    assert "docs/reference/fastmcp.md" in advice.advice_for("fastmcp.server.low_level", "LowLevelServer")


def test_a_missing_attribute_is_no_attribute() -> None:
    from plainmcp.compat.fastmcp.server.auth.providers.github import (  # pyright: ignore[reportMissingImports]
        GitHubProvider,
    )

    assert not hasattr(GitHubProvider, "from_settings")
    with pytest.raises(MissingFeature, match=r"^there is no GitHubProvider\.from_settings here; \w"):
        _ = GitHubProvider.from_settings
