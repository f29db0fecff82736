"""Mistakes in registrations, as the packages report them: a ValueError or a TypeError, whose text begins as there.

They are AuthorErrors too, so that a program for plainmcp catches them as before.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NoReturn

from ..errors import AuthorError, OptionError
from ..schema.signature import Signature
from ..wire import uri_template

__all__ = ["RegistrationError", "as_value_errors", "check_is_callable", "check_same_variables", "names_in", "refuse"]


class RegistrationError(AuthorError, ValueError):
    """A registration that cannot work, with what to write instead."""


@contextmanager
def as_value_errors() -> Generator[None, None, None]:
    """Raise a RegistrationError for an AuthorError, so that it is a ValueError as well."""
    try:
        yield
    except (ValueError, TypeError):
        raise
    except AuthorError as error:
        raise RegistrationError(str(error)) from error


def refuse(text: str) -> NoReturn:
    """Raise a mistake that is a ValueError in the package."""
    raise RegistrationError(text)


def check_is_callable(function: Any, decorator: str) -> None:
    """Refuse a classmethod, which cannot be called before its class is finished; raises a TypeError."""
    if isinstance(function, classmethod):
        name = getattr(function, "__name__", "this")
        raise OptionError(
            f"@{decorator} is above @classmethod, and a classmethod cannot be called before its class is finished; "
            f"after the class, write {decorator}(TheClass.{name})"
        )


def names_in(uri: str, compile_uri: Callable[[str], Any] = uri_template.compile) -> tuple[set[str], set[str]]:
    """The variables of a URI template, and those of its query; raises AuthorError for a template with a mistake."""
    if not uri_template.is_template(uri):
        return set(), set()
    template = compile_uri(uri)
    return set(template.names), set(template.parameters)


def check_same_variables(uri: str, read: Signature, compile_uri: Callable[[str], Any]) -> None:
    """Refuse a function whose parameters are not the variables of its URI, as the official SDK does."""
    names, optional = names_in(uri, compile_uri)
    takes = {one.name for one in read.parameters}
    if names != takes and not read.open:
        reason = "" if names else f": {uri!r} has no URI template variables"
        refuse(f"Mismatch between URI parameters {_show(names)} and function parameters {_show(takes)}{reason}")
    required = sorted(one.name for one in read.parameters if one.required and one.name in optional)
    if required:
        refuse(f"{uri!r}: the parameters {required} of {read.name} come from the query, and must declare a default")


def _show(names: set[str]) -> str:
    return f"{{{', '.join(map(repr, sorted(names)))}}}"
