"""Real servers behind each kind of address: TLS, a Redis Cluster, Sentinel and Valkey, in good and in bad times."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import pytest
import redis
from redis import Redis

from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.redis.pools import _Once
from plainmcp.store import StoreError
from plainmcp.store.guarantees.run import StoreCheck, carry_out, do_together, wait_until
from plainmcp.store.guarantees.using import check_outage
from plainmcp.testing import check_store
from redis_server import running_redis, valkey
from redis_sets import running_cluster, running_sentinel, running_tls, tls_options
from replicas import make_server
from talking import until

pytestmark = pytest.mark.slow  # it starts servers
PATIENT = 5.0
"""The timeout where it is not what is tested: with TLS, a hundred connections at once take a busy machine a while."""


@contextmanager
def behind_tls() -> Iterator[Any]:
    with running_tls("clients") as (server, port, folder):
        server.url = f"rediss://127.0.0.1:{port}/0?{tls_options(folder, client=True)}"
        yield server


KINDS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "Redis": running_redis,
    "Valkey": lambda: running_redis(program=valkey),
    "TLS": behind_tls,
    "cluster": running_cluster,
    "cluster with TLS": lambda: running_cluster(has_tls=True),
}


def frozen(servers: Any) -> AbstractContextManager[None]:
    @contextmanager
    def freeze() -> Iterator[None]:
        servers.freeze()
        try:
            yield
        finally:
            servers.thaw()

    return freeze()


def gone(servers: Any) -> AbstractContextManager[None]:
    @contextmanager
    def stop() -> Iterator[None]:
        servers.stop()
        yield
        servers.start()

    return stop()


def connected(url: str, timeout: float) -> Callable[[], RedisStore]:
    """Makes stores; two have connections, because on a busy machine handshakes take longer than what is tested."""

    def is_done(work: Callable[[], object]) -> bool:
        with suppress(StoreError):
            work()
            return True
        return False

    stores = [RedisStore(url, timeout=timeout) for _ in range(2 if url.startswith("rediss") else 0)]
    for store in stores:
        works: list[Callable[[], object]] = [partial(store.get, "a"), partial(store.read, {"a": 0}, 0.3)]
        do_together(*(partial(wait_until, partial(is_done, work), time.monotonic() + 20) for work in works * 20))
    return lambda: stores.pop() if stores else RedisStore(url, timeout=timeout)


@pytest.mark.parametrize("kind", KINDS)
def test_it_keeps_what_every_store_guarantees(kind: str) -> None:
    with KINDS[kind]() as servers:
        check_store(connected(servers.url, PATIENT))


@pytest.mark.parametrize("outage", [frozen, gone])
@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_reached_is_an_error_in_time(kind: str, outage: Callable[[Any], Any]) -> None:
    """All nodes of a cluster are away at once: redis-py asks one after the other, which nobody waits for."""
    with KINDS[kind]() as servers:
        run = StoreCheck(connected(servers.url, 0.5))
        carry_out(run, partial(check_outage, outage=lambda: outage(servers)))
        assert run.failures == []
        run.store.close()
        run.other.close()


@pytest.mark.parametrize("has_tls", [False, True])
def test_behind_sentinel_it_keeps_what_every_store_guarantees(has_tls: bool) -> None:
    with running_sentinel(has_tls=has_tls) as servers:
        check_store(connected(servers.url, PATIENT))


@pytest.mark.parametrize("has_tls", [False, True])
def test_sentinel_lets_the_replica_take_over_and_the_store_goes_on(has_tls: bool) -> None:
    with running_sentinel(has_tls=has_tls) as servers:
        store = RedisStore(servers.url)
        store.put("{a}value", b"before", 600)
        [before] = store.append([("{a}log", b"before")], 10, 600)
        until(lambda: Redis(port=servers.servers[1].port).exists("plainmcp:{a}log"))
        servers.servers[0].stop()
        with pytest.raises(StoreError, match="Redis, as notes of Sentinel at 127"):
            store.get("{a}value")

        def is_back() -> bool:
            try:
                return store.get("{a}value") == b"before"
            except StoreError:
                return False

        until(is_back, 60)
        [after] = store.append([("{a}log", b"after")], 10, 600)
        assert after > before
        assert [entry.value for entry in store.read({"{a}log": 0}, 0.1)] == [b"before", b"after"]
        assert Redis(port=servers.servers[1].port).info("replication")["role"] == "master"
        store.close()


def test_a_service_that_sentinel_does_not_know_is_named() -> None:
    with running_sentinel() as servers:
        store = RedisStore(servers.url.replace("service=notes", "service=other"))
        with pytest.raises(StoreError, match="No master found for 'other'"):
            store.get("a")
        store.close()


def test_a_server_of_a_cluster_has_all_its_keys_at_one_node() -> None:
    """Whatever its name is, each key of a server starts with the same tag."""
    from plainmcp.replicas.keys import StoreKeys

    with running_cluster() as servers:
        for name in ("notes", "{}", "a}b{c", "ключ"):
            keys = StoreKeys(make_server(name))
            every = [
                keys.changes,
                keys.broadcasts,
                keys.replicas,
                keys.began,
                keys.inboxes + "a",
                keys.key("any", "{x}"),
            ]
            every += [keys.streams + "a:b", keys.session_of("a"), keys.heartbeat_of("a")]
            client = Redis(port=servers.nodes[0].port)
            slots = {client.execute_command("CLUSTER KEYSLOT", f"plainmcp:{key}") for key in every}
            assert len(slots) == 1
            store = RedisStore(servers.url)
            store.append([(key, b"1") for key in every], 10, 60)
            assert len(store.read(dict.fromkeys(every, 0))) == len(every)
            store.close()


def test_a_cluster_whose_nodes_have_moved_is_found_again_by_its_url() -> None:
    with running_cluster() as servers:
        store = RedisStore(servers.url)
        store.put("{a}", b"1", 60)
        servers.restart()
        store.put("{a}", b"2", 60)
        slot = Redis(port=servers.nodes[0].port).execute_command("CLUSTER KEYSLOT", "plainmcp:{a}")
        clients = [Redis(port=node.port) for node in servers.nodes]
        owner = slot * 3 // 16384
        other = (owner + 1) % 3
        clients[owner].delete("plainmcp:{a}")
        for client in clients:
            client.execute_command("CLUSTER SETSLOT", slot, "NODE", clients[other].execute_command("CLUSTER MYID"))
        store.put("{a}", b"3", 60)  # the old node says where it is
        assert store.get("{a}") == b"3"
        store.close()


def test_a_server_that_is_no_cluster_is_an_error_that_says_so() -> None:
    with running_redis() as server:
        store = RedisStore(server.url.replace("redis://", "redis+cluster://"))
        with pytest.raises(StoreError, match="Cluster mode is not enabled on this node"):
            store.get("a")


def test_a_certificate_that_is_not_trusted_is_refused(tmp_path: Any) -> None:
    with running_tls() as (_, port, folder), running_tls() as (_, _, other), ExitStack() as stack:
        stores = [
            RedisStore(f"rediss://127.0.0.1:{port}/0"),
            RedisStore(f"rediss://127.0.0.1:{port}/0?{tls_options(other)}"),
        ]
        for store in stores:
            stack.callback(store.close)
            with pytest.raises(StoreError, match="certificate verify failed"):
                store.get("a")
        with pytest.raises(StoreError, match="cannot be used"):
            RedisStore(f"redis://127.0.0.1:{port}/0").get("a")
        trusting = RedisStore(f"rediss://localhost:{port}/0?{tls_options(folder)}")
        assert trusting.get("a") is None
        trusting.close()


def test_the_passwords_for_sentinel_and_behind_it_are_in_no_error() -> None:
    with running_sentinel() as servers:
        url = servers.url.replace("//", "//u:s3cr3t@").replace(
            "service=notes", "service=no&sentinel_password=s3cr3t2"
        )
        with pytest.raises(StoreError) as failed:
            RedisStore(url).get("a")
        assert "s3cr3t" not in str(failed.value)


@pytest.mark.parametrize("prefix", ["{a}", "a{", "}"])
def test_a_prefix_with_braces_is_refused(prefix: str) -> None:
    with pytest.raises(AuthorError, match="prefix must have no braces"):
        RedisStore("redis://127.0.0.1", prefix=prefix)


def test_what_several_threads_want_is_done_once_and_none_of_them_waits_for_long() -> None:
    done: list[float] = []

    def work(seconds: float) -> None:
        done.append(seconds)
        time.sleep(seconds)
        raise ValueError("as it is")

    once = _Once(work, 0.5)
    with ThreadPoolExecutor(5) as threads:
        failures = [one.exception() for one in [threads.submit(once, 0.2) for _ in range(5)]]
    assert done == [0.2] and {repr(failure) for failure in failures} == {"ValueError('as it is')"}
    began = time.monotonic()
    for _ in range(2):
        with pytest.raises(redis.ConnectionError, match="no node answers in time"):
            once(1.2)
    assert 0.9 < time.monotonic() - began < 1.2 and done == [0.2, 1.2]
