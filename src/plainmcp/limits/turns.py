"""Whose work runs next: shares that hold only while others want more than is left.

Knows callers and the jobs that wait, but no threads: `transports/threads` runs what may run, and has the lock.
"""

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator
from typing import Generic, Protocol, TypeVar

from .shares import AtAddress, Tally

__all__ = ["LENT", "Turns", "group_of"]

# The theory.
#
# A caller who holds places gets one more only if it then holds at most three times as many as are left free. The
# anonymous callers at one address count as one caller. Of 88 places:
#
# - One caller alone gets three quarters, 66: what is idle is lent, and 22 are left, whatever its functions do.
# - Two get about three sevenths each, three get three tenths: there is no count of callers, because each place that
#   one takes lowers what all others may have.
# - No function is interrupted. A caller who holds more than its share now gets no further place, and those that
#   become free go to callers with fewer. So what was lent comes back as fast as calls end, and another caller need
#   not wait for that while a place is left.
# - The last place goes to a caller who holds none. Only five callers whose functions never end leave nothing to a
#   sixth: 66 + 16 + 4 + 1 + 1.
#
# `most_each` of the author is a number instead: a caller may hold as many, whatever is left, and never more. For an
# address both hold: its callers together have at least that number.
#
# Who waits takes turns, by address first: many sessions bring no more turns than one. So a search passes over at most
# as many addresses and callers as there are places, because each of these holds one; a thousand sessions that wait at
# one address are passed over at once.
#
# Code that frees a place asks `find_next` until it returns None. That may be twice for one place: it goes to another
# caller, and the one who had it now holds one less and may have another.

LENT = 3
"""How many times as many places as are left one caller may hold."""


class Waiting(Protocol):
    """What waits for its turn."""

    @property
    def caller(self) -> Hashable:
        """Whose it is; None is no caller in particular, and may have all places."""
        ...


J = TypeVar("J", bound=Waiting)


def group_of(caller: Hashable) -> Hashable:
    """Who shares with a caller: all anonymous callers at its address; otherwise the caller alone."""
    return caller.address if type(caller) is AtAddress else caller


class Turns(Generic[J]):
    """A number of places, the callers who hold them, and the jobs that wait for one."""

    def __init__(self, most: int, most_each: int | None = None) -> None:
        self.most = most
        self.most_each = most_each
        self.count = 0
        """How many places are held."""
        self.held = Tally()
        """The same by caller, and by address."""
        self.waiting: OrderedDict[Hashable, OrderedDict[Hashable, deque[J]]] = OrderedDict()
        """The jobs that wait, by group and caller; false if there is none."""

    def add(self, caller: Hashable, number: int) -> None:
        """A caller takes places, or gives them back if the number is negative."""
        self.held.add(caller, number)
        self.count += number

    def may_have(self, caller: Hashable) -> bool:
        """Whether a caller may take a place now."""
        return self._has_room_for(group_of(caller)) and self._is_below_own_limit(caller)

    def wait(self, job: J) -> None:
        """Let a job wait for its turn."""
        callers = self.waiting.setdefault(group_of(job.caller), OrderedDict())
        callers.setdefault(job.caller, deque()).append(job)

    def withdraw(self, job: J) -> bool:
        """Forget a job that waits; returns whether it did."""
        group = group_of(job.caller)
        callers = self.waiting.get(group, OrderedDict[Hashable, deque[J]]())
        jobs = callers.get(job.caller, deque[J]())
        if job not in jobs:
            return False
        jobs.remove(job)
        if not jobs:
            del callers[job.caller]
        if not callers:
            del self.waiting[group]
        return True

    def find_next(self) -> J | None:
        """The job that may run next; it still waits."""
        if self.count < self.most:
            for group, callers in self.waiting.items():
                if self._has_room_for(group):
                    for caller, jobs in callers.items():
                        if self._is_below_own_limit(caller):
                            return jobs[0]
        return None

    def end_turn(self, job: J) -> None:
        """A job runs and waits no more; its caller has the next turn after all others."""
        self.withdraw(job)
        group = group_of(job.caller)
        if group in self.waiting:
            self.waiting.move_to_end(group)
            if job.caller in self.waiting[group]:
                self.waiting[group].move_to_end(job.caller)

    def first_jobs(self) -> Iterator[J]:
        """The job of each caller that has waited longest."""
        return (jobs[0] for callers in self.waiting.values() for jobs in callers.values())

    def _has_room_for(self, group: Hashable) -> bool:
        free = self.most - self.count
        if group is None or free <= 0:
            return free > 0
        return self.held.get(group, 0) < max(self.most_each or 1, LENT * (free - 1))

    def _is_below_own_limit(self, caller: Hashable) -> bool:
        return self.most_each is None or caller is None or self.held.get(caller, 0) < self.most_each
