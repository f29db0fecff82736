"""Fixtures of several files: a real Redis, and each kind of store."""

import time
from collections.abc import Iterator

import pytest

from plainmcp.redis import RedisStore
from plainmcp.store import MemoryStore, Store
from redis_server import RedisServer, running_redis


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """A Redis for the tests of one file."""
    with running_redis() as server:
        yield server


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Each kind of store, empty."""
    if request.param == "memory":
        yield MemoryStore()
        return
    server: RedisServer = request.getfixturevalue("redis")
    made = RedisStore(server.url, prefix=f"{time.monotonic_ns()}:")
    yield made
    made.close()
