"""The soak: `make soak` runs it in full; a test runs a short form."""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable

import httpx

from replica_set import ReplicaSet, running_set
from soak.client import Modern, SessionClient
from soak.history import History, check, summary_of

__all__ = ["soak"]


async def soak(replicas: ReplicaSet, clients: int, each: int, seed: int = 1, pause: float = 5.0) -> History:
    """So many clients with so many operations each; meanwhile a replica is killed, and Redis is restarted."""
    history = History()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(20, read=None), trust_env=False) as http:
        work = [
            kind(replicas.url, f"{kind.__name__.lower()}{number}", history, http, random.Random(seed * 1000 + number))
            for number in range(clients)
            for kind in ((SessionClient, Modern) if number % 3 == 0 else (SessionClient,))
        ]
        trouble = asyncio.create_task(_make_trouble(replicas, history, pause))
        await asyncio.gather(*(client.run(each) for client in work), trouble)
    return history


async def _make_trouble(replicas: ReplicaSet, history: History, pause: float) -> None:
    def kill_and_start() -> None:
        replicas.kill_replica(0)
        time.sleep(min(1.0, pause / 2))
        replicas.start_replica(0)

    def restart_redis() -> None:
        replicas.redis.restart()

    await asyncio.sleep(pause / 2)
    await _record("a replica is killed", history, kill_and_start)
    await asyncio.sleep(pause)
    await _record("Redis is restarted", history, restart_redis)


async def _record(name: str, history: History, work: Callable[[], None]) -> None:
    loop: asyncio.AbstractEventLoop = asyncio.get_running_loop()
    begin = loop.time()
    await asyncio.to_thread(work)
    history.troubles.append((name, begin, loop.time()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--operations", type=int, default=1_280)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    each = options.operations // (options.clients + -(-options.clients // 3))
    with running_set(persistent=True) as replicas:
        started = time.monotonic()
        work: Awaitable[History] = soak(replicas, options.clients, each, options.seed)
        history = asyncio.run(work)  # type: ignore[arg-type]
        problems = check(history)
        print(json.dumps(summary_of(history), indent=2))
        print(
            f"{len(history.operations)} operations in {time.monotonic() - started:.0f} s; problems: {len(problems)}"
        )
        for problem in problems:
            print(f"  {problem}")
        if problems:
            print(replicas.log.read_text("utf-8")[-5_000:])
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
