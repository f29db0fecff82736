"""Loads the server from a file: FILE or FILE:OBJECT. Says what is wrong when there is none."""

import ast
import importlib.util
import runpy
import sys
import traceback
from pathlib import Path
from types import ModuleType

from ..protocol.tracebacks import is_own_file
from ..server import Server

__all__ = ["LoadError", "file_of", "format_user_traceback", "has_server", "load", "run_program"]


class LoadError(Exception):
    """There is no server in a file; the text says why."""


def load(target: str) -> Server:
    """The server that FILE or FILE:OBJECT names; raises LoadError."""
    file, name = _split(target)
    module = _import_file(file)
    if name is not None:
        value = getattr(module, name, None)
        if not isinstance(value, Server):
            reason = "there is none" if value is None else f"it is a {type(value).__name__}"
            problem = f"{file} has no server called {name!r}: {reason}"
            raise LoadError(_with_advice(file, problem) if _is_foreign_server(value) else problem)
        return value
    servers = {key: value for key, value in vars(module).items() if isinstance(value, Server)}
    if not servers and any(_is_foreign_server(value) for value in vars(module).values()):
        raise LoadError(_with_advice(file, f"{file} has a server of another package"))
    if not servers:
        raise LoadError(f"{file} has no server; write server = Server(...) at its top level")
    if len({id(server) for server in servers.values()}) > 1:
        choices = ", ".join(f"{file}:{key}" for key in servers)
        raise LoadError(f"{file} has several servers; say which: {choices}")
    return next(iter(servers.values()))


def has_server(target: str) -> bool:
    """Whether the source of a file creates a server at its top level, or the target names one. Runs no code."""
    file, name = _split(target)
    if name is not None:
        return True
    try:
        statements = ast.parse(file.read_bytes()).body
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


def run_program(target: str) -> None:
    """Run a file as a program, for one that starts its server itself; raises LoadError if it fails."""
    file, _ = _split(target)
    sys.path.insert(0, str(file.resolve().parent))
    try:
        runpy.run_path(str(file), run_name="__main__")
    except Exception as error:
        raise LoadError(f"{file} failed\n\n{format_user_traceback(error, str(file))}") from error


def file_of(target: str) -> Path:
    """The file in FILE or FILE:OBJECT; raises LoadError if it does not exist."""
    return _split(target)[0]


def _split(target: str) -> tuple[Path, str | None]:
    whole = Path(target)
    path, colon, name = target.rpartition(":")
    has_name = colon and name.isidentifier() and not whole.exists()
    file = Path(path) if has_name else whole
    if not file.is_file():
        similar = file.with_suffix(".py") if file.name else file
        hint = f"; did you mean {similar}?" if similar.is_file() else ""
        raise LoadError(f"there is no file {file}{hint}")
    return file, name if has_name else None


def _import_file(file: Path) -> ModuleType:
    """The file as a module, under its own name if that is free; it can import the files in its folder."""
    name = file.stem if file.stem.isidentifier() and file.stem not in sys.modules else f"served_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise LoadError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        problem = f"{file} cannot be loaded\n\n{format_user_traceback(error, str(spec.origin))}"
        raise LoadError(_with_advice(file, problem) if _is_missing_package(error) else problem) from error
    return module


def _is_missing_package(error: BaseException) -> bool:
    """Whether an import failed because another package, or a part of it that plainmcp.compat lacks, is missing."""
    name = error.name if isinstance(error, ImportError) else None
    return name is not None and (name.split(".")[0] in ("fastmcp", "mcp") or name.startswith("plainmcp.compat."))


def _with_advice(file: Path, problem: str) -> str:
    """A problem, and the imports to change if the file was written for another package."""
    from .advice import advise  # loaded for those who need it

    advice = advise(file)
    return problem if advice is None else f"{problem}\n\n{advice}"


def format_user_traceback(error: BaseException, file: str | None = None) -> str:
    """A traceback without the frames of this package; it starts in `file` if that is given."""
    start = error.__traceback__
    while start is not None and file is not None and start.tb_frame.f_code.co_filename != file:
        start = start.tb_next
    formatter = traceback.TracebackException(type(error), error, start)
    frames = [frame for frame in formatter.stack if not is_own_file(frame.filename)]
    formatter.stack = traceback.StackSummary.from_list(frames)
    return "".join(formatter.format()).rstrip()


def _is_foreign_server(value: object) -> bool:
    """Whether a value is a server of another package, one that has a counterpart here."""
    kind = type(value)
    return kind.__name__ in ("FastMCP", "MCPServer") and kind.__module__.partition(".")[0] in ("fastmcp", "mcp")
