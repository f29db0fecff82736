"""Names of other packages that can be imported, and are refused when they are used, with what to do instead.

A program that imports such a name starts: the name can be in a hint, be the base of a class, be in `except` and in
`isinstance`. It is refused when it is called, read or instantiated.
"""

import logging
from typing import Any, NoReturn, TypeVar, Union

from ..errors import AuthorError

__all__ = ["MissingFeature", "RefusedName", "advice_of", "refuse_name"]


class MissingFeature(AuthorError, AttributeError):
    """A feature of another package that is not supported here; the text says what to do instead."""


def refuse_name(name: str, module: str, advice: str, mark: str = "") -> Any:
    """What stands for a name of a module: an object that is refused, or a class if the mark says an exception.

    >>> Client = refuse_name("Client", "package", "use another one")
    >>> Client | None, isinstance(3, Client)
    (typing.Optional[package.Client], False)
    >>> Client("x")
    Traceback (most recent call last):
    plainmcp.compat.refused.MissingFeature: there is no Client here; use another one
    """
    if name == "logger":
        return logging.getLogger(module)
    if mark == "~":
        return TypeVar(name)  # pyright: ignore[reportGeneralTypeIssues]
    if mark == "!":  # `except` takes a class, and nothing here raises it
        return type(name, (Exception,), {"__module__": module, "__doc__": f"Nothing raises it here; {advice}."})
    return RefusedName(name, module, advice)


def advice_of(value: Any) -> str | None:
    """What to do instead of a name that is refused; None for any other value."""
    return value._advice if isinstance(value, RefusedName) else None


class RefusedName:
    """Stands for a class, a function or a value of a package; no class itself, so it goes with any metaclass."""

    __name__: str
    _advice: str

    def __init__(self, name: str, module: str, advice: str) -> None:
        names = {"__name__": name, "__qualname__": name, "__module__": module}
        vars(self).update(names, __doc__=f"Refused when it is used; {advice}.", _advice=advice)

    def __repr__(self) -> str:
        return f"{self.__module__}.{self.__name__}"

    def _refuse(self, *arguments: Any, **options: Any) -> NoReturn:
        raise MissingFeature(f"there is no {self.__name__} here; {self._advice}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingFeature(f"there is no {self.__name__}.{name} here; {self._advice}")

    __call__ = __setattr__ = __iter__ = __len__ = __contains__ = _refuse
    __enter__ = __exit__ = __aenter__ = __aexit__ = __await__ = __aiter__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = __mod__ = __and__ = (
        _refuse
    )
    __int__ = __float__ = __index__ = __bytes__ = __fspath__ = _refuse

    def __bool__(self) -> bool:
        return True

    # In hints -------------------------------------------------------------------------------------

    def __getitem__(self, parameters: Any) -> "RefusedName":
        return self

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007  # one of them is no type

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema  # pydantic asks: a model of the user's has a field with this hint

        return core_schema.any_schema()

    # As a class -----------------------------------------------------------------------------------

    def __instancecheck__(self, value: Any) -> bool:
        return self.__subclasscheck__(type(value))

    def __subclasscheck__(self, kind: type) -> bool:
        return any(vars(base).get("_refused") is self for base in kind.__mro__)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """What a class inherits from in place of the name: a class whose instances are refused."""
        if any(getattr(base, "_is_protocol", False) for base in bases):
            return ()  # a protocol inherits from protocols only
        return (type(self.__name__, (_RefusedBase,), {"_refused": self}),)


class _RefusedBase:
    """The base of classes that inherit from a name which is refused."""

    _refused: RefusedName

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__()

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        """Refuse an instance."""
        return cls._refused(*arguments, **options)
