"""What `plainmcp list` and `plainmcp call` print: what a server offers, and what a result says."""

import os
import sys
from typing import Any

import msgspec

__all__ = [
    "block_lines",
    "coloured",
    "kind_of",
    "listing",
    "pretty",
    "result_lines",
    "safe",
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


def coloured(text: str, colour: str, stream: Any = None) -> str:
    """Text in a colour, where there is a terminal to show it and nobody said NO_COLOR."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def safe(text: str) -> str:
    """Text without what a terminal would obey; of those characters, lines and tabs are left.

    >>> safe("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return text.replace("\r\n", "\n").translate(_CONTROLS)


def pretty(value: Any) -> str:
    """JSON to be read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


# What is on offer ---------------------------------------------------------------------------------


def listing(info: dict[str, Any], revision: str, offered: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Everything a server offers, in lines."""
    lines = [
        coloured(safe(f"{info.get('name', '?')} {info.get('version', '')}").rstrip(), "bold") + f", on {revision}"
    ]
    for kind, key in _KINDS:
        if offered[kind]:
            lines += ["", coloured(_TITLES.get(kind, kind), "bold")]
        names = [safe(str(one.get(key, "?"))) for one in offered[kind]]
        width = max(map(len, names), default=0)
        for name, one in zip(names, offered[kind], strict=True):
            lines.append(f"  {name.ljust(width)}  {summary_of(one)}".rstrip())
            lines += _aligned(_arguments(one))
    return lines if len(lines) > 1 else [*lines, "", "It offers nothing."]


def summary_of(definition: dict[str, Any]) -> str:
    """One line about a feature."""
    told = (definition.get("description") or definition.get("title") or "").strip()
    return safe(told).splitlines()[0] if told else ""


def _arguments(one: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The name, kind and description of each argument."""
    if "inputSchema" in one:
        wanted = one["inputSchema"]
        required = wanted.get("required", [])
        fields: dict[str, Any] = wanted.get("properties", {})
        return [
            (name, f"{kind_of(field)}{_need(name in required, field)}", summary_of(field))
            for name, field in fields.items()
        ]
    given: list[dict[str, Any]] = one.get("arguments", [])
    return [
        (str(each.get("name", "?")), "required" if each.get("required") else "optional", summary_of(each))
        for each in given
    ]


def _need(required: bool, field: dict[str, Any]) -> str:
    if required:
        return ", required"
    return f" = {msgspec.json.encode(field['default']).decode()}" if "default" in field else ", optional"


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    names, kinds = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    return [
        "      " + coloured(safe(f"{name.ljust(names)}  {kind.ljust(kinds)}  {told}").rstrip(), "dim")
        for name, kind, told in rows
    ]


def kind_of(schema: Any) -> str:
    """What a schema asks for, in a word or two.

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
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(kind_of(one) for one in schema[several]))
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    return f"array of {kind_of(schema['items'])}" if kind == "array" and "items" in schema else str(kind)


# What a call says ---------------------------------------------------------------------------------


def result_lines(result: dict[str, Any]) -> list[str]:
    """A tool's result, to be read: its blocks, then its structured content."""
    lines = [line for block in result.get("content", []) for line in block_lines(block)]
    if result.get("resultType") == "input_required":
        lines.append("[the tool asks for input, which cannot be given here]")
    if result.get("isError"):
        lines = [coloured(line, "red") for line in lines]
    if "structuredContent" in result:
        lines += ["", coloured("structured content", "bold"), *pretty(result["structuredContent"]).split("\n")]
    return lines


def block_lines(block: dict[str, Any]) -> list[str]:
    """A content block: its text, or in brackets what it holds instead."""
    match block:
        case {"type": "text", "text": str(text)}:
            return safe(text).splitlines() or [""]
        case {"type": "resource", "resource": {"text": str(text)} as held}:
            return [safe(f"[resource {held.get('uri', '')}]"), *safe(text).splitlines()]
        case {"type": "resource", "resource": {"blob": str(blob)} as held}:
            return [safe(f"[resource {held.get('uri', '')}, {held.get('mimeType', 'bytes')}, {_size(blob)}]")]
        case {"type": "resource_link"}:
            return [safe(f"[link to {block.get('uri', '')}]")]
        case {"data": str(data)}:
            return [safe(f"[{block.get('type')}, {block.get('mimeType', '?')}, {_size(data)}]")]
    return [safe(f"[{block.get('type')}]")]


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4 - base64[-2:].count('='):,} bytes"
