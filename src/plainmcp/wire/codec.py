"""JSON to data and data to JSON, strict. Knows neither JSON-RPC nor MCP, and encodes only what msgspec can encode."""

import os
import threading
from binascii import b2a_base64
from codecs import getincrementaldecoder
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar

import msgspec

from ..errors import ParseError

__all__ = [
    "MAX_DEPTH",
    "STYLES",
    "TOO_DEEP",
    "as_json_string",
    "check_depth",
    "convert",
    "decode",
    "decoder_of",
    "encode",
    "encode_base64",
    "encode_utf8",
    "format_json",
    "is_json",
    "to_bytes",
    "wrap",
]

T = TypeVar("T")

encode = msgspec.json.Encoder().encode
"""A wire object, or plain data, as compact JSON."""


def decode(raw: bytes | str) -> Any:
    """JSON as plain data; raises ParseError."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ParseError(f"Parse error: {error}") from error


MAX_DEPTH = 128
"""How deep arrays and objects may nest in a message: a value of 100 levels, as they are sent, and its envelope."""

TOO_DEEP = f"arrays and objects nest more than {MAX_DEPTH} levels deep"
"""What is wrong with a message beyond that."""

_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # 1 or, as a signed byte, -1
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))


def check_depth(raw: bytes | msgspec.Raw) -> None:
    """Refuse JSON that nests deeper than MAX_DEPTH; raises ParseError.

    Most messages have too few brackets for that, and are not examined.
    """
    if len(raw) <= 2 * MAX_DEPTH:
        return
    text = bytes(raw)
    if text.count(b"{") + text.count(b"[") <= MAX_DEPTH:
        return
    if b"\\" in text:
        text = text.replace(rb"\\", b"").replace(rb"\"", b"")
    text = b"".join(text.split(b'"')[::2])  # the part outside of strings
    if max(accumulate(memoryview(text.translate(_STEPS, _NOT_BRACKETS)).cast("b")), default=0) > MAX_DEPTH:
        raise ParseError(f"Parse error: {TOO_DEEP}")


_skip = msgspec.json.Decoder(msgspec.Raw).decode


def is_json(raw: bytes) -> bool:
    """Whether these bytes are valid JSON; this takes a third of the time that encoding takes.

    >>> is_json(b'{"a": [1]}'), is_json(b'{"a": 1'), is_json(b'"\\xff"')
    (True, False, False)
    """
    try:
        _skip(raw)
        return raw.isascii() or bool(raw.decode())
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False


# Types --------------------------------------------------------------------------------------------

_lock = threading.RLock()
_prepared: set[type] = set()


def decoder_of(kind: Any) -> Callable[[Any], Any]:
    """A function that decodes JSON as a type; raises TypeError for a type that msgspec cannot decode.

    msgspec inspects a class when it first sees it. Two threads that do so for the same class crash the process.
    """
    with _lock:
        return msgspec.json.Decoder(kind).decode


def convert(data: Any, kind: type[T]) -> T:
    """Convert data to a class; raises msgspec.ValidationError."""
    if kind not in _prepared:
        decoder_of(kind)
        _prepared.add(kind)
    return msgspec.convert(data, kind)


def _reset_lock() -> None:
    """Replace the lock in a forked child, where the thread that held it does not exist."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_lock)


# Text ---------------------------------------------------------------------------------------------


def to_bytes(message: Any) -> bytes:
    """A message given as bytes, text or data, as bytes; raises ParseError."""
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


PIECE = 3 * 2**17
"""How many bytes are encoded at once: between two pieces other threads can run."""


def encode_base64(data: bytes) -> msgspec.Raw:
    """A JSON string of the base64 of many bytes, encoded piece by piece.

    >>> bytes(encode_base64(b"hi"))
    b'"aGk="'
    """
    pieces = range(0, len(data), PIECE)
    return _join_string([b2a_base64(data[start : start + PIECE], newline=False) for start in pieces])


def encode_utf8(data: bytes) -> msgspec.Raw:
    """A JSON string of a long UTF-8 text without its byte order mark, piece by piece; raises UnicodeDecodeError.

    >>> bytes(encode_utf8(b"hi"))
    b'"hi"'
    """
    decode = getincrementaldecoder("utf-8-sig")().decode
    pieces = [decode(data[start : start + PIECE]) for start in range(0, len(data), PIECE)]
    pieces.append(decode(b"", True))
    return _join_string([encode(piece)[1:-1] for piece in pieces])


def _join_string(pieces: list[bytes]) -> msgspec.Raw:
    return msgspec.Raw(b"".join([b'"', *pieces, b'"']))


def wrap(raw: bytes, key: str) -> bytes:
    """A JSON object whose only member is this JSON.

    >>> wrap(b"42", "result")
    b'{"result":42}'
    """
    return b"{" + encode(key) + b":" + raw + b"}"


_format: Any = msgspec.json.format

STYLES: dict[str, Callable[[bytes], bytes]] = {
    "compact": bytes,
    "spaced": partial(_format, indent=0),
    "indent": partial(_format, indent=2),
}
"""A formatter of compact JSON for each `json_style` of a policy."""


def format_json(raw: bytes, style: str) -> str:
    """Compact JSON as text, formatted in a style.

    >>> format_json(b'{"a":[1,2]}', "spaced")
    '{"a": [1, 2]}'
    """
    return STYLES[style](raw).decode()


def as_json_string(raw: bytes, style: str) -> bytes:
    """Compact JSON, formatted in a style, as a JSON string.

    >>> as_json_string(b'{"a":[1,2]}', "spaced")
    b'"{\\\\"a\\\\": [1, 2]}"'
    """
    return encode(format_json(raw, style))
