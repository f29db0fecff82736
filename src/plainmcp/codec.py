"""Bytes <-> JSON, strict. Knows neither JSON-RPC nor MCP, and encodes only what msgspec knows by itself."""

from typing import Any

import msgspec

from .errors import ParseError

__all__ = ["decode", "encode", "styled", "to_bytes", "told", "wrapped"]

_format = msgspec.json.format
_INDENT = {"spaced": 0, "indent": 2}

encode = msgspec.json.Encoder().encode
"""A wire object, or plain data, as compact JSON."""


def decode(raw: bytes | str) -> Any:
    """JSON as plain data; raises ParseError."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ParseError(f"Parse error: {error}") from error


def to_bytes(message: Any) -> bytes:
    """A message as it may come in, bytes or text or data, as bytes; raises ParseError."""
    if isinstance(message, bytes):
        return message
    try:
        if isinstance(message, str):
            return message.encode()
        if isinstance(message, (bytearray, memoryview)):
            return bytes(message)
        return encode(message)
    except (TypeError, ValueError, RecursionError, BufferError) as error:
        raise ParseError(f"Parse error: {error}") from error


def wrapped(raw: bytes, key: str) -> bytes:
    """JSON as the one member of an object.

    >>> wrapped(b"42", "result")
    b'{"result":42}'
    """
    return b"{" + encode(key) + b":" + raw + b"}"


def styled(raw: bytes, style: str) -> str:
    """Compact JSON as text in one of the styles of a policy.

    >>> styled(b'{"a":[1,2]}', "spaced")
    '{"a": [1, 2]}'
    """
    if style == "compact":
        return raw.decode()
    return _format(raw, indent=_INDENT[style]).decode()


def told(raw: bytes, style: str) -> bytes:
    """The same text as a JSON string.

    >>> told(b'{"a":[1,2]}', "spaced")
    b'"{\\\\"a\\\\": [1, 2]}"'
    """
    return encode(raw.decode() if style == "compact" else _format(raw, indent=_INDENT[style]).decode())
