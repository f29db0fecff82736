"""Finding the server in a file: what FILE and FILE:OBJECT mean, and what is said when there is none."""

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from .app import Server

__all__ = ["LoadError", "load", "own_traceback"]


class LoadError(Exception):
    """A file gives no server; the text says why."""


def load(target: str) -> Server:
    """The server that FILE or FILE:OBJECT names; raises LoadError."""
    file, name = _split(target)
    module = _imported(file)
    if name is not None:
        found = getattr(module, name, None)
        if not isinstance(found, Server):
            what = "there is none" if found is None else f"it is a {type(found).__name__}"
            raise LoadError(f"{file} has no server called {name!r}: {what}")
        return found
    servers = {key: value for key, value in vars(module).items() if isinstance(value, Server)}
    if not servers:
        raise LoadError(f"{file} has no server; write server = Server(...) at its top level")
    if len({id(server) for server in servers.values()}) > 1:
        choices = ", ".join(f"{file}:{key}" for key in servers)
        raise LoadError(f"{file} has several servers; say which: {choices}")
    return next(iter(servers.values()))


def _split(target: str) -> tuple[Path, str | None]:
    whole = Path(target)
    path, colon, name = target.rpartition(":")
    file, named = (Path(path), name) if colon and name.isidentifier() and not whole.exists() else (whole, None)
    if not file.is_file():
        raise LoadError(f"there is no file {file}")
    return file, named


def _imported(file: Path) -> ModuleType:
    """The file as a module, under its own name where that is free; it finds its neighbours as a script does."""
    name = file.stem if file.stem.isidentifier() and file.stem not in sys.modules else f"served_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise LoadError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise LoadError(f"{file} cannot be loaded\n\n{own_traceback(error, str(spec.origin))}") from error
    return module


def own_traceback(error: BaseException, file: str | None = None) -> str:
    """A traceback without our own frames; where a file is named, it begins there."""
    seen: Any = error.__traceback__
    while seen is not None and file is not None and seen.tb_frame.f_code.co_filename != file:
        seen = seen.tb_next
    shown = traceback.TracebackException(type(error), error, seen)
    ours = str(Path(__file__).parent)
    shown.stack = traceback.StackSummary.from_list([frame for frame in shown.stack if ours not in frame.filename])
    return "".join(shown.format()).rstrip()
