"""The files of a program: the one that is served, and those in its folders that it imports. Runs no code of them."""

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

from .source import ServerSource, spec_of

__all__ = ["files_of"]


def files_of(source: ServerSource) -> dict[Path, ast.Module]:
    """The files of a program, each with its code, the one that is served first; none for an installed program."""
    found: dict[Path, ast.Module] = {}
    modules = [source.module, f"{source.module}.__main__", *_packages_around(source.module)]
    for module in modules:  # it grows
        file = source.file if module == source.module and source.file is not None else _own_file_of(module, source)
        tree = None if file is None or file in found else _parse(file)
        if file is not None and tree is not None:
            found[file] = tree
            package = module if file.name == "__init__.py" else module.rpartition(".")[0]
            modules += [name for name in dict.fromkeys(_modules_in(tree, package)) if name not in modules]
    return found


def _own_file_of(module: str, source: ServerSource) -> Path | None:
    """The file of a module in the folders of the source; None if it is installed, or has none."""
    spec = spec_of(module, source.folders, or_installed=False)
    file = Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None
    return file if file is not None and file.suffix == ".py" else None


def _parse(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError):  # loading the file reports this better
        return None


def _modules_in(tree: ast.Module, package: str) -> Iterator[str]:
    """The modules that code in a package imports, and names that may be modules; the packages around them first."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            base = _resolve(node, package)
            names = [] if base is None else [base, *(f"{base}.{name}" for name in names)]
        for name in names:
            yield from _packages_around(name)
            yield name


def _resolve(node: ast.ImportFrom, package: str) -> str | None:
    name = "." * node.level + (node.module or "")
    try:
        return resolve_name(name, package)
    except ImportError:  # beyond the outermost package
        return None


def _packages_around(module: str) -> list[str]:
    """The packages around a module, the outermost first.

    >>> _packages_around("a.b.c")
    ['a', 'a.b']
    """
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]
