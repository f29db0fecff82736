"""Formats what `plainmcp list` and `plainmcp call` print: the features of a server, and a result."""

import os
import sys
from typing import Any

import msgspec

__all__ = [
    "block_lines",
    "escape_controls",
    "in_colour",
    "indent_json",
    "kind_of",
    "listing_lines",
    "result_lines",
    "summary_of",
]

_COLOURS = {"bold": "1", "dim": "2", "red": "31"}
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
_KINDS = (
    ("tools", "name"),
    ("resources", "uri"),
    ("resourceTemplates", "uriTemplate"),
    ("prompts", "name"),
)
_TITLES = {"resourceTemplates": "resource templates"}


def in_colour(text: str, colour: str, stream: Any = None) -> str:
    """Text in a colour if the stream is a terminal and NO_COLOR is not set."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def escape_controls(text: str) -> str:
    """Text with control characters escaped, except newlines and tabs, so that it cannot control the terminal.

    >>> escape_controls("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return text.replace("\r\n", "\n").translate(_CONTROLS)


def indent_json(value: Any) -> str:
    """A value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


# Lists --------------------------------------------------------------------------------------------


def listing_lines(info: dict[str, Any], revision: str, features: dict[str, list[dict[str, Any]]]) -> list[str]:
    """All features of a server, in lines."""
    lines = [
        in_colour(escape_controls(f"{info.get('name', '?')} {info.get('version', '')}").rstrip(), "bold")
        + f", on {revision}"
    ]
    for kind, key in _KINDS:
        if features[kind]:
            lines += ["", in_colour(_TITLES.get(kind, kind), "bold")]
        names = [escape_controls(str(feature.get(key, "?"))) for feature in features[kind]]
        width = max(map(len, names), default=0)
        for name, feature in zip(names, features[kind], strict=True):
            lines.append(f"  {name.ljust(width)}  {summary_of(feature)}".rstrip())
            lines += _align(_arguments_of(feature))
    return lines if len(lines) > 1 else [*lines, "", "It offers nothing."]


def summary_of(definition: dict[str, Any]) -> str:
    """The first line of a feature's description, or its title."""
    text = (definition.get("description") or definition.get("title") or "").strip()
    return escape_controls(text).splitlines()[0] if text else ""


def _arguments_of(feature: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The name, kind and description of each argument."""
    if "inputSchema" in feature:
        schema = feature["inputSchema"]
        required = schema.get("required", [])
        fields: dict[str, Any] = schema.get("properties", {})
        return [
            (name, f"{kind_of(field)}{_format_default(name in required, field)}", summary_of(field))
            for name, field in fields.items()
        ]
    arguments: list[dict[str, Any]] = feature.get("arguments", [])
    return [
        (str(each.get("name", "?")), "required" if each.get("required") else "optional", summary_of(each))
        for each in arguments
    ]


def _format_default(required: bool, field: dict[str, Any]) -> str:
    if required:
        return ", required"
    return f" = {msgspec.json.encode(field['default']).decode()}" if "default" in field else ", optional"


def _align(rows: list[tuple[str, str, str]]) -> list[str]:
    names, kinds = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    return [
        "      "
        + in_colour(escape_controls(f"{name.ljust(names)}  {kind.ljust(kinds)}  {description}").rstrip(), "dim")
        for name, kind, description in rows
    ]


def kind_of(schema: Any) -> str:
    """The kind of value a schema accepts, in a few words.

    >>> kind_of({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    'array of string or null'
    """
    if not isinstance(schema, dict):
        return "anything"
    if "enum" in schema:
        return " or ".join(msgspec.json.encode(one).decode() for one in schema["enum"])
    if "const" in schema:
        return msgspec.json.encode(schema["const"]).decode()
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2] or "anything"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(kind_of(one) for one in schema[key]))
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    return f"array of {kind_of(schema['items'])}" if kind == "array" and "items" in schema else str(kind)


# Results ------------------------------------------------------------------------------------------


def result_lines(result: dict[str, Any]) -> list[str]:
    """A tool's result in lines: its blocks, then its structured content."""
    lines = [line for block in result.get("content", []) for line in block_lines(block)]
    if result.get("resultType") == "input_required":
        lines.append("[the tool asks for input, which cannot be given here]")
    if result.get("isError"):
        lines = [in_colour(line, "red") for line in lines]
    if "structuredContent" in result:
        lines += ["", in_colour("structured content", "bold"), *indent_json(result["structuredContent"]).split("\n")]
    return lines


def block_lines(block: dict[str, Any]) -> list[str]:
    """A content block in lines: its text, or a description in brackets."""
    match block:
        case {"type": "text", "text": str(text)}:
            return escape_controls(text).splitlines() or [""]
        case {"type": "resource", "resource": {"text": str(text)} as resource}:
            return [escape_controls(f"[resource {resource.get('uri', '')}]"), *escape_controls(text).splitlines()]
        case {"type": "resource", "resource": {"blob": str(blob)} as resource}:
            return [
                escape_controls(
                    f"[resource {resource.get('uri', '')}, {resource.get('mimeType', 'bytes')}, {_size(blob)}]"
                )
            ]
        case {"type": "resource_link"}:
            return [escape_controls(f"[link to {block.get('uri', '')}]")]
        case {"data": str(data)}:
            return [escape_controls(f"[{block.get('type')}, {block.get('mimeType', '?')}, {_size(data)}]")]
    return [escape_controls(f"[{block.get('type')}]")]


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4 - base64[-2:].count('='):,} bytes"
