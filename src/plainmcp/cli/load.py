"""Finding the server in a file: what FILE and FILE:OBJECT mean, and what is said when there is none."""

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from ..protocol.tracebacks import is_own_file
from ..server import Server
from .advice import advice, is_foreign

__all__ = ["LoadError", "file_of", "load", "own_traceback"]


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
            raise LoadError(_advised(file, f"{file} has no server called {name!r}: {what}", is_foreign(found)))
        return found
    servers = {key: value for key, value in vars(module).items() if isinstance(value, Server)}
    if not servers and any(is_foreign(value) for value in vars(module).values()):
        raise LoadError(_advised(file, f"{file} has a server of another package"))
    if not servers:
        raise LoadError(f"{file} has no server; write server = Server(...) at its top level")
    if len({id(server) for server in servers.values()}) > 1:
        choices = ", ".join(f"{file}:{key}" for key in servers)
        raise LoadError(f"{file} has several servers; say which: {choices}")
    return next(iter(servers.values()))


def file_of(target: str) -> Path:
    """The file in FILE or FILE:OBJECT; raises LoadError where there is none."""
    return _split(target)[0]


def _split(target: str) -> tuple[Path, str | None]:
    whole = Path(target)
    path, colon, name = target.rpartition(":")
    file, named = (Path(path), name) if colon and name.isidentifier() and not whole.exists() else (whole, None)
    if not file.is_file():
        near = file.with_suffix(".py") if file.name else file
        raise LoadError(f"there is no file {file}" + (f"; did you mean {near}?" if near.is_file() else ""))
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
        told = f"{file} cannot be loaded\n\n{own_traceback(error, str(spec.origin))}"
        raise LoadError(_advised(file, told, _is_missing(error))) from error
    return module


def _is_missing(error: BaseException) -> bool:
    """Whether a package is missing that has a counterpart here, or a part of our counterpart that there is not."""
    name = error.name if isinstance(error, ImportError) else None
    return name is not None and (name.split(".")[0] in ("fastmcp", "mcp") or name.startswith("plainmcp.compat."))


def _advised(file: Path, problem: str, foreign: bool = True) -> str:
    """A problem, with what to change in the file where it was written for another package."""
    told = advice(file) if foreign else None
    return problem if told is None else f"{problem}\n\n{told}"


def own_traceback(error: BaseException, file: str | None = None) -> str:
    """A traceback without our own frames; where a file is named, it begins there."""
    seen: Any = error.__traceback__
    while seen is not None and file is not None and seen.tb_frame.f_code.co_filename != file:
        seen = seen.tb_next
    shown = traceback.TracebackException(type(error), error, seen)
    theirs = [frame for frame in shown.stack if not is_own_file(frame.filename)]
    shown.stack = traceback.StackSummary.from_list(theirs)
    return "".join(shown.format()).rstrip()
