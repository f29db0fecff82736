"""Finds what a target names: a Python file, a module, an installed script, and the object in it.

Runs none of their code.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

__all__ = ["LoadError", "ServerSource", "find_source", "spec_of"]

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
    script: str | None = None  # of an installed script: the function in the module that it calls

    @property
    def folder(self) -> Path:
        """The folder whose files belong to it."""
        if self.file is None:
            return self.folders[0] if self.folders else Path.cwd()
        return _root_of(self.file.resolve().parent)

    @property
    def main_file(self) -> Path | None:
        """The file that Python runs for it, which is `__main__.py` for a package; None if there is none."""
        if self.file is not None:
            return None if self.file.name == "__init__.py" else self.file
        spec = spec_of(self.module, self.folders)
        if spec is None:
            return None
        if spec.submodule_search_locations is not None:
            spec = spec_of(f"{self.module}.__main__", self.folders)
        return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None


def find_source(target: str, *, is_module: bool = False) -> ServerSource:
    """The source of FILE, FILE:OBJECT, MODULE:OBJECT, SCRIPT or, with `is_module`, MODULE; raises LoadError."""
    before, colon, after = target.rpartition(":")
    has_name = bool(colon) and _MODULE.fullmatch(after) is not None and not Path(target).exists()
    where, name = (before, after) if has_name else (target, None)
    if is_module:
        return _module_source(where, name)
    if Path(where).is_file():
        return _file_source(Path(where), name)
    source = None if has_name else _script_source(where)
    if source is not None:
        return source
    if _looks_like_module(where, has_name):
        return _module_source(where, name)
    raise LoadError(f"there is no file {where}{_hint_for(Path(where))}")


def _hint_for(file: Path) -> str:
    """What may have been meant instead of a file that is not there."""
    similar = file.with_suffix(".py") if file.name else file
    if similar.is_file():
        return f"; did you mean {similar}?"
    if not file.name or file.suffix == ".py" or len(file.parts) > 1:
        return ""
    from .scripts import hint_for_script  # loaded for those who misspelled a name

    return f", and no installed script of this name{hint_for_script(str(file))}"


# Modules and scripts ------------------------------------------------------------------------------


def _script_source(name: str) -> ServerSource | None:
    """The source of an installed script; None if there is none of this name, or a file that is almost named so."""
    if not name or Path(name).name != name or name.endswith(".py") or Path(f"{name}.py").is_file():
        return None
    from .scripts import find_script  # importlib.metadata takes long to load, and a file does not need it

    entry = find_script(name)
    return None if entry is None else ServerSource(name, None, entry.module, (), script=entry.attr)


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


def spec_of(module: str, folders: Sequence[Path], *, or_installed: bool = True) -> ModuleSpec | None:
    """The spec of a module, which is not imported, and neither are the packages around it; None if there is none.

    It is looked up in the folders and, unless this is not wanted, where Python looks.
    """
    top, *rest = module.split(".")
    spec = PathFinder.find_spec(top, [str(folder) for folder in folders])
    if spec is None and or_installed:
        spec = find_spec(top)
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return None
        # By the last part of its name: a folder without __init__.py would be looked up in its package, once imported.
        spec = PathFinder.find_spec(part, list(spec.submodule_search_locations))
    return spec


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
