"""JSON Schema as another package reads it, formats included: checks what we list, send and accept.

plainmcp itself does not use `jsonschema`, so an error of its own validator cannot hide here.
"""

import base64
import ipaddress
import json
import re
import zoneinfo
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import jsonschema

__all__ = ["allows", "check_schema", "forbids", "problem"]

Dialect = jsonschema.Draft202012Validator

# RFC 3339, appendix A: no sign, no fractions, and no weeks beside anything else.
_TIMES = r"(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S)"
_DURATION = rf"P(\d+W|(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)(T{_TIMES})?|T{_TIMES})"

PATTERNS = {
    "duration": r"P(?=.)(\d{1,3}Y)?(\d{1,3}M)?(\d{1,3}W|\d{1,3}D)?(T(?=.)(\d{1,5}H)?(\d{1,5}M)?(\d{1,5}S)?)?",
    "binary": ".*",
    "complex": r"[+-]?[0-9]{1,99}([.][0-9]{1,99})?([+-][0-9]{1,99}([.][0-9]{1,99})?j)?",
    "decimal": r"[+-]?([0-9]{1,99}([.][0-9]{0,99})?|[.][0-9]{1,99})(e[+-]?[0-9]{1,3})?",
    "email": r"[a-z0-9]+([.][a-z0-9]+)*@[a-z0-9]+[.](com|org)",  # the least that everybody agrees on
    "fraction": r"[+-]?[0-9]{1,99}(/0*[1-9][0-9]{0,99})?",
    "multi-host-uri": r"\w+://\w+(:\d+)?(/\w*)?",
    "password": ".*",
    "path": r"[^\0]*",
}
CONSTRUCTORS: dict[str, Callable[[str], object]] = {
    "ipvanyaddress": ipaddress.ip_address,
    "ipv4interface": ipaddress.IPv4Interface,
    "ipv4network": ipaddress.IPv4Network,
    "zoneinfo": zoneinfo.ZoneInfo,
}


def _matches(pattern: str, value: object) -> bool:
    flags = re.IGNORECASE | re.DOTALL | re.ASCII
    return not isinstance(value, str) or re.fullmatch(pattern, value, flags) is not None


def _is_read(constructor: Callable[[str], object], value: object) -> bool:
    return not isinstance(value, str) or constructor(value) is not None


STANDARD = jsonschema.FormatChecker(())
STANDARD.checkers = {
    name: Dialect.FORMAT_CHECKER.checkers[name]  # a KeyError if the package that checks it is not installed
    for name in ("date", "date-time", "email", "ipv4", "ipv6", "regex", "time", "uri", "uuid")
}
STANDARD.checks("duration")(partial(_matches, _DURATION))
"""The formats of JSON Schema, which other people's validators check."""

ALL = jsonschema.FormatChecker(())
ALL.checkers = dict(STANDARD.checkers)
for _name, _pattern in PATTERNS.items():
    ALL.checks(_name)(partial(_matches, _pattern))
for _name, _constructor in CONSTRUCTORS.items():
    ALL.checks(_name, raises=(ValueError, KeyError, OSError))(partial(_is_read, _constructor))
"""The same, within what Python can hold, and those that only an attentive reader knows; no other may be listed."""


def _check_encoding(validator: Any, encoding: str, value: Any, schema: Any) -> Iterator[jsonschema.ValidationError]:
    if encoding == "base64" and isinstance(value, str):
        try:
            base64.b64decode(value, validate=True)
        except ValueError:
            yield jsonschema.ValidationError(f"{value!r} is not base64")


Attentive = jsonschema.validators.extend(Dialect, {"contentEncoding": _check_encoding})


def check_schema(schema: dict[str, Any]) -> None:
    """Fail unless this is a valid schema of 2020-12, and nothing in it goes unchecked."""
    Dialect.check_schema(schema)
    unknown = set(_formats(schema)) - ALL.checkers.keys()
    assert not unknown, f"give these formats a checker: {unknown}"


def problem(schema: dict[str, Any], data: Any) -> str | None:
    """What is wrong with data for a validator that checks formats, and where; None if nothing is."""
    for error in _standard(json.dumps(schema)).iter_errors(data):
        return f"{error.json_path}: {error.message}"
    return None


def allows(schema: dict[str, Any], data: Any) -> bool:
    """Whether data is what a schema asks for, in every word."""
    return bool(_attentive(json.dumps(schema)).is_valid(data))


def forbids(schema: dict[str, Any], data: Any) -> bool:
    """Whether data is not even valid for a validator to which a format is only an annotation."""
    return not _plain(json.dumps(schema)).is_valid(data)


@lru_cache(maxsize=64)
def _standard(schema: str) -> Any:
    return Dialect(json.loads(schema), format_checker=STANDARD)


@lru_cache(maxsize=64)
def _attentive(schema: str) -> Any:
    return Attentive(json.loads(schema), format_checker=ALL)


@lru_cache(maxsize=64)
def _plain(schema: str) -> Any:
    return Dialect(json.loads(schema))


def _formats(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _formats(one)
    elif isinstance(schema, dict):
        if isinstance(schema.get("format"), str):
            yield schema["format"]
        for keyword, one in schema.items():
            if keyword not in ("enum", "const", "default", "examples"):
                yield from _formats(one)
