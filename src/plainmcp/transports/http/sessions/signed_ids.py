"""Session ids that carry the facts of their session, signed: any process with the key can read them.

Does no I/O and stores nothing. The clock is that of the server.
"""

import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from secrets import token_urlsafe
from typing import Any

import msgspec

from ....errors import InvalidParams
from ....protocol.core import Core
from ....protocol.identity import lasting_text_of
from ....protocol.session import Session
from ....revisions import REVISIONS
from ....wire import signing

__all__ = ["MAX_FACTS", "SignedId", "SignedIds"]

MAX_FACTS = 2_048
"""How many bytes of facts an id carries: proxies and clients limit the size of headers."""
_FORM = 1
"""The number of this form of ids; ids of another form are unknown."""

_log = logging.getLogger("plainmcp")
_LOSS = "the sessions of this caller will be unknown on its next request"
_OTHER_KEY = (
    "a request named a session that was not signed with the key of this process, and was answered by 404 (no such "
    "session): all processes need the same Server(key=…), and a new key ends all sessions. This is logged once."
)
_OTHER_CALLER = (
    "a request named a session of another caller, and was answered by 404 (no such session): what principal= gave "
    "for it has other JSON than when the session was opened. If both were the same caller, let principal= give "
    "something that is the same on every request. This is logged once."
)
_NEEDED = ("elicitation", "roots", "sampling")
_AHEAD = 60.0  # by how many seconds the clocks of processes may differ


class SignedId(msgspec.Struct, array_like=True, frozen=True):
    """The facts in one id."""

    form: int
    name: str  # a random text: the name of the session in logs and stores
    revision: str
    created: float
    until: float
    owner: str  # the digest of its principal
    capabilities: dict[str, Any]
    client: dict[str, Any]

    def to_session(self) -> Session | None:
        """A session with these facts; None if its revision is not served any more."""
        revision = REVISIONS.get(self.revision)
        if revision is None:
            return None
        session = Session()
        session.id, session.revision = self.name, revision
        session.capabilities, session.client = self.capabilities, self.client
        session.ready = True
        return session


class SignedIds:
    """Makes and reads the ids of one server: those of another server are not valid, even with the same key."""

    def __init__(self, core: Core, seconds: float) -> None:
        self._core = core
        self._seconds = seconds
        self._key: bytes | None = None
        self._decoder = msgspec.json.Decoder(SignedId)
        self._warned: set[str] = set()  # what was logged already

    def make(self, session: Session, principal: Any, name: str | None = None) -> bytes:
        """A new id for a session after its handshake; raises InvalidParams if its facts are too large."""
        assert session.revision is not None
        now = self._core.now()
        facts = SignedId(
            _FORM,
            name or token_urlsafe(15),
            session.revision.name,
            now,
            now + self._seconds,
            self._owner_of(principal),
            session.capabilities,
            session.client,
        )
        raw = msgspec.json.encode(facts)
        if len(raw) > MAX_FACTS:  # what is not needed to serve the client, such as its icons, stays behind
            facts = msgspec.structs.replace(
                facts,
                capabilities={name: value for name, value in facts.capabilities.items() if name in _NEEDED},
                client={name: value for name, value in facts.client.items() if name in ("name", "version")},
            )
            session.capabilities, session.client = facts.capabilities, facts.client  # all processes know the same
            raw = msgspec.json.encode(facts)
        if len(raw) > MAX_FACTS:
            raise InvalidParams(f"capabilities and clientInfo take more than {MAX_FACTS} bytes")
        return urlsafe_b64encode(signing.sign(raw, self._sign_key())).rstrip(b"=")

    def read(self, id: bytes, principal: Any) -> SignedId | None:
        """The facts in an id; None if it is forged, expired or another caller's (R2511-SESS-05)."""
        if len(id) > 2 * MAX_FACTS:
            return None
        try:
            signed = urlsafe_b64decode(id + b"=" * (-len(id) % 4))
            is_canonical = urlsafe_b64encode(signed).rstrip(b"=") == id
        except ValueError:
            return None
        raw = signing.verify(signed, self._sign_key()) if is_canonical else None
        facts = self._decode(signed[signing.SIZE :] if raw is None else raw)
        if facts is None or not facts.created - _AHEAD <= self._core.now() < facts.until:
            return None
        if raw is None:
            self._warn(_OTHER_KEY)
        elif facts.owner == self._owner_of(principal):
            return facts
        else:
            self._warn(_OTHER_CALLER)
        return None

    def _decode(self, raw: bytes) -> SignedId | None:
        """The facts in JSON; None if it is of another form."""
        try:
            facts = self._decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeError):
            return None
        return facts if facts.form == _FORM else None

    def _warn(self, problem: str) -> None:
        if problem not in self._warned:
            self._warned.add(problem)
            _log.warning(problem)

    def _sign_key(self) -> bytes:
        if self._key is None:
            self._key = signing.derive_key(self._core.key, "session id", self._core.info.name)
        return self._key

    def _owner_of(self, principal: Any) -> str:
        """The digest of a principal; never the same twice if it has no text."""
        if principal is None:
            return ""
        return signing.digest("principal", lasting_text_of(self._core, principal, _LOSS))
