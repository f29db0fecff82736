"""Stores for what several processes of one server share; `plainmcp.redis` has the one for several machines."""

from .interface import Entry, Store, StoreError
from .memory import MemoryStore

__all__ = ["Entry", "MemoryStore", "Store", "StoreError"]
