"""Markdown as the generated pages write it: tables, code in cells, and comments of the code."""

import ast
import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["code", "comments", "first_line", "headed", "prose", "table", "words"]

_IDS = re.compile(r" \((?:(?:S\d{3}|[A-Z]+)-\d+(?:, )?)+\)")
COMMAND = "python tests/reference_pages.py"


def headed(title: str, *parts: str) -> str:
    """A page: its title, a note that it is generated, and its parts with a blank line between."""
    return "\n\n".join([f"# {title}", f"<!-- Written by `{COMMAND}`; do not edit it by hand. -->", *parts]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def code(text: str) -> str:
    """Code inside a line or a cell; nothing for nothing.

    >>> print(code("a | `b`"))
    <code>a &#124; &#96;b&#96;</code>
    """
    if not text:
        return ""
    if any(mark in text for mark in "|`\n<>&"):
        for mark, entity in {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;"}.items():
            text = text.replace(mark, entity)
        # Markdown also reads text between tags.
        for mark in "*_[]\\":
            text = text.replace(mark, f"&#{ord(mark)};")
        return f"<code>{text}</code>".replace("\n", "<br>")
    return f"`{text}`"


def prose(thing: Any) -> str:
    """A docstring without the ids of requirements, which are for developers of the package."""
    return _IDS.sub("", inspect.getdoc(thing) or "")


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    return prose(thing).partition("\n")[0]


def words(said: Mapping[str, str], name: str) -> str:
    """The description of something; raises LookupError if there is none."""
    if name not in said:
        raise LookupError(f"{name} has no description; give it a comment in the code, or a line in tests/reference")
    return said[name]


def comments(kind: type, *, above: bool = False) -> dict[str, str]:
    """The comments on the fields of a class: those beside a field or, if wanted, those right above it."""
    source = inspect.getsource(kind)
    lines = source.splitlines()
    said: dict[str, str] = {}
    body = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef))
    for node in body.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        beside = lines[(node.end_lineno or 1) - 1].partition("  # ")[2]
        over: list[str] = []
        at = node.lineno - 2
        while above and lines[at].strip().startswith("#"):
            over.insert(0, lines[at].strip().lstrip("# "))
            at -= 1
        if beside or over:
            said[node.target.id] = beside or " ".join(over)
    return said
