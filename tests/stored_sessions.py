"""Sessions with a clock that stands still, and streams in them."""

from typing import Any

from plainmcp import Server
from plainmcp.limits.shares import Share
from plainmcp.transports.http.sessions.http_session import HttpSession, SessionShares
from plainmcp.transports.http.sessions.memory import SessionTable
from plainmcp.transports.http.settings import Settings
from plainmcp.transports.http.stream import Stream

__all__ = ["Endpoint", "is_kept", "said", "wake"]


def wake() -> None: ...


class Endpoint:
    """SessionTable, and a clock that stands still until it is set."""

    def __init__(self, **settings: Any) -> None:
        self.time = 1_000.0
        self._core = Server("s", "1", now=lambda: self.time)
        self._settings = Settings(retry_ms=1_000, **settings)
        self.sessions = SessionTable(self._settings, lambda: self.time)
        self.unread = Share("bytes", "unread", "max_unread", 1_000, 500)
        questions = Share("questions", "open", "max_questions", 5, 2)
        self.shares = SessionShares(self.sessions.budget, questions, self.unread, self.sessions.remove)

    def make(self, principal: Any = None, address: str | None = None) -> HttpSession:
        return HttpSession(self._core, self._settings, principal, self.time, self.shares, address)

    def session(self, principal: Any = None, address: str | None = None) -> HttpSession:
        held = self.make(principal, address)
        assert self.sessions.add(held) is None
        return held


def said(
    held: HttpSession, *words: bytes, answer: bytes = b"answer", read: bool = True, finished: bool = True
) -> Stream:
    """A stream of a session that was begun, and all that was said on it."""
    stream = held.streams.open()
    held.streams.keep(stream)
    for word in words:
        stream.put(word)
    if finished:
        stream.finish(answer)
    if read:
        reader = stream.attach(wake)
        reader.take()
        reader.leave()
    held.streams.tidy()
    return stream


def is_kept(held: HttpSession, stream: Stream) -> bool:
    return held.find_stream(f"{stream.name}-1") is not None
