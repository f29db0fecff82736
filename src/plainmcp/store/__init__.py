"""Stores for what several processes of one server share; `plainmcp.redis` has the one for several machines."""

from .interface import Entry, Store, StoreError
from .memory import MemoryStore
from .sqlite import SQLiteStore

__all__ = ["Entry", "MemoryStore", "SQLiteStore", "Store", "StoreError"]
