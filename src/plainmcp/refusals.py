"""What an author's own class says of a value that it refuses, and of which part it says so."""

import re

from .phrases import Keys

__all__ = ["read"]

_ATTRIBUTE = re.compile(r"'(\w+)'")


def read(error: Exception, name: str, keys: Keys) -> tuple[Keys, str | None]:
    """The place that an exception is about, and the author's words; `name` is the class, `keys` lead to its value.

    The words of attrs' own validators and of Python's enums are nobody's own, and repeat the value.

    >>> read(ValueError("the free plan has one seat"), "Plan", ("plan",))
    (('plan',), 'the free plan has one seat')
    """
    match _package_of(error):
        case "enum":
            return keys, None
        case "attr" | "attrs":
            attribute = _ATTRIBUTE.match(str(error))
            return (*keys, *attribute.groups()) if attribute else keys, f"refused by a validator of {name}"
    return keys, str(error) or f"refused by {name}"


def _package_of(error: Exception) -> str:
    """Whose code raised an exception."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return module.partition(".")[0]
