"""What to change in a file that was written for another package: its imports, line by line. Runs nothing."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..compat import fastmcp
from ..compat.fastmcp.elsewhere import IN_THE_PACKAGE

__all__ = ["advice", "is_foreign"]

_HERE = fastmcp.__name__
_AS = {"MCPServer": "FastMCP as MCPServer"}  # what the official package calls its server now


def is_foreign(value: Any) -> bool:
    """Whether this is a server of another package that has a counterpart here."""
    kind = type(value)
    return kind.__name__ in ("FastMCP", "MCPServer") and kind.__module__.partition(".")[0] in ("fastmcp", "mcp")


def advice(file: Path) -> str | None:
    """Which imports of a file to change and how; None where there are none of these."""
    try:
        changes = [line for node in ast.walk(ast.parse(file.read_bytes())) for line in _changes(node)]
    except (OSError, ValueError, SyntaxError):  # told elsewhere, and better
        return None
    if not changes:
        return None
    return "\n".join(["to serve it with plainmcp, change its imports:", "", *changes])


def _changes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            for one in names:
                if _is_server_module(one.name):
                    yield from _change(node.lineno, node, f"import {_HERE} as {one.asname or one.name}")
        case ast.ImportFrom(module=str(module), names=names, level=0) if _is_server_module(module):
            known = [one for one in names if one.name in fastmcp.__all__ or one.name in _AS]
            taken = ", ".join(_AS.get(one.name) or ast.unparse(one) for one in known)
            yield from _change(node.lineno, node, f"from {_HERE} import {taken}" if taken else "nothing")
            for one in names:
                if one not in known:
                    told = IN_THE_PACKAGE.get(one.name, "that package has it, and this one does not")
                    yield f"      {one.name}: {told}"


def _is_server_module(name: str) -> bool:
    """Whether servers are made with it; the words of the protocol, in mcp.types, are understood as they are."""
    parts = name.split(".")
    return parts[0] == "fastmcp" or parts[:2] == ["mcp", "server"] or name.startswith(f"{_HERE}.")


def _change(line: int, node: ast.AST, to: str) -> Iterator[str]:
    yield f"  line {line}: {ast.unparse(node)}"
    yield f"      becomes {to}"
