"""What only a store in Redis has: its extra, its addresses, and a Redis that is away, frozen or full."""

import importlib.util
import os
import re
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis

from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore, pools
from plainmcp.store import StoreError
from redis_server import running_redis
from slow_redis import slow_way

pytestmark = pytest.mark.slow


def test_a_missing_extra_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(AuthorError, match=r"pip install 'plainmcp\[redis\]'"):
        RedisStore("redis://127.0.0.1")


def test_the_client_is_loaded_by_those_who_use_it() -> None:
    program = "import sys, plainmcp, plainmcp.redis; plainmcp.Server('s').asgi(); print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("False\n", "")


# An environment of its own, without the extra -----------------------------------------------------

PLAIN = """\
import sys
from plainmcp import Server

server = Server("plain", "1", key=b"a key of all processes")
server.tool(name="add")(lambda a, b: 3)
for options in ({}, {"sessions": "signed"}, {"stateless": True}):
    app = server.asgi(**options)
server.wsgi()
print(server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"}) is not None)
parts = ("redis", "http.shared", "plainmcp.store")
print(sorted(name for name in sys.modules if any(part in name for part in parts)))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has this package, uvicorn, and no redis-py."""
    folder = tmp_path_factory.mktemp("plain")
    venv.create(folder, with_pip=False)
    [packages] = folder.glob("lib/python*/site-packages")
    for name in ("plainmcp", "msgspec", "uvicorn", "h11", "click", "typing_extensions"):
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        source = Path(spec.origin)
        source = source.parent if source.name == "__init__.py" else source
        (packages / source.name).symlink_to(source)
    return folder / "bin" / "python"


def run_in(python: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, *command], capture_output=True, text=True, timeout=60, env=environment, check=False
    )


def test_without_the_extra_nothing_of_it_is_loaded(python: Path) -> None:
    missing = run_in(python, "-c", "import redis")
    assert "No module named 'redis'" in missing.stderr
    done = run_in(python, "-c", PLAIN)
    assert (done.stdout, done.stderr) == ("True\n[]\n", "")


def test_without_the_extra_the_option_says_what_to_install(python: Path, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from plainmcp import Server\nserver = Server('one', '1')\n", "utf-8")
    serve = ["-m", "plainmcp", "serve", str(tmp_path / "one.py"), "--http", "127.0.0.1:0"]
    for more in (["--workers", "2"], []):
        done = run_in(python, *serve, *more, "--redis", "redis://127.0.0.1")
        assert done.returncode == 3 and "pip install 'plainmcp[redis]'" in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("127.0.0.1:6379", "it starts with neither redis:// nor rediss:// nor unix://"),
        ("http://127.0.0.1", "it starts with neither"),
        ("redis://127.0.0.1:x/0", "its host or port cannot be read"),
        ("redis://127.0.0.1:99999/0", "its host or port cannot be read"),
        ("redis://[::1/0", "its host or port cannot be read"),
        ("redis://127.0.0.1/db", "what follows the host and the slash is not the number of a database"),
        ("redis://:secret/x@127.0.0.1", "its host or port cannot be read"),
        ("redis://127.0.0.1/0?colour=red", "it has an option, after the question mark, that redis-py does not take"),
        ("redis://127.0.0.1/0?health_check_interval=x", "it has an option, after the question mark"),
        ("rediss://127.0.0.1/0?ssl_cert_reqs=x", "it has an option, after the question mark"),
        ("redis://127.0.0.1/0?socket_timeout=6", "socket_timeout is not an option here"),
        ("redis://127.0.0.1/0?db=1&protocol=3", "protocol is not an option here"),
        ("redis://127.0.0.1/0?decode_responses=True", "decode_responses is not an option here"),
        ("valkey://127.0.0.1/0", "for Valkey, too, it starts with redis:// or rediss://"),
    ],
)
def test_an_address_that_is_none_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(AuthorError, match=re.escape(f"this is not an address of Redis: {reason}")) as refused:
        RedisStore(url)
    assert "secret" not in str(refused.value)
    assert ("%2F" in str(refused.value)) == ("@" in url)


@pytest.mark.parametrize("url", ["redis://a/1", "redis://a?db=2", "rediss://u:p@a:1/", "unix:///tmp/a.sock?db=1"])
def test_addresses_of_redis_are_taken(url: str) -> None:
    RedisStore(url).close()


def test_a_refused_login_says_what_to_check() -> None:
    with running_redis("--requirepass", "right") as server:
        for url in (server.url, server.url.replace("//", "//:wrong@")):
            store = RedisStore(url)
            with pytest.raises(StoreError, match="check the user and password in its URL"):
                store.get("a")
            store.close()


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
        with pytest.raises(StoreError, match=r"Redis at .* cannot be used"):
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
        with pytest.raises(StoreError, match=r"Redis at .* is full"):
            for number in range(100):
                store.put(f"{number}", b"x" * 100_000, 60)
        assert store.get("nothing") is None
        store.close()


def test_a_clock_of_redis_that_was_set_back_repeats_nothing() -> None:
    """Until the clock has caught up, Redis gives all entries the same time, and counts them."""
    with running_redis() as server:
        store, raw = RedisStore(server.url), redis.Redis.from_url(server.url)
        raw.xadd("plainmcp:log", {"v": b"a"}, id="9999999999999-99998")
        after = store.last("log")
        positions = store.append([("log", b"b"), ("log", b"c")], 100, 60)
        assert after < positions[0] < positions[1] == store.last("log")
        assert [entry.value for entry in store.read({"log": after})] == [b"b", b"c"]
        assert store.read({"log": positions[1]}) == []
        raw.xadd("plainmcp:log", {"v": b"d"}, id="9999999999999-1048576")
        with pytest.raises(StoreError, match="clock of Redis"):
            store.read({"log": positions[1]})
        raw.close()
        store.close()


def test_what_another_program_has_written_is_removed(caplog: pytest.LogCaptureFixture) -> None:
    """P31: a value is then missing, which is logged now and then; that a log has lost its entries is an error."""
    with running_redis() as server:
        store, raw = RedisStore(server.url), redis.Redis.from_url(server.url)
        for _ in range(3):
            raw.delete("plainmcp:a")
            raw.lpush("plainmcp:a", "x")
            assert store.get("a") is None and not raw.exists("plainmcp:a")
            raw.sadd("plainmcp:a", "x")
            assert not store.change("a", b"before", b"after", 60)
            raw.hset("plainmcp:a", "x", "y")
            assert store.change("a", None, b"after", 60)
            assert store.get("a") == b"after"
        why = f"Redis at 127.0.0.1:{server.port} had something of another program at 'plainmcp:{{}}': it is removed"
        assert [one.getMessage() for one in caplog.records] == [why.format("a")]

        raw.rpush("plainmcp:bad", "x")
        store.append([("good", b"1")], 100, 60)
        for work in (
            lambda: store.append([("good", b"2"), ("bad", b"3")], 100, 60),
            lambda: store.read({"good": 0, "bad": 0}),
            lambda: store.read({"good": 2**63, "bad": 0}, 0.1),
            lambda: store.last("bad"),
        ):
            raw.delete("plainmcp:bad")
            raw.rpush("plainmcp:bad", "x")
            with pytest.raises(StoreError) as failed:
                work()
            assert str(failed.value) == why.format("bad")
            assert not raw.exists("plainmcp:bad") and raw.exists("plainmcp:good")
        raw.xadd("plainmcp:bad", {"v": "x"}, id="18446744073709551615-18446744073709551615")
        with pytest.raises(StoreError, match="another program"):
            store.append([("bad", b"4")], 100, 60)
        assert store.append([("bad", b"5")], 100, 60)
        assert [entry.value for entry in store.read({"bad": 0})] == [b"5"]
        raw.close()
        store.close()


def test_more_threads_than_connections_wait_for_one_but_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MAX_CONNECTIONS", 2)
    with running_redis() as server, slow_way(server.port) as way:
        store = RedisStore(way.url)
        store.put("a", b"1", 60)
        way.seconds = 0.02
        with ThreadPoolExecutor(10) as threads:
            assert list(threads.map(store.get, ["a"] * 10)) == [b"1"] * 10
        way.seconds = 0.4
        started = time.monotonic()
        with ThreadPoolExecutor(10) as threads:
            failures = [thread.exception() for thread in [threads.submit(store.get, "a") for _ in range(10)]]
        assert time.monotonic() - started < 1.5
        assert {type(failure) for failure in failures} == {type(None), StoreError}
        way.seconds = 0.0
        store.close()


@pytest.mark.parametrize("url", [None, b"redis://127.0.0.1", 6379])
def test_what_is_not_a_text_is_not_an_address(url: Any) -> None:
    with pytest.raises(AuthorError, match="RedisStore takes the URL of Redis as a str, not"):
        RedisStore(url)


def test_stores_with_the_same_address_are_equal() -> None:
    one, same, other = (RedisStore(f"redis://127.0.0.1:{port}/0") for port in (1, 1, 2))
    assert one == same and hash(one) == hash(same) and one != other
    assert RedisStore("redis://127.0.0.1:1/0", prefix="other:") != one


@pytest.mark.slow
def test_an_error_has_the_address_but_neither_the_password_nor_what_was_to_be_written() -> None:
    """A Redis that does not know a command repeats its arguments."""
    with running_redis("--rename-command", "AUTH", "", "--rename-command", "EVAL", "") as server:
        with pytest.raises(StoreError) as error:
            RedisStore(server.url.replace("redis://", "redis://somebody:s3cr3t@")).get("a")
        assert "s3cr3t" not in str(error.value) and f"127.0.0.1:{server.port}" in str(error.value)
        with pytest.raises(StoreError, match="unknown command") as error:
            RedisStore(server.url).append([("log", b"\x00what is written")], 10, 60)
        assert "written" not in str(error.value)
