"""Names of other packages that can be imported, and are refused with advice when they are used."""

from collections.abc import Mapping
from typing import Any

from ..errors import AuthorError

__all__ = ["advice_of", "refused_class", "refused_name"]


def refused_class(name: str, module: str, advice: str) -> type:
    """A class that can be imported, named in hints and inherited from, but not instantiated.

    >>> refused_class("Client", "package", "use another one")()
    Traceback (most recent call last):
    plainmcp.errors.AuthorError: Client is not supported by plainmcp; use another one
    """

    def refuse(self: Any, *arguments: Any, **options: Any) -> None:
        raise AuthorError(f"{name} is not supported by plainmcp; {advice}")

    members = {"__init__": refuse, "__module__": module, "__class_getitem__": classmethod(_same), "advice": advice}
    return type(name, (), members)


def _same(cls: Any, parameters: Any) -> Any:
    return cls


def advice_of(value: object) -> str | None:
    """What to do instead of using a refused class; None for any other value.

    >>> advice_of(refused_class("Client", "package", "use another one")), advice_of(int)
    ('use another one', None)
    """
    advice = vars(value).get("advice") if isinstance(value, type) else None
    return advice if isinstance(advice, str) else None


def refused_name(name: str, module: str, advice: Mapping[str, str]) -> type:
    """The refused class of a name, for the `__getattr__` of a module; raises AttributeError without advice."""
    if name not in advice:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return refused_class(name, module, advice[name])
