"""A promise about a return value, and whether its JSON keeps it.

The schema that was promised is the judge. Before it is asked, a value whose type cannot lie is let through, and
so is JSON that msgspec reads as the hint, for those hints where that is as strict as the schema.
"""

import dataclasses
import datetime
from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from . import fitting, foreign, hints, phrases
from .errors import OutputError
from .judge import Judge

__all__ = ["Check", "promise"]

Check = Callable[[Any, bytes], None]
"""Raises OutputError for a value, given with its JSON, that breaks the promise."""

_SCALARS = (str, int, bool)
_AS_STRICT = frozenset(
    {str, int, float, bool, type(None), list, dict, tuple, datetime.datetime, datetime.date, datetime.time, UUID}
)


def promise(annotation: Any, schema: dict[str, Any], *, handwritten: bool) -> Check:
    """A check that JSON keeps a schema, which was made of the annotation or written by hand.

    The JSON is that of the value itself, before any wrapping or renaming of keys.

    >>> promise(int, {"type": "integer"}, handwritten=False)("three", b'"three"')
    Traceback (most recent call last):
    plainmcp.errors.OutputError: $: expected an integer, got a string
    """
    judge = Judge(schema)
    if handwritten:
        return lambda value, raw: _judge(judge, raw)
    if annotation in _SCALARS:
        return lambda value, raw: None if type(value) is annotation else _judge(judge, raw)
    twin = _twin(annotation)
    if not _is_as_strict(twin):
        return lambda value, raw: _judge(judge, raw)
    read = msgspec.json.Decoder(twin).decode

    def check(value: Any, raw: bytes) -> None:
        try:
            read(raw)
        except (msgspec.ValidationError, RecursionError):  # not a verdict yet
            _judge(judge, raw)

    return check


def _twin(hint: Any) -> Any:
    """A hint that reads the same JSON with a Struct for each dataclass and each plain model, in half the time.

    Where a class holds itself, or has a name no Struct can have, it is the hint itself.
    """
    try:
        return _made_anew(hint, frozenset())
    except (TypeError, NameError, _HoldsItself):
        return hint


class _HoldsItself(Exception):
    """A class is met again inside of itself."""


def _made_anew(hint: Any, above: frozenset[Any]) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is list:
        return list[_made_anew(parts[0], above)]  # type: ignore[misc]
    if origin is dict:
        return dict[parts[0], _made_anew(parts[1], above)]  # type: ignore[misc, valid-type]
    if origin in (UnionType, Union):
        return Union[tuple(_made_anew(part, above) for part in parts)]  # noqa: UP007 - a hint at run time
    if not isinstance(hint, type):
        return hint
    if hint in above:
        raise _HoldsItself
    names = {}
    if dataclasses.is_dataclass(hint) and _reads_strictly(hint):
        found = get_type_hints(hint, include_extras=True)
        fields = [(one.name, found[one.name], _has_default(one)) for one in dataclasses.fields(hint)]
    else:
        plain = foreign.plain_fields(hint)
        if plain is None:
            return hint
        fields = [(name, found, False) for name, (_, found) in plain.items()]
        names = {name: wire for name, (wire, _) in plain.items()}
    within = above | {hint}
    given: list[Any] = [(name, _made_anew(found, within), *[None] * optional) for name, found, optional in fields]
    return msgspec.defstruct(hint.__name__, given, rename=names, kw_only=True, gc=False)


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _judge(judge: Judge, raw: bytes) -> None:
    data = msgspec.json.decode(raw)
    if judge.accepts(data):
        return
    for keys, expected, got in judge.problems(data):
        raise OutputError(phrases.place(keys, "$"), expected, got)


def _is_as_strict(hint: Any) -> bool:
    """Whether whatever msgspec reads as this hint keeps the schema of it, and reading it runs no code of the user's.

    Not so for sets, which take the same item twice, for Decimal, which takes numbers, for a tag that may be left
    out, for enums, which may have a way of their own, and for whatever has another name in JSON.
    """
    if not fitting.is_native(hint):
        return False
    return not any(hints.remarks(hint)) and all(map(_reads_strictly, hints.parts(hint)))


def _reads_strictly(part: Any) -> bool:
    if part in _AS_STRICT or part is Any or get_origin(part) is Literal or hints.is_typed_dict(part):
        return True
    if not isinstance(part, type) or hasattr(part, "__post_init__"):
        return False
    if issubclass(part, msgspec.Struct):
        return part.__struct_config__.tag is None
    return dataclasses.is_dataclass(part) and not any("json" in f.metadata for f in dataclasses.fields(part))
