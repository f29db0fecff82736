"""Documentation and examples import public modules only: other modules may change in any release."""

import ast
from collections.abc import Iterator

import pytest

from docs.pages import ROOT, blocks, pages

# Public modules. A name that ends in a dot is a package and its parts.
PUBLIC = (
    "plainmcp",
    "plainmcp.auth.",
    "plainmcp.compat.",
    "plainmcp.errors",
    "plainmcp.middleware",
    "plainmcp.observe.",
    "plainmcp.otel",
    "plainmcp.questions",
    "plainmcp.redis.",
    "plainmcp.revisions",
    "plainmcp.store.",
    "plainmcp.testing",
    "plainmcp.types",
    "plainmcp.web",
)
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("*.py"))


def private_imports(source: str) -> Iterator[str]:
    """The modules of the package that a program imports and that are not public."""
    for node in ast.walk(ast.parse(source)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            is_package = (ROOT / "src" / node.module.replace(".", "/")).is_dir()
            modules = [f"{node.module}.{alias.name}" for alias in node.names] if is_package else [node.module]
        for module in modules:
            if module.split(".")[0] == "plainmcp" and not is_public(module):
                yield module


def is_public(module: str) -> bool:
    """Whether a module, or the module a name is imported from, is public."""
    if any(module == name or (name.endswith(".") and module.startswith(name)) for name in PUBLIC):
        return True
    package, _, name = module.rpartition(".")
    file = ROOT / "src" / module.replace(".", "/")
    return package == "plainmcp" and not file.is_dir() and not file.with_suffix(".py").exists() and name != ""


def programs(page: str) -> Iterator[str]:
    """The Python blocks of a page, without sessions of the interpreter."""
    for block in blocks((ROOT / page).read_text("utf-8")):
        if block.language == "python" and ">>>" not in block.text:
            yield block.text


@pytest.mark.parametrize("page", pages())
def test_a_page_imports_public_modules_only(page: str) -> None:
    private = [module for source in programs(page) for module in private_imports(source)]
    assert not private, f"{page} imports {', '.join(private)}"


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_imports_public_modules_only(example: str) -> None:
    private = list(private_imports((ROOT / example).read_text("utf-8")))
    assert not private, f"{example} imports {', '.join(private)}"


@pytest.mark.parametrize(
    ("source", "private"),
    [
        ("from plainmcp import Server", []),
        ("from plainmcp import types", []),
        ("from plainmcp.compat.fastmcp import FastMCP", []),
        ("import plainmcp.errors", []),
        ("from plainmcp import wire", ["plainmcp.wire"]),
        ("from plainmcp import media", ["plainmcp.media"]),
        ("from plainmcp.wire import codec", ["plainmcp.wire.codec"]),
        ("from plainmcp.transports.connection import Connection", ["plainmcp.transports.connection"]),
        ("import json", []),
    ],
)
def test_a_private_import_is_found(source: str, private: list[str]) -> None:
    assert list(private_imports(source)) == private
