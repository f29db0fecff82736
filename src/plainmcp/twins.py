"""Twins of hints: the same hint with a Struct for each dataclass and each plain model in it.

A twin reads JSON in half the time its hint would take. Knows what a class must be like to have one; what values are
copied into twins, and written, is told in writers.
"""

import dataclasses
import datetime
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from . import foreign, hints

__all__ = ["SCALARS", "TOLD_IN_TEXT", "Field", "fields", "reads_strictly", "struct", "twin"]

TOLD_IN_TEXT = frozenset({datetime.datetime, datetime.date, datetime.time, UUID})
SCALARS = frozenset({str, int, float, bool, type(None)}) | TOLD_IN_TEXT
"""The classes whose every value is one JSON scalar, of one kind."""

_AS_STRICT = SCALARS | {list, dict, tuple, msgspec.Raw}


def reads_strictly(part: Any) -> bool:
    """Whether msgspec reads a class or a Literal as strictly as its schema has it, and runs nobody's code."""
    if part in _AS_STRICT or part is Any or get_origin(part) is Literal or hints.is_typed_dict(part):
        return True
    if not isinstance(part, type) or hasattr(part, "__post_init__"):
        return False
    if issubclass(part, msgspec.Struct):
        return part.__struct_config__.tag is None
    return _is_plain(part)


def _is_plain(kind: type) -> bool:
    """Whether this is a dataclass whose fields have their own names in JSON."""
    if not dataclasses.is_dataclass(kind) or foreign.is_pydantic(kind):
        return False
    return not any("json" in field.metadata for field in dataclasses.fields(kind))


class Field(NamedTuple):
    """A field of a record; an optional one may be missing in JSON."""

    name: str
    wire: str
    hint: Any
    optional: bool


def fields(kind: type) -> list[Field] | None:
    """The fields of a class that can have a twin; None for any other."""
    if _is_plain(kind):
        found = get_type_hints(kind, include_extras=True)
        return [Field(f.name, f.name, found[f.name], _has_default(f)) for f in dataclasses.fields(kind)]
    plain = foreign.plain_fields(kind)
    return None if plain is None else [Field(name, wire, hint, False) for name, (wire, hint) in plain.items()]


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def struct(kind: type, fields: list[Field], given: list[Any]) -> type[msgspec.Struct]:
    """A Struct in the place of a class, with the names its fields have in JSON; raises TypeError."""
    names = {one.name: one.wire for one in fields}
    return msgspec.defstruct(kind.__name__, given, rename=names, kw_only=True, gc=False)


# Reading ------------------------------------------------------------------------------------------


def twin(hint: Any) -> Any:
    """The twin that reads what a hint reads; the hint itself where a class holds itself or no Struct can be made."""
    try:
        return _made_anew(hint, frozenset(), {})
    except (TypeError, NameError, _HoldsItself):
        return hint


class _HoldsItself(Exception):
    """A class is met again inside of itself."""


class _Object(msgspec.Struct, gc=False):
    """Any object. What is in it is passed over, in a quarter of the time it takes to read it."""


def _made_anew(hint: Any, above: frozenset[Any], made: dict[type, Any]) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any or (origin in (UnionType, Union) and Any in parts):
        return msgspec.Raw
    if hint in (dict, dict[str, Any]):
        return _Object
    if origin is list:
        return list[_made_anew(parts[0], above, made)]  # type: ignore[misc]
    if origin is dict:
        return dict[parts[0], _made_anew(parts[1], above, made)]  # type: ignore[misc, valid-type]
    if origin in (UnionType, Union):
        return Union[tuple(_made_anew(part, above, made) for part in parts)]  # noqa: UP007 - a hint at run time
    if not isinstance(hint, type):
        return hint
    if hint in above:
        raise _HoldsItself
    if hint not in made:  # one that stands in many places has one twin
        found, within = fields(hint), above | {hint}
        made[hint] = hint
        if found is not None:
            given = [(f.name, _made_anew(f.hint, within, made), *[None] * f.optional) for f in found]
            made[hint] = struct(hint, found, given)
    return made[hint]
