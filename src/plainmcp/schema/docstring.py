"""The parts of a docstring, in Google, NumPy or Sphinx style. Knows no hints.

Each section is found and read by itself, so that a malformed line costs nothing but itself: what cannot be read stays
in the prose, and so does all text between sections. docstring_parser reads sections in NumPy style, and fields.
"""

import re
from collections.abc import Callable
from enum import Enum
from inspect import cleandoc
from itertools import takewhile
from typing import Any

import msgspec

__all__ = ["Prose", "parse_docstring", "prose_of_class"]


class Prose(msgspec.Struct, frozen=True):
    """A docstring: the whole prose; its first paragraph in one line, and the rest; the parameters and the return."""

    whole: str | None = None
    first: str | None = None
    rest: str | None = None
    parameters: dict[str, str] = {}
    returns: str | None = None


def parse_docstring(text: str, *, keep_lines: bool = False) -> Prose:
    """The parts of a docstring; with `keep_lines` descriptions have their lines, and the prose ends at a section.

    >>> parse_docstring("Forecast for a city.\\n\\nArgs:\\n    city: Its name").parameters
    {'city': 'Its name'}
    """
    text = cleandoc(text)
    blocks, sections = _split(text.split("\n"))
    if sections:
        text = "\n\n".join(filter(None, (block.strip("\n") for block in blocks[: 1 if keep_lines else None])))
    tidy = str.strip if keep_lines else _to_one_line
    parameters = {name: tidy(words) for section in sections for name, words in section.parameters.items()}
    first, _, rest = text.strip().partition("\n\n")
    whole = text if keep_lines and first else text.strip()
    returns = _to_one_line("\n".join(section.returns for section in sections))
    return Prose(whole or None, _to_one_line(first) or None, rest.strip() or None, parameters, returns or None)


def prose_of_class(kind: type, *, split: bool = True) -> Prose:
    """The parts of the docstring of a class, whose parameters are its fields; without `split` all of it is prose."""
    if not split:
        return Prose(cleandoc(_docstring_of(kind)) or None)
    fields: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        fields |= parse_docstring(_docstring_of(base)).parameters
    return msgspec.structs.replace(parse_docstring(_docstring_of(kind)), parameters=fields)


def _docstring_of(kind: type) -> str:
    """The docstring that the author of a class wrote, and not Python."""
    text = kind.__doc__ or ""
    if issubclass(kind, Enum):
        return "" if text == "An enumeration." else text
    is_signature = text.startswith(f"{kind.__name__}(") and text.endswith(")")
    return "" if is_signature and not issubclass(kind, msgspec.Struct) else text


def _to_one_line(text: str) -> str:
    return " ".join(text.split())


# Sections -----------------------------------------------------------------------------------------


class Section(msgspec.Struct, frozen=True):
    """One section of a docstring, up to the line `end`; text in it that could not be read is `unread`."""

    end: int
    parameters: dict[str, str] = {}
    returns: str = ""
    unread: str = ""


_PARAMETERS = (
    "Args", "Arguments", "Params", "Parameters", "Keyword Args", "Keyword Arguments", "Other Parameters",
    "Attributes", "Attribute",
)  # fmt: skip
_RETURNS = ("Return", "Returns", "Yield", "Yields")
_OTHERS = ("Raise", "Raises", "Except", "Exceptions", "Example", "Examples")
_TITLES = frozenset({*_PARAMETERS, *_RETURNS, *_OTHERS})
"""A section with another title is prose; so is one that is empty. Those of `_OTHERS` are left out."""


def _split(lines: list[str]) -> tuple[list[str], list[Section]]:
    """The blocks of prose, and the sections between them."""
    blocks: list[list[str]] = [[]]
    sections: list[Section] = []
    at = 0
    while at < len(lines):
        section = next(filter(None, (read(lines, at) for read in _STYLES)), None)
        if section is None:
            blocks[-1].append(lines[at])
            at += 1
        else:
            blocks.append([section.unread])
            sections.append(section)
            at = section.end
    return ["\n".join(block) for block in blocks], sections


def _find_end(lines: list[str], at: int, is_end: Callable[[int], bool]) -> int:
    """The number of the first line from `at` on that ends a section."""
    return next((here for here in range(at, len(lines)) if is_end(here)), len(lines))


def _is_outer(line: str) -> bool:
    """Whether a line has text and no indentation."""
    return bool(line[:1].strip())


# Google: "Args:", and what is indented below ------------------------------------------------------

_ENTRY = re.compile(r"\s*(?:[-*•] )?`?\*{0,2}(\w+)`?\s*(?:\(.*?\)|\[.*?\])?\s*(?::(?!\S)|-(?=\s))\s*")
_TYPE = re.compile(r"\A(?:[^:\s]+|[^:\n]*\]):\s+")


def _read_google(lines: list[str], at: int) -> Section | None:
    title, colon, more = lines[at].partition(":")
    if title not in _TITLES or not colon or more.strip():
        return None
    end = _find_end(lines, at + 1, lambda here: _is_outer(lines[here]))
    body = lines[at + 1 : end]
    if title in _PARAMETERS and not any(body):  # entries without indentation: up to the first line that is none
        body = list(takewhile(_ENTRY.match, lines[at + 1 :]))
        end = at + 1 + len(body)
    text = cleandoc("\n".join(["", *body]))
    if not text:
        return None
    if title in _PARAMETERS:
        return _read_entries(body, end)
    return Section(end, returns=_TYPE.sub("", text) if title in _RETURNS else "")


def _read_entries(lines: list[str], end: int) -> Section | None:
    """The entries of parameters; a line between them that is none belongs to the one above. None without any."""
    entries: dict[str, list[str]] = {}
    unread: list[str] = []
    target, depth = unread, next(len(line) - len(line.lstrip()) for line in lines if line.strip())
    for line in lines:
        match = None if line[: depth + 1].isspace() else _ENTRY.match(line)
        if match:
            target = entries[match[1]] = []
        target.append(line[match.end() :] if match else line)
    parameters = {name: cleandoc("\n".join(words)) for name, words in entries.items()}
    return Section(end, parameters, unread=cleandoc("\n".join(["", *unread]))) if entries else None


# NumPy: a title that is underlined ----------------------------------------------------------------

_UNDERLINE = re.compile(r"-{3,}\s*$")


def _read_numpy(lines: list[str], at: int) -> Section | None:
    title = lines[at].strip()
    if title not in _TITLES or not _is_underlined(lines, at):
        return None
    end = _find_end(lines, at + 2, lambda here: _is_underlined(lines, here) or _is_paragraph(lines, here))
    kind = "Parameters" if title in _PARAMETERS else title
    if not "".join(lines[at + 2 : end]).strip():
        return None
    return _read_by_parser("NUMPYDOC", "\n".join([kind, "-" * len(kind), *lines[at + 2 : end]]), end)


def _is_underlined(lines: list[str], at: int) -> bool:
    return at + 1 < len(lines) and _is_outer(lines[at]) and bool(_UNDERLINE.match(lines[at + 1]))


def _is_paragraph(lines: list[str], at: int) -> bool:
    """Whether a line begins a paragraph of prose, and not an entry: a name, a type, indented text below."""
    line, below = lines[at], "".join(lines[at + 1 : at + 2])
    is_entry = " " not in line.strip() or " : " in line or below[:1].isspace()
    return _is_after_gap(lines, at) and not is_entry


# Sphinx and Epydoc: ":param city: …", "@param city: …" --------------------------------------------

_WORD = (
    r"[:@](?:param|parameter|arg|argument|attribute|key|keyword|[ic]?var|type|vartype|returns?|rtype|yields?|ytype"
    r"|raises?|except|exception)\b"
)
_FIELD = re.compile(_WORD + r"[^:`]*:(?!\S)")
_NEXT = re.compile(_WORD)
_VARIABLE = re.compile(r"^(.)[ic]?var\b")


def _read_field(lines: list[str], at: int) -> Section | None:
    if not _FIELD.match(lines[at]):
        return None
    end = _find_end(lines, at + 1, lambda here: bool(_NEXT.match(lines[here])) or _is_after_gap(lines, here))
    text = _VARIABLE.sub(r"\1param", "\n".join(lines[at:end]).strip())
    return _read_by_parser("REST" if text[0] == ":" else "EPYDOC", text, end)


def _is_after_gap(lines: list[str], at: int) -> bool:
    return _is_outer(lines[at]) and not lines[at - 1].strip()


def _read_by_parser(style: str, text: str, end: int) -> Section | None:
    """What docstring_parser reads; None where it fails."""
    from docstring_parser import DocstringStyle, parse

    try:
        parsed: Any = parse(text, DocstringStyle[style])
    except Exception:  # mostly its ParseError, but it raises others too
        return None
    parameters = {
        name.strip().lstrip("*"): cleandoc(one.description)
        for one in parsed.params
        for name in one.arg_name.split(",")
        if one.description
    }
    return Section(end, parameters, (parsed.returns.description or "") if parsed.returns else "")


_STYLES = (_read_google, _read_numpy, _read_field)
