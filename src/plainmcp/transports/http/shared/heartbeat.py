"""The heartbeats of replicas in the store: a value that each of them writes about once a second, and that expires."""

from ....store.interface import Store, StoreError
from .store_health import StoreHealth
from .store_keys import StoreKeys

__all__ = ["Heartbeat"]

ALIVE = 4.0
"""After how many seconds without a heartbeat a replica is considered dead."""


class Heartbeat:
    """The heartbeat of one replica, and a look at those of others."""

    def __init__(self, keys: StoreKeys, name: str, health: StoreHealth) -> None:
        self._keys, self._name, self._health = keys, name, health
        self._has_beaten = False  # then the store has the last one, unless it has lost it

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

    def can_tell(self) -> bool:
        """Whether the store has worked for so long that every replica that is alive has written a heartbeat."""
        return self._health.has_worked_for(ALIVE)

    def find_dead(self, names: set[str], store: Store) -> set[str]:
        """Those of some replicas that have no heartbeat; raises StoreError."""
        return {name for name in names if not self._is_alive(name, store)}

    def _is_alive(self, name: str, store: Store) -> bool:
        key = self._key_of(name)
        value = store.get(key)
        return value is not None and self._keys.open(key, value) is not None

    def _key_of(self, name: str) -> str:
        return self._keys.key("replica", name)
