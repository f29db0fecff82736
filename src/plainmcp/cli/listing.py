"""What `plainmcp list` prints: the features of a server, who may use them, and what their definitions cost."""

from typing import Any

import msgspec

from ..preview.calls import tokens_of
from ..protocol.registry import Registry
from .schema_text import FieldLine, fields_of, summary_of
from .show import escape_controls, in_colour

__all__ = ["KEYS", "LISTS", "TITLES", "access_of", "bill_of", "cost_and_access", "listing_lines"]

Features = dict[str, list[dict[str, Any]]]
"""The definitions in each list."""
Access = dict[str, dict[str, dict[str, Any]]]
"""What no client sees of features: by list, and by name or URI."""

LISTS = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}
KEYS = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
TITLES = {"resourceTemplates": "resource templates"}
_NOTE = "approximate tokens of all definitions: characters / 4, the heaviest first"


# Facts --------------------------------------------------------------------------------------------


def access_of(registry: Registry) -> Access:
    """The tags of features and who may use them, which no client sees: by list and by name or URI."""
    lists: dict[str, Any] = {
        "tools": registry.tools,
        "resources": registry.resources,
        "resourceTemplates": registry.templates,
        "prompts": registry.prompts,
    }
    return {
        kind: {
            feature.key: facts for feature in features.registered.values() if (facts := _facts_of(feature, features))
        }
        for kind, features in lists.items()
    }


def _facts_of(feature: Any, enabled: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if feature.tags:
        facts["tags"] = sorted(feature.tags)
    if feature.requires is not None:
        facts["requires"] = _name_of(feature.requires) if callable(feature.requires) else list(feature.requires)
    if feature.visible is not None:
        facts["visible"] = _name_of(feature.visible)
    if feature.key not in enabled:
        facts["enabled"] = False
    return facts


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def bill_of(features: Features) -> list[dict[str, Any]]:
    """What each definition costs in the context of a model, the heaviest first."""
    bill: list[dict[str, Any]] = [
        {"kind": kind, "name": str(one.get(KEYS[kind], "?")), "characters": len(msgspec.json.encode(one).decode())}
        for kind in LISTS
        for one in features[kind]
    ]
    for line in bill:
        line["approximateTokens"] = tokens_of(line["characters"])
    return sorted(bill, key=lambda line: (-line["characters"], line["kind"], line["name"]))


def _sum_of(bill: list[dict[str, Any]]) -> int:
    """The tokens of all lines of a bill."""
    return tokens_of(sum(line["characters"] for line in bill))


def cost_and_access(features: Features, access: Access) -> dict[str, Any]:
    """The cost of all definitions, and what no client sees, for `--json`."""
    bill = bill_of(features)
    cost = {"approximateTokens": _sum_of(bill), "each": bill}
    return {"definitions": cost, **({"access": access} if any(access.values()) else {})}


# Lines --------------------------------------------------------------------------------------------


def listing_lines(info: dict[str, Any], revision: str, features: Features, access: Access) -> list[str]:
    """All features of a server, in lines."""
    name = escape_controls(f"{info.get('name', '?')} {info.get('version', '')}").rstrip()
    lines = [in_colour(name, "bold") + f", on {revision}"]
    for kind, key in KEYS.items():
        facts = access.get(kind, {})
        listed = {str(feature.get(key, "?")): feature for feature in features[kind]}
        unlisted = [one for one in facts if one not in listed]
        if listed or unlisted:
            lines += ["", in_colour(TITLES.get(kind, kind), "bold")]
        width = max((len(escape_controls(one)) for one in (*listed, *unlisted)), default=0)
        for one, feature in listed.items():
            lines.append(f"  {escape_controls(one).ljust(width)}  {summary_of(feature)}".rstrip())
            lines += _access_lines(facts.get(one, {}))
            lines += _align(_arguments_of(feature))
        for one in unlisted:
            lines.append(f"  {escape_controls(one).ljust(width)}  {in_colour('not listed for this caller', 'dim')}")
            lines += _access_lines(facts[one])
    return [*lines, *_bill_lines(features)] if len(lines) > 1 else [*lines, "", "It offers nothing."]


def _access_lines(facts: dict[str, Any]) -> list[str]:
    """The tags of a feature and who may use it, in one line."""
    parts: list[str] = []
    if "tags" in facts:
        parts.append(f"tags: {', '.join(facts['tags'])}")
    match facts.get("requires"):
        case list() as scopes:
            parts.append(f"requires: {' '.join(scopes)}")
        case str() as function:
            parts.append(f"requires: what {function}() returns")
    if "visible" in facts:
        parts.append(f"visible: where {facts['visible']}() is true")
    if facts.get("enabled") is False:
        parts.append("disabled")
    return ["      " + in_colour(escape_controls("; ".join(parts)), "dim")] if parts else []


def _arguments_of(feature: dict[str, Any]) -> list[FieldLine]:
    """The arguments of a feature, and their own fields."""
    if "inputSchema" in feature:
        return list(fields_of(feature["inputSchema"]))
    arguments: list[dict[str, Any]] = feature.get("arguments", [])
    return [
        FieldLine(0, str(each.get("name", "?")), "required" if each.get("required") else "optional", summary_of(each))
        for each in arguments
    ]


def _align(fields: list[FieldLine]) -> list[str]:
    rows = [("  " * depth + name, kind, summary) for depth, name, kind, summary in fields]
    names, kinds = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    return [
        "      " + in_colour(escape_controls(f"{name.ljust(names)}  {kind.ljust(kinds)}  {summary}").rstrip(), "dim")
        for name, kind, summary in rows
    ]


def _bill_lines(features: Features) -> list[str]:
    bill = bill_of(features)
    rows = [(line["name"], line["approximateTokens"]) for line in bill]
    rows.append(("all", _sum_of(bill)))
    width = max(len(f"{tokens:,}") for _, tokens in rows)
    lines = [f"  {f'~{tokens:,}':>{width + 1}}  {escape_controls(name)}" for name, tokens in rows]
    return ["", in_colour(_NOTE, "bold"), *lines] if bill else []
