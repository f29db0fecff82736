"""Fixtures of several files: a real Redis, and each kind of store."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plainmcp.redis import RedisStore
from plainmcp.store import MemoryStore, SQLiteStore, Store
from redis_server import RedisServer, running_redis


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """A Redis for the tests of one file."""
    with running_redis() as server:
        yield server


@pytest.fixture(params=["memory", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("sqlite", "redis"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each kind of store, empty."""
    made: Store
    match request.param:
        case "memory":
            made = MemoryStore()
        case "sqlite":
            made = SQLiteStore(tmp_path / "store.db")
        case _:
            made = RedisStore(request.getfixturevalue("redis").url, prefix=f"{time.monotonic_ns()}:")
    yield made
    made.close()
