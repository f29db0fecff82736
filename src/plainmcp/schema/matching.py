"""Which schema speaks for which part of a value: references followed, the likely choices of a union found.

Knows JSON Schema as far as it describes shapes. Whether a value keeps a schema is asked elsewhere.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from .nodes import Alias, Choice, Foreign, Items, Members, Node, Record, Row, Scalar
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
    "is_meant",
    "is_possible",
    "likely_choices",
    "tag_of",
]

_UNIONS = ("anyOf", "oneOf")


def follow(root: Schema, schema: Any) -> Schema | bool:
    """A schema without its reference: what it refers to, and what is said beside it."""
    for _ in range(100):  # a chain of references may go round
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
    """The choices there are for the part under a key, if any of several schemas speaks for the whole; each once."""
    found: list[Any] = []
    for choice in choices:
        part = child_of(choice, key)
        for one in branches_of(root, part) if isinstance(part, dict) else ():
            if one not in found:
                found.append(one)
    return found or [True]


def decode_text(value: Any) -> Any:
    """The JSON in a string; any other value, and a string that holds none, as it is."""
    try:
        return msgspec.json.decode(value) if isinstance(value, str) else value
    except (msgspec.DecodeError, ValueError, RecursionError):
        return value


def allowed_values_of(schema: Any) -> list[Any] | None:
    """The values of an enum or a const; None for a schema that has neither."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    values: list[Any] | None = schema.get("enum")
    return values


def kinds_of(value: Any) -> tuple[str, ...]:
    """The types of JSON Schema that a value is of."""
    if isinstance(value, bool):
        return ("boolean",)
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return ("integer", "number")
    known = {str: "string", float: "number", type(None): "null", list: "array", dict: "object"}
    return (known.get(type(value), ""),)


def can_hold(schema: Any, value: Any) -> bool:
    """Whether a schema may take values of this kind, as far as its type or its allowed values say so."""
    if not isinstance(schema, dict):
        return bool(schema)
    kinds = kinds_of(value)
    allowed = allowed_values_of(schema)
    if allowed is not None:
        return any(kinds_of(one)[0] in kinds for one in allowed)
    types = schema.get("type")
    return types is None or any(kind in ([types] if isinstance(types, str) else types) for kind in kinds)


def child_of(schema: Any, key: Any) -> Any:
    """The schema of the part under a key; None where nothing is said of it."""
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
    found = schema.get("properties", {}).get(key)
    if found is None:
        found = None if "patternProperties" in schema else schema.get("additionalProperties")
    parts = (child_of(one, key) for one in schema.get("allOf", ())) if found is None else ()
    return next((one for one in parts if one is not None), found)


# Unions -------------------------------------------------------------------------------------------


def likely_choices(root: Schema, choices: Iterable[Any], value: Any, places: Iterable[Keys] = ()) -> list[Any]:
    """The choices of a union that a value was probably meant for: of its kind, with its tag, that know its names.

    `places` are keys of parts that are known to be wrong, so the choice that was meant speaks of them.
    """
    live = [one for one in choices if can_hold(one, value)]
    live = [one for one in live if is_possible(root, one, value)] or live
    if not isinstance(value, dict) or len(live) < 2:
        return live
    wanted = {keys[0] for keys in places if keys}
    ranks = [(count_unknown(one, wanted), count_unknown(one, value), _count_missing(one, value)) for one in live]
    if min(unknown for _, unknown, _ in ranks) == len(value):  # no choice knows any of its names
        ranks = [(wrong, 0, 0) for wrong, _, _ in ranks]
    return [one for one, rank in zip(live, ranks, strict=True) if rank == min(ranks)]


def tag_of(root: Schema, choices: list[Any], value: dict[str, Any]) -> tuple[str, list[Any]] | None:
    """The property by which choices are told apart, and all it may be, if the value has none of that."""
    if len(choices) < 2 or not all(isinstance(one, dict) for one in choices):
        return None
    for name in choices[0].get("properties", ()):
        allowed = [allowed_values_of(follow(root, one.get("properties", {}).get(name))) for one in choices]
        needed = all(name in one.get("required", ()) for one in choices)
        if any(values is None for values in allowed) or (name not in value and not needed):
            continue
        every = [one for values in allowed for one in values or ()]
        if name not in value or value[name] not in every:
            return name, list(dict.fromkeys(every))
    return None


def is_possible(root: Schema, schema: Any, value: Any) -> bool:
    """Whether a value is of the kind that a choice asks for, and not tagged as another."""
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    for name in properties.keys() & (value.keys() if isinstance(value, dict) else ()):
        allowed = allowed_values_of(follow(root, properties[name]))
        if allowed is not None and value[name] not in allowed:
            return False
    return can_hold(schema, value)


def count_unknown(schema: Any, names: Iterable[Any]) -> int:
    """How many names a schema of objects says nothing of."""
    if not isinstance(schema, dict) or schema.get("additionalProperties"):
        return 0
    return sum(name not in schema.get("properties", {}) for name in names)


def _count_missing(schema: Any, value: dict[str, Any]) -> int:
    required = schema.get("required", ()) if isinstance(schema, dict) else ()
    return sum(name not in value for name in required)


# Types of a union ----------------------------------------------------------------------------------


def distance_of(node: Node, value: Any) -> tuple[bool, int]:
    """How far a value is from a type that may fit it: whether it has to change, how many names are unknown."""
    node = node.inner if isinstance(node, Alias) else node
    changes = isinstance(node, Scalar) and {type(value), node.json} == {int, float}
    unknown = 0
    if isinstance(value, dict) and isinstance(node, Record):
        unknown = len(value.keys() - node.fields)
    elif isinstance(value, dict) and isinstance(node, Foreign):
        unknown = min(count_unknown(one, value) for one in branches_of(node.schema, node.schema))
    return changes, unknown


def is_meant(node: Node, value: Any) -> bool:
    """Whether a value could have been meant as this type: of its kind, and not tagged as another."""
    node = node.inner if isinstance(node, Alias) else node
    if isinstance(node, Foreign):
        choices = branches_of(node.schema, node.schema)
        return any(is_possible(node.schema, one, value) for one in choices)
    if isinstance(value, dict):
        return isinstance(node, Members) or (isinstance(node, Record) and not _has_other_tag(node, value))
    if isinstance(value, list):
        return isinstance(node, (Items, Row))
    return isinstance(node, Scalar) and isinstance(value, node.json)


def _has_other_tag(node: Record, value: dict[str, Any]) -> bool:
    chosen = [(field.node, value[wire]) for wire, field in node.fields.items() if wire in value]
    return any(isinstance(one, Choice) and all(given != json for json, _ in one.options) for one, given in chosen)
