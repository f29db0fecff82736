"""Which part of a list a cursor asks for, and the cursor of the part after it.

Knows neither what is listed nor how it is encoded. A cursor holds the key of the last item given out, not a position:
it survives a restart, and whatever is added or removed meanwhile, no other item is skipped or given twice.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias
from zlib import crc32

import msgspec

from ..errors import AuthorError, InvalidParams

__all__ = ["Key", "Page", "page"]

# A name or URI where a list is in that order; a serial number that only grows where it is in order of registration.
Key: TypeAlias = str | int

# Goes up when the same key comes to mean another place; older cursors are then refused.
_VERSION = 1
_cursor = msgspec.json.Decoder(tuple[int, str, str | int])


class Page(msgspec.Struct, frozen=True):
    """The items from `start` up to `stop`; no `next_cursor` on the last page."""

    start: int
    stop: int
    next_cursor: str | None


def page(keys: Sequence[str] | Sequence[int], cursor: object, size: int | None, kind: str) -> Page:
    """The page that follows a cursor, in a list whose keys grow from first to last; no size means all of it.

    `kind` says which list it is, for a cursor is good for that one only. Raises InvalidParams for any other.

    >>> first = page(["ant", "bee", "cat"], None, 2, "tools")
    >>> first.start, first.stop
    (0, 2)
    >>> page(["ant", "cat"], first.next_cursor, 2, "tools")
    Page(start=1, stop=2, next_cursor=None)
    """
    if size is not None and size < 1:
        raise AuthorError(f"a page has at least one item, not {size}")
    start = 0 if cursor is None else _after(keys, _opened(cursor, kind))
    stop = len(keys) if size is None else min(start + size, len(keys))
    return Page(start, stop, _sealed(kind, keys[stop - 1]) if stop < len(keys) else None)


def _after(keys: Sequence[str] | Sequence[int], key: Key) -> int:
    """The place after a key, whether or not its item is still there."""
    if keys and isinstance(key, str) != isinstance(keys[0], str):
        raise _foreign()  # given out while the list had its other order
    return bisect_right(keys, key)


def _sealed(kind: str, key: Key) -> str:
    """The cursor of a key. The checksum keeps no secret: it tells a cursor of ours from one made up."""
    body = msgspec.json.encode((_VERSION, kind, key))
    return urlsafe_b64encode(crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


def _opened(cursor: object, kind: str) -> Key:
    """The key in a cursor; -32602 for one we did not give out for this list (R26-PAGE-02)."""
    if not isinstance(cursor, str):
        raise _foreign()
    try:
        _, _, key = _cursor.decode(urlsafe_b64decode(f"{cursor}==")[4:])
    except (ValueError, msgspec.MsgspecError):
        raise _foreign() from None
    # Written again it must be the same: that covers version, kind, checksum and every odd spelling at once.
    if cursor != _sealed(kind, key):
        raise _foreign()
    return key


def _foreign() -> InvalidParams:
    return InvalidParams("Invalid cursor: this list did not give it out; ask without one for the first page")
