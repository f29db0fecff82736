"""The heartbeats of replicas in the store: a value that each of them writes about once a second, and that expires."""

from ....store.interface import Store, StoreError
from .store_health import StoreHealth
from .store_keys import StoreKeys

__all__ = ["Heartbeat"]

ALIVE = 4.0
"""After how many seconds without a heartbeat a replica is considered dead."""
MAX_SILENT = 1_000
"""How many replicas without a heartbeat are remembered."""


class Heartbeat:
    """The heartbeat of one replica, and a look at those of others."""

    def __init__(self, keys: StoreKeys, name: str, health: StoreHealth) -> None:
        self._keys, self._name, self._health = keys, name, health
        self._has_beaten = False  # then the store has the last one, unless it has lost it
        self._silent: dict[str, tuple[float, float]] = {}  # the replicas without one, see find_dead

    def start(self) -> None:
        """Begin without a heartbeat."""
        self._has_beaten = False

    def beat(self, store: Store) -> None:
        """Write a heartbeat; raises StoreError if the last one is gone, because then more may be gone."""
        key = self._key_of(self._name)
        if self._has_beaten and store.get(key) is None:
            self._has_beaten = False
            raise StoreError("what was in it is gone, or this process was paused")
        store.put(key, self._keys.sign(key, True), ALIVE)
        self._has_beaten = True

    def end(self, store: Store) -> None:
        """Remove the heartbeat, because the replica stops; raises StoreError."""
        self._has_beaten = False
        store.delete(self._key_of(self._name))

    def find_dead(self, names: set[str], store: Store) -> set[str]:
        """Those of some replicas that had no heartbeat for some seconds in which the store worked; raises StoreError.

        These seconds need not be in a row, or a store that fails again and again would keep the dead alive.
        """
        for name in names:
            if self._is_alive(name, store):
                self._silent.pop(name, None)
            elif name not in self._silent:
                self._silent[name] = self._health.worked, min(ALIVE, self._health.worked_lately)
        while len(self._silent) > MAX_SILENT:
            del self._silent[next(iter(self._silent))]
        return {name for name in names if self._find_silence(name) >= ALIVE}

    def _find_silence(self, name: str) -> float:
        """For how many seconds a replica is known to have no heartbeat, while the store worked."""
        noticed, before = self._silent.get(name, (self._health.worked, 0.0))
        return before + self._health.worked - noticed

    def _is_alive(self, name: str, store: Store) -> bool:
        key = self._key_of(name)
        value = store.get(key)
        return value is not None and self._keys.open(key, value) is not None

    def _key_of(self, name: str) -> str:
        return self._keys.key("replica", name)
