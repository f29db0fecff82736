"""Arguments as mcp-serializer casts them: whatever the hint of a parameter can be made from is accepted.

What plainmcp accepts comes first; here is only what that package accepts beyond it.
"""

import json
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

from ...schema.coercion import coercer_of
from ...schema.coercion_errors import CoercionError

__all__ = ["Cast", "cast", "cast_of"]

Cast: TypeAlias = Callable[[Any], Any]
"""Casts a value; raises ValueError or TypeError if it cannot."""

_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def cast(value: Any, hint: Any) -> Any:
    """A value as an instance of a hint; raises ValueError or TypeError if it cannot be one.

    >>> cast(5, str), cast("yes", bool), cast("a", list[str])
    ('5', True, ['a'])
    """
    return cast_of(hint)(value)


def cast_of(hint: Any) -> Cast:
    """The function that casts to a hint; raises AuthorError for a hint that cannot be read from JSON."""
    coerce, force, inner = coercer_of(hint, True), _FORCES.get(get_origin(hint) or hint), get_args(hint)

    def cast(value: Any) -> Any:
        try:
            return coerce(value)
        except CoercionError as error:
            if force is None:
                texts = [text or f"expected {coerce.expected}" for _, text in error.places]
                raise ValueError("; ".join(texts)) from None
        return force(value, *inner)

    return cast


def _force_bool(value: Any) -> bool:
    word = value.lower() if isinstance(value, str) else None
    return word in _TRUE if word in (*_TRUE, *_FALSE) else bool(value)


def _force_union(value: Any, *hints: Any) -> Any:
    """The value as the first of several hints that it can be cast to."""
    for hint in hints:
        if hint is NoneType:
            continue
        try:
            return cast(value, hint)
        except (ValueError, TypeError):
            continue
    raise ValueError(f"cannot cast {value!r} to any of the types")


def _force_list(value: Any, item: Any = Any) -> list[Any]:
    parsed = _parse(value)
    return [cast(one, item) for one in (parsed if isinstance(parsed, list) else [parsed])]


def _force_set(value: Any, item: Any = Any) -> set[Any]:
    return set(_force_list(value, item))


def _force_dict(value: Any, key: Any = Any, item: Any = Any) -> dict[Any, Any]:
    parsed = _parse(value)
    if not isinstance(parsed, dict):
        raise ValueError(f"cannot cast {value!r} to a dict")
    return {cast(name, key): cast(one, item) for name, one in parsed.items()}


def _parse(value: Any) -> Any:
    """The JSON that a text holds; any other value unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


_FORCES: dict[Any, Callable[..., Any]] = {
    str: str,
    int: int,
    float: float,
    bool: _force_bool,
    list: _force_list,
    set: _force_set,
    dict: _force_dict,
    Union: _force_union,
    UnionType: _force_union,
}
