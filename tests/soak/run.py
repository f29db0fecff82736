"""The soak: `make soak` runs it in full; a test runs a short form."""

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from redis_server import RedisServer, running_redis
from redis_sets import ClusterServers, running_cluster
from replica_set import AnyStore, FileStore, ReplicaSet, running_file, running_set
from soak.history import History, check, summary_of
from soak.official import FastMCPClient, OfficialClient
from soak.raw import Leaver, ModernClient, SessionClient, Thief
from soak.typescript import TypeScriptClient
from soak.worker import Worker

__all__ = ["run_soak", "soak"]

SERVER = Path(__file__).parent / "server.py"
OTHERS = (OfficialClient, FastMCPClient, TypeScriptClient)
PACE = 0.6
"""How many seconds a client waits at most between its operations, so that there are some during each trouble."""


STORES: dict[str, Callable[[], AbstractContextManager[AnyStore]]] = {
    "redis": partial(running_redis, "--appendonly", "yes"),
    "cluster": partial(running_cluster, "--appendonly", "yes", has_tls=True),
    "sqlite": running_file,
}


def run_soak(
    sessions: int, others: int, each: int, troubles: int, pace: float = 0, seed: int = 1, store: str = "redis"
) -> tuple[History, list[str], str]:
    """Start a set of replicas, and let clients use it; returns the history, its problems, and the log of the set."""
    with running_set(SERVER, start_store=STORES[store]) as replicas:
        history = asyncio.run(soak(replicas, sessions, others, each, troubles, pace, seed))
        history.read_journal(replicas.journal)
        return history, check(history), replicas.log.read_text("utf-8")


async def soak(
    replicas: ReplicaSet, sessions: int, others: int, each: int, troubles: int, pace: float, seed: int
) -> History:
    """Clients with so many operations each; meanwhile a replica is killed, Redis is restarted, and so on.

    So many have a session, half as many speak 2026-07-28; of each client of others there are so many on both.
    """
    history = History()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(20, read=None), trust_env=False) as http:
        kinds: list[tuple[Any, Any]] = [(SessionClient, http)] * sessions
        kinds += [(ModernClient, http)] * -(-sessions // 2) + [(Thief, http), (Leaver, http)]
        kinds += [(kind, mode) for kind in OTHERS for mode in ("legacy", "auto")] * others
        clients: list[Worker] = []
        for number, (kind, option) in enumerate(kinds):
            mode = option if isinstance(option, str) else ""
            name = f"{kind.__name__}{'-' * bool(mode)}{mode}{number}".lower()
            clients.append(kind(replicas.url, name, history, random.Random(seed * 1000 + number), option))
            clients[-1].pace = pace
        trouble = asyncio.create_task(_make_troubles(replicas, history, len(clients) * each, troubles))
        await asyncio.gather(*(client.run(each) for client in clients), trouble)
    return history


def _kill_and_start(replicas: ReplicaSet) -> None:
    replicas.kill_replica(0)
    time.sleep(0.5)
    replicas.start_replica(0)


def _pause(replicas: ReplicaSet) -> None:
    """Let a replica do nothing for so long that the other one takes it for dead."""
    replicas.pause_replica(1)
    time.sleep(6)
    replicas.resume_replica(1)


def _freeze(replicas: ReplicaSet) -> None:
    store = _server_of(replicas)
    store.freeze()
    time.sleep(3)
    store.thaw()


def _replace(replicas: ReplicaSet) -> None:
    """End a replica as an operator does, and start another one."""
    replicas.end_replica(0)
    replicas.start_replica(0)


def _server_of(replicas: ReplicaSet) -> RedisServer | ClusterServers:
    assert not isinstance(replicas.store, FileStore)
    return replicas.store


TROUBLES: dict[str, Callable[[ReplicaSet], None]] = {
    "a replica is killed": _kill_and_start,
    "Redis is restarted": lambda replicas: _server_of(replicas).restart(),
    "a replica is paused": _pause,
    "Redis does not answer": _freeze,
    "a replica is replaced": _replace,
}


async def _make_troubles(replicas: ReplicaSet, history: History, total: int, count: int) -> None:
    """Make the first so many troubles, one after the other, while the operations are done."""
    possible = [one for one in TROUBLES.items() if not (isinstance(replicas.store, FileStore) and "Redis" in one[0])]
    for number, (name, work) in enumerate(possible[:count], 1):
        while len(history.operations) < total * number / (count + 1):
            await asyncio.sleep(0.02)
        await _record(name, history, partial(work, replicas))


async def _record(name: str, history: History, work: Callable[[], None]) -> None:
    begin = time.time()
    await asyncio.to_thread(work)
    history.troubles.append((name, begin, time.time()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=12, help="clients with a session; half as many have none")
    parser.add_argument("--others", type=int, default=2, help="clients of each package and kind of revision")
    parser.add_argument("--operations", type=int, default=60, help="of each client")
    parser.add_argument("--seed", type=int, default=os.getpid())
    parser.add_argument("--store", choices=STORES, default="redis", help="what the replicas share; cluster has TLS")
    options = parser.parse_args()
    started = time.monotonic()
    history, problems, log = run_soak(
        options.sessions, options.others, options.operations, len(TROUBLES), PACE, options.seed, options.store
    )
    print(json.dumps(summary_of(history), indent=2))
    print(
        "An operation may fail while something is wrong, as long as its client sees that; a problem is anything else."
    )
    count, seconds = len(history.operations), time.monotonic() - started
    print(f"{count} operations in {seconds:.0f} s, seed {options.seed}, {options.store}; problems: {len(problems)}")
    for problem in problems:
        print(f"  {problem}")
    if problems:
        own = [line for line in log.splitlines() if "connecting to upstream" not in line]  # nginx says that often
        print(history.troubles, "\n".join(own)[-20_000:])
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
