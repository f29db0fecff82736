"""Compares what clients saw of two servers: lists by meaning, and the results of calls."""

import json
from collections.abc import Iterator
from typing import Any

from .conversation import LISTS, Seen

__all__ = ["Difference", "differences", "meaning_of"]

Difference = tuple[str, str, Any, Any]
"""An area (tools, resources, calls …), a path such as `name/inputSchema/properties/x`, and the two values."""

NAMES = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
ABSENT = "(absent)"


def differences(theirs: Seen, ours: Seen) -> list[Difference]:
    """Every difference between the real package and ours; empty if a client sees the same."""
    found: list[Difference] = []
    for area in LISTS:
        old, new = _by_name(theirs, area), _by_name(ours, area)
        if list(old) != list(new) and old.keys() == new.keys():
            found.append((area, "order", list(old), list(new)))
        found += [(area, path, a, b) for path, a, b in _walk("", old, new)]
    for part in ("instructions",):
        a, b = (seen.get("initialize", {}).get(part) for seen in (theirs, ours))
        if (a or None) != (b or None):
            found.append(("initialize", part, a, b))
    found += [("calls", path, a, b) for path, a, b in _walk_calls(theirs["calls"], ours["calls"])]
    return found


def _by_name(seen: Seen, area: str) -> dict[str, Any]:
    return {one[NAMES[area]]: _definition(one) for one in seen.get(area, [])}


def _definition(one: dict[str, Any]) -> dict[str, Any]:
    schemas = {key: meaning_of(one[key]) for key in ("inputSchema", "outputSchema") if one.get(key)}
    return {key: value for key, value in one.items() if value is not None and key != "outputSchema"} | schemas


def meaning_of(schema: Any, root: Any = None, seen: tuple[str, ...] = ()) -> Any:
    """A schema in one of the forms that mean the same: references resolved, titles left out, lists sorted."""
    root = schema if root is None else root
    if isinstance(schema, list):
        return [meaning_of(item, root, seen) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if (ref := schema.get("$ref")) is not None:
        if ref in seen:
            return {"$ref": "recursive"}
        target: Any = root
        for part in ref.removeprefix("#").strip("/").split("/") if ref != "#" else ():
            target = target.get(part, {})
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return meaning_of({**target, **beside}, root, (*seen, ref))
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "patternProperties") and isinstance(value, dict):
            if value:
                plain[key] = {name: meaning_of(one, root, seen) for name, one in value.items()}
        elif key in ("title", "$defs", "definitions", "$schema", "discriminator") or (
            key == "additionalProperties" and value is True
        ):
            continue
        elif key == "required":
            if value:
                plain[key] = sorted(value)
        elif key in ("const", "enum", "default", "examples"):
            plain[key] = value
        else:
            plain[key] = meaning_of(value, root, seen)
    return _plainer(plain)


def _plainer(schema: dict[str, Any]) -> dict[str, Any]:
    if "const" in schema or "enum" in schema:
        schema = {**schema, "enum": [schema["const"]] if "const" in schema else schema["enum"]}
        schema.pop("const", None)
        schema.pop("type", None)
    if isinstance(kinds := schema.get("type"), list):
        rest = {key: value for key, value in schema.items() if key != "type"}
        schema = {"anyOf": [{"type": kind} for kind in kinds], **rest}
    if isinstance(options := schema.get("anyOf"), list):
        schema = {**schema, "anyOf": sorted(options, key=_sort_key)}
    if isinstance(options := schema.get("allOf"), list) and len(options) == 1:
        schema = {**options[0], **{key: value for key, value in schema.items() if key != "allOf"}}
    return schema


def _sort_key(schema: Any) -> str:
    return json.dumps(schema, sort_keys=True)


def _walk_calls(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for key, old in theirs.items():
        new = ours.get(key, ABSENT)
        if _result(old) != _result(new):
            yield key, old, new


def _result(result: Any) -> Any:
    """A result without what has no meaning to a client: absent and empty members, and our `_meta`."""
    if not isinstance(result, dict):
        return result
    return {
        key: value
        for key, value in result.items()
        if value is not None and key not in ("_meta", "ttlMs", "cacheScope") and not (key == "isError" and not value)
    }


def _walk(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from _walk(f"{path}/{key}" if path else str(key), old.get(key, ABSENT), new.get(key, ABSENT))
    elif old != new:
        yield path, old, new
