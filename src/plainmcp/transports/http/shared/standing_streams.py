"""The streams that stay open in one session that all replicas serve: any replica can continue one.

Their event ids are positions of the log of changes. A message goes out on one stream only: the newest one, which
may be at another replica; replicas/claims decides that.
"""

import logging
import re
import threading
from collections.abc import Hashable
from contextlib import suppress
from functools import partial
from typing import Protocol

from ....replicas.change_log import Change
from ....replicas.claims import Start, StreamClaims
from ....replicas.entries import Handover, Holder, Left
from ....replicas.health import contain
from ....replicas.replica import Replica
from ....store.interface import StoreError
from ...connection import change_message
from ...threads import Threads
from ..sessions.http_session import add_standing
from ..stream import Stream

__all__ = ["StandingStreams", "is_standing_stream", "name_standing_stream"]

MAX_REPLAY = 1_000
"""How many of the changes that a client has missed it gets, the newest ones."""

_STANDING = re.compile(r"g[0-9a-f]{12}\.[0-9]{1,15}")
_log = logging.getLogger("plainmcp")


def name_standing_stream(replica: Replica) -> str:
    """The name of a new stream. It needs no signature: any replica can continue it."""
    return f"g{replica.name}.{next(replica.numbers)}"


def is_standing_stream(name: str) -> bool:
    """Whether a name is that of a stream that stays open."""
    return _STANDING.fullmatch(name) is not None


class StreamOwner(Protocol):
    """What is asked of the session of the streams."""

    name: str

    @property
    def caller(self) -> Hashable:
        """The key of its client in the shares of callers."""
        ...

    @property
    def closed(self) -> bool:
        """Whether it has ended; set before `close` is called here."""
        ...

    def load(self) -> None:
        """Load its record, and close it if it has ended; raises StoreError."""

    def wants(self, change: Change) -> bool:
        """Whether its client gets a notification of a change."""
        ...


class StandingStreams:
    """The streams of one session that are open at this replica, and whether the newest one of all is among them."""

    __slots__ = ("_claims", "_lock", "_owner", "_replica", "_threads", "streams")

    def __init__(self, owner: StreamOwner, replica: Replica, threads: Threads) -> None:
        self._owner, self._replica, self._threads = owner, replica, threads
        self._lock = threading.Lock()  # for the attributes below
        self._claims = StreamClaims(replica.name)
        self.streams: list[Stream] = []
        """Those that are open here, the newest last."""

    # Opening --------------------------------------------------------------------------------------

    def open(self, stream: Stream, position: int, is_new: bool) -> None:
        """Send the changes since a position on a stream, and then all later ones; but none that another one had.

        It is claimed at once, before its client knows that it is open: what changes from then on reaches the client,
        also if it opens another one meanwhile. The rest is done in a thread.
        """
        log = self._replica.reader.change_log
        with log.lock, self._lock:  # no change comes between
            self._claims.begin(position, log.position if self._has_other(stream.name) else None)
        self._threads.submit(partial(self._begin, stream, is_new), self._owner.caller)

    def _has_other(self, stream: str) -> bool:
        """Whether the newest stream here is not the one with a name, or an older part of it."""
        return bool(self.streams) and self.streams[-1].name != stream

    def _begin(self, stream: Stream, is_new: bool) -> None:
        """Begin to send on a stream that is claimed.

        If the store fails, the stream ends: the client comes back, and gets an error if there still is one.
        """
        self._replica.wait_to_begin()
        try:
            self._owner.load()
        except StoreError as error:
            _log.debug("a stream could not be opened: %s", error)
            stream.finish()
        is_ready = self._replica.reader.begun.is_set()  # else it does not know yet what the client has missed
        if self._owner.closed or not is_ready or stream.finished:  # or its client has left
            stream.finish()
            start = self._find_start()
            self._end_claim(stream, None)
            self._give_back(start)
        else:
            self._catch_up(stream, is_new)

    def _catch_up(self, stream: Stream, is_new: bool = False) -> None:
        """Announce a stream that is claimed, and send the changes that no stream had.

        Other replicas may be behind, so a new one may have to begin earlier than this replica supposed.
        """
        with self._lock:
            holder = self._announce(stream)
        # If that fails, it is announced again when the store works again.
        contain(partial(self._replica.broadcast, holder))
        log, start = self._replica.reader.change_log, self._find_start()
        seen, wanted = log.position, self._find_wanted(start)
        with log.lock:  # no change comes between
            if self._find_start() != start:  # another stream was opened meanwhile
                start = self._find_start()
                wanted = self._find_wanted(start)
            else:
                wanted += self._find_wanted(None if start is None else max(start, seen))
            if is_new and start is not None:
                stream.rewind(start)
            for change in wanted[-MAX_REPLAY:]:
                _send_change(stream, change)
            is_read = self._end_claim(stream, None if start is None else log.position)
        if not is_read:
            self._give_back(start)

    def _announce(self, stream: Stream) -> Holder:
        """The entry with which other replicas get to know that a stream is claimed."""
        number = next(self._replica.numbers)
        self._claims.announce(number)
        return Holder(self._owner.name, self._replica.name, stream.name, number)

    def _find_start(self) -> int | None:
        """The position after which a stream that is claimed gets the changes; None if another one is newer by now."""
        with self._lock:
            return self._claims.find_start()

    def _find_wanted(self, start: int | None) -> list[Change]:
        """The changes after a position that the client wants; none without a position."""
        if start is None:
            return []
        return [change for change in self._replica.reader.change_log.find_after(start) if self._owner.wants(change)]

    def _end_claim(self, stream: Stream, position: int | None) -> bool:
        """Send messages that belong to no request on a stream, which has all changes up to a position.

        Returns False if its client has left already.
        """
        with self._lock:
            if self._owner.closed:
                stream.finish()
            surplus = [] if stream.finished else add_standing(self.streams, stream)
            self._claims.end(None if stream.finished else position)
        for one in surplus:
            one.finish()
        return not stream.finished

    def _give_back(self, position: int | None) -> None:
        """Let another stream get messages again: the client of the one that was claimed has left meanwhile."""
        if position is None or self._owner.closed:
            return
        if self.streams:
            self.read_here(position)
        else:
            self._notify_left(position)

    # Another replica ------------------------------------------------------------------------------

    @property
    def muted_by(self) -> str | None:
        """The other replica that has the newest stream, so that those here get nothing; None without one."""
        return self._claims.holder if self.streams else None

    def read_here(self, position: int = 0) -> None:
        """Send messages on the stream of this replica again: those after the position that another one reached."""
        with self._lock:
            self._claims.holder = None
            if not self.streams:
                return
            stream = self.streams.pop()
            self._claims.begin_again(max(stream.last, position))
        self._threads.submit(partial(self._continue, stream), self._owner.caller)

    def _continue(self, stream: Stream) -> None:
        """Send the changes that its client has missed on a stream that was open before."""
        with suppress(StoreError):  # then it catches up when the store works again
            self._owner.load()
        self._catch_up(stream)

    def announce_again(self) -> None:
        """Announce the newest stream again and catch up, if it is here: the store may have lost what it had."""
        with self._lock:
            self._claims.forget_announced()
            if not self.streams or self._claims.holder is not None:
                return
            self._replica.notify_all(self._announce(self.streams[-1]))
        self.read_here()

    def receive_holder(self, holder: Holder) -> None:
        """Take what a replica has announced; it gets to know where its stream begins, if one here had the changes."""
        log = self._replica.reader.change_log
        with log.lock, self._lock:  # no change is sent meanwhile, also on a stream that is being opened
            sent = log.position if self._has_other(holder.stream) else None
            start = self._claims.receive_holder(holder.replica, holder.number, sent)
        if start is not None:
            self._replica.notify(holder.replica, Handover(self._owner.name, *start))

    def receive_handover(self, handover: Handover) -> None:
        """Take where the stream of another replica has ended."""
        with self._lock:
            self._claims.receive_start(Start(handover.position, handover.is_sent))

    def receive_left(self, left: Left) -> None:
        """Send messages on a stream of this replica again, if the client has left the newest one of all."""
        with self._lock:
            is_newest = self._claims.is_holder(left.replica, left.number)
        if is_newest:
            self.read_here(left.position)

    def _notify_left(self, position: int) -> None:
        """Notify other replicas that the client reads no stream here any more."""
        self._replica.notify_all(Left(self._owner.name, self._replica.name, self._claims.number, position))

    # Messages and ends ----------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send a message that belongs to no request."""
        for stream in self._find_newest():
            stream.put(message)

    def receive_change(self, change: Change) -> None:
        """Send a notification of a change, if the client wants it and a stream here gets messages."""
        if not self._claims.is_pending and self._owner.wants(change):
            for stream in self._find_newest():
                _send_change(stream, change)

    def _find_newest(self) -> list[Stream]:
        """The one stream, of all replicas, for what belongs to no request, if this replica has it (R2511-HTTP-22)."""
        with self._lock:
            return self.streams[-1:] if self._claims.holder is None else []

    def leave(self, stream: Stream) -> None:
        """Note that the client does not read a stream any more: it can continue with another replica."""
        with self._lock:
            stream.finish()  # also one that is not added yet
            if stream not in self.streams:
                return
            self.streams.remove(stream)
            if not self.streams and not self._claims.is_pending:  # else the stream that is claimed gets the messages
                self._notify_left(stream.read)

    def close(self) -> None:
        """End all of them: the session has ended here, so none is added from now on."""
        with self._lock:
            streams, self.streams = self.streams, []
        for stream in streams:
            stream.finish()


def _send_change(stream: Stream, change: Change) -> None:
    """Send a notification of a change on a stream, unless it has that already."""
    stream.put(change_message(change.event, change.uri), change.position)
