"""The tests at the wire import public names only, so that they stay valid for any design inside."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import plainmcp

TESTS = Path(__file__).parents[1]
AT_THE_WIRE = sorted(
    [*TESTS.glob("golden/*.py"), *(TESTS / f"{name}.py" for name in ("wire", "official", "schemas"))]
)
PUBLIC = ("plainmcp.types", "plainmcp.testing", "plainmcp.errors", "plainmcp.observe", "plainmcp.compat")


def imports_of(source: str) -> Iterator[str]:
    """Every name that is imported, in full."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_public(name: str) -> bool:
    names = {"plainmcp", *PUBLIC, *(f"plainmcp.{one}" for one in plainmcp.__all__)}
    return name in names or name.startswith(tuple(f"{module}." for module in PUBLIC))


@pytest.mark.parametrize("file", AT_THE_WIRE, ids=lambda file: file.name)
def test_a_test_at_the_wire_imports_public_names_only(file: Path) -> None:
    ours = [name for name in imports_of(file.read_text("utf-8")) if name.split(".")[0] == "plainmcp"]
    assert [name for name in ours if not is_public(name)] == []
