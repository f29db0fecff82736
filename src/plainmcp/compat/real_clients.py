"""The clients of the real packages, where these are installed: the facades have servers, and no clients.

A program that imports a client gets the real one, also while `install()` makes `import mcp` lead to a facade. The
real package is then loaded beside the facade: for the time of its imports its modules are those in `sys.modules`, and
otherwise the facade's. Its functions import later, too, so its modules have an `__import__` of their own, which does
the same. Exceptions are those of the facade in both, because a program names them in `except`.
"""

import builtins
import logging
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from types import ModuleType
from typing import Any, cast

__all__ = ["find_client", "is_client"]

_log = logging.getLogger("plainmcp")

_PACKAGES = ("mcp", "mcp_types", "fastmcp")
_CLIENTS = (
    "fastmcp.client",
    "fastmcp.mcp_config",
    "fastmcp.utilities.mcp_config",
    "mcp.client",
    "mcp.shared.session",
)
_EXCEPTIONS = ("fastmcp.exceptions", "mcp.shared.exceptions")


def is_client(module: str) -> bool:
    """Whether a module of the packages belongs to their clients.

    >>> is_client("mcp.client.stdio"), is_client("mcp.server.stdio")
    (True, False)
    """
    return any(f"{module}.".startswith(f"{one}.") for one in _CLIENTS)


def find_client(module: str) -> ModuleType | None:
    """A module of the clients, from the real package; None if it is not installed, with all that it needs."""
    if PathFinder.find_spec(module.partition(".")[0]) is None:
        return None
    try:
        with _loading():
            return import_module(module)
    except ImportError as error:
        _log.debug("%s cannot be imported: %s", module, error)
        return None


# Loading beside the facades -----------------------------------------------------------------------

_lock = threading.RLock()
_modules: dict[str, ModuleType] = {}
"""The modules of the real packages that are loaded beside the facades."""


@contextmanager
def _loading() -> Generator[None, None, None]:
    """While it is open, the real packages are imported; the facades are not found under their names."""
    with _lock:
        facades = [finder for finder in sys.meta_path if getattr(finder, "leads_to_facades", False)]
        if not facades:
            yield  # the program has them itself, or this is inside of another one
            return
        hidden = _take_out()
        sys.modules.update(_modules)
        others = sys.meta_path[:]
        sys.meta_path[:] = [cast("Any", _Finder()), *(finder for finder in others if finder not in facades)]
        try:
            yield
        finally:
            sys.meta_path[:] = others
            _modules.update(_take_out())
            sys.modules.update(hidden)


def _take_out() -> dict[str, ModuleType]:
    """The modules of the packages in sys.modules, which are no longer there."""
    names = [name for name in sys.modules if name.partition(".")[0] in _PACKAGES]
    return {name: sys.modules.pop(name) for name in names}


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> ModuleType:
    """`__import__` for a module of a real package: other modules of these are the real ones, too."""
    whole = resolve_name("." * level + name, globals["__package__"]) if level else name
    if whole.partition(".")[0] not in _PACKAGES:
        return builtins.__import__(name, globals, locals, fromlist, level)
    with _loading():
        return builtins.__import__(name, globals, locals, fromlist, level)


class _Finder:
    """Finds the modules of the real packages, and gives them an `__import__` of their own.

    Not a subclass of those in importlib.abc, which take long to load.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of one of the packages; None for any other."""
        spec = PathFinder.find_spec(name, path) if name.partition(".")[0] in _PACKAGES else None
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Any", _Loader(spec.loader))
        return spec


class _Loader:
    """Loads a module of a real package."""

    def __init__(self, of_file: Any) -> None:
        self._of_file = of_file

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The empty module."""
        return self._of_file.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """Run the file of the module."""
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
        self._of_file.exec_module(module)
        if module.__name__ in _EXCEPTIONS:
            _share_exceptions(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of_file, name)


def _share_exceptions(module: ModuleType) -> None:
    """Put the exceptions of the facade into a module of a real package."""
    ours = vars(import_module(f"{__name__.rpartition('.')[0]}.{module.__name__}"))
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, Exception) and isinstance(ours.get(name), type):
            setattr(module, name, ours[name])
