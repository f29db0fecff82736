"""Bytes <-> JSON. Knows neither JSON-RPC nor MCP, and encodes only what msgspec knows by itself."""

from typing import Any

import msgspec

__all__ = ["decode", "encode", "styled"]

_encoder = msgspec.json.Encoder()
_INDENT = {"spaced": 0, "indent": 2}


def encode(message: Any) -> bytes:
    """A wire object, or plain data, as compact JSON."""
    return _encoder.encode(message)


def decode(raw: bytes | str) -> Any:
    """JSON as plain data."""
    return msgspec.json.decode(raw)


def styled(raw: bytes, style: str) -> str:
    """Compact JSON as text in one of the styles of a policy.

    >>> styled(b'{"a":[1,2]}', "spaced")
    '{"a": [1, 2]}'
    """
    if style == "compact":
        return raw.decode()
    return msgspec.json.format(raw, indent=_INDENT[style]).decode()
