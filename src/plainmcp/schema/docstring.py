"""A docstring taken apart: its prose, and what it says of parameters and return. Google, NumPy and Sphinx styles.

A docstring is prose first: what does not parse is taken whole and is never an error.
"""

import re
from inspect import cleandoc

import msgspec

__all__ = ["Prose", "parse"]

# What looks like the beginning of a section: `Args:`, `:param x:`, `@param x:`, a line of dashes.
_SECTION = re.compile(r"^[ \t]*([A-Z][\w ]*:[ \t]*$|[:@]\w+|-{3,}[ \t]*$)", re.MULTILINE)


class Prose(msgspec.Struct, frozen=True):
    """The prose as a whole; its first paragraph in one line, and the rest; the parameters and the return."""

    whole: str | None = None
    first: str | None = None
    rest: str | None = None
    parameters: dict[str, str] = {}
    returns: str | None = None


def parse(text: str) -> Prose:
    """Take a docstring apart.

    >>> parse("Forecast for a city.\\n\\nArgs:\\n    city: Its name").parameters
    {'city': 'Its name'}
    """
    text = cleandoc(text)
    parameters: dict[str, str] = {}
    returns = None
    if _SECTION.search(text):
        import docstring_parser

        try:
            parsed = docstring_parser.parse(text)
            gap = "\n\n" if parsed.blank_after_short_description else "\n"
            text = gap.join(filter(None, (parsed.short_description, parsed.long_description)))
            parameters = {one.arg_name: _one_line(one.description) for one in parsed.params if one.description}
            returns = _one_line(parsed.returns.description or "") if parsed.returns else None
        except Exception:  # its own ParseError mostly, but it has others
            pass
    first, _, rest = text.strip().partition("\n\n")
    return Prose(text.strip() or None, _one_line(first) or None, rest.strip() or None, parameters, returns or None)


def _one_line(text: str) -> str:
    return " ".join(text.split())
