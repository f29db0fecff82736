"""Advice on a program written for another package: which imports to change, line by line. Runs no code of it."""

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..compat.drop_in import facade_of
from ..compat.refused import advice_of
from .own_files import files_of
from .source import ServerSource

__all__ = ["advise"]

_COMPAT = "plainmcp.compat"
_MISSING = object()


def advise(source: ServerSource) -> str | None:
    """Which imports of a program to change and how, in all of its files; None if there is nothing to change."""
    lines: list[str] = []
    for file, tree in files_of(source).items():
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        changes = [line for node in sorted(imports, key=lambda node: node.lineno) for line in _changes(node)]
        if changes:
            heading = [] if file == source.file else [f"in {_name_of(file)}:", ""]
            lines += ["", *heading, *changes]
    return "\n".join(["to serve it with plainmcp, pass --drop-in, or change its imports:", *lines]) if lines else None


def _name_of(file: Path) -> str:
    folder = Path.cwd()
    return str(file.relative_to(folder) if file.is_relative_to(folder) else file)


def _changes(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The lines about one statement: how to change it, and hints about its names."""
    hints: list[str] = []
    if isinstance(node, ast.Import):
        old = [f"import {ast.unparse(alias)}" for alias in node.names]
        new = [_changed_module(alias) for alias in node.names]
    else:
        old, new = [ast.unparse(node)], list(_changed_names(node, hints))
    if new != old:
        yield f"  line {node.lineno}: {ast.unparse(node)}"
        yield f"      becomes {'; '.join(new) or 'nothing'}"
        yield from hints


def _changed_module(alias: ast.alias) -> str:
    """An import of a module, changed if it is one of the packages."""
    facade = _facade_of(alias.name)
    if facade is None:
        return f"import {ast.unparse(alias)}"
    if alias.asname is not None:
        return f"import {facade} as {alias.asname}"
    top = alias.name.removeprefix(f"{_COMPAT}.").partition(".")[0]
    bind = f"import {_facade_of(top)} as {top}"
    return bind if "." not in alias.name else f"import {facade}; {bind}"


def _changed_names(node: ast.ImportFrom, hints: list[str]) -> Iterator[str]:
    """The imports in the place of one, and hints about the names that the facade refuses or does not have."""
    facade = None if node.level else _facade_of(node.module or "")
    if facade is None:
        yield ast.unparse(node)
        return
    by_module: dict[str, list[str]] = {}
    for alias in node.names:
        module, value = _find(facade, alias.name)
        if value is _MISSING:
            hints.append(f"      {alias.name}: that package has it, and this one does not")
            continue
        by_module.setdefault(module, []).append(ast.unparse(alias))
        if (advice := advice_of(value)) is not None:
            hints.append(f"      {alias.name}: it is refused when it is used; {advice}")
    yield from (f"from {module} import {', '.join(names)}" for module, names in by_module.items())


def _find(facade: str, name: str) -> tuple[str, Any]:
    """The module of the facade that has a name, and its value: the same module as there, or else the package."""
    for module in dict.fromkeys((facade, ".".join(facade.split(".")[:3]))):
        value = getattr(import_module(module), name, _MISSING)
        if name == "*" or value is not _MISSING or find_spec(f"{module}.{name}") is not None:
            return module, None if value is _MISSING else value
    return facade, _MISSING


def _facade_of(module: str) -> str | None:
    """The facade's module for a module of one of the packages; None for any other.

    For a module that a facade does not have, the facade itself.
    """
    plain = module.removeprefix(f"{_COMPAT}.")
    return facade_of(plain) or (None if plain == module else facade_of(plain.partition(".")[0]))
