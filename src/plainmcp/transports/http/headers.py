"""The headers of a request, and the check of headers that repeat parts of the body. Does no I/O."""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ...errors import HeaderMismatch
from ...limits.shares import network_of
from ...protocol.methods import Method
from ...wire.jsonrpc import Envelope

__all__ = ["MAX_CACHED", "Headers", "match_method", "match_params", "to_text"]

_PLAIN = re.compile(rb"[\t\x20-\x7e]*")
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,4})?")
_EXACT = 2**53 - 1
MAX_CACHED = 500
"""The longest header value that is stored for the next requests."""


class Headers:
    """Header values by name, without blanks around them: not every HTTP parser strips them.

    Names are not case-sensitive (R26-HDR-08): ASGI servers send them in lowercase, but middleware may not. With
    `folded`, `_` and `-` in names are equal, because WSGI replaces one by the other. Values are decoded when read.
    """

    __slots__ = ("_folded", "address", "duplicates", "raw", "scope")

    def __init__(
        self,
        pairs: Collection[tuple[bytes, bytes]],
        address: str | None = None,
        scope: Any = None,
        *,
        folded: bool = False,
    ) -> None:
        self.address = address  # of the client, if it is known
        self.scope = scope  # what else is known of the request: see RequestHeaders
        self._folded = folded
        raw = dict(pairs)
        if not all(map(bytes.islower, raw)):
            pairs = [(name.lower(), value) for name, value in pairs]
            raw = dict(pairs)
        self.raw = raw
        self.duplicates: set[bytes] | None = None  # the names that come more than once
        if len(raw) != len(pairs):
            self.duplicates = {name for name, times in Counter(name for name, _ in pairs).items() if times > 1}
            if b"accept" in self.duplicates:  # a list, which may be split over several lines
                raw[b"accept"] = b", ".join(value for name, value in pairs if name == b"accept")

    @property
    def network(self) -> str | None:
        """What the address is counted by; None if it is not known."""
        return None if self.address is None else network_of(self.address)

    def get(self, name: bytes) -> str | None:
        """The value of a header, the last if there are several; None if there is none."""
        return to_text(self.raw.get(name))

    def as_dict(self) -> dict[str, str]:
        """The values by lowercase name."""
        return {name.decode("latin-1"): to_text(value) or "" for name, value in self.raw.items()}

    def check_once(self, name: bytes) -> None:
        """Refuse a header that comes twice; raises HeaderMismatch. A proxy might use one and the server the other."""
        if self.duplicates is not None and name in self.duplicates:
            raise HeaderMismatch(f"the header {name.decode('latin-1')} is given twice")

    def get_unique(self, name: bytes) -> bytes | None:
        """The value of a header that may come only once, as bytes; raises HeaderMismatch."""
        if self.duplicates is not None:
            self.check_once(name)
        value = self.raw.get(name)
        return None if value is None else value.strip(b" \t")

    def value_of(self, name: bytes, shown: str) -> str | None:
        """The decoded value of a header that repeats a part of the body (R26-HDR-07); raises HeaderMismatch."""
        if self.duplicates is not None:
            self.check_once(name)
        value = self.raw.get(name)
        if value is None:
            return None
        return (_decode_value if len(value) <= MAX_CACHED else _decode_value.__wrapped__)(value, shown)

    def param(self, name: str) -> str | None:
        """The decoded value of a header that a tool's schema names; raises HeaderMismatch."""
        key = name.lower().encode()
        return self.value_of(key.replace(b"_", b"-") if self._folded else key, name)


def to_text(value: bytes | None) -> str | None:
    """The value of a header as text, without blanks around it."""
    return None if value is None else value.decode("latin-1").strip(" \t")


@lru_cache(maxsize=256)
def _decode_value(value: bytes, name: str) -> str:
    """The text that a header value encodes; raises HeaderMismatch for an invalid one (R26-HDR-09).

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


def match_method(headers: Headers, header: str | None, envelope: Envelope, methods: Mapping[str, Method]) -> None:
    """Check that Mcp-Method and Mcp-Name repeat the method and its name or URI (R26-HDR-05, R26-HDR-06)."""
    if headers.duplicates is not None:
        headers.check_once(b"mcp-method")
    method, params = envelope.method, envelope.params
    if header != method:
        raise HeaderMismatch("the header Mcp-Method and the method of the body differ")
    row = methods.get(method or "")
    field = None if row is None else row.header
    if field is None or params is None:
        return
    repeated = getattr(params, field, None)
    if not isinstance(repeated, str):  # a parameter that few methods have
        repeated = params.as_dict().get(field)
    if not isinstance(repeated, str):
        return  # the method itself reports that it is missing
    if headers.value_of(b"mcp-name", "Mcp-Name") != repeated:
        raise HeaderMismatch(f"the header Mcp-Name and params.{field} differ")


def match_params(headers: Headers, header_map: dict[str, tuple[str, ...]], arguments: Any) -> None:
    """Check that each Mcp-Param header repeats its argument, if there is one (R26-HDR-10, R26-HDR-11)."""
    for name, path in header_map.items():
        argument = arguments
        for step in path:
            argument = argument.get(step) if isinstance(argument, dict) else None
        if argument is None:
            continue
        value = headers.param(name)
        if value is None:
            raise HeaderMismatch(f"the header {name} is missing")
        if not _is_same(value, argument):
            raise HeaderMismatch(f"the header {name} and the argument {'.'.join(path)} differ")


def _is_same(text: str, argument: Any) -> bool:
    if isinstance(argument, bool):
        return text == ("true" if argument else "false")
    if isinstance(argument, (int, float)):  # 42 and 42.0 are equal (R26-HDR-12)
        if abs(argument) > _EXACT or not _NUMBER.fullmatch(text):
            return False
        return Decimal(text) == Decimal(str(argument))
    return isinstance(argument, str) and text == argument
