"""The settings of a server over HTTP: plain data, checked when it is created."""

from collections.abc import Collection
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from ...errors import AuthorError
from ...protocol.core import check_store
from . import security

__all__ = ["Settings"]

_AT_LEAST_ONE = (
    "max_body", "max_sessions", "max_sessions_per_caller", "max_running", "max_running_per_caller",
    "max_standing_per_caller", "max_questions_per_caller", "max_unread", "max_unread_per_caller",
    "max_arriving", "max_arriving_per_caller", "retry_ms",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a server over HTTP; raises AuthorError for values that make no sense."""

    origins: Collection[str] = ()  # sites whose pages may call, such as "http://localhost:6274"; "*" for all
    hosts: Collection[str] = ()  # the host names of the server, also of a proxy; not needed for loopback
    max_body: int = 4 * 2**20
    body_seconds: float = 60  # how long a body may take; no effect under WSGI
    stateless: bool = False  # serve the handshake revisions without sessions: any process can answer any request
    sessions: Literal["memory", "signed"] = "memory"  # "signed": they are in their ids, which any process can read
    store: Any = None  # what several processes share: see plainmcp.store and plainmcp.redis
    max_sessions: int = 10_000
    max_sessions_per_caller: int = 1_000  # of one principal, or of one address
    session_idle_seconds: float = 30 * 60
    session_seconds: float = 24 * 60 * 60
    replay_bytes: int = 2**18  # how many bytes one session keeps for clients that reconnect
    replay_bytes_in_all: int = 2**25  # how many bytes all sessions keep
    max_running: int = 1_000  # how many requests may run
    max_running_per_caller: int = 250  # the same, of one caller: see limits in the documentation
    max_standing: int = 1_000  # how many streams may stay open for later messages; 0 for none
    max_standing_per_caller: int = 100  # the same, of one caller
    max_questions: int = 256  # how many questions may wait for the answers of clients
    max_questions_per_caller: int = 64  # the same, of one caller
    max_arriving: int = 2**27  # how many bytes of bodies may arrive in several parts; no effect under WSGI
    max_arriving_per_caller: int = 2**25  # the same, of one principal or address
    max_unread: int = 2**26  # how many bytes may wait for clients that do not read
    max_unread_per_caller: int = 2**24  # the same, of one caller
    keep_alive_seconds: float = 15
    retry_ms: int = 1_000  # when a client should reconnect to a stream that ended early
    ask_seconds: float = 300  # how long a question waits for its answer

    def __post_init__(self) -> None:
        object.__setattr__(self, "origins", security.check_origins(self.origins))
        object.__setattr__(self, "hosts", security.check_hosts(self.hosts))
        for name in _AT_LEAST_ONE:
            self._check(name, int, 1)
        for name in ("replay_bytes", "replay_bytes_in_all", "max_standing", "max_questions"):
            self._check(name, int, 0)
        for name in ("body_seconds", "session_idle_seconds", "session_seconds", "keep_alive_seconds", "ask_seconds"):
            self._check(name, (int, float), 0.001)
        if self.stateless not in (True, False):
            raise AuthorError("stateless is True or False")
        if self.sessions not in ("memory", "signed"):
            raise AuthorError(f'sessions is "memory" or "signed"; not {self.sessions!r}')
        check_store(self.store)
        if self.store is not None and (self.stateless or self.sessions != "memory"):
            raise AuthorError("store= shares the sessions of several processes; leave out stateless= and sessions=")
        if self.stateless and self.sessions != "memory":
            raise AuthorError("stateless=True serves without sessions; leave out one of stateless= and sessions=")

    def _check(self, name: str, kind: Any, least: float) -> None:
        value = getattr(self, name)
        if not isinstance(value, kind) or isinstance(value, bool) or not least <= value < inf:
            raise AuthorError(f"{name} is a number, and at least {least:g}; not {value!r}")
