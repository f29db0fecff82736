"""JSON that a schema allows, and JSON that is nearly that, as Hypothesis strategies.

Knows the keywords that our schemas use and refuses any other, so that none is overlooked. What it makes is meant to
be valid but need not be: ask `independent`.
"""

import string
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

__all__ = ["TROUBLES", "allowed", "anything", "changed"]

Schema = dict[str, Any]
Values = st.SearchStrategy[Any]

MAX_DEPTH = 8

IGNORED = {"title", "description", "default", "examples", "readOnly", "writeOnly", "deprecated", "$defs"}
IGNORED |= {"contentEncoding", "contentMediaType", "contentSchema", "discriminator", "env_names"}
KNOWN = {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "required"}
KNOWN |= {"additionalProperties", "propertyNames", "patternProperties", "minProperties", "maxProperties"}
KNOWN |= {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}
KNOWN |= {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
KNOWN |= {"minLength", "maxLength", "pattern", "format"}

TROUBLES: list[Any] = [
    *["1e999999999", "1e-999999999", "1/0", "-1/3", "1/1e999", "NaN", "Infinity", "9" * 5000, "0" * 99, "3", "3.0"],
    *["PT1.5S", "P1Y2M", "P1W", "-P1D", "P9999999999D", "2026-07-28", "2026-07-28T10:00:00Z", "2026-07-28T10:00:00"],
    *["10:00:00Z", "24:00:00Z", "127.0.0.1", "::1", "10.0.0.0/8", "https://example.com", "\x00", "\u2028", "a" * 300],
    *["", "true", "null", "[]", "{}", "[1]", '{"name": 1}', "[" * 99, 10**300, -(10**30), 2**53 + 1, 0.1, -0.0],
    *[None, True, 0, 1, [], [[]], [[1]], [None], ["a", "a"], {}, {"": None}, {"1": 1}, {"a": {}}, {"kind": "fax"}],
]
"""JSON with which somebody has had trouble, here or elsewhere."""

anything = st.deferred(lambda: _anything)
"""Any JSON. (Deferred, so that it is short where it is printed.)"""

_anything = st.recursive(
    st.one_of(
        st.sampled_from(TROUBLES),
        st.integers(-(2**64), 2**64),
        st.floats(-1e9, 1e9),
        st.text(max_size=6),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=4,
)

FORMATS: dict[str, Values] = {
    "date": st.dates().map(lambda one: one.isoformat()),
    "date-time": st.datetimes().map(lambda one: f"{one.isoformat()}Z")
    | st.sampled_from(["2026-07-28T10:00:00+02:00", "2026-07-28t10:00:00z", "2026-07-28T10:00:00.123456789Z"]),
    "decimal": st.decimals(allow_nan=False, allow_infinity=False).map(str),
    "duration": st.sampled_from(["PT1S", "P1D", "P1DT2H", "PT3605S", "P1W", "PT0S", "P3DT4H5M6S"]),
    "email": st.sampled_from(["jane@example.com", "a.b@example.org"]),
    "fraction": st.fractions().map(str),
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
    "ipvanyaddress": st.ip_addresses().map(str),
    "ipv4network": st.just("10.0.0.0/8"),
    "ipv4interface": st.just("10.0.0.1/8"),
    "multi-host-uri": st.just("postgresql://localhost/db"),
    "time": st.times().map(lambda one: f"{one.isoformat()}Z"),
    "uri": st.sampled_from(["https://example.com/a?b=c", "http://localhost:8000"]),
    "uuid": st.uuids().map(str),
}
TEXTS = st.text(max_size=8) | st.text(string.ascii_letters + string.digits, max_size=3)


def allowed(schema: Schema, depth: int = 0, root: Schema | None = None) -> Values:
    """JSON that a schema allows, as far as can be told from one keyword at a time."""
    root = schema if root is None else root
    unknown = schema.keys() - KNOWN - IGNORED
    assert not unknown, f"keywords that are not known here: {unknown}"
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        return st.deferred(lambda: allowed({**target, **_without(schema, "$ref")}, depth + 1, root))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    for choices in ("anyOf", "oneOf"):
        if choices in schema:
            rest = _without(schema, choices)
            return st.one_of([allowed({**rest, **one}, depth, root) for one in _shallow(schema[choices], depth)])
    if "allOf" in schema:
        merged = _without(schema, "allOf")
        for one in schema["allOf"]:
            merged |= one
        return allowed(merged, depth, root)
    types = schema.get("type", list(TYPES))
    return st.one_of([TYPES[one](schema, depth, root) for one in ([types] if isinstance(types, str) else types)])


def _without(schema: Schema, keyword: str) -> Schema:
    return {key: value for key, value in schema.items() if key != keyword}


def _shallow(choices: list[Schema], depth: int) -> list[Schema]:
    """The choices that hold nothing, where it is deep enough."""
    flat = [one for one in choices if one.get("type") in ("null", "string", "integer", "number", "boolean")]
    return flat if depth > MAX_DEPTH and flat else choices


def _inner(schema: Any, depth: int, root: Schema) -> Values:
    return anything if schema in (True, {}) else allowed(schema, depth + 1, root)


def _integers(schema: Schema, depth: int, root: Schema) -> Values:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -(2**63) - 1) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", 2**63) - 1)
    found = st.integers(low, high)
    return found | st.integers(max(low, -9), min(high, 9)) if low <= 9 and high >= -9 else found


def _numbers(schema: Schema, depth: int, root: Schema) -> Values:
    low, high = schema.get("minimum"), schema.get("maximum")
    return st.floats(
        schema.get("exclusiveMinimum", low),
        schema.get("exclusiveMaximum", high),
        exclude_min="exclusiveMinimum" in schema,
        exclude_max="exclusiveMaximum" in schema,
        allow_nan=False,
        allow_infinity=False,
    )


def _matching(pattern: str) -> Values:
    """Texts that a pattern matches; in JSON Schema a `$` is the very end."""
    return st.from_regex(pattern.replace("$", r"\Z"))


def _strings(schema: Schema, depth: int, root: Schema) -> Values:
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if "pattern" in schema:
        return _matching(schema["pattern"]).filter(lambda text: low <= len(text) <= (high or 99))
    if low or high is not None:
        return st.text(min_size=low, max_size=high)
    return FORMATS.get(schema.get("format", ""), TEXTS)


def _arrays(schema: Schema, depth: int, root: Schema) -> Values:
    first = [_inner(one, depth, root) for one in schema.get("prefixItems", ())]
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    unique = (lambda item: repr(item)) if schema.get("uniqueItems") else None
    if schema.get("items") is False or depth > MAX_DEPTH:
        rest: Values = st.just([])
    else:
        least, most = max(0, low - len(first)), max(0, high - len(first)) if high is not None else low + 2
        rest = st.lists(
            _inner(schema.get("items", True), depth, root), min_size=least, max_size=most, unique_by=unique
        )
    return st.tuples(st.tuples(*first), rest).map(lambda parts: [*parts[0], *parts[1]])


def _objects(schema: Schema, depth: int, root: Schema) -> Values:
    properties = {name: _inner(one, depth, root) for name, one in schema.get("properties", {}).items()}
    required = {name: properties.get(name, anything) for name in schema.get("required", ())}
    optional = {name: one for name, one in properties.items() if name not in required}
    named = st.fixed_dictionaries(required, optional={} if depth > MAX_DEPTH else optional)
    more = schema.get("additionalProperties", True)
    if more is False or depth > MAX_DEPTH:
        return named
    names = _inner({"type": "string", **schema.get("propertyNames", {})}, depth, root).filter(_is_text)
    patterns = list(schema.get("patternProperties", {}).items())
    if patterns:
        [(pattern, more)] = patterns
        names = _matching(pattern)
    few = 0 if properties and more is True else schema.get("maxProperties", 2)
    others = st.dictionaries(names, _inner(more, depth, root), min_size=schema.get("minProperties", 0), max_size=few)
    return st.tuples(others, named).map(lambda parts: {**parts[0], **parts[1]})


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


TYPES: dict[str, Callable[[Schema, int, Schema], Values]] = {
    "null": lambda schema, depth, root: st.none(),
    "boolean": lambda schema, depth, root: st.booleans(),
    "integer": _integers,
    "number": _numbers,
    "string": _strings,
    "array": _arrays,
    "object": _objects,
}


# Nearly -------------------------------------------------------------------------------------------


@st.composite
def changed(draw: Any, data: Any) -> Any:
    """The same JSON with one place in it changed: another value, one more, one less, or the JSON as a text."""
    if isinstance(data, dict | list) and data and draw(st.integers(0, 3)):
        key = draw(st.sampled_from(list(data) if isinstance(data, dict) else range(len(data))))
        copy: Any = data.copy()
        copy[key] = draw(changed(data[key]))
        return copy
    if isinstance(data, list):
        item = draw(anything)
        return draw(
            st.sampled_from([[*data, item], [*data, *data], data[1:], [item, *data], item, None, {"0": data}])
        )
    if isinstance(data, dict):
        less = dict(list(data.items())[1:])
        item = draw(anything)
        return draw(st.sampled_from([{**data, "extra": item}, less, [data], item, None, list(data.values())]))
    return draw(anything | st.just([data]) | st.just(str(data)))
