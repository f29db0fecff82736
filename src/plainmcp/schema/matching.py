"""Which schema is for which part of a value, and which choice of a union a value was probably meant for.

Follows references. Whether a value is valid by a schema is checked in explain and validator.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from .nodes import Alias, Choice, Foreign, Items, Members, Node, Record, Row, Scalar, Union
from .subschemas import Keys, Schema, target_of

__all__ = [
    "allowed_values_of",
    "branches_of",
    "can_hold",
    "child_of",
    "choices_inside",
    "count_unknown",
    "decode_text",
    "distance_of",
    "follow",
    "has_key",
    "is_meant",
    "is_possible",
    "is_tuple_at",
    "likely_choices",
    "tag_of",
]

_UNIONS = ("anyOf", "oneOf")


def follow(root: Schema, schema: Any) -> Schema | bool:
    """A schema without its reference: the schema it refers to, with the keywords beside the reference."""
    for _ in range(100):  # a chain of references may be a cycle
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        target = target_of(root, schema["$ref"])
        rest = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        schema = {**(target or {}), **rest} if rest or target is None else target
    return schema if isinstance(schema, (dict, bool)) else True


def branches_of(root: Schema, schema: Any) -> list[Any]:
    """The choices of a union, and of the unions in it; any other schema is its own only choice."""
    here = follow(root, schema)
    union = next((here[word] for word in _UNIONS if word in here), None) if isinstance(here, dict) else None
    if not isinstance(union, list):
        return [here]
    return [choice for one in union for choice in branches_of(root, one)]


def choices_inside(root: Schema, choices: list[Any], key: Any) -> list[Any]:
    """The schemas of the part under a key, where any of several schemas may be for the whole; each once."""
    inner: list[Any] = []
    for choice in choices:
        part = child_of(choice, key)
        for one in branches_of(root, part) if isinstance(part, dict) else ():
            if one not in inner:
                inner.append(one)
    return inner or [True]


def is_tuple_at(root: Schema, *keys: Any) -> bool:
    """Whether the part under these keys may be a tuple: an array in which each place has a schema of its own.

    >>> is_tuple_at({"properties": {"both": {"prefixItems": [{}, {}]}, "all": {"items": {}}}}, "both")
    True
    """
    choices = branches_of(root, root)
    for key in keys:
        choices = choices_inside(root, choices, key)
    return any(
        isinstance(one, dict) and ("prefixItems" in one or isinstance(one.get("items"), list)) for one in choices
    )


def decode_text(value: Any) -> Any:
    """The JSON in a string; any other value, and a string without JSON, unchanged."""
    try:
        return msgspec.json.decode(value) if isinstance(value, str) else value
    except (msgspec.DecodeError, ValueError, RecursionError):
        return value


def has_key(value: Any, key: Any) -> bool:
    """Whether an array or an object has a part under a key."""
    if isinstance(value, list):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value


def allowed_values_of(schema: Any) -> list[Any] | None:
    """The values of an enum or a const; None for a schema that has neither."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    values: list[Any] | None = schema.get("enum")
    return values


def kinds_of(value: Any) -> tuple[str, ...]:
    """The types of a value in JSON Schema."""
    if isinstance(value, bool):
        return ("boolean",)
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return ("integer", "number")
    types = {str: "string", float: "number", type(None): "null", list: "array", dict: "object"}
    return (types.get(type(value), ""),)


def can_hold(schema: Any, value: Any) -> bool:
    """Whether a schema allows values of this type, by its own type or its allowed values."""
    if not isinstance(schema, dict):
        return bool(schema)
    kinds = kinds_of(value)
    allowed = allowed_values_of(schema)
    if allowed is not None:
        return any(kinds_of(one)[0] in kinds for one in allowed)
    types = schema.get("type")
    return types is None or any(kind in ([types] if isinstance(types, str) else types) for kind in kinds)


def child_of(schema: Any, key: Any) -> Any:
    """The schema of the part under a key; None where there is none."""
    if not isinstance(schema, dict):
        return None
    if isinstance(key, int):
        first = schema.get("prefixItems", schema.get("items"))
        if isinstance(first, list):
            return (
                first[key]
                if key < len(first)
                else schema.get("items" if "prefixItems" in schema else "additionalItems")
            )
        return schema.get("items")
    inner = schema.get("properties", {}).get(key)
    if inner is None:
        inner = None if "patternProperties" in schema else schema.get("additionalProperties")
    parts = (child_of(one, key) for one in schema.get("allOf", ())) if inner is None else ()
    return next((one for one in parts if one is not None), inner)


# Unions -------------------------------------------------------------------------------------------


def likely_choices(root: Schema, choices: Iterable[Any], value: Any, places: Iterable[Keys] = ()) -> list[Any]:
    """The choices of a union that a value was probably meant for: of its type, with its tag, and with its names.

    `places` are keys of parts that are known to be wrong, so the choice that was meant has these names.
    """
    possible = [one for one in choices if can_hold(one, value)]
    possible = [one for one in possible if is_possible(root, one, value)] or possible
    if not isinstance(value, dict) or len(possible) < 2:
        return possible
    wrong_names = {keys[0] for keys in places if keys}
    ranks = [
        (count_unknown(one, wrong_names), count_unknown(one, value), _count_missing(one, value)) for one in possible
    ]
    if min(unknown for _, unknown, _ in ranks) == len(value):  # no choice has any of its names
        ranks = [(unknown_wrong, 0, 0) for unknown_wrong, _, _ in ranks]
    return [one for one, rank in zip(possible, ranks, strict=True) if rank == min(ranks)]


def tag_of(root: Schema, choices: list[Any], value: dict[str, Any]) -> tuple[str, list[Any]] | None:
    """The property that distinguishes the choices, and all its values, if the value has none of these."""
    if len(choices) < 2 or not all(isinstance(one, dict) for one in choices):
        return None
    for name in choices[0].get("properties", ()):
        values = _tag_values(root, choices, name)
        if values is None or (name in value and value[name] in values):
            continue
        if name in value or all(name in choice.get("required", ()) for choice in choices):
            return name, list(dict.fromkeys(values))
    return None


def _tag_values(root: Schema, choices: list[Any], name: str) -> list[Any] | None:
    """All values of a property, if every choice lists its own."""
    allowed = [allowed_values_of(follow(root, choice.get("properties", {}).get(name))) for choice in choices]
    return None if None in allowed else [value for values in allowed for value in values or ()]


def is_possible(root: Schema, schema: Any, value: Any) -> bool:
    """Whether a value has the type of a choice, and no tag of another choice."""
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    for name in properties.keys() & (value.keys() if isinstance(value, dict) else ()):
        allowed = allowed_values_of(follow(root, properties[name]))
        if allowed is not None and value[name] not in allowed:
            return False
    return can_hold(schema, value)


def count_unknown(schema: Any, names: Iterable[Any]) -> int:
    """How many names a schema of objects does not list."""
    if not isinstance(schema, dict) or schema.get("additionalProperties"):
        return 0
    return sum(name not in schema.get("properties", {}) for name in names)


def _count_missing(schema: Any, value: dict[str, Any]) -> int:
    required = schema.get("required", ()) if isinstance(schema, dict) else ()
    return sum(name not in value for name in required)


# Types of a union ----------------------------------------------------------------------------------


def distance_of(node: Node, value: Any) -> tuple[bool, int]:
    """How far a value is from a type: whether it has to change, and how many of its names are unknown."""
    if isinstance(node, Alias):
        return distance_of(node.inner, value)
    if isinstance(node, Union):
        return min(distance_of(one, value) for one in node.members)
    changes = isinstance(node, Scalar) and {type(value), node.json} == {int, float}
    if isinstance(node, Foreign):  # pydantic takes more than it lists, such as a timestamp for a datetime
        changes = not is_meant(node, value)
    unknown = 0
    if isinstance(value, dict) and isinstance(node, Record) and node.rest is None:
        unknown = len(value.keys() - node.fields)
    elif isinstance(value, dict) and isinstance(node, Foreign):
        unknown = min(count_unknown(one, value) for one in branches_of(node.schema, node.schema))
    return changes, unknown


def is_meant(node: Node, value: Any) -> bool:
    """Whether a value may have been meant as this type: of its JSON type, and without another tag."""
    if isinstance(node, Alias):
        return is_meant(node.inner, value)
    if isinstance(node, Union):
        return any(is_meant(one, value) for one in node.members)
    if isinstance(node, Foreign):
        choices = branches_of(node.schema, node.schema)
        return any(is_possible(node.schema, one, value) for one in choices)
    if isinstance(value, dict):
        return isinstance(node, Members) or (isinstance(node, Record) and not _has_other_tag(node, value))
    if isinstance(value, list):
        return isinstance(node, (Items, Row))
    return isinstance(node, Scalar) and isinstance(value, node.json)


def _has_other_tag(node: Record, value: dict[str, Any]) -> bool:
    pairs = [(field.node, value[wire]) for wire, field in node.fields.items() if wire in value]
    return any(isinstance(one, Choice) and all(item != json for json, _ in one.options) for one, item in pairs)
