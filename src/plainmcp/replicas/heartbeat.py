"""The heartbeats of replicas in the store: a value that each of them writes about once a second, and that expires."""

from typing import NamedTuple

from ..store.interface import Store, StoreError
from .health import StoreHealth
from .keys import StoreKeys

__all__ = ["Heartbeat"]

ALIVE = 4.0
"""After how many seconds without a heartbeat a replica is considered dead."""
RECENT = 3.0
"""After how many seconds without a look it is not known any more that a replica had no heartbeat."""


class _Silence(NamedTuple):
    """A replica without a heartbeat, in seconds in which the store worked."""

    since: float
    looked: float  # when it was last seen to have none


class Heartbeat:
    """The heartbeat of one replica, and a look at those of others."""

    def __init__(self, keys: StoreKeys, name: str, health: StoreHealth) -> None:
        self._keys, self._name, self._health = keys, name, health
        self._has_beaten = False  # if the store does not have that heartbeat, it has lost more
        self._silent: dict[str, _Silence] = {}  # by the names of replicas

    def start(self) -> None:
        """Begin without a heartbeat."""
        self._has_beaten = False

    def beat(self, store: Store) -> None:
        """Write a heartbeat, and note if the last one is gone, because then more may be gone; raises StoreError."""
        key = self._keys.heartbeat_of(self._name)
        if self._has_beaten and store.get(key) is None:
            self._health.note_gap("writing", "what was in it is gone, or this process was paused")
        store.put(key, self._keys.sign(key, True), ALIVE)
        self._has_beaten = True

    def end(self, store: Store) -> None:
        """Remove the heartbeat, because the replica stops; raises StoreError."""
        self._has_beaten = False
        store.delete(self._keys.heartbeat_of(self._name))

    def find_dead(self, names: set[str], store: Store) -> set[str]:
        """Those of some replicas that had no heartbeat for some seconds in which the store worked; raises StoreError.

        These seconds need not be in a row, or a store that fails again and again would keep the dead alive.
        """
        worked, lately = self._health.worked, self._health.worked_lately
        silent = {name for name in names if not self._is_alive(name, store)}
        if silent and self._has_beaten and not self._is_alive(self._name, store):
            raise StoreError("what was in it is gone")  # the heartbeats of all, which says nothing
        recent = {name: one for name, one in self._silent.items() if worked - one.looked <= RECENT}
        for name in names:
            if name not in silent:
                recent.pop(name, None)
            else:
                since = recent[name].since if name in recent else worked - min(ALIVE, lately)
                recent[name] = _Silence(since, worked)
        self._silent = recent
        return {name for name in silent if worked - recent[name].since > ALIVE - 0.01}

    def _is_alive(self, name: str, store: Store) -> bool:
        key = self._keys.heartbeat_of(name)
        return self._keys.open(key, store.get(key)) is not None
