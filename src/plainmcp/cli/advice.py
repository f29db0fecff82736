"""Advice on a file that was written for another package: which imports to change, line by line. Runs no code."""

import ast
from collections.abc import Iterator
from pathlib import Path

from ..compat import fastmcp
from ..compat.fastmcp.missing import IN_THE_PACKAGE

__all__ = ["advise"]

_HERE = fastmcp.__name__
_SDK = "plainmcp.compat.mcp"


def advise(file: Path) -> str | None:
    """Which imports of a file to change and how; None if there is nothing to change."""
    try:
        changes = [line for node in ast.walk(ast.parse(file.read_bytes())) for line in _changes(node)]
    except (OSError, ValueError, SyntaxError):  # loading the file reports this better
        return None
    if not changes:
        return None
    return "\n".join(["to serve it with plainmcp, pass --drop-in, or change its imports:", "", *changes])


def _changes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                if _is_of_sdk(alias.name):
                    new = f"import {_SDK}{alias.name.removeprefix('mcp')} as {alias.asname or alias.name}"
                    yield from _change(node.lineno, node, new)
                elif _is_server_module(alias.name):
                    yield from _change(node.lineno, node, f"import {_HERE} as {alias.asname or alias.name}")
        case ast.ImportFrom(module=str(module), names=names, level=0) if _is_of_sdk(module):
            imports = ", ".join(map(ast.unparse, names))
            yield from _change(node.lineno, node, f"from {_SDK}{module.removeprefix('mcp')} import {imports}")
        case ast.ImportFrom(module=str(module), names=names, level=0) if _is_server_module(module):
            available = [alias for alias in names if alias.name in fastmcp.__all__]
            imports = ", ".join(map(ast.unparse, available))
            yield from _change(node.lineno, node, f"from {_HERE} import {imports}" if imports else "nothing")
            for alias in names:
                if alias not in available:
                    hint = IN_THE_PACKAGE.get(alias.name, "that package has it, and this one does not")
                    yield f"      {alias.name}: {hint}"


def _is_of_sdk(name: str) -> bool:
    return name.split(".")[:2] == ["mcp", "server"]


def _is_server_module(name: str) -> bool:
    """Whether servers are made with a module. mcp.types is not one: its classes are understood as they are."""
    return name.split(".")[0] == "fastmcp" or name.startswith(f"{_HERE}.")


def _change(line: int, node: ast.AST, replacement: str) -> Iterator[str]:
    yield f"  line {line}: {ast.unparse(node)}"
    yield f"      becomes {replacement}"
