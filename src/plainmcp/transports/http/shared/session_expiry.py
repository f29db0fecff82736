"""Whether the sessions that all replicas serve are in use, at any replica: one that is not used for long ends.

A session that is used is written into the store now and then, where it expires. So one that is not there has ended;
but only if the store has not lost it: a store that is younger than the idle time says nothing.
"""

from collections.abc import Callable, Iterable
from functools import partial

from ....replicas.keys import SMALL
from ....replicas.replica import Replica
from ....store.interface import Store
from .session import SharedSession

__all__ = ["SessionExpiry", "seconds_of"]

LEAST = 2.0
"""The shortest idle time, in seconds: signs of use are written about once a second."""


def seconds_of(idle: float) -> float:
    """How long a session is kept in the store after a sign of its use, with an idle time."""
    return 1.1 * max(idle, LEAST)  # the next sign comes with a use that is a tenth of the time later, or after that


class SessionExpiry:
    """The signs of use of the sessions of one endpoint."""

    def __init__(
        self,
        replica: Replica,
        idle: float,
        now: Callable[[], float],
        sessions: Callable[[], Iterable[SharedSession]],
        renew: Callable[[SharedSession, Store], None],
    ) -> None:
        self._replica, self._now, self._get_sessions, self._renew = replica, now, sessions, renew
        self._seconds = seconds_of(idle)
        self._period = self._seconds / 11  # how often the use of a session is written
        self._next = 0.0
        self._again = 0.0  # since when the store works again: before that, no sign could be written

    def note(self, session: SharedSession, now: float) -> None:
        """Note that a session is used."""
        if now - session.renewed < self._period or self._replica.health.why_down:
            return
        session.renewed = now
        if self._replica.budget.spend(session.caller, SMALL) is None:  # else it may end at other replicas
            self._replica.later(partial(self._renew, session))

    def is_idle(self, session: SharedSession, store: Store) -> bool:
        """Whether a session that the store does not have was used nowhere for the idle time; asks the store."""
        now = self._now()
        if now - session.created <= self._seconds:
            return False
        key = self._replica.keys.began
        since = self._replica.keys.open(key, store.get(key))
        return since is not None and now - max(since, self._again) > self._seconds

    def tick(self) -> None:
        """Note now and then that busy sessions are in use, and that the store still has all signs."""
        now = self._now()
        if now < self._next or self._replica.health.why_down:
            return
        self._next = now + self._period
        for session in self._get_sessions():
            if session.busy and not session.closed:
                self.note(session, now)
        self._replica.later(self._keep_beginning)

    def _keep_beginning(self, store: Store) -> None:
        """Keep the time since when the store has all signs; it is now, if there is none."""
        key = self._replica.keys.began
        before = store.get(key)
        since = self._replica.keys.open(key, before)
        is_known = since is not None and since >= self._again
        value = before if before is not None and is_known else self._replica.keys.sign(key, self._now())
        store.change(key, before, value, 2 * self._seconds + 60)

    def begin_again(self) -> None:
        """Write the signs again: the store may have lost them, and could not take new ones."""
        self._next, self._again = 0.0, self._now()
        for session in self._get_sessions():
            session.renewed = session.created
