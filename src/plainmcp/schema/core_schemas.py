"""pydantic's core schemas: the types inside a hint, and how pydantic reads JSON for them.

Changes a core schema where pydantic accepts other JSON than its JSON Schema lists. Knows nothing of JSON Schema.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from typing import Any

import msgspec

from . import formats, hints

__all__ = ["adapter_of", "bounded_formats_of", "check_hashes", "check_item", "has_hidden_numbers", "validator_of"]

Core = dict[str, Any]

_DATA = frozenset({"metadata", "serialization", "config", "default", "expected", "members"})
"""The members of a core schema that hold no other core schema."""


def adapter_of(hint: Any) -> Any:
    """pydantic's TypeAdapter of a hint, complete even for a model whose build is deferred."""
    from pydantic import TypeAdapter

    adapter: Any = TypeAdapter(hint)
    if not isinstance(adapter.core_schema, dict):
        adapter.rebuild(force=True)
    return adapter


def validator_of(adapter: Any) -> Any:
    """A validator like that of a TypeAdapter, but for the listed JSON: numbers are finite, names may be numbers."""
    core = adapter.core_schema
    changed = _change_to_listed(core)
    if changed == core:
        return adapter.validator
    import pydantic_core

    make: Any = pydantic_core.SchemaValidator
    try:
        # Otherwise a model keeps the validator that was built with its class, which does not have these changes.
        # The option has no public name.
        return make(changed, _use_prebuilt=False)
    except TypeError:  # a version of pydantic without this option, and without such validators
        return make(changed)


def _change_to_listed(core: Core) -> Core:
    definitions = _definitions_of(core)

    def change(node: Core) -> Core:
        if node["type"] == "float":
            return {**node, "allow_inf_nan": False}
        if node["type"] == "decimal":
            check = {"type": "no-info", "function": _check_bounds}
            return {"type": "function-after", "function": check, "schema": {**node, "allow_inf_nan": False}}
        if node["type"] == "literal":
            return _with_members(node)
        if node["type"] == "tagged-union":
            choices = {_as_json(tag): one for tag, one in node["choices"].items() if isinstance(tag, Enum)}
            return {**node, "choices": choices | node["choices"]}
        if "keys_schema" in node:  # a dict of any kind
            read = _name_reader_of(_values_of(node["keys_schema"], definitions))
            return node if read is None else {**node, "keys_schema": _with_reader(read, node["keys_schema"])}
        return node

    changed: Core = _map_core(core, change)
    return changed


def _with_members(literal: Core) -> Core:
    """A Literal that takes the value of a plain Enum's member for the member, as it is listed; pydantic does not."""
    members = [one for one in literal["expected"] if isinstance(one, Enum) and not isinstance(one, (str, int))]
    return _with_reader(partial(_read_member, members), literal) if members else literal


def _read_member(members: list[Enum], value: Any) -> Any:
    fits = (one for one in members if one.value == value and isinstance(one.value, bool) is isinstance(value, bool))
    return next(fits, value)


def bounded_formats_of(core: Core) -> set[str]:
    """The formats whose numbers are refused if they are too long, so that a text may be read as another choice."""
    return {node["type"] for node in _nodes_of(core)} & {"decimal", "fraction"}  # pydantic itself bounds fractions


def _check_bounds(value: Any) -> Any:
    formats.check_bounds("decimal", str(value))
    return value


def _map_core(part: Any, change: Callable[[Core], Core]) -> Any:
    """A part of a core schema with every schema in it changed."""
    if isinstance(part, (list, tuple)):
        return type(part)(_map_core(one, change) for one in part)
    if not isinstance(part, dict):
        return part
    if not isinstance(part.get("type"), str):  # schemas by their names
        return {key: _map_core(one, change) for key, one in part.items()}
    return change({key: one if key in _DATA else _map_core(one, change) for key, one in part.items()})


def _nodes_of(part: Any) -> Iterator[Core]:
    """Every schema in a core schema."""
    nodes: list[Core] = []

    def keep(node: Core) -> Core:
        nodes.append(node)
        return node

    _map_core(part, keep)
    return iter(nodes)


def _definitions_of(core: Core) -> dict[str, Core]:
    return {node["ref"]: node for node in _nodes_of(core) if "ref" in node}


def _follow(core: Core, definitions: dict[str, Core]) -> Core:
    return definitions.get(core.get("schema_ref", ""), core)


# Names --------------------------------------------------------------------------------------------


def has_hidden_numbers(core: Core) -> bool:
    """Whether member names are decimals or fractions and no schema lists it: in a union, or with a validator."""
    keys = [node["keys_schema"] for node in _nodes_of(core) if "keys_schema" in node]
    hidden = [repr(one) for one in keys if one["type"] not in ("decimal", "fraction")]
    return any("decimal" in text or "fraction" in text for text in hidden)


def _with_reader(read: Callable[[Any], Any], core: Core) -> Core:
    return {"type": "function-before", "function": {"type": "no-info", "function": read}, "schema": core}


def _values_of(keys: Core, definitions: dict[str, Core]) -> list[Any]:
    """The values of an Enum or a Literal, or of a union of these; none for any other type."""
    core = _follow(keys, definitions)
    match core["type"]:
        case "enum":
            return list(core["members"])
        case "literal":
            return list(core["expected"])
        case "function-before" if getattr(core["function"]["function"], "func", None) is _read_member:
            return _values_of(core["schema"], definitions)
        case "nullable":
            values = _values_of(core["schema"], definitions)
            return [*values, None] if values else []
        case "union":
            lists = [_values_of(one[0] if isinstance(one, tuple) else one, definitions) for one in core["choices"]]
            return [value for values in lists for value in values] if all(lists) else []
    return []


def _name_reader_of(values: list[Any]) -> Callable[[Any], Any] | None:
    """A function from a name to its value, if names stand for other values than strings."""
    plain = [value for value in values if isinstance(_as_json(value), (str, int, float, type(None)))]
    strings = {_as_json(value): value for value in plain if isinstance(_as_json(value), str)}
    numbers = {
        msgspec.json.encode(_as_json(one)).decode(): one for one in reversed(plain) if one not in strings.values()
    }
    options = numbers | strings
    return (lambda name: options.get(name, name)) if numbers else None


def _as_json(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


# Sets ---------------------------------------------------------------------------------------------

_COLLECTIONS = {"list": list, "deque": list, "dict": dict, "ordered-dict": dict, "counter": dict, "set": set}


def check_hashes(core: Core) -> None:
    """Raise AuthorError for a set in a core schema whose items have no hash."""
    definitions = _definitions_of(core)
    for node in _nodes_of(core):
        if node["type"] in ("set", "frozenset") and "items_schema" in node:
            _check_item(node["items_schema"], node["type"], definitions)


def check_item(core: Core, holder: Any) -> None:
    """Raise AuthorError for a type whose values have no hash."""
    _check_item(core.get("schema", core) if core["type"] == "definitions" else core, holder, _definitions_of(core))


def _check_item(core: Core, holder: Any, definitions: dict[str, Core]) -> None:
    item = _follow(core, definitions)
    if item["type"] in ("model", "dataclass"):
        hints.check_hash(item["cls"], holder)
    hints.check_hash(_COLLECTIONS.get(item["type"]), holder)
    for choice in item["choices"] if item["type"] == "union" else ():
        _check_item(choice[0] if isinstance(choice, tuple) else choice, holder, definitions)
