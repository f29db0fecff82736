"""The headers of a request, and what those that repeat the body must say. Pure: knows names and values, no I/O."""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ..errors import HeaderMismatch
from ..jsonrpc import Envelope

__all__ = ["Headers", "decoded", "match_method", "match_params", "match_version"]

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(r"[\t\x20-\x7e]*")
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,4})?")
_EXACT = 2**53 - 1


class Headers:
    """Header values by name, in any case of it (R26-HDR-08), with the blanks around them taken off.

    Not every HTTP parser does the latter. Where names were folded on the way, as WSGI does, `_` and `-` are one.
    Whoever asks spells a name as `key` does.
    """

    __slots__ = ("_folded", "_twice", "_values")

    def __init__(self, pairs: Iterable[tuple[str, str]], *, folded: bool = False) -> None:
        self._folded = folded
        keyed = [(self.key(name) if folded else name.lower(), value.strip(" \t")) for name, value in pairs]
        self._values = dict(keyed)
        self._twice: set[str] = set()
        if len(keyed) != len(self._values):
            self._twice = {key for key, times in Counter(key for key, _ in keyed).items() if times > 1}
        if "accept" in self._twice:  # a list, which may come in several lines
            self._values["accept"] = ", ".join(value for key, value in keyed if key == "accept")

    def key(self, name: str) -> str:
        """A header's name in one spelling."""
        name = name.lower()
        return name.replace("_", "-") if self._folded else name

    def get(self, key: str) -> str | None:
        """A header's value, the last if there are several; None without one."""
        return self._values.get(key)

    def one(self, key: str) -> str | None:
        """The same for a header others act upon: said twice, two readers could disagree; raises HeaderMismatch."""
        if key in self._twice:
            raise HeaderMismatch(f"the header {key} is given twice")
        return self._values.get(key)

    def repeated(self, key: str) -> bool:
        """Whether a header was given more than once."""
        return key in self._twice


def decoded(value: str, name: str) -> str:
    """What a header value stands for (R26-HDR-07); raises HeaderMismatch for one that is not well made (R26-HDR-09).

    >>> decoded("=?base64?SGVsbG8=?=", "Mcp-Name"), decoded("SGVsbG8=", "Mcp-Name")
    ('Hello', 'SGVsbG8=')
    """
    if not _PLAIN.fullmatch(value):
        raise HeaderMismatch(f"the header {name} holds characters that no header may hold")
    if not (value.startswith("=?base64?") and value.endswith("?=") and len(value) >= 11):
        return value
    try:
        return b64decode(value[9:-2], validate=True).decode()
    except ValueError:
        raise HeaderMismatch(f"the header {name} is not the base64 of a text") from None


def match_version(headers: Headers, version: str) -> None:
    """MCP-Protocol-Version repeats what the request says itself (R26-HDR-03, R26-HDR-04)."""
    if headers.one("mcp-protocol-version") != version:
        raise HeaderMismatch("the header MCP-Protocol-Version and the version in params._meta differ")


def match_method(headers: Headers, envelope: Envelope) -> None:
    """Mcp-Method and Mcp-Name repeat the method, and the name or the URI it is about (R26-HDR-05, R26-HDR-06)."""
    method = str(envelope.method)
    if headers.one("mcp-method") != method:
        raise HeaderMismatch("the header Mcp-Method and the method of the body differ")
    field = _NAMED.get(method)
    said = getattr(envelope.params, field) if field and envelope.params is not None else None
    if not isinstance(said, str):
        return  # nothing to repeat; that it is missing is for the method to say
    value = headers.one("mcp-name")
    if value is None or decoded(value, "Mcp-Name") != said:
        raise HeaderMismatch(f"the header Mcp-Name and params.{field} differ")


def match_params(headers: Headers, wanted: dict[str, tuple[str, ...]], arguments: Any) -> None:
    """Each Mcp-Param header repeats its argument (R26-HDR-10); without one it is not looked at (R26-HDR-11)."""
    for name, path in wanted.items():
        argument = arguments
        for step in path:
            argument = argument.get(step) if isinstance(argument, dict) else None
        if argument is None:
            continue
        value = headers.one(headers.key(name))
        if value is None:
            raise HeaderMismatch(f"the header {name} is missing")
        if not _same(decoded(value, name), argument):
            raise HeaderMismatch(f"the header {name} and the argument {'.'.join(path)} differ")


def _same(text: str, argument: Any) -> bool:
    if isinstance(argument, bool):
        return text == ("true" if argument else "false")
    if isinstance(argument, (int, float)):  # 42 and 42.0 are one number (R26-HDR-12)
        if abs(argument) > _EXACT or not _NUMBER.fullmatch(text):
            return False
        return Decimal(text) == Decimal(str(argument))
    return isinstance(argument, str) and text == argument
