"""What an author's own class says of a value that it refuses, and of which part it says so."""

import re
import sys
from collections.abc import Iterator

from .problems import Keys

__all__ = ["is_authored", "read"]

_ATTRIBUTE = re.compile(r"'(\w+)'")


def read(error: Exception, name: str, keys: Keys) -> tuple[Keys, str | None]:
    """The place that an exception is about, and the author's words; `name` is the class, `keys` lead to its value.

    The words of attrs' own validators and of Python's enums are nobody's own, and repeat the value.

    >>> read(ValueError("the free plan has one seat"), "Plan", ("plan",))
    (('plan',), 'the free plan has one seat')
    """
    packages = [*_packages(error)]
    if packages[-1:] in (["attr"], ["attrs"]):
        attribute = _ATTRIBUTE.search(str(error))
        return (*keys, *attribute.groups()) if attribute else keys, f"refused by a validator of {name}"
    if is_authored(error):
        return keys, str(error) or f"refused by {name}"
    return keys, None


def is_authored(error: Exception) -> bool:
    """Whether an exception came about in code of an author's, and not only in Python's library or pydantic."""
    packages = [*_packages(error)]
    if packages[-1:] == ["enum"]:
        return False
    return not packages or not _LIBRARIES.issuperset(packages)


_LIBRARIES = sys.stdlib_module_names | {"plainmcp", "pydantic", "pydantic_core"}


def _packages(error: Exception) -> Iterator[str]:
    """Whose code an exception came through, from the caller to who raised it."""
    trace = error.__traceback__
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        trace = trace.tb_next
