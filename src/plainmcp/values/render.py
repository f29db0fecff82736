"""Data as text for people and models to read: JSON, YAML, an aligned table, Markdown, CSV.

Knows plain JSON data only: models and dataclasses are dicts already. Structured data is not affected. Rows and keys
keep their order; no value is changed.
"""

import re
import unicodedata
from collections.abc import Callable
from importlib import import_module
from io import StringIO
from typing import Any, TypeAlias

import msgspec

from ..errors import AuthorError

__all__ = ["RENDERERS", "Renderer", "renderer_of"]

Renderer: TypeAlias = Callable[[Any], str]

_NO_ROWS = "(no rows)"
# Characters that end a line or move the cursor: C0 and C1 controls, and Unicode's own line breaks.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_NEWLINE = re.compile(r"\r\n|\r|\n")


def renderer_of(renderer: str | Renderer) -> Renderer:
    """The renderer of that name; a callable is its own renderer.

    >>> print(renderer_of("csv")([{"city": "Oslo", "high": 4}]))
    city,high
    Oslo,4
    """
    if callable(renderer):
        return renderer
    if renderer not in RENDERERS:
        raise AuthorError(f"unknown renderer {renderer!r}; the names are {', '.join(RENDERERS)}")
    if renderer == "yaml":
        _import_yaml()  # so that a missing package fails at registration, not at the first call
    return RENDERERS[renderer]


def _to_json(value: Any) -> str:
    """Indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _to_yaml(value: Any) -> str:
    """Block-style YAML that reads back as the same value.

    >>> print(_to_yaml({"highs": [4, 6]}))
    highs:
    - 4
    - 6
    """
    yaml = _import_yaml()
    dumper: Any = type("PlainDumper", (yaml.SafeDumper,), {})
    dumper.add_representer(str, _to_yaml_string)
    # A fresh copy, since PyYAML writes a list that occurs twice as an alias, which JSON does not have.
    tree = msgspec.json.decode(msgspec.json.encode(value))
    options = {"sort_keys": False, "allow_unicode": True, "default_flow_style": False, "width": 2**31}
    text: str = yaml.dump(tree, Dumper=dumper, **options)
    # A bare scalar comes with an end-of-document marker; a quoted string never ends in one.
    return text.removesuffix("\n").removesuffix("\n...")


def _to_yaml_string(dumper: Any, text: str) -> Any:
    """A string node; in double quotes where PyYAML's own choice would turn U+0085 into a newline."""
    style = '"' if "\x85" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _import_yaml() -> Any:
    try:
        return import_module("yaml")
    except ImportError:
        raise AuthorError("the yaml renderer needs PyYAML: pip install 'plainmcp[yaml]'") from None


def _to_grid(value: Any, escape: Callable[[str], str] = str) -> tuple[list[list[str]], list[bool]]:
    """The lines of cells, header first, and for each column whether it holds numbers only."""
    rows = _rows_of(value)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if not columns:
        return [], []
    lines = [columns, *([_to_cell(row.get(column)) for column in columns] for row in rows)]
    numeric = [_has_only_numbers([row.get(column) for row in rows]) for column in columns]
    return [[escape(cell) for cell in line] for line in lines], numeric


def _rows_of(value: Any) -> list[dict[str, Any]]:
    """An object is one row, a list of objects one row each; anything else goes under `value`."""
    if value is None:
        return []
    items: list[Any] = value if isinstance(value, list) else [value]
    if all(isinstance(item, dict) for item in items):
        return items
    return [{"value": item} for item in items]


def _to_cell(value: Any) -> str:
    """A string as it is, None as nothing, the rest as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _has_only_numbers(values: list[Any]) -> bool:
    kinds = {type(value) for value in values if value is not None}
    return bool(kinds) and kinds <= {int, float}


def _split_head(value: Any) -> tuple[list[str], Any]:
    """The lines above a table, and what is in it: of an object with one list of records, the list is the table.

    >>> _split_head({"default": "a", "contexts": [{"name": "a"}]})
    (['default: a'], [{'name': 'a'}])
    """
    if not isinstance(value, dict):
        return [], value
    lists = [
        key for key, item in value.items() if isinstance(item, list) and all(isinstance(row, dict) for row in item)
    ]
    if len(lists) != 1:
        return [], value
    return [f"{key}: {_to_cell(item)}" for key, item in value.items() if key != lists[0]], value[lists[0]]


def _join_head(head: list[str], table: str) -> str:
    """The lines above a table, an empty line and the table."""
    return "\n".join([*map(_escape_controls, head), "", table]) if head else table


def _to_table(value: Any) -> str:
    """Columns aligned by eye, two spaces apart, numbers to the right.

    >>> print(_to_table([{"city": "Oslo", "high": 4}, {"city": "Rome", "high": 17}]))
    city  high
    Oslo     4
    Rome    17
    """
    head, rows = _split_head(value)
    lines, numeric = _to_grid(rows, _escape_controls)
    widths = [max(map(_width_of, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(map(_pad, line, widths, numeric)).rstrip(" ") for line in lines)
    return _join_head(head, "\n".join(padded) if lines else _NO_ROWS)


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width_of(cell))
    return space + cell if right else cell + space


def _width_of(text: str) -> int:
    """How many terminal columns a text takes: wide characters two, marks on other characters none."""
    if text.isascii():
        return len(text)
    standing = [char for char in text if unicodedata.category(char) not in ("Mn", "Me", "Cf")]
    return len(standing) + sum(unicodedata.east_asian_width(char) in "WF" for char in standing)


def _escape_controls(text: str) -> str:
    """Control characters as the escapes a programmer would type, so that a row stays one line."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _to_markdown(value: Any) -> str:
    """A GitHub table.

    >>> print(_to_markdown([{"city": "Oslo", "high": 4}]))
    | city | high |
    | --- | ---: |
    | Oslo | 4 |
    """
    head, rows = _split_head(value)
    lines, numeric = _to_grid(rows, _to_markdown_cell)
    rule = ["---:" if right else "---" for right in numeric]
    lines_of_text = (f"| {' | '.join(line)} |" for line in (*lines[:1], rule, *lines[1:]))
    points = [f"- {line}" for line in head]  # Markdown would join lines that are not points
    return _join_head(points, "\n".join(lines_of_text) if lines else _NO_ROWS)


def _to_markdown_cell(text: str) -> str:
    # Backslashes first: GitHub reads `\|` as a bar, so a backslash of the value's own must be doubled.
    escaped = text.replace("\\", "\\\\").replace("|", "\\|")
    return _escape_controls(_NEWLINE.sub("<br>", escaped))


def _to_csv(value: Any) -> str:
    """RFC 4180 with bare newlines between the rows."""
    # Unchanged, even a leading `=` that a spreadsheet would run: a parser gets exactly the data.
    lines, _ = _to_grid(value)
    return "\n".join(map(_to_csv_line, lines)) if lines else _NO_ROWS


def _to_csv_line(cells: list[str]) -> str:
    import csv  # loaded for those who need it

    # Written with the default line end, which is then removed: with "\n", csv would leave a lone "\r" unquoted.
    line = StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().removesuffix("\r\n")


RENDERERS: dict[str, Renderer] = {
    "json": _to_json,
    "yaml": _to_yaml,
    "table": _to_table,
    "markdown": _to_markdown,
    "csv": _to_csv,
}
