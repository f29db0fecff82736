"""The sessions of the handshake revisions over HTTP: who holds one, for how long, and what it can fetch again.

Knows connections and streams; how bytes reach a client is for others. The clock is given.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from secrets import token_urlsafe
from typing import Any

from ...errors import InternalError
from ...protocol.core import Core
from ..connection import Connection
from .rules import Settings
from .stream import Stream

__all__ = ["SESSION_ENDED", "Held", "Sessions"]

MOST_STANDING = 8
"""How many streams one session may hold open for what is to come."""
RETURNS = 5
"""For how many times retry_ms a stream is kept that was read to its end: its last words may be lost on the way."""
MOST_KEPT = 64
"""How many streams one session keeps in all."""
SESSION_ENDED = InternalError("the session ended before this request was answered")
"""What a request is told that still runs when its session ends."""

_log = logging.getLogger("plainmcp")
_UNEQUAL = (
    "a request named a session that belongs to another caller, and was told that there is no such session (404): "
    "what principal= gave for it (%s) is not equal to what it gave when the session was opened (%s). If both were "
    "the same caller, let principal= give something that compares equal on every request, such as a user id or a "
    "frozen dataclass. This is said once."
)


class Kept:
    """How many bytes all sessions of one endpoint keep to be fetched again; they add up what they keep themselves."""

    def __init__(self, most: int, shed: Callable[[], None]) -> None:
        self.most = most
        self.size = 0
        self.shed = shed
        self._lock = threading.Lock()

    def change(self, by: int) -> None:
        """Count more, or less."""
        with self._lock:
            self.size += by


class Held:
    """One session: its connection, and the streams that may still be read."""

    def __init__(self, core: Core, settings: Settings, principal: Any, now: float, kept: Kept) -> None:
        self.id = token_urlsafe(32).encode()  # R2511-SESS-01, R2511-SESS-02
        self.principal = principal
        self.connection = Connection(core, self.tell, principal=principal, ask_seconds=settings.ask_seconds)
        self.created = self.used = now
        self._settings = settings
        self._lock = threading.Lock()
        self._streams: OrderedDict[str, Stream] = OrderedDict()
        self._kept = kept
        self._size = 0  # of these, as counted last
        self._read: dict[str, float] = {}  # since when a stream is known to be read
        self._now = core.now
        self.closed = False
        self.standing: list[Stream] = []
        self._count = 0

    # Streams --------------------------------------------------------------------------------------

    def stream(self) -> Stream:
        """A stream of its own for one response."""
        revision = self.connection.session.revision
        with self._lock:
            self._count += 1
            name = str(self._count)
        polling = revision is not None and revision.polling
        most, retry_ms = self._settings.replay_bytes, self._settings.retry_ms
        return Stream(name, resumable=True, polling=polling, retry_ms=retry_ms, most_bytes=most)

    def keep(self, stream: Stream) -> None:
        """Remember a stream that was begun."""
        with self._lock:
            if self.closed:
                return
            self._streams[stream.name] = stream
        self.tidy()

    def tidy(self) -> None:
        """Forget what is too old to be fetched again, or too much; what is still to be said is never forgotten."""
        with self._lock:
            now, finished = self._now(), [name for name, one in self._streams.items() if one.finished]
            for name in [name for name in finished if self._streams[name].is_read]:
                if now - self._read.setdefault(name, now) > self._settings.retry_ms * RETURNS / 1000:
                    del self._streams[name]
            self._read = {name: since for name, since in self._read.items() if name in self._streams}
            size = sum(one.size for one in self._streams.values())
            for name in finished[:-1]:  # the newest may be all there is
                if size <= self._settings.replay_bytes and len(self._streams) <= MOST_KEPT:
                    break
                size -= self._streams.pop(name).size if name in self._streams else 0
            self._count_up(size)
        if self._kept.size > self._kept.most:
            self._kept.shed()

    def clear(self) -> None:
        """Forget all that is said: others need the room."""
        with self._lock:
            for name in [name for name, one in self._streams.items() if one.finished]:
                del self._streams[name]
            self._count_up(sum(one.size for one in self._streams.values()))

    def _count_up(self, size: int) -> None:
        self._kept.change(size - self._size)
        self._size = size

    def stand(self) -> Stream:
        """A stream for what belongs to no request."""
        stream = self.stream()
        self.keep(stream)
        with self._lock:
            self.standing.append(stream)
            gone = self.standing[:-MOST_STANDING]
            del self.standing[:-MOST_STANDING]
        for one in gone:
            one.finish()
        return stream

    def find(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream an event was on, and the event's number; never another's events (R2511-HTTP-25)."""
        name, _, number = event_id.rpartition("-")
        stream = self._streams.get(name)
        if stream is None or not number.isascii() or not number.isdigit() or len(number) > 18:
            return None
        return stream, int(number)

    def tell(self, message: bytes) -> None:
        """Say what belongs to no request, on one stream only (R2511-HTTP-22): the newest that is read, or was."""
        with self._lock:
            standing = list(self.standing)
        read = [stream for stream in standing if stream.reader is not None]
        for stream in (read or standing)[-1:]:
            stream.put(message)

    @property
    def busy(self) -> bool:
        """Whether a request runs, or somebody reads one of its streams."""
        return self.connection.busy or any(stream.reader is not None for stream in list(self._streams.values()))

    def close(self) -> None:
        """End everything of it; what still runs is answered with an error."""
        with self._lock:
            self.closed = True
        self.connection.give_up(SESSION_ENDED)
        self.connection.close()
        for stream in list(self._streams.values()):
            stream.finish()
        self.clear()


class Sessions:
    """Every session of one endpoint, the longest unused first."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._idle, self._life = settings.session_idle_seconds, settings.session_seconds
        self._recent = min(1.0, self._idle / 10, self._life / 10)  # for so long it is not said again who was used
        self._now = now
        self._lock = threading.Lock()
        self._held: OrderedDict[bytes, Held] = OrderedDict()
        self._swept = float("-inf")  # when it was last looked who is over
        self._told = False  # why a session was not found that is there
        self.kept = Kept(settings.replay_bytes_in_all, self._shed)

    def __len__(self) -> int:
        return len(self._held)

    def add(self, held: Held) -> None:
        """Hold a session; at the cap the longest unused makes room."""
        with self._lock:
            gone = self._expired(self._now())
            while len(self._held) >= self._settings.max_sessions:
                gone.append(self._held.popitem(last=False)[1])
            self._held[held.id] = held
        for one in gone:
            one.close()

    def get(self, id: bytes, principal: Any) -> Held | None:
        """The session of that id, if it is not over and is this caller's (R2511-SESS-05)."""
        now, gone, held = self._now(), [], self._held.get(id)
        if held is not None and not self._is_of(held, principal):
            return None
        if held is not None and 0 <= now - held.used < self._recent:
            return held  # it was used just now, and is where it belongs
        with self._lock:
            if now - self._swept >= 1:
                gone = self._expired(now)
            held = self._held.get(id)
            if held is not None and self._is_over(held, now):
                gone.append(self._held.pop(id))
                held = None
            elif held is not None:
                held.used = now
                self._held.move_to_end(id)
        for one in gone:
            one.close()
        return held

    def _is_of(self, held: Held, principal: Any) -> bool:
        """Whether a session is this caller's; says once in the log why one was not (R2511-SESS-05)."""
        opener, problem = held.principal, None
        try:
            if opener == principal:
                return True
        except Exception as error:  # a comparison of the user's own
            problem = error
        if not self._told:
            self._told = True
            _log.warning(_UNEQUAL, type(principal).__name__, type(opener).__name__, exc_info=problem)
        return False

    def remove(self, held: Held) -> None:
        """End a session (R2511-SESS-04)."""
        with self._lock:
            self._held.pop(held.id, None)
        held.close()

    def close(self) -> None:
        """End them all."""
        with self._lock:
            gone, self._held = list(self._held.values()), OrderedDict()
        for one in gone:
            one.close()

    def _shed(self) -> None:
        """Let those unused the longest forget what they keep, until it is no longer too much."""
        with self._lock:
            unused_first = list(self._held.values())
        for held in unused_first:
            if self.kept.size <= self.kept.most:
                return
            held.clear()

    def _is_over(self, held: Held, now: float) -> bool:
        return now - held.created > self._life or (now - held.used > self._idle and not held.busy)

    def _expired(self, now: float) -> list[Held]:
        """Take out those at the front that are over; one that is busy goes to the end of the queue."""
        gone: list[Held] = []
        self._swept = now
        for held in list(islice(self._held.values(), 8)):  # a few each time: nobody waits long for a sweep
            if self._is_over(held, now):
                gone.append(self._held.pop(held.id))
            elif now - held.used > self._idle:
                held.used = now
                self._held.move_to_end(held.id)
            else:
                break  # those behind it were used later
        return gone
