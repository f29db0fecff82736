"""What only a store in Redis has: its extra, its addresses, and a Redis that is away, frozen or full."""

import subprocess
import sys
import time

import pytest

from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.store import StoreError
from redis_server import running_redis

pytestmark = pytest.mark.slow


def test_a_missing_extra_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(AuthorError, match=r"pip install 'plainmcp\[redis\]'"):
        RedisStore("redis://127.0.0.1")


def test_the_client_is_loaded_by_those_who_use_it() -> None:
    program = "import sys, plainmcp, plainmcp.redis; plainmcp.Server('s').asgi(); print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize("url", ["127.0.0.1:6379", "http://127.0.0.1", "redis://127.0.0.1:x/0"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(AuthorError, match="not an address of Redis"):
        RedisStore(url)


@pytest.mark.parametrize("timeout", [0, -1, 100])
def test_a_timeout_is_bounded(timeout: float) -> None:
    with pytest.raises(AuthorError, match="timeout is a number of seconds"):
        RedisStore("redis://127.0.0.1", timeout=timeout)


def test_a_redis_that_is_away_fails_at_once_and_is_used_again_when_it_is_back() -> None:
    with running_redis() as server:
        store = RedisStore(server.url)
        store.put("a", b"1", 60)
        server.stop()
        started = time.monotonic()
        with pytest.raises(StoreError, match="Redis cannot be used"):
            store.get("a")
        assert time.monotonic() - started < 0.5
        server.start()
        assert store.get("a") is None
        store.close()


def test_a_frozen_redis_fails_in_time() -> None:
    with running_redis() as server:
        store = RedisStore(server.url)
        store.put("a", b"1", 60)
        server.freeze()
        started = time.monotonic()
        with pytest.raises(StoreError):
            store.get("a")
        assert 0.4 < time.monotonic() - started < 0.9
        server.thaw()
        assert store.get("a") == b"1"
        store.close()


def test_a_full_redis_says_so() -> None:
    with running_redis("--maxmemory", "3mb", "--maxmemory-policy", "noeviction") as server:
        store = RedisStore(server.url)
        with pytest.raises(StoreError, match=r"Redis refused a command: .*command not allowed"):
            for number in range(100):
                store.put(f"{number}", b"x" * 100_000, 60)
        assert store.get("nothing") is None
        store.close()
