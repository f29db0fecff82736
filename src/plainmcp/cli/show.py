"""Formats what the commands print: the results of tools, resources and prompts, colours, and text that is safe."""

import os
import sys
from typing import Any

import msgspec

__all__ = [
    "block_lines",
    "contents_lines",
    "escape_controls",
    "in_colour",
    "indent_json",
    "messages_lines",
    "result_lines",
    "suggestion_lines",
    "to_json",
]

_COLOURS = {"bold": "1", "dim": "2", "red": "31"}
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


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


def to_json(value: Any) -> str:
    """A value as JSON in one line."""
    return msgspec.json.encode(value).decode()


def indent_json(value: Any) -> str:
    """A value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


# Results ------------------------------------------------------------------------------------------


def result_lines(result: dict[str, Any]) -> list[str]:
    """A tool's result in lines: its blocks, then its structured content."""
    lines = [line for block in result.get("content", []) for line in block_lines(block)]
    if result.get("resultType") == "input_required":
        lines.append("[the tool asks for input; --answer JSON gives it]")
    if result.get("isError"):
        lines = [in_colour(line, "red") for line in lines]
    if "structuredContent" in result:
        lines += ["", in_colour("structured content", "bold"), *indent_json(result["structuredContent"]).split("\n")]
    return lines


def contents_lines(result: dict[str, Any]) -> list[str]:
    """The contents of a resource in lines; each has a heading if there are several."""
    blocks = [{"type": "resource", "resource": one} for one in result.get("contents", [])]
    lines = [block_lines(block) for block in blocks]
    if len(lines) == 1 and "text" in blocks[0]["resource"]:
        return lines[0][1:]
    return [line for each in lines for line in each]


def messages_lines(result: dict[str, Any]) -> list[str]:
    """The messages of a prompt in lines, each below its role."""
    lines: list[str] = []
    for message in result.get("messages", []):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content or {}]
        lines += ["", in_colour(escape_controls(str(message.get("role", "?"))), "bold")]
        lines += [f"  {line}" for block in blocks for line in block_lines(block)]
    return lines[1:]


def suggestion_lines(result: dict[str, Any]) -> list[str]:
    """The suggestions of a completion, a line for each."""
    completion = result.get("completion", {})
    values: list[Any] = completion.get("values", [])
    more = (completion.get("total") or 0) - len(values)
    rest = f"… {more} more" if more > 0 else "… and more" if completion.get("hasMore") else None
    return [*(escape_controls(str(value)) for value in values), *([] if rest is None else [rest])]


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
