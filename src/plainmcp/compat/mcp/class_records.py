"""Ordinary classes as results: the official SDK lists and sends the attributes that such a class annotates.

Knows classes and their hints; the record that it makes of one is a dataclass, like any other.
"""

import dataclasses
import inspect
from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, get_origin

from ...errors import AuthorError, NormalizeError
from ...foreign.annotations import hints_of
from ...foreign.classes import wire_type_of
from ...schema import hints, returns
from ...values.families import family_of

__all__ = ["record_of", "to_record"]


def record_of(hint: Any) -> Any:
    """A dataclass with the attributes that an ordinary class annotates; None for any other hint."""
    kind = hints.unwrap_all(hint)
    if not inspect.isclass(kind) or family_of(kind) is not None or not _is_ordinary(kind):
        return None
    fields = [
        (name, one, _field_of(kind, name))
        for name, one in _hints_of(kind).items()
        if not name.startswith("_") and ClassVar not in (one, get_origin(one))
    ]
    if not fields:
        return None
    record = dataclasses.make_dataclass(kind.__name__, fields, kw_only=True)
    try:
        returns.output_schema(record, which="every")
    except AuthorError:  # an attribute has no JSON form: the class is no record
        return None
    return record


def to_record(record: Any, kind: Any) -> Callable[[Any], Any]:
    """A function that makes a record of an object of a class; any other value stays. Raises NormalizeError."""
    names = [field.name for field in dataclasses.fields(record)]

    def convert(value: Any) -> Any:
        if not isinstance(value, kind):
            return value
        missing = [name for name in names if not hasattr(value, name)]
        if missing:
            raise NormalizeError(f"$.{missing[0]}", f"the {kind.__name__} has no such attribute")
        return record(**{name: getattr(value, name) for name in names})

    return convert


def _field_of(kind: type, name: str) -> Any:
    """The field of an attribute, with the default that the class has for it."""
    default = inspect.getattr_static(kind, name, dataclasses.MISSING)
    if default is dataclasses.MISSING or hasattr(default, "__get__"):  # a property, or a slot
        return dataclasses.field()
    if type(default).__hash__ is None:  # such as a list, of which each record has its own
        return dataclasses.field(default_factory=lambda: copy(default))
    return dataclasses.field(default=default)


def _is_ordinary(kind: type) -> bool:
    """Whether a class is one that only its author knows."""
    own = kind.__module__.partition(".")[0] in ("builtins", "plainmcp")
    return not (own or hasattr(kind, "__plain__") or wire_type_of(kind) or issubclass(kind, BaseException))


def _hints_of(kind: type) -> dict[str, Any]:
    try:
        return hints_of(kind)
    except Exception:  # a hint that cannot be resolved
        return {}
