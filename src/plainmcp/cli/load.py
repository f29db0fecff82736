"""Loads the server that a target names: imports its module, and takes or makes the server in it."""

import contextlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..compat.drop_in import facade_of, is_installed
from ..protocol.tracebacks import is_own_file
from ..server import Server
from ..transports.deadline import Deadline
from ..transports.process_end import limit_exit
from ..transports.shutdown import GRACE
from .requirements import advise_install
from .source import LoadError, ServerSource, find_source

__all__ = ["LoadError", "format_user_traceback", "load", "load_object", "prepare", "start_lifespan"]

_USUAL_NAMES = ("server", "mcp", "app")
"""The names of servers that are taken first, where a module has several."""


def load(target: str, *, is_module: bool = False, arguments: Sequence[str] = ()) -> Server:
    """The server of FILE, FILE:OBJECT, MODULE:OBJECT, SCRIPT or, with `is_module`, MODULE; raises LoadError.

    The code sees the arguments in `sys.argv`.
    """
    source = find_source(target, is_module=is_module)
    prepare(source, arguments)
    module = _import_source(source)
    if source.name is not None:
        return _take(source, module)
    servers = {key: value for key, value in vars(module).items() if isinstance(value, Server)}
    if not servers and any(_is_foreign_server(value) for value in vars(module).values()):
        raise LoadError(_with_advice(source, f"{source.where} has a server of another package"))
    if not servers:
        raise LoadError(_without_server(source))
    return _choose(source, servers)


def load_object(target: str) -> Any:
    """The object that MODULE:OBJECT names; raises LoadError."""
    source = find_source(target, is_module=True)
    sys.path[:0] = [str(folder) for folder in source.folders]
    value = _find_object(source, _import_source(source))
    if value is None:
        raise LoadError(f"{source.where} has no object called {source.name!r}")
    return value


def prepare(source: ServerSource, arguments: Sequence[str]) -> None:
    """Let the code of a source find its imports in its folders, and its arguments in `sys.argv`."""
    sys.path[:0] = [str(folder) for folder in source.folders]
    program = Path(source.where)
    if source.script is not None and (installed := Path(sys.executable).with_name(source.where)).exists():
        program = installed
    sys.argv = [str(program), *arguments]


def start_lifespan(server: Server) -> None:
    """Start the lifespan of a server, before it is copied: a copy has its value. Raises LoadError."""
    try:
        server.start()
    except Exception as error:
        raise LoadError(f"the lifespan of {server.info.name} failed\n\n{format_user_traceback(error)}") from error


# The server in a module ---------------------------------------------------------------------------


def _choose(source: ServerSource, servers: dict[str, Server]) -> Server:
    """The server to serve, of those in a module: one that no other mounts, or that has a usual name."""
    free = {key: server for key, server in servers.items() if not server._parents} or servers
    if len({id(server) for server in free.values()}) == 1:
        return next(iter(free.values()))
    for name in _USUAL_NAMES:
        if name in free:
            return free[name]
    choices = ", ".join(f"{source.where}:{key}" for key in free)
    raise LoadError(f"{source.where} has several servers; say which: {choices}")


def _without_server(source: ServerSource) -> str:
    """Why there is nothing to serve in a source, and what to do."""
    name = source.where
    if source.script is not None:
        return (
            f"the script {name} starts its server itself: plainmcp serve --drop-in {name} runs it on the transport "
            f"that it chooses; its own arguments come after --. Any other command takes "
            f"--command 'plainmcp serve --drop-in {name}'"
        )
    missing = "no server, and no __main__.py" if _is_package(source) else "no server"
    function = f"-m {name}.module:function" if _is_package(source) else f"{name}:function"
    return (
        f"{name} has {missing}; write server = Server(...) at its top level, "
        f"or name a function that returns one: {function}"
    )


def _is_package(source: ServerSource) -> bool:
    return source.file is None and hasattr(sys.modules.get(source.module), "__path__")


def _take(source: ServerSource, module: ModuleType) -> Server:
    """The server with a name, or the one that the function of this name returns; raises LoadError."""
    value = _find_object(source, module)
    if isinstance(value, Server):
        return value
    if inspect.isroutine(value):
        return _make(source, value)
    reason = "there is none" if value is None else f"it is a {type(value).__name__}"
    problem = f"{source.where} has no server called {source.name!r}: {reason}"
    raise LoadError(_with_advice(source, problem) if _is_foreign_server(value) else problem)


def _find_object(source: ServerSource, module: ModuleType) -> Any:
    """What has the name of a source in its module; None if there is nothing."""
    value: Any = module
    for part in (source.name or "").split("."):
        value = getattr(value, part, None)
    return value


def _make(source: ServerSource, factory: Any) -> Server:
    """The server that a function without arguments returns; raises LoadError."""
    where = f"{source.where}:{source.name}"
    try:
        value = _await(factory) if inspect.iscoroutinefunction(factory) else factory()
    except (Exception, SystemExit) as error:
        raise LoadError(f"{where} failed\n\n{format_user_traceback(error)}") from error
    if not isinstance(value, Server):
        problem = f"{where} returned a {type(value).__name__}; it has to return a server"
        raise LoadError(_with_advice(source, problem) if _is_foreign_server(value) else problem)
    return value


def _await(factory: Any) -> Any:
    from ..transports.background_loop import wait_for  # loads asyncio only when it is needed

    return wait_for(factory)


# Imports ------------------------------------------------------------------------------------------


def _import_source(source: ServerSource) -> ModuleType:
    """The module of a source; it can import what is in its folders."""
    alone = source.file is not None and "." not in source.module and source.file.stem != "__init__"
    try:
        return _import_file(source) if alone else importlib.import_module(source.module)
    except LoadError:
        raise
    except (Exception, SystemExit) as error:
        sys.modules.pop(source.module, None)
        if source.file is None and isinstance(error, ModuleNotFoundError) and error.name == source.module:
            raise LoadError(f"there is no module {source.module} in {source.folder}") from None
        problem = f"{source.where} cannot be loaded\n\n{format_user_traceback(error)}{advise_install(error)}"
        raise LoadError(_with_advice(source, problem) if _is_missing_package(error) else problem) from error
    finally:
        limit_exit(Deadline(GRACE))  # threads that it has started do not keep the process, whatever command follows


def _import_file(source: ServerSource) -> ModuleType:
    """The module of a file that is not in a package, under the name that the source chose for it."""
    assert source.file is not None
    spec = importlib.util.spec_from_file_location(source.module, source.file)
    if spec is None or spec.loader is None:
        raise LoadError(f"{source.file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[source.module] = module
    spec.loader.exec_module(module)
    return module


def _is_foreign_server(value: object) -> bool:
    """Whether a value is a server of another package, one that has a counterpart here."""
    kind = type(value)
    return kind.__name__ in ("FastMCP", "MCPServer") and kind.__module__.partition(".")[0] in ("fastmcp", "mcp")


def _is_missing_package(error: BaseException) -> bool:
    """Whether an import failed because another package, or a part of it that plainmcp.compat lacks, is missing."""
    name = error.name if isinstance(error, ImportError) else None
    return name is not None and (facade_of(name) is not None or name.startswith("plainmcp.compat."))


def _with_advice(source: ServerSource, problem: str) -> str:
    """A problem, and the imports to change if the program was written for another package, and has these."""
    from .advice import advise  # loaded for those who need it

    advice = None if is_installed() else advise(source)
    return problem if advice is None else f"{problem}\n\n{advice}"


def format_user_traceback(error: BaseException) -> str:
    """A traceback without the frames of this package and of Python's import.

    An exception that was raised inside this package, and became another one, says nothing that the other does not.
    """
    formatter = traceback.TracebackException(type(error), error, error.__traceback__)
    current: traceback.TracebackException | None = formatter
    while current is not None:
        frames = [frame for frame in current.stack if not _is_of_machinery(frame.filename)]
        current.stack = traceback.StackSummary.from_list(frames)
        cause = current.__cause__ or current.__context__
        if cause is not None and all(_is_of_machinery(frame.filename) for frame in cause.stack):
            current.__cause__ = current.__context__ = cause = None
        current = cause
    return "".join(formatter.format()).rstrip()


def _is_of_machinery(file: str) -> bool:
    return is_own_file(file) or file.startswith("<frozen ") or file in (importlib.__file__, contextlib.__file__)
