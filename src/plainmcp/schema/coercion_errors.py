"""The error for a value that does not fit its type, made from exceptions of authors' classes and of pydantic.

Most texts of pydantic are not used: the schema gives the text, as it does for every other type.
"""

import re
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import FrameType
from typing import Any, get_args

from .matching import decode_text, has_key
from .subschemas import Keys

__all__ = ["CoercionError", "Name", "is_authored", "read_author_error", "read_pydantic_error"]


class Name(str):
    """The last key of a place where the name of a member is wrong, and not its value."""

    __slots__ = ()


class CoercionError(Exception):
    """A value does not fit its type. Each place has its keys, and the text of an author's class.

    Where the text is None, the schema shows what was expected.
    """

    def __init__(self, places: list[tuple[Keys, str | None]]) -> None:
        super().__init__(places)
        self.places = places


def read_author_error(error: Exception, name: str, keys: Keys) -> tuple[Keys, str | None]:
    """The place that an exception is about, and its text; `name` is the class, `keys` lead to its value.

    The texts of attrs' own validators are used without the value that they repeat, those of Python's enums are not.

    >>> read_author_error(ValueError("the free plan has one seat"), "Plan", ("plan",))
    (('plan',), 'the free plan has one seat')
    """
    frames = list(_frames_of(error))
    if frames and _package_of(frames[-1]) in ("attr", "attrs"):
        return _read_attrs_error(error, frames[-1].f_locals, name, keys)
    if is_authored(error):
        return keys, str(error) or f"refused by {name}"
    return keys, None


def _read_attrs_error(error: Exception, validator: dict[str, Any], name: str, keys: Keys) -> tuple[Keys, str]:
    """The attribute that a validator of attrs refuses, and its text; `validator` has the variables of its call."""
    unsaid = f"refused by a validator of {name}"
    if "attr" not in validator or "value" not in validator:
        return keys, unsaid
    attribute, value, text = validator["attr"].name, validator["value"], str(error.args[0] if error.args else "")
    ends = [
        f" (got {value!r} that is a {type(value)!r}).", f" (got {value!r}).", f" (got {value!r})",
        f" ({value!r} doesn't)", f" for value {value!r}", f": {value}",
        *([f": {len(value)}"] if hasattr(value, "__len__") else []),
    ]  # fmt: skip
    end = next((one for one in ends if text.endswith(one)), None)
    if end is None and str(value) in text:
        return (*keys, attribute), unsaid
    text = text.removesuffix(end or "").replace(f"Length of '{attribute}'", "length").removeprefix(f"'{attribute}' ")
    return (*keys, attribute), text or unsaid


def is_authored(error: Exception) -> bool:
    """Whether an exception was raised in code of an author, and not only in the standard library or pydantic."""
    packages = [_package_of(frame) for frame in _frames_of(error)]
    if packages[-1:] == ["enum"]:
        return False
    return not packages or not _LIBRARIES.issuperset(packages)


_LIBRARIES = sys.stdlib_module_names | {"plainmcp", "pydantic", "pydantic_core"}


def _frames_of(error: Exception) -> Iterator[FrameType]:
    """The calls that an exception came through, from the caller to the code that raised it."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


# Errors of pydantic --------------------------------------------------------------------------------


def read_pydantic_error(error: Any, value: Any) -> tuple[Keys, str | None]:
    """The place where pydantic refuses a value, and the text of an author's validator; None for one of pydantic."""
    kind, context = error["type"], error.get("ctx", {})
    keys = _keys_of(error["loc"], value, is_missing=kind == "missing")
    if error["loc"][-1:] == ("[key]",):
        keys = (*keys[:-1], Name(keys[-1]))
    if kind in ("value_error", "assertion_error") and "error" in context:
        text = str(context["error"]) or "refused by a validator"
        return keys, text if is_authored(context["error"]) else None
    if kind in _PREDICATES and (predicate := _PREDICATE.search(error["msg"])):
        return keys, f"expected a value for which {predicate[1]} is {_PREDICATES[kind]}"
    if kind in _EXPECTED:
        return keys, f"expected {_EXPECTED[kind].format(**context)}"
    if kind in _LIMITS and any(isinstance(limit, (Decimal, Fraction)) for limit in context.values()):
        return keys, f"expected a number{_LIMITS[kind].format(**context)}"
    is_own = kind in _known_errors() or kind in _CUSTOM or str(error["msg"]).startswith(_EMAIL)
    return keys, None if is_own else str(error["msg"])


_EMAIL = "value is not a valid email address"
# Errors of pydantic's own types that look like those of an author; some repeat the value.
_CUSTOM = frozenset(
    {
        "base64_decode", "byte_size", "byte_size_unit", "bytes_type", "color_error", "import_error", "ip_any_address",
        "ip_any_interface", "ip_any_network", "ip_v4_address", "ip_v4_interface", "ip_v4_network", "ip_v6_address",
        "ip_v6_interface", "ip_v6_network", "path_type", "pattern_bytes_type", "pattern_regex", "pattern_str_type",
        "pattern_type", "sequence_str", "zoneinfo_str", "fraction_parsing",
    }
)  # fmt: skip
# Limits of decimals and fractions: a schema has no keywords for limits of a number in a string.
_LIMITS = {
    "greater_than": " > {gt}",
    "greater_than_equal": " >= {ge}",
    "less_than": " < {lt}",
    "less_than_equal": " <= {le}",
    "multiple_of": ", a multiple of {multiple_of}",
}
# Errors for which a schema has no keyword.
_EXPECTED = {
    "date_past": "a date in the past",
    "date_future": "a date in the future",
    "datetime_past": "a date and time in the past",
    "datetime_future": "a date and time in the future",
    "timezone_naive": "a time without a time zone",
    "timezone_aware": "a time with a time zone",
    "finite_number": "a finite number",
    "decimal_max_digits": "a decimal number of at most {max_digits} digits",
    "decimal_max_places": "a decimal number with at most {decimal_places} decimal places",
    "decimal_whole_digits": "a decimal number with at most {whole_digits} digits before the point",
    "uuid_version": "a UUID of version {expected_version}",
    "url_scheme": "a URL whose scheme is {expected_schemes}",
    "json_invalid": "JSON in a string",
    "path_not_file": "the path of a file that is there",
    "path_not_directory": "the path of a directory that is there",
    "path_not_socket": "the path of a socket that is there",
    "path_exists": "a path where there is nothing yet",
    "parent_does_not_exist": "a path in a directory that is there",
    "payment_card_number_digits": "the number of a card, digits only",
    "payment_card_number_luhn": "the number of a card",
    "payment_card_number_brand": "the number of a card, {required_length} digits",
    "predicate_failed": "a value that its validator takes",
    "not_operation_failed": "a value that its validator takes",
}


_PREDICATES = {"predicate_failed": "true", "not_operation_failed": "false"}
_PREDICATE = re.compile(r"'(?:.*<locals>\.)?([\w.]+)'")


@lru_cache
def _known_errors() -> frozenset[str]:
    from pydantic_core import core_schema

    return frozenset(get_args(core_schema.ErrorType))


def _keys_of(loc: Keys, value: Any, *, is_missing: bool) -> Keys:
    """The keys of a place, without the labels that pydantic gives to the choices of a union."""
    keys: list[Any] = []
    for at, key in enumerate(loc):
        rest = loc[at + 1 :]
        value = decode_text(value)
        if has_key(value, key) and not _is_label(value, key, rest, is_missing):
            value = value[key]
            keys.append(key)
        elif is_missing and not rest:
            keys.append(key)
    return tuple(keys)


def _is_label(value: Any, key: Any, rest: Keys, is_missing: bool) -> bool:
    """Whether a key of the value is the label of a choice here: the keys that follow are beside it, not in it."""
    inner = decode_text(value[key])
    if any(has_key(inner, one) for one in rest):
        return False
    is_lost = is_missing and bool(rest) and not isinstance(inner, (dict, list))
    return is_lost or any(has_key(value, one) for one in rest)
