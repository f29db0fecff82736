"""The modules of the facades of `mcp` and FastMCP: a public name that they do not have is refused when it is used.

The names of clients are those of the real package, where it is installed.
What the packages have, published_names.py knows. A module of theirs without a file here is made when it is imported.
A finder makes both: it is asked for modules below these facades only.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, cast

from . import published_names
from .advice import advice_for
from .real_clients import find_client, is_client
from .refused import refuse_name

__all__ = ["FacadeModule", "add_facade_modules"]

_PACKAGE = __name__.rpartition(".")[0]
_FACADES = ("fastmcp", "mcp")

_HOMES: dict[str, tuple[str, ...]] = {
    "mcp.server.fastmcp.prompts.manager": ("mcp.prompts",),
    "mcp.server.fastmcp.resources.base": ("mcp.resources",),
    "mcp.server.fastmcp.resources.resource_manager": ("mcp.resource_templates",),
    "mcp.server.fastmcp.resources.templates": ("mcp.resource_templates",),
    "mcp.server.fastmcp.tools.tool_manager": ("mcp.server.fastmcp.tools",),
    "mcp.server.mcpserver.prompts.manager": ("mcp.prompts",),
    "mcp.server.mcpserver.resolve": ("mcp.resolve",),
    "mcp.server.mcpserver.resources.base": ("mcp.resources",),
    "mcp.server.mcpserver.resources.resource_manager": ("mcp.resource_templates",),
    "mcp.server.mcpserver.tools.tool_manager": ("mcp.server.mcpserver.tools",),
    "mcp.shared.version": ("mcp.more_types",),
    "mcp.types": ("mcp.more_types",),
    "mcp.types.jsonrpc": ("mcp.types", "mcp.more_types"),
    "mcp.types.version": ("mcp.types", "mcp.more_types"),
}
"""Modules of the packages, and the modules here that have those of their names which their own file has not."""


class FacadeModule(ModuleType):
    """A module that stands for one of a package: it knows which public names that one has."""

    own_names: Sequence[str] = ()
    """The names that it has itself."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute. An import of `fastmcp.settings` does not replace the `settings` that FastMCP has itself.

        A module that can be called stands for both.
        """
        is_other = isinstance(value, ModuleType) and not callable(value) and name in self.own_names
        if not is_other or isinstance(vars(self).get(name), ModuleType):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        theirs = _theirs_of(self.__name__)
        if name == "__all__":
            return sorted({*self.own_names, *published_names.names_in(theirs)})
        client = find_client(theirs) if is_client(theirs) else None
        value = getattr(client, name) if hasattr(client, name) else _look_up(theirs, name)
        setattr(self, name, value)
        return value


def _look_up(module: str, name: str) -> Any:
    """A public name that the facade of a module does not have; raises AttributeError if the package has none."""
    if published_names.is_module(f"{module}.{name}"):
        return import_module(_ours_of(f"{module}.{name}"))
    places = published_names.find_name(module, name)
    found = [vars(import_module(_ours_of(home))).get(name) for home in _HOMES.get(module, ())]
    found += [
        getattr(import_module(_ours_of(place.origin)), place.name, None) for place in places if place.origin != module
    ]
    value = next((one for one in found if one is not None), None)
    if value is not None:
        return value
    if not places:
        raise AttributeError(f"module {_ours_of(module)!r} has no attribute {name!r}")
    return refuse_name(name, module, advice_for(module, name), places[0].mark)


def _theirs_of(name: str) -> str:
    """The name of a facade's module in its package."""
    return name.removeprefix(f"{_PACKAGE}.")


def _ours_of(module: str) -> str:
    return f"{_PACKAGE}.{module}"


class _Finder:
    """Finds the modules of the facades, with a file and without one.

    Not a subclass of those in importlib.abc, which take long to load.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of the facades; None for any other."""
        theirs = _theirs_of(name)
        if theirs is name or theirs.partition(".")[0] not in _FACADES:
            return None
        parent = sys.modules.get(name.rpartition(".")[0])  # `path` may be another folder: pytest tries several
        spec = PathFinder.find_spec(name, getattr(parent, "__path__", path))
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Any", _Loader(spec.loader))
            return spec
        return (
            ModuleSpec(name, cast("Any", _Loader()), is_package=True) if published_names.is_module(theirs) else None
        )


class _Loader:
    """Makes a module a FacadeModule, and runs its file, if it has one, as any other."""

    def __init__(self, of_file: Any = None) -> None:
        self._of_file = of_file

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The empty module."""
        module = FacadeModule(spec.name)
        module.__path__ = spec.submodule_search_locations or []  # a file here may be a package there
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run the file of the module."""
        if self._of_file is not None:
            self._of_file.exec_module(module)
            module.own_names = vars(module).pop("__all__", ())  # type: ignore[attr-defined]  # see FacadeModule

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of_file, name)


def add_facade_modules() -> None:
    """Let the modules be found; does nothing if they are already."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, cast("Any", _Finder()))
