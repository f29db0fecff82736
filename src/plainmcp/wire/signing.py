"""Signed text: state that travels through a client and comes back unchanged. Knows no protocol."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import msgspec

from ..errors import InvalidParams
from . import codec

__all__ = ["digest", "seal", "unseal"]

_MAC = 32


def seal(state: Any, key: bytes) -> str:
    """State as text with a signature.

    >>> unseal(seal({"step": 2}, b"key"), b"key")
    {'step': 2}
    """
    raw = codec.encode(state)
    return urlsafe_b64encode(_sign(raw, key) + raw).decode("ascii").rstrip("=")


def unseal(text: str, key: bytes) -> Any:
    """The state in a sealed text; raises InvalidParams for a text that was not signed with this key (MRTR-06)."""
    from hmac import compare_digest

    try:
        sealed = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        canonical = urlsafe_b64encode(sealed).decode("ascii").rstrip("=") == text
    except ValueError:
        sealed, canonical = b"", False
    mac, raw = sealed[:_MAC], sealed[_MAC:]
    if not canonical or not compare_digest(mac, _sign(raw, key)):
        raise InvalidParams("requestState is not one this server gave out")
    return codec.decode(raw)


def _sign(raw: bytes, key: bytes) -> bytes:
    from hmac import digest

    return digest(key, raw, "sha256")


def digest(*parts: Any) -> str:
    """A short digest of data, the same however its JSON was written."""
    from hashlib import sha256

    raw = msgspec.json.encode(parts, order="sorted")
    return urlsafe_b64encode(sha256(raw).digest()[:18]).decode("ascii")
