"""The sessions of the handshake revisions over HTTP: who holds one, for how long, and what it can fetch again.

Knows connections and streams; how bytes reach a client is for others. The clock is given.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from secrets import token_urlsafe
from typing import Any

from ..server import Core
from .connection import Connection
from .streamable import Settings
from .streams import Stream

__all__ = ["Held", "Sessions"]

MOST_STANDING = 8
"""How many streams one session may hold open for what is to come."""


class Held:
    """One session: its connection, and the streams that may still be read."""

    def __init__(self, core: Core, settings: Settings, principal: Any, now: float) -> None:
        self.id = token_urlsafe(32)  # R2511-SESS-01, R2511-SESS-02
        self.principal = principal
        self.connection = Connection(core, self.tell, principal=principal, ask_seconds=settings.ask_seconds)
        self.created = self.used = now
        self._settings = settings
        self._lock = threading.Lock()
        self._streams: OrderedDict[str, Stream] = OrderedDict()
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
        return Stream(name, resumable=True, polling=polling, retry_ms=self._settings.retry_ms)

    def keep(self, stream: Stream) -> None:
        """Remember a stream that was begun, and forget what is too old to be fetched again."""
        with self._lock:
            self._streams[stream.name] = stream
            kept = sum(one.size for one in self._streams.values())
            for name, one in list(self._streams.items()):
                if kept <= self._settings.replay_bytes and len(self._streams) <= 64:
                    break
                if one.finished and one is not stream:
                    kept -= one.size
                    del self._streams[name]

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
        """End everything of it."""
        self.connection.close()
        self.connection.cancel()
        for stream in list(self._streams.values()):
            stream.finish()


class Sessions:
    """Every session of one endpoint, the longest unused first."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._now = now
        self._lock = threading.Lock()
        self._held: OrderedDict[str, Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def add(self, held: Held) -> None:
        """Hold a session; at the cap the longest unused makes room."""
        with self._lock:
            gone = self._expired()
            while len(self._held) >= self._settings.max_sessions:
                gone.append(self._held.popitem(last=False)[1])
            self._held[held.id] = held
        for one in gone:
            one.close()

    def get(self, id: str, principal: Any) -> Held | None:
        """The session of that id, if it is not over and is this caller's (R2511-SESS-05)."""
        with self._lock:
            gone = self._expired()
            held = self._held.get(id)
            if held is not None and held.principal != principal:
                held = None
            if held is not None and self._is_over(held):
                gone.append(self._held.pop(id))
                held = None
            if held is not None:
                held.used = self._now()
                self._held.move_to_end(id)
        for one in gone:
            one.close()
        return held

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

    def _is_over(self, held: Held) -> bool:
        now = self._now()
        idle = now - held.used > self._settings.session_idle_seconds
        return now - held.created > self._settings.session_seconds or (idle and not held.busy)

    def _expired(self) -> list[Held]:
        """Take out those at the front that are over; one that is busy goes to the end of the queue."""
        gone: list[Held] = []
        for held in list(self._held.values())[:8]:  # a few each time: nobody waits long for a sweep
            if self._is_over(held):
                gone.append(self._held.pop(held.id))
            elif self._now() - held.used > self._settings.session_idle_seconds:
                held.used = self._now()
                self._held.move_to_end(held.id)
        return gone
