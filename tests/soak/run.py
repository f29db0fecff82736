"""The soak: `make soak` runs it in full; a test runs a short form."""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import httpx

from replica_set import ReplicaSet, running_set
from soak.client import Modern, SessionClient
from soak.history import History, check, summary_of

__all__ = ["soak"]


async def soak(replicas: ReplicaSet, clients: int, each: int, seed: int = 1, *, official: bool = False) -> History:
    """So many clients with so many operations each; meanwhile a replica is killed, and then Redis is restarted.

    With `official`, the official Python client and FastMCP's are there, too.
    """
    history = History()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(20, read=None), trust_env=False) as http:
        work: list[Any] = [
            kind(replicas.url, f"{kind.__name__.lower()}{number}", history, http, random.Random(seed * 1000 + number))
            for number in range(clients)
            for kind in ((SessionClient, Modern) if number % 3 == 0 else (SessionClient,))
        ]
        if official:
            from soak.official import FastMCPClient, OfficialClient  # they take long to load

            for kind, mode in ((OfficialClient, "legacy"), (OfficialClient, "auto"), (FastMCPClient, "")):
                name = f"{kind.__name__.lower()}{mode}"
                work.append(kind(replicas.url, name, history, random.Random(seed), mode))
        trouble = asyncio.create_task(_make_trouble(replicas, history, len(work) * each))
        await asyncio.gather(*(client.run(each) for client in work), trouble)
    return history


async def _make_trouble(replicas: ReplicaSet, history: History, total: int) -> None:
    """Kill a replica after a third of the operations, and restart Redis after two thirds."""

    def kill_and_start() -> None:
        replicas.kill_replica(0)
        time.sleep(0.5)
        replicas.start_replica(0)

    for share, name, work in (
        (1 / 3, "a replica is killed", kill_and_start),
        (2 / 3, "Redis is restarted", replicas.redis.restart),
    ):
        while len(history.operations) < total * share:
            await asyncio.sleep(0.02)
        await _record(name, history, work)


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
        history = asyncio.run(soak(replicas, options.clients, each, options.seed, official=True))
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
