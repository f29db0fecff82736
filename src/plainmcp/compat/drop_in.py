"""Makes `import mcp…`, `import fastmcp…` and `import dedalus_mcp…` lead to the facades, for unchanged programs.

Whether these packages are installed does not matter. Only the process that calls `install` is affected.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module, util
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

from ..errors import AuthorError

__all__ = ["facade_of", "install", "is_installed"]

_FACADES = {
    "mcp": "plainmcp.compat.mcp",
    "mcp_types": "plainmcp.compat.mcp.types",
    "fastmcp": "plainmcp.compat.fastmcp",
    "openmcp": "plainmcp.compat.openmcp",
    "dedalus_mcp": "plainmcp.compat.openmcp",
}

_IN_ONE_PLACE = ("openmcp", "dedalus_mcp")
_DECORATORS = ("tool", "prompt", "resource", "resource_template", "completion", "progress")


def install() -> Callable[[], None]:
    """Let `import mcp` and `import fastmcp` find the facades; returns a function that undoes it.

    Call it before the first of these imports. Raises AuthorError if one of the packages is imported already.
    """
    for finder in sys.meta_path:
        if isinstance(finder, _Finder):
            return finder.remove
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _FACADES and not module.__name__.startswith("plainmcp."):
            raise AuthorError(f"{name} is imported already; call plainmcp.compat.install() before that")
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    return finder.remove


def is_installed() -> bool:
    """Whether imports of the packages lead to the facades now."""
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


class _Finder:
    """Finds the modules of the packages, and loads the module of the facade in their place.

    Not a subclass of those in importlib.abc, which take long to load.
    """

    leads_to_facades = True
    """So that the real clients are found beside the facades: see real_clients."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module, if it belongs to one of the packages and the facade has it."""
        facade = facade_of(name)
        return None if facade is None else ModuleSpec(name, cast("Any", self), origin=facade, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the facade: the same object under both names."""
        module = import_module(str(spec.origin))
        self._kept = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: the facade is loaded already. It keeps its own spec."""
        module.__spec__ = self._kept

    def remove(self) -> None:
        """No longer find the facades under the names of the packages."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in _FACADES and module.__name__.startswith("plainmcp."):
                del sys.modules[name]


def facade_of(name: str) -> str | None:
    """The name of the facade's module for a module of one of the packages; None if there is none."""
    top, _, rest = name.partition(".")
    if top not in _FACADES:
        return None
    facade = f"{_FACADES[top]}.{rest}" if rest else _FACADES[top]
    try:
        if util.find_spec(facade) is not None:
            return facade
    except ModuleNotFoundError:  # its parent is not a package
        pass
    # The facade of OpenMCP has the names of its modules in one place; a decorator is not a module.
    return _FACADES[top] if top in _IN_ONE_PLACE and rest not in _DECORATORS else None
