"""Several real redis-servers on loopback: a Redis Cluster of three nodes; a server, its replica and three Sentinels.

With TLS, a proxy is in front of each port.
"""

import random
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from redis import Redis

from redis_server import RedisServer, free_port, running_redis
from talking import until
from tls import make_certificates, tls_in_front

__all__ = ["ClusterServers", "SentinelServers", "running_cluster", "running_sentinel", "running_tls", "tls_options"]


def tls_options(folder: Path, *, client: bool = False) -> str:
    """The options in a URL for the certificates in a folder."""
    own = f"&ssl_certfile={folder}/client.pem&ssl_keyfile={folder}/client.key" if client else ""
    return f"ssl_ca_certs={folder}/ca.pem{own}"


@contextmanager
def running_tls(how: str = "tls") -> Iterator[tuple[RedisServer, int, Path]]:
    """A server, the port at which it has TLS, and the folder with the certificates."""
    with tempfile.TemporaryDirectory() as name, running_redis() as server:
        folder, way = Path(name), free_port()
        make_certificates(folder)
        with tls_in_front(folder, {way: server.port}, how):
            yield server, way, folder


class ClusterServers:
    """A Redis Cluster of three nodes without replicas, to be used as one RedisServer."""

    def __init__(self, folder: Path, *options: str, tls: Path | None = None) -> None:
        self.nodes: list[RedisServer] = []
        self.ways: dict[int, int] = {}  # the port with TLS, and that of the node behind it
        for number in range(3):
            port, way = _lasting_port(), _lasting_port()
            announced = ("--cluster-announce-port", f"{way}", "--cluster-announce-bus-port", f"{port + 10_000}")
            own = ("--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", *(announced if tls else ()))
            home = folder / f"node-{number}"
            home.mkdir()
            self.nodes.append(RedisServer(home, *own, *options, port=port))
            self.ways[way if tls else port] = port
        hosts = ",".join(f"127.0.0.1:{way}" for way in self.ways)
        self.url = f"rediss+cluster://{hosts}?{tls_options(tls)}" if tls else f"redis+cluster://{hosts}"

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        clients = [Redis(port=node.port) for node in self.nodes]
        for number, client in enumerate(clients):
            if client.cluster("info")["cluster_slots_assigned"] == "0":
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                client.cluster("addslots", *range(number * 16384 // 3, (number + 1) * 16384 // 3))
                for node in self.nodes[:number]:
                    client.execute_command("CLUSTER MEET", "127.0.0.1", node.port, node.port + 10_000)
        until(lambda: all(self._is_ready(client) for client in clients))
        for client in clients:
            client.close()

    def _is_ready(self, client: Any) -> bool:
        facts = client.cluster("info")
        return bool(facts["cluster_state"] == "ok" and facts["cluster_slots_ok"] == "16384")

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()

    def restart(self) -> None:
        """End all nodes as an operator does, and start them again."""
        for node in self.nodes:
            node.end()
        self.start()

    def freeze(self) -> None:
        for node in self.nodes:
            node.freeze()

    def thaw(self) -> None:
        for node in self.nodes:
            node.thaw()


def _lasting_port() -> int:
    """A free port, and free is that of a bus, 10,000 higher. Neither is one that systems give to connections."""
    while True:
        port = random.randrange(11_000, 21_000)
        bus = ("127.0.0.1", port + 10_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)), socket.create_server(bus):
            return port


class SentinelServers:
    """A server, its replica, and three Sentinels that let the replica take its place."""

    def __init__(self, folder: Path, *options: str, tls: Path | None = None) -> None:
        ports = [_lasting_port() for _ in range(5)]
        self.ways = {_lasting_port() if tls else port: port for port in ports}
        seen = list(self.ways)
        homes = [folder / f"server-{number}" for number in range(5)]
        for home in homes:
            home.mkdir()
        for home, port in zip(homes[2:], ports[2:], strict=True):
            (home / "sentinel.conf").write_text(
                f"port {port}\nsentinel monitor notes 127.0.0.1 {seen[0]} 2\n"
                "sentinel down-after-milliseconds notes 2500\nsentinel failover-timeout notes 3000\n"
            )
        self.servers = [
            RedisServer(home, "--replica-announce-port", f"{way}", *options, port=port)
            for home, port, way in zip(homes[:2], ports, seen, strict=False)
        ]
        self._replica_of = ("--replicaof", "127.0.0.1", f"{seen[0]}")
        self.sentinels = [
            RedisServer(home, "--sentinel", port=port) for home, port in zip(homes[2:], ports[2:], strict=True)
        ]
        hosts = ",".join(f"127.0.0.1:{way}" for way in seen[2:])
        rest = f"+sentinel://{hosts}/0?service=notes"
        self.url = f"rediss{rest}&{tls_options(tls)}" if tls else f"redis{rest}"

    def start(self) -> None:
        self.servers[0].start()
        self.servers[1].start()
        replica, port = Redis(port=self.servers[1].port), int(self._replica_of[2])
        replica.replicaof("127.0.0.1", port)
        until(lambda: replica.info("replication")["master_link_status"] == "up")
        replica.close()
        for sentinel in self.sentinels:
            sentinel.start()
        for sentinel in self.sentinels:
            client = Redis(port=sentinel.port)
            until(lambda client=client: self._knows_all(client))
            client.close()

    def _knows_all(self, client: Any) -> bool:
        facts = client.sentinel_masters().get("notes", {})
        return bool(facts.get("num-other-sentinels") == 2 and facts.get("num-slaves") == 1)

    def stop(self) -> None:
        for server in (*self.sentinels, *self.servers):
            server.stop()


@contextmanager
def running_cluster(*options: str, has_tls: bool = False) -> Iterator[ClusterServers]:
    """A Redis Cluster that has started."""
    with _running(ClusterServers, options, has_tls, "tls") as servers:
        yield servers


@contextmanager
def running_sentinel(*options: str, has_tls: bool = False) -> Iterator[SentinelServers]:
    """A server with a replica and Sentinels that have started; these do not speak TLS with one another."""
    with _running(SentinelServers, options, has_tls, "both") as servers:
        yield servers


@contextmanager
def _running(make: Callable[..., Any], options: tuple[str, ...], has_tls: bool, how: str) -> Iterator[Any]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_certificates(folder)
        servers = make(folder, *options, tls=folder if has_tls else None)
        stack.callback(servers.stop)
        if has_tls:
            stack.enter_context(tls_in_front(folder, servers.ways, how))
        servers.start()
        yield servers
