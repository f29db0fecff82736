"""The modules of FastMCP that belong to another product, such as its client: importable, and refused when used.

They have no files: a finder makes each when it is imported. It is asked for modules below this package only.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

from .missing import IN_MODULES, stand_in_of

__all__ = ["add_foreign_modules"]

_PACKAGE = __name__.rpartition(".")[0] + "."


def advice_for(module: str) -> str | None:
    """What to do instead of using a module, by its name below the package; None for any other module."""
    while module:
        if module in IN_MODULES:
            return IN_MODULES[module]
        module = module.rpartition(".")[0]
    return None


class _Finder:
    """Finds the modules of another product below this package.

    Not a subclass of those in importlib.abc, which take long to load.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of such a module; None for any other."""
        is_below = name.startswith(_PACKAGE) and advice_for(name.removeprefix(_PACKAGE)) is not None
        return ModuleSpec(name, cast("Any", self), is_package=True) if is_below else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module whose names are stand-ins."""
        return _ForeignModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run."""


class _ForeignModule(ModuleType):
    """A module in which every public name is a stand-in."""

    def __getattr__(self, name: str) -> Any:
        value = stand_in_of(self.__name__, name, advice_for(self.__name__.removeprefix(_PACKAGE)) or "")
        setattr(self, name, value)
        return value


def add_foreign_modules() -> None:
    """Let the modules be found; does nothing if they are already."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
