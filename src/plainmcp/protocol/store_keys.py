"""The keys of one server in a store, and the signatures of what is stored there.

Does no I/O. Keys carry the name of the server. Content is signed for its place before it is written, and is not
believed otherwise.
"""

import logging
from hmac import compare_digest
from typing import Any
from urllib.parse import quote

import msgspec

from ..wire import signing
from .core import Core

__all__ = ["ServerKeys"]

_log = logging.getLogger("plainmcp")


class ServerKeys:
    """The keys and signatures of one server."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._base = f"{{{quote(core.info.name, safe='')}}}:"  # in braces: one slot of a cluster
        self._secret: bytes | None = None
        self._has_warned = False

    def key(self, *parts: str) -> str:
        """A key of this server: those of other servers are different."""
        return self._base + ":".join(parts)

    def sign(self, key: str, content: Any) -> bytes:
        """Content for a key or log, signed so that it is valid there only."""
        return signing.sign(msgspec.msgpack.encode([key, content]), self._get_secret())

    def open(self, key: str, value: bytes | None) -> Any:
        """The content that was signed for a key or log; None if there is none, or it was not signed for that."""
        if value is None:
            return None
        raw = signing.verify(value, self._get_secret())
        if raw is not None:
            signed_for, content = msgspec.msgpack.decode(raw)
            if signed_for == key:
                return content
        if not self._has_warned:
            self._has_warned = True
            _log.warning(
                "the store has something that was not written by this server, and is ignored (%s): give all replicas "
                "the same Server(key=…), and different servers different names. This is logged once.",
                ascii(key),
            )
        return None

    def tag(self, *parts: str) -> str:
        """A short signature of some texts, for ids that clients send back."""
        return signing.derive_key(self._get_secret(), "tag", *parts).hex()[:16]

    def is_tag(self, tag: str, *parts: str) -> bool:
        """Whether a text from a client is the tag of some texts."""
        return compare_digest(tag.encode(), self.tag(*parts).encode())

    def _get_secret(self) -> bytes:
        if self._secret is None:
            self._secret = signing.derive_key(self._core.key, "store", self._core.info.name)
        return self._secret
