"""The keys of one server in a store, and the signatures of what is stored there.

Does no I/O. Keys carry the name of the server. Content is signed for its place before it is written, and is not
believed otherwise. The names of questions and streams are signed, too: only the processes of this server can make
them, and each can read which one did.
"""

import binascii
import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hmac import compare_digest
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from ..wire import signing
from .core import Core

__all__ = ["MAX_ID", "ServerKeys", "StreamName"]

MAX_ID = 1_024
"""How many bytes the id of a request may have to be part of a stream's name, or to be cancelled elsewhere."""

_log = logging.getLogger("plainmcp")


class StreamName(NamedTuple):
    """The parts of a stream's name: the replica that writes it, and the id of its request."""

    source: str
    id: bytes


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

    # Names that clients send back ------------------------------------------------------------------

    def name_question(self, session: str, replica: str, count: int) -> str:
        """The id of a question that a replica asks in a session."""
        return f"s-{replica}-{count}-{self._tag('question', session, replica, str(count))}"

    def find_asker(self, session: str, question: str) -> str | None:
        """The replica that asked a question in a session; None if none did."""
        parts = question.split("-")
        if len(parts) != 4:
            return None
        _, source, count, tag = parts
        return source if self._is_tag(tag, "question", session, source, count) else None

    def name_stream(self, session: str, replica: str, count: int, id: bytes) -> str:
        """The name of a stream that a replica writes in a session, for the request with an id."""
        shown = urlsafe_b64encode(id if len(id) <= MAX_ID else b"").decode().rstrip("=")
        return f"{replica}.{count}.{shown}.{self._tag('stream', session, replica, str(count), shown)}"

    def read_stream_name(self, session: str, name: str) -> StreamName | None:
        """The parts of a stream's name; None if no replica gave it to a stream of this session."""
        parts = name.split(".")
        if len(parts) != 4:
            return None
        source, count, shown, tag = parts
        if not self._is_tag(tag, "stream", session, source, count, shown):
            return None
        try:
            return StreamName(source, urlsafe_b64decode(shown + "=" * (-len(shown) % 4)))
        except binascii.Error:
            return None

    def _tag(self, *parts: str) -> str:
        """A short signature of some texts."""
        return signing.derive_key(self._get_secret(), "tag", *parts).hex()[:16]

    def _is_tag(self, tag: str, *parts: str) -> bool:
        """Whether a text from a client is the tag of some texts."""
        return compare_digest(tag.encode(), self._tag(*parts).encode())

    def _get_secret(self) -> bytes:
        if self._secret is None:
            self._secret = signing.derive_key(self._core.key, "store", self._core.info.name)
        return self._secret
