"""Finds what a target names: a Python file, a module, and the object in it. Runs none of their code."""

import ast
import re
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

__all__ = ["LoadError", "ServerSource", "find_source", "has_server"]

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class LoadError(Exception):
    """There is no server in a file or a module; the text says why."""


@dataclass(frozen=True)
class ServerSource:
    """A file or a module with a server, and the name of the server or of a function that returns it."""

    where: str  # the target without the name, for messages
    file: Path | None  # None for a module
    module: str  # the name to import it by
    folders: tuple[Path, ...]  # where its imports are looked up, the first one first
    name: str | None = None

    @property
    def folder(self) -> Path:
        """The folder whose files belong to it."""
        return self.folders[0] if self.file is None else _root_of(self.file.resolve().parent)


def find_source(target: str, *, is_module: bool = False) -> ServerSource:
    """The source that FILE, FILE:OBJECT, MODULE:OBJECT or, with `is_module`, MODULE names; raises LoadError."""
    before, colon, after = target.rpartition(":")
    has_name = bool(colon) and _MODULE.fullmatch(after) is not None and not Path(target).exists()
    where, name = (before, after) if has_name else (target, None)
    if is_module or _looks_like_module(where, has_name):
        return _module_source(where, name)
    file = Path(where)
    if not file.is_file():
        similar = file.with_suffix(".py") if file.name else file
        hint = f"; did you mean {similar}?" if similar.is_file() else ""
        raise LoadError(f"there is no file {file}{hint}")
    return _file_source(file, name)


def has_server(source: ServerSource) -> bool:
    """Whether the code of a file creates a server at its top level, or the target names one. Runs no code."""
    if source.name is not None or source.file is None:
        return True
    try:
        statements = ast.parse(source.file.read_bytes()).body
    except (ValueError, SyntaxError):  # loading the file reports this better
        return True
    return any(_is_assigned_call(statement) for statement in statements)


def _is_assigned_call(statement: ast.stmt) -> bool:
    """Whether a statement is `name = Server(…)`, with any name that a server's class, or a function, may have."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if not isinstance(value, ast.Call):
        return False
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return any(part in called.lower() for part in ("mcp", "server"))


# Modules ------------------------------------------------------------------------------------------


def _looks_like_module(where: str, has_name: bool) -> bool:
    """Whether a text is the name of a module rather than of a file; `app` alone is a file without its ending."""
    is_dotted = _MODULE.fullmatch(where) is not None and ("." in where or has_name)
    return is_dotted and not where.endswith(".py") and not Path(where).exists()


def _module_source(where: str, name: str | None) -> ServerSource:
    folder = Path.cwd()
    if _MODULE.fullmatch(where) is None:
        raise LoadError(f"{where!r} is not the name of a module; write one like package.module:server")
    top = where.partition(".")[0]
    if top not in sys.modules and not _is_in(folder, top) and find_spec(top) is None:
        raise LoadError(f"there is no module {where}: {top} is not in {folder}, and not installed")
    return ServerSource(where, None, where, (folder,), name)


def _is_in(folder: Path, module: str) -> bool:
    return (folder / f"{module}.py").is_file() or (folder / module).is_dir()


# Files --------------------------------------------------------------------------------------------


def _file_source(file: Path, name: str | None) -> ServerSource:
    """The source of a file; one in a package is imported as a part of it, so that relative imports work."""
    folder = file.resolve().parent
    root = _root_of(folder)
    if root != folder or (folder / "__init__.py").exists():
        parts = [root.name, *folder.relative_to(root).parts, file.stem]
        module = ".".join(parts[:-1] if file.stem == "__init__" else parts)
        if _MODULE.fullmatch(module) and _is_free_or_own(root):
            return ServerSource(str(file), file, module, (root.parent, folder), name)
    is_free = file.stem.isidentifier() and file.stem not in sys.modules
    return ServerSource(str(file), file, file.stem if is_free else f"served_{file.stem}", (folder,), name)


def _is_free_or_own(root: Path) -> bool:
    """Whether no other package than the one in this folder has been imported under its name."""
    imported = sys.modules.get(root.name)
    return imported is None or str(root) in getattr(imported, "__path__", ())


def _root_of(folder: Path) -> Path:
    """The outermost package around a folder, or the folder itself if it is not in a package."""
    root = folder
    while (folder / "__init__.py").exists() and folder.name.isidentifier():
        root, folder = folder, folder.parent
    return root
