"""Classes whose values are strings in JSON: the format of each, and how a value is read from a string.

A text that takes very long to read, a number with a huge exponent or a long regular expression, is refused first.
"""

import base64
import binascii
import datetime
import ipaddress
import os
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

__all__ = [
    "MAX_DIGITS",
    "MAX_PATTERN",
    "NAMES",
    "Format",
    "OutOfBoundsError",
    "check_bounds",
    "format_of",
    "is_in_format",
]

MAX_DIGITS = 4_300
"""How many digits a number may have: as many as Python reads in an integer."""

MAX_PATTERN = 1_000
"""How many characters a regular expression may have."""


class Format(NamedTuple):
    """The name of a format in JSON Schema; `read` makes a value of a class from a string, and raises ValueError."""

    name: str | None
    read: Callable[[type, str], Any]


def format_of(kind: Any) -> Format | None:
    """The format of a class whose values are strings; None for any other class.

    >>> format_of(Decimal).read(Decimal, "1.10")
    Decimal('1.10')
    """
    if not isinstance(kind, type):
        return None
    if kind in _EXACT:
        return _EXACT[kind]
    if (kind.__module__.partition(".")[0], kind.__name__) == ("zoneinfo", "ZoneInfo"):  # not imported here
        return _ZONE
    return next((_FAMILIES[base] for base in kind.__mro__ if base in _FAMILIES), None)


def is_in_format(name: str, text: str) -> bool:
    """Whether a text is in one of the formats of NAMES.

    >>> is_in_format("date", "2026-07-28"), is_in_format("date", "soon")
    (True, False)
    """
    kind, format = NAMES[name]
    try:
        format.read(kind, text)
    except ValueError:
        return False
    return True


class OutOfBoundsError(ValueError):
    """A text that takes very long to read; the message is what is expected."""


def check_bounds(format: Any, text: str) -> None:
    """Raise OutOfBoundsError for a text in a format that would take very long to read.

    >>> check_bounds("fraction", "1e999999999")
    Traceback (most recent call last):
    plainmcp.schema.formats.OutOfBoundsError: expected a number of at most 4,300 digits
    """
    if format == "regex" and len(text) > MAX_PATTERN:
        raise OutOfBoundsError(f"expected a regular expression of at most {MAX_PATTERN:,} characters")
    if format in ("fraction", "decimal"):
        exponent = re.search(_EXPONENT, text[-MAX_DIGITS:])
        if len(text) > MAX_DIGITS or (exponent is not None and abs(int(exponent[1])) > MAX_DIGITS):
            raise OutOfBoundsError(f"expected a number of at most {MAX_DIGITS:,} digits")


_EXPONENT = r"[eE]([+-]?[0-9_]+)\s*\Z"


# Reading ------------------------------------------------------------------------------------------

# re compiles these when they are first used.
_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_FRACTION = rf"{_NUMBER}|[+-]?[0-9]+/[0-9]+"


def _read_number(pattern: str, kind: Any, text: str) -> Any:
    check_bounds("decimal", text)
    if not re.fullmatch(pattern, text):
        raise ValueError("not a number")
    try:
        return kind(text)
    except ArithmeticError:
        raise ValueError("not a number") from None


def _read_pattern(kind: Any, text: str) -> Any:
    check_bounds("regex", text)
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError):
        raise ValueError("not a regular expression") from None


_DURATION = r"([+-]?)P(?=.)(?:(N)Y)?(?:(N)M)?(?:(N)W)?(?:(N)D)?(?:T(?=.)(?:(N)H)?(?:(N)M)?(?:(N)S)?)?".replace(
    "N", r"[0-9]+(?:[.,][0-9]+)?"
)
# As in pydantic: a year is 365 days, a month is 30.
_SECONDS = tuple(map(Decimal, (365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3_600, 60, 1)))


def _read_duration(kind: Any, text: str) -> datetime.timedelta:
    match = re.fullmatch(_DURATION, text, re.IGNORECASE) if len(text) <= 100 else None
    if match is None:
        raise ValueError("not a duration")
    sign, *amounts = match.groups()
    total = sum(
        (Decimal(amount.replace(",", ".")) * unit for amount, unit in zip(amounts, _SECONDS, strict=True) if amount),
        Decimal(0),
    )
    micros = int((total * 1_000_000).to_integral_value())
    try:
        return datetime.timedelta(microseconds=-micros if sign == "-" else micros)
    except OverflowError:
        raise ValueError("longer than a duration can be") from None


def _read_base64(kind: Any, text: str) -> Any:
    try:
        return kind(base64.b64decode(text, validate=True))
    except (binascii.Error, UnicodeError):
        raise ValueError("not base64") from None


def _read_by_msgspec(kind: Any, text: str) -> Any:
    return msgspec.convert(text, kind)


def _read_ipv6(kind: Any, text: str) -> Any:
    if "%" in text:  # a scope is not part of the format
        raise ValueError("not an address")
    return kind(text)


def _read_zone(kind: Any, text: str) -> Any:
    try:
        return kind(text)
    except (KeyError, OSError):
        raise ValueError("not a time zone") from None


def _construct(kind: Any, text: str) -> Any:
    return kind(text)


_ZONE = Format("zoneinfo", _read_zone)
_BASE64 = Format("base64", _read_base64)
_EXACT: dict[type, Format] = {
    datetime.datetime: Format("date-time", _read_by_msgspec),
    datetime.date: Format("date", _read_by_msgspec),
    datetime.time: Format("time", _read_by_msgspec),
    datetime.timedelta: Format("duration", _read_duration),
    UUID: Format("uuid", _read_by_msgspec),
    Decimal: Format("decimal", lambda kind, text: _read_number(_NUMBER, kind, text)),
    bytes: _BASE64,
    bytearray: _BASE64,
    memoryview: _BASE64,
    re.Pattern: Format("regex", _read_pattern),
    complex: Format("complex", _construct),
    os.PathLike: Format(None, lambda kind, text: Path(text)),
}
_FAMILIES: dict[type, Format] = {
    PurePath: Format(None, _construct),
    Fraction: Format("fraction", lambda kind, text: _read_number(_FRACTION, kind, text)),
    ipaddress.IPv4Address: Format("ipv4", _construct),
    ipaddress.IPv6Address: Format("ipv6", _read_ipv6),
    ipaddress.IPv4Network: Format("ipv4network", _construct),
    ipaddress.IPv6Network: Format("ipv6network", _read_ipv6),
    ipaddress.IPv4Interface: Format("ipv4interface", _construct),
    ipaddress.IPv6Interface: Format("ipv6interface", _read_ipv6),
    str: Format(None, _construct),
}
NAMES = {format.name: (kind, format) for kind, format in (_EXACT | _FAMILIES).items() if format.name is not None}
"""The formats by name, each with a class that has it."""
