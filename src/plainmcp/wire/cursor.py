"""Pagination: which part of a list a cursor asks for, and the cursor of the part after it.

Knows neither what is listed nor how it is encoded. A cursor holds the key of the last item sent, not a position: it
survives a restart, and whatever is added or removed meanwhile, no other item is skipped or sent twice.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias
from zlib import crc32

import msgspec

from ..errors import AuthorError, InvalidParams

__all__ = ["Key", "Page", "page_of"]

# A name or URI where a list is in that order; a serial number that only grows where it is in order of registration.
Key: TypeAlias = str | int

# Increased when the meaning of a key changes; older cursors are then refused.
_VERSION = 1
_cursor_decoder = msgspec.json.Decoder(tuple[int, str, str | int])


class Page(msgspec.Struct, frozen=True):
    """The items from `start` up to `stop`; no `next_cursor` on the last page."""

    start: int
    stop: int
    next_cursor: str | None


def page_of(keys: Sequence[str] | Sequence[int], cursor: object, size: int | None, kind: str) -> Page:
    """The page that follows a cursor, in a list whose keys grow from first to last; no size means all of it.

    `kind` names the list: a cursor is valid for one list only. Raises InvalidParams for any other cursor.

    >>> first = page_of(["ant", "bee", "cat"], None, 2, "tools")
    >>> first.start, first.stop
    (0, 2)
    >>> page_of(["ant", "cat"], first.next_cursor, 2, "tools")
    Page(start=1, stop=2, next_cursor=None)
    """
    if size is not None and size < 1:
        raise AuthorError(f"a page has at least one item, not {size}")
    start = 0 if cursor is None else _index_after(keys, _decode_cursor(cursor, kind))
    stop = len(keys) if size is None else min(start + size, len(keys))
    return Page(start, stop, _encode_cursor(kind, keys[stop - 1]) if stop < len(keys) else None)


def _index_after(keys: Sequence[str] | Sequence[int], key: Key) -> int:
    """The index after a key, whether or not its item still exists."""
    if keys and isinstance(key, str) != isinstance(keys[0], str):
        raise _cursor_error()  # sent while the list had its other order
    return bisect_right(keys, key)


def _encode_cursor(kind: str, key: Key) -> str:
    """The cursor of a key. The checksum is not secret: it tells a cursor of ours from an invented one."""
    body = msgspec.json.encode((_VERSION, kind, key))
    return urlsafe_b64encode(crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


def _decode_cursor(cursor: object, kind: str) -> Key:
    """The key in a cursor; InvalidParams (-32602) for one we did not send for this list (R26-PAGE-02)."""
    if not isinstance(cursor, str):
        raise _cursor_error()
    try:
        _, _, key = _cursor_decoder.decode(urlsafe_b64decode(f"{cursor}==")[4:])
    except (ValueError, msgspec.MsgspecError):
        raise _cursor_error() from None
    # Encoded again it must be the same: this covers version, kind, checksum and every odd spelling at once.
    if cursor != _encode_cursor(kind, key):
        raise _cursor_error()
    return key


def _cursor_error() -> InvalidParams:
    return InvalidParams("Invalid cursor: this list did not give it out; ask without one for the first page")
