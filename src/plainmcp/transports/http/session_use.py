"""When the sessions that all replicas serve were last used, at any replica: one that is not used for long ends.

A replica writes now and then that a session is in use. No such sign means that it is not, but only if the store has
not lost it: so a store that is younger than the idle time says nothing.
"""

from collections.abc import Callable, Iterable

from ...store.interface import Store
from .replica import Replica
from .shared_session import SharedSession

__all__ = ["SessionUse"]

LEAST = 2.0
"""The shortest idle time, in seconds: signs of use are written about once a second."""


class SessionUse:
    """The signs of use of the sessions of one endpoint."""

    def __init__(
        self, replica: Replica, idle: float, now: Callable[[], float], sessions: Callable[[], Iterable[SharedSession]]
    ) -> None:
        self._replica, self._now, self._get_sessions = replica, now, sessions
        self._idle = max(idle, LEAST)
        self._period = self._idle / 10  # how often the use of a session is written
        self._next = 0.0
        replica.ticks.append(self._tick)
        replica.returns.append(self._begin_again)

    def note(self, session: SharedSession, now: float) -> None:
        """Note that a session is used."""
        if now - session.noted >= self._period and self._replica.problem is None:
            session.noted = now
            key = self._replica.keys.key("used", session.name)
            value = self._replica.keys.sign(key, True)
            # The next sign comes with the first use after a period.
            self._replica.later(lambda store: store.put(key, value, self._idle + self._period))

    def is_idle(self, session: SharedSession, store: Store) -> bool:
        """Whether a session was used nowhere for the idle time; asks the store."""
        now = self._now()
        if now - session.created <= self._idle:
            return False
        keys = self._replica.keys
        used, began = keys.key("used", session.name), keys.key("began")
        value = store.get(used)
        if value is not None and keys.open(used, value):
            return False
        value = store.get(began)
        since = None if value is None else keys.open(began, value)
        return since is not None and now - since > self._idle + self._period

    def _tick(self) -> None:
        """Note now and then that busy sessions are in use, and that the store still has all signs."""
        now = self._now()
        if now < self._next or self._replica.problem is not None:
            return
        self._next = now + self._period
        for session in self._get_sessions():
            if session.busy and not session.closed:
                self.note(session, now)
        self._replica.later(self._keep_beginning)

    def _keep_beginning(self, store: Store) -> None:
        """Keep the time since when the store has all signs; it is now, if there is none."""
        key = self._replica.keys.key("began")
        before = store.get(key)
        is_genuine = before is not None and self._replica.keys.open(key, before) is not None
        value = before if before is not None and is_genuine else self._replica.keys.sign(key, self._now())
        store.change(key, before, value, 2 * self._idle + 60)

    def _begin_again(self) -> None:
        """Write the signs again: the store may have lost them."""
        self._next = 0.0
        for session in self._get_sessions():
            session.noted = session.created
