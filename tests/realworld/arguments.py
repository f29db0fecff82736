"""Arguments for a tool, made from its input schema: enough to call it, not to make it succeed."""

from typing import Any

__all__ = ["argument_sets"]


def argument_sets(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Sets of arguments with a title each: none, the required ones, all, one too many, and texts of numbers."""
    properties = schema.get("properties", {})
    required = {name: properties.get(name, {}) for name in schema.get("required", ())}
    least = {name: sample(one, schema) for name, one in required.items()}
    sets: dict[str, dict[str, Any]] = {"required": least}
    if set(properties) != set(required):
        sets["all"] = {name: sample(one, schema) for name, one in properties.items()}
    sets["unknown"] = least | {"no_such_argument": 1}
    if least:
        sets["nothing"] = {}
        first = next(iter(least))
        sets["wrong type"] = least | {first: {"unexpected": ["object"]}}
    texts = {name: str(value) for name, value in least.items() if type(value) in (int, float)}
    if texts:
        sets["texts of numbers"] = least | texts
    return sets


def sample(schema: Any, root: dict[str, Any], depth: int = 0) -> Any:
    """A value that fits a schema, always the same one."""
    if not isinstance(schema, dict) or depth > 8:
        return "text"
    if "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found.get(part, {})
        return sample(found, root, depth + 1)
    for key in ("const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return sample(schema[key][0], root, depth + 1)
    return _of_type(schema, root, depth)


def _of_type(schema: dict[str, Any], root: dict[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "integer" | "number":
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
            return min(low, schema.get("maximum", low))
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            return [sample(schema.get("items", {}), root, depth + 1)] * max(1, schema.get("minItems", 1))
        case "object":
            properties = schema.get("properties", {})
            return {name: sample(properties.get(name), root, depth + 1) for name in schema.get("required", ())}
    return "text" * max(1, -(-schema.get("minLength", 1) // 4))
