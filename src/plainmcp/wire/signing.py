"""Signed text and bytes: state that travels through clients and stores, and comes back unchanged."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import msgspec

from ..errors import InvalidParams
from . import codec

__all__ = ["SIZE", "derive_key", "digest", "seal", "sign", "unseal", "verify"]

SIZE = 32
"""How many bytes a signature has."""


def derive_key(key: bytes, *purpose: str) -> bytes:
    """A key for one purpose only: what is signed for one is not valid for another.

    >>> derive_key(b"key", "session", "weather") == derive_key(b"key", "session", "library")
    False
    """
    return _mac(msgspec.json.encode(purpose), key)


def sign(raw: bytes, key: bytes) -> bytes:
    """Bytes with a signature before them."""
    return _mac(raw, key) + raw


def verify(signed: bytes, key: bytes) -> bytes | None:
    """The bytes after a signature; None if it was not made with this key.

    >>> verify(sign(b"bytes", b"key"), b"key"), verify(sign(b"bytes", b"key"), b"other")
    (b'bytes', None)
    """
    from hmac import compare_digest

    raw = signed[SIZE:]
    return raw if compare_digest(signed[:SIZE], _mac(raw, key)) else None


def seal(content: Any, key: bytes) -> str:
    """Content as text with a signature.

    >>> unseal(seal({"step": 2}, b"key"), b"key")
    {'step': 2}
    """
    return urlsafe_b64encode(sign(codec.encode(content), key)).decode("ascii").rstrip("=")


def unseal(text: str, key: bytes) -> Any:
    """The content of a sealed text; raises InvalidParams for a text that was not signed with this key (MRTR-06)."""
    try:
        sealed = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        canonical = urlsafe_b64encode(sealed).decode("ascii").rstrip("=") == text
    except ValueError:
        sealed, canonical = b"", False
    raw = verify(sealed, key) if canonical else None
    if raw is None:
        raise InvalidParams("requestState is not one this server gave out")
    return codec.decode(raw)


def _mac(raw: bytes, key: bytes) -> bytes:
    from hmac import digest

    return digest(key, raw, "sha256")


def digest(*parts: Any) -> str:
    """A short digest of data, the same however its JSON was written."""
    from hashlib import sha256

    raw = msgspec.json.encode(parts, order="sorted")
    return urlsafe_b64encode(sha256(raw).digest()[:18]).decode("ascii")
