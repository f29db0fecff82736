"""One piece of a URI template, such as a segment of its path: what its variables may hold, and do hold.

Here a value is decoded, and refused if it could climb out of its place. Knows nothing of whole URIs, nor of how
a template is written (see uritemplate).
"""

import re
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote_to_bytes

import msgspec

from ..errors import AuthorError

__all__ = ["Kind", "Piece", "Value", "Variable", "decoded"]

Value: TypeAlias = str | list[str]

# segment: no slash, no backslash, neither . nor ..
# path: segments with slashes between them, the first of them not empty
# segments: the same as a list
# text, texts: anything
Kind: TypeAlias = Literal["segment", "path", "segments", "text", "texts"]

_LISTS = ("segments", "texts")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Variable(msgspec.Struct, frozen=True):
    """A name in a template, what its value may be, and which characters stay unencoded in it."""

    name: str
    kind: Kind
    safe: str = ""

    def read(self, raw: str) -> Value | None:
        """The value a text stands for, or None."""
        if self.kind != "segments":
            return decoded(raw, self.kind)
        found = [decoded(part, "segment") or "" for part in raw.split("/")]
        return found if all(found) else None

    def write(self, value: object) -> list[str]:
        """The texts a value becomes: one, unless it is a list."""
        items = value if isinstance(value, list | tuple) else [value]
        if isinstance(value, list | tuple) != (self.kind in _LISTS):
            raise AuthorError(f"{self.name} takes {'a list' if self.kind in _LISTS else 'one value'}")
        return [quote(str(item), safe=self.safe, errors="replace") for item in items]


class Piece(msgspec.Struct, frozen=True):
    """Literals with variables between them; it begins and ends with a literal, which may be empty.

    >>> name, version = Variable("name", "segment"), Variable("version", "segment")
    >>> Piece(("", "-v", ".json"), (name, version)).match("tea-v1-v2.json")
    {'version': '2', 'name': 'tea-v1'}
    """

    literals: tuple[str, ...]
    variables: tuple[Variable, ...]

    def match(self, text: str) -> dict[str, Value] | None:
        """The values in this text, none of them empty; or None.

        It is read once, from the right, so that no text makes it go back and try again. Where a text could be
        cut in two ways, the variable to the left takes the longer part.
        """
        found: dict[str, Value] = {}
        if not self.variables:
            return found if text == self.literals[0] else None
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
            found[variable.name] = value
            end = start
        return found

    def expand(self, values: dict[str, object]) -> str:
        """The text of this piece with values in place of its variables."""
        written = ["/".join(variable.write(values[variable.name])) for variable in self.variables]
        return "".join(text for pair in zip(self.literals, [*written, ""], strict=True) for text in pair)


def decoded(raw: str, kind: Kind) -> str | None:
    """What a text stands for, decoded once; None where it is broken or may not stand (R26-RES-07, R26-RES-09).

    >>> decoded("S%C3%A3o%20Paulo", "segment"), decoded("..%2fetc", "segment"), decoded("%252e", "segment")
    ('São Paulo', None, '%2e')
    """
    try:
        value = unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None
    if _BROKEN_ESCAPE.search(raw) or _CONTROL.search(value):
        return None
    if kind in ("text", "texts"):
        return value
    # Judged after decoding: %2F and %2e%2e are what they stand for. To Windows a backslash is a slash.
    parts = value.split("/")
    climbs = "\\" in value or "." in parts or ".." in parts
    leaves = len(parts) > 1 and (kind != "path" or not parts[0])
    return None if climbs or leaves else value
