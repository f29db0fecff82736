"""One piece of a URI template, such as a segment of its path, and the values of its variables.

A value is decoded here, and refused if it could lead out of its place. Knows neither whole URIs nor the syntax of
templates (see uri_template).
"""

import re
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote_to_bytes

import msgspec

from ..errors import AuthorError

__all__ = ["Kind", "Piece", "Value", "Variable", "decode_value"]

Value: TypeAlias = str | list[str]

# segment: no slash, no backslash, neither . nor ..
# path: segments with slashes between them, the first of them not empty
# segments: a list of segments
# text, texts: anything
Kind: TypeAlias = Literal["segment", "path", "segments", "text", "texts"]

_LISTS = ("segments", "texts")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Variable(msgspec.Struct, frozen=True):
    """A variable of a template: its name, the kind of its value, and the characters that stay unencoded in it."""

    name: str
    kind: Kind
    safe: str = ""

    def read(self, raw: str) -> Value | None:
        """The value of a text, or None."""
        if self.kind != "segments":
            return decode_value(raw, self.kind)
        parts = [decode_value(part, "segment") or "" for part in raw.split("/")]
        return parts if all(parts) else None

    def write(self, value: object) -> list[str]:
        """The texts a value becomes: one, unless it is a list."""
        items = value if isinstance(value, list | tuple) else [value]
        if isinstance(value, list | tuple) != (self.kind in _LISTS):
            raise AuthorError(f"{self.name} takes {'a list' if self.kind in _LISTS else 'one value'}")
        return [quote(str(item), safe=self.safe, errors="replace") for item in items]


class Piece(msgspec.Struct, frozen=True):
    """Literals with variables between them; the first and the last are literals, which may be empty.

    >>> name, version = Variable("name", "segment"), Variable("version", "segment")
    >>> Piece(("", "-v", ".json"), (name, version)).match("tea-v1-v2.json")
    {'version': '2', 'name': 'tea-v1'}
    """

    literals: tuple[str, ...]
    variables: tuple[Variable, ...]

    def match(self, text: str) -> dict[str, Value] | None:
        """The values in this text, none of them empty; or None.

        It is read once, from the right, so that no text makes it backtrack. Where a text could be cut in two
        ways, the variable to the left takes the longer part.
        """
        values: dict[str, Value] = {}
        if not self.variables:
            return values if text == self.literals[0] else None
        if not text.endswith(self.literals[-1]):
            return None
        end = len(text) - len(self.literals[-1])
        for at in range(len(self.variables) - 1, -1, -1):
            before, variable = self.literals[at], self.variables[at]
            start = text.rfind(before, 0, max(end - 1, 0)) if at else 0
            if start < 0 or not text.startswith(before, start):
                return None
            value = variable.read(text[start + len(before) : end])
            if not value:
                return None
            values[variable.name] = value
            end = start
        return values

    def expand(self, values: dict[str, object]) -> str:
        """The text of this piece with values in place of its variables."""
        texts = ["/".join(variable.write(values[variable.name])) for variable in self.variables]
        return "".join(text for pair in zip(self.literals, [*texts, ""], strict=True) for text in pair)


def decode_value(raw: str, kind: Kind) -> str | None:
    """The value of a text, decoded once; None where it is broken or not allowed (R26-RES-07, R26-RES-09).

    >>> decode_value("S%C3%A3o", "segment"), decode_value("..%2fetc", "segment"), decode_value("%252e", "segment")
    ('São', None, '%2e')
    """
    try:
        value = unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None
    if _BROKEN_ESCAPE.search(raw) or _CONTROL.search(value):
        return None
    if kind in ("text", "texts"):
        return value
    # Checked after decoding, so that %2F and %2e%2e count. To Windows a backslash is a slash.
    parts = value.split("/")
    climbs = "\\" in value or "." in parts or ".." in parts
    leaves = len(parts) > 1 and (kind != "path" or not parts[0])
    return None if climbs or leaves else value
