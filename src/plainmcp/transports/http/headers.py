"""The headers of a request, and what those that repeat the body must say. Pure: knows names and values, no I/O."""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Collection
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ...errors import HeaderMismatch
from ...wire.jsonrpc import Envelope

__all__ = ["MEMORABLE", "Headers", "match_method", "match_params"]

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(rb"[\t\x20-\x7e]*")
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,4})?")
_EXACT = 2**53 - 1
MEMORABLE = 500
"""How long a header may be that is remembered for the next request."""
MANY = 500
"""How many names of headers are known to be in small letters; it takes less time to know than to look."""
_SMALL = {
    b"accept", b"accept-encoding", b"accept-language", b"authorization", b"connection", b"content-length",
    b"content-type", b"cookie", b"host", b"last-event-id", b"mcp-method", b"mcp-name", b"mcp-protocol-version",
    b"mcp-session-id", b"origin", b"user-agent",
}  # fmt: skip


class Headers:
    """Header values by name, with the blanks around them taken off, which not every HTTP parser does.

    Any case of a name means the same (R26-HDR-08); ASGI servers give small letters, but not all that comes between.
    Where names were folded on the way, as WSGI does, `_` and `-` are one. A value is read when somebody asks for it.
    """

    __slots__ = ("_folded", "raw", "twice")

    def __init__(self, pairs: Collection[tuple[bytes, bytes]], *, folded: bool = False) -> None:
        self._folded = folded
        raw = dict(pairs)
        if not _SMALL.issuperset(raw):
            pairs = _in_small_letters(pairs)
            raw = dict(pairs)
        self.raw = raw
        self.twice: set[bytes] | None = None  # the names given more than once
        if len(raw) != len(pairs):
            self.twice = {name for name, times in Counter(name for name, _ in pairs).items() if times > 1}
            if b"accept" in self.twice:  # a list, which may come in several lines
                raw[b"accept"] = b", ".join(value for name, value in pairs if name == b"accept")

    def get(self, name: bytes) -> str | None:
        """A header's value, the last if there are several; None without one."""
        value = self.raw.get(name)
        return None if value is None else value.decode("latin-1").strip(" \t")

    def check_once(self, name: bytes) -> None:
        """Refuse a header others act upon that is given twice: two readers could disagree; raises HeaderMismatch."""
        if self.twice is not None and name in self.twice:
            raise HeaderMismatch(f"the header {name.decode('latin-1')} is given twice")

    def one(self, name: bytes) -> bytes | None:
        """The value of such a header, in bytes; raises HeaderMismatch."""
        if self.twice is not None:
            self.check_once(name)
        return self.bare(name)

    def bare(self, name: bytes) -> bytes | None:
        """The value of any, in bytes."""
        value = self.raw.get(name)
        return None if value is None else value.strip(b" \t")

    def value_of(self, name: bytes, shown: str) -> str | None:
        """What a header that repeats the body stands for (R26-HDR-07); raises HeaderMismatch."""
        if self.twice is not None:
            self.check_once(name)
        value = self.raw.get(name)
        if value is None:
            return None
        return (_decode_value if len(value) <= MEMORABLE else _decode_value.__wrapped__)(value, shown)

    def param(self, name: str) -> str | None:
        """The same for a header whose name a tool's schema gives, in any case of it."""
        key = name.lower().encode()
        return self.value_of(key.replace(b"_", b"-") if self._folded else key, name)


def _in_small_letters(pairs: Collection[tuple[bytes, bytes]]) -> Collection[tuple[bytes, bytes]]:
    lowered = [(name.lower(), value) for name, value in pairs]
    if len(_SMALL) < MANY:
        _SMALL.update(name for name, _ in lowered if len(name) <= MEMORABLE)
    return lowered


@lru_cache(maxsize=256)
def _decode_value(value: bytes, name: str) -> str:
    """What a header value stands for; raises HeaderMismatch for one that is not well made (R26-HDR-09).

    >>> _decode_value(b"=?base64?SGVsbG8=?=", "Mcp-Name"), _decode_value(b"SGVsbG8=", "Mcp-Name")
    ('Hello', 'SGVsbG8=')
    """
    value = value.strip(b" \t")
    if not _PLAIN.fullmatch(value):
        raise HeaderMismatch(f"the header {name} holds characters that no header may hold")
    if not (value.startswith(b"=?base64?") and value.endswith(b"?=") and len(value) >= 11):
        return value.decode()
    try:
        return b64decode(value[9:-2], validate=True).decode()
    except ValueError:
        raise HeaderMismatch(f"the header {name} is not the base64 of a text") from None


def match_method(headers: Headers, given: str | None, envelope: Envelope) -> None:
    """Mcp-Method and Mcp-Name repeat the method, and the name or the URI it is about (R26-HDR-05, R26-HDR-06)."""
    if headers.twice is not None:
        headers.check_once(b"mcp-method")
    method, params = envelope.method, envelope.params
    if given != method:
        raise HeaderMismatch("the header Mcp-Method and the method of the body differ")
    field = _NAMED.get(str(method))
    if field is None or params is None:
        return
    repeated = params.name if field == "name" else params.uri
    if not isinstance(repeated, str):
        return  # nothing to repeat; that it is missing is for the method to say
    if headers.value_of(b"mcp-name", "Mcp-Name") != repeated:
        raise HeaderMismatch(f"the header Mcp-Name and params.{field} differ")


def match_params(headers: Headers, wanted: dict[str, tuple[str, ...]], arguments: Any) -> None:
    """Each Mcp-Param header repeats its argument (R26-HDR-10); without one it is not looked at (R26-HDR-11)."""
    for name, path in wanted.items():
        argument = arguments
        for step in path:
            argument = argument.get(step) if isinstance(argument, dict) else None
        if argument is None:
            continue
        value = headers.param(name)
        if value is None:
            raise HeaderMismatch(f"the header {name} is missing")
        if not _same(value, argument):
            raise HeaderMismatch(f"the header {name} and the argument {'.'.join(path)} differ")


def _same(text: str, argument: Any) -> bool:
    if isinstance(argument, bool):
        return text == ("true" if argument else "false")
    if isinstance(argument, (int, float)):  # 42 and 42.0 are one number (R26-HDR-12)
        if abs(argument) > _EXACT or not _NUMBER.fullmatch(text):
            return False
        return Decimal(text) == Decimal(str(argument))
    return isinstance(argument, str) and text == argument
