"""Bytes <-> JSON, strict. Knows neither JSON-RPC nor MCP, and encodes only what msgspec knows by itself."""

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
    "check_depth",
    "converted",
    "decode",
    "encode",
    "encode_base64",
    "encode_utf8",
    "is_json",
    "reader",
    "styled",
    "to_bytes",
    "told",
    "wrapped",
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

_TURNS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # one up or, in a signed byte, one down
_OTHERS = bytes(set(range(256)) - set(b"[{]}"))


def check_depth(raw: bytes | msgspec.Raw) -> None:
    """Refuse JSON that nests too deep for us, whatever the interpreter could follow; raises ParseError.

    Most messages have too few brackets for that, and are not looked at.
    """
    if len(raw) <= 2 * MAX_DEPTH:
        return
    left = bytes(raw)
    if left.count(b"{") + left.count(b"[") <= MAX_DEPTH:
        return
    if b"\\" in left:
        left = left.replace(rb"\\", b"").replace(rb"\"", b"")
    left = b"".join(left.split(b'"')[::2])  # what is outside of strings
    if max(accumulate(memoryview(left.translate(_TURNS, _OTHERS)).cast("b")), default=0) > MAX_DEPTH:
        raise ParseError(f"Parse error: arrays and objects nest more than {MAX_DEPTH} levels deep")


_pass_over = msgspec.json.Decoder(msgspec.Raw).decode


def is_json(raw: bytes) -> bool:
    """Whether these bytes are JSON, for those who take somebody else's word; it takes a third of writing them.

    >>> is_json(b'{"a": [1]}'), is_json(b'{"a": 1'), is_json(b'"\\xff"')
    (True, False, False)
    """
    try:
        _pass_over(raw)
        return raw.isascii() or bool(raw.decode())
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False


# Types --------------------------------------------------------------------------------------------

_one_at_a_time = threading.RLock()
_met: set[type] = set()


def reader(kind: Any) -> Callable[[Any], Any]:
    """What reads JSON as a type; raises TypeError for one that cannot be read.

    msgspec takes a class apart when it first meets it, and two threads that do so to the same class end the process.
    """
    with _one_at_a_time:
        return msgspec.json.Decoder(kind).decode


def converted(data: Any, kind: type[T]) -> T:
    """Data as a class; raises msgspec.ValidationError."""
    if kind not in _met:
        reader(kind)
        _met.add(kind)
    return msgspec.convert(data, kind)


def _forked() -> None:
    """A child of this process has none of the threads that may hold a lock."""
    global _one_at_a_time
    _one_at_a_time = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


# Text ---------------------------------------------------------------------------------------------


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


PIECE = 3 * 2**17
"""How many bytes are written in one go where there are many: other threads have their turn in between."""


def encode_base64(data: bytes) -> msgspec.Raw:
    """Many bytes as a JSON string of their base64, piece by piece.

    >>> bytes(encode_base64(b"hi"))
    b'"aGk="'
    """
    pieces = range(0, len(data), PIECE)
    return _quoted([b2a_base64(data[start : start + PIECE], newline=False) for start in pieces])


def encode_utf8(data: bytes) -> msgspec.Raw:
    """A long text in UTF-8 as a JSON string, piece by piece, without a byte order mark; raises UnicodeDecodeError.

    >>> bytes(encode_utf8(b"hi"))
    b'"hi"'
    """
    decode = getincrementaldecoder("utf-8-sig")().decode
    pieces = [decode(data[start : start + PIECE]) for start in range(0, len(data), PIECE)]
    pieces.append(decode(b"", True))
    return _quoted([encode(piece)[1:-1] for piece in pieces])


def _quoted(pieces: list[bytes]) -> msgspec.Raw:
    return msgspec.Raw(b"".join([b'"', *pieces, b'"']))


def wrapped(raw: bytes, key: str) -> bytes:
    """JSON as the one member of an object.

    >>> wrapped(b"42", "result")
    b'{"result":42}'
    """
    return b"{" + encode(key) + b":" + raw + b"}"


_format: Any = msgspec.json.format

STYLES: dict[str, Callable[[bytes], bytes]] = {
    "compact": bytes,
    "spaced": partial(_format, indent=0),
    "indent": partial(_format, indent=2),
}
"""What lays out compact JSON in each of the styles of a policy."""


def styled(raw: bytes, style: str) -> str:
    """Compact JSON as text in a style.

    >>> styled(b'{"a":[1,2]}', "spaced")
    '{"a": [1, 2]}'
    """
    return STYLES[style](raw).decode()


def told(raw: bytes, style: str) -> bytes:
    """The same text as a JSON string.

    >>> told(b'{"a":[1,2]}', "spaced")
    b'"{\\\\"a\\\\": [1, 2]}"'
    """
    return encode(styled(raw, style))
