"""The clients of one process for a Redis: one for commands, and one for reads that wait.

Knows how redis-py reaches one server, a cluster and what Sentinel watches; knows no command. All have the same
limits: a number of connections, and no command is repeated, which is up to the caller.
"""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .urls import RedisAddress

__all__ = ["MAX_CONNECTIONS", "MAX_WAIT", "RedisClients"]

MAX_CONNECTIONS = 64
"""How many connections a process has for commands, and as many for reads that wait."""
MAX_WAIT = 0.5
"""How many seconds a read may let Redis wait: its connections have to be patient, also while they are opened."""


class RedisClients:
    """The clients of a process for an address; they connect when they are first used."""

    def __init__(self, address: RedisAddress, timeout: float) -> None:
        self._clients = [_Client(address, timeout, timeout + seconds) for seconds in (0, MAX_WAIT)]

    def use(self, *, waits: bool = False) -> AbstractContextManager[Any]:
        """A client: for commands, or for a read that waits. Raises the errors of redis-py."""
        return self._clients[waits].use()

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        for client in self._clients:
            client.close()


class _Client:
    """A client of redis-py, which several threads use."""

    def __init__(self, address: RedisAddress, timeout: float, answer_timeout: float) -> None:
        self._address, self._timeouts = address, (timeout, answer_timeout)
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._client: Any = None
        self._open = _Once(self._connect, 2 * timeout)

    @contextmanager
    def use(self) -> Generator[Any, None, None]:
        from redis.exceptions import ConnectionError, RedisClusterException

        if not self._free.acquire(timeout=self._timeouts[0]):
            raise ConnectionError("all connections of this process are in use")
        try:
            client = self._client
            while client is None:
                self._open()
                client = self._client
            yield client
        except RedisClusterException:
            self.close()  # it looks for the nodes of the URL again: those that it knows may all be gone
            raise
        finally:
            self._free.release()

    def _connect(self) -> None:
        self._client = self._client or _CONNECT[self._address.kind](self._address, *self._timeouts)

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()


class _Once:
    """Work that is done once for all threads that want it at the same time; they wait for it, but not for long."""

    def __init__(self, work: Callable[..., None], seconds: float) -> None:
        self._work, self._seconds = work, seconds
        self._lock = threading.Lock()
        self._doing: Future[None] | None = None

    def __call__(self, *args: Any, **options: Any) -> None:
        from redis.exceptions import ConnectionError

        with self._lock:
            doing = self._doing
            if doing is None or doing.done():
                doing = self._doing = Future()
                threading.Thread(target=self._do, args=(doing, args, options), daemon=True).start()
        try:
            doing.result(self._seconds)
        except TimeoutError:  # it goes on: a cluster has many nodes, and may have to be asked node by node
            raise ConnectionError("no node answers in time") from None

    def _do(self, doing: "Future[None]", args: tuple[Any, ...], options: dict[str, Any]) -> None:
        try:
            self._work(*args, **options)
        except Exception as error:
            doing.set_exception(error)
        else:
            doing.set_result(None)


# What redis-py has for each kind of address -------------------------------------------------------


def _options(address: RedisAddress, timeout: float, answer_timeout: float) -> dict[str, Any]:
    own = {"socket_connect_timeout": timeout, "socket_timeout": answer_timeout}
    return {**address.options, **own, "protocol": 2}  # its answers are the same in all versions of redis-py


def _connect_to_server(address: RedisAddress, timeout: float, answer_timeout: float) -> Any:
    import redis

    options = _options(address, timeout, answer_timeout)
    kind: Any = redis.SSLConnection if address.has_tls else redis.Connection
    if address.nodes:
        [(options["host"], options["port"])] = address.nodes
    else:
        kind = redis.UnixDomainSocketConnection
    return redis.Redis.from_pool(redis.ConnectionPool(kind, retry=_no_retry(), **options))


def _connect_to_sentinel(address: RedisAddress, timeout: float, answer_timeout: float) -> Any:
    from redis import sentinel

    make: Any = sentinel.Sentinel
    options = _options(address, timeout, answer_timeout) | {"ssl": address.has_tls, "retry": _no_retry()}
    seconds = timeout / 2  # for each Sentinel
    own = {**options, "socket_connect_timeout": seconds, "socket_timeout": seconds}
    own = {name: value for name, value in own.items() if name not in ("db", "username", "password")}
    service = address.sentinel["service"]
    login = {name: value for name, value in address.sentinel.items() if name != "service"}
    return make(address.nodes, sentinel_kwargs={**own, **login}).master_for(service, **options)


def _connect_to_cluster(address: RedisAddress, timeout: float, answer_timeout: float) -> Any:
    """A client of a cluster; it connects at once, to ask a node for the others."""
    from redis import cluster

    make_node: Any = cluster.ClusterNode
    client = cluster.RedisCluster(
        startup_nodes=[make_node(host, port) for host, port in address.nodes],
        ssl=address.has_tls,
        require_full_coverage=False,
        retry=_no_retry(),
        **_options(address, timeout, answer_timeout),
    )
    manager: Any = client.nodes_manager
    manager.initialize = _Once(manager.initialize, timeout)  # it asks one node after the other
    return client


def _no_retry() -> Any:
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return Retry(NoBackoff(), 0)


_CONNECT: dict[str, Callable[[RedisAddress, float, float], Any]] = {
    "": _connect_to_server,
    "cluster": _connect_to_cluster,
    "sentinel": _connect_to_sentinel,
}
