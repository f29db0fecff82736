"""The parts of a docstring, in Google, NumPy or Sphinx style; one that does not parse is one description."""

import re
from inspect import cleandoc
from typing import Any

import msgspec

__all__ = ["Prose", "parse_docstring"]

# The beginning of a section: `Args:`, `:param x:`, `@param x:`, a line of dashes.
_SECTION = re.compile(r"^[ \t]*([A-Z][\w ]*:[ \t]*$|[:@]\w+|-{3,}[ \t]*$)", re.MULTILINE)


class Prose(msgspec.Struct, frozen=True):
    """A docstring: the whole prose; its first paragraph in one line, and the rest; the parameters and the return."""

    whole: str | None = None
    first: str | None = None
    rest: str | None = None
    parameters: dict[str, str] = {}
    returns: str | None = None


def parse_docstring(text: str, *, keep_lines: bool = False) -> Prose:
    """The parts of a docstring; with `keep_lines` the descriptions of parameters have their line breaks.

    >>> parse_docstring("Forecast for a city.\\n\\nArgs:\\n    city: Its name").parameters
    {'city': 'Its name'}
    """
    text = cleandoc(text)
    parameters: dict[str, str] = {}
    returns = None
    if _SECTION.search(text):
        import docstring_parser

        try:
            parsed = docstring_parser.parse(text)
            text = text if keep_lines and not parsed.meta else _description_of(parsed)
            tidy = str.strip if keep_lines else _to_one_line
            parameters = {one.arg_name: tidy(one.description) for one in parsed.params if one.description}
            returns = _to_one_line(parsed.returns.description or "") if parsed.returns else None
        except Exception:  # mostly its ParseError, but it raises others too
            pass
    first, _, rest = text.strip().partition("\n\n")
    whole = text if keep_lines and first else text.strip()
    return Prose(whole or None, _to_one_line(first) or None, rest.strip() or None, parameters, returns or None)


def _description_of(parsed: Any) -> str:
    """The prose of a docstring that is parsed."""
    gap = "\n\n" if parsed.blank_after_short_description else "\n"
    return gap.join(filter(None, (parsed.short_description, parsed.long_description)))


def _to_one_line(text: str) -> str:
    return " ".join(text.split())
