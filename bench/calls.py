"""What a call costs: `Server.handle` against the same request decoded and the same response encoded by msgspec.

Every figure is a ratio of two minima taken in turns in one run, so the machine cancels out. Run it on a quiet one.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from plainmcp import Server

ROUNDS, CALLS = 400, 100


@dataclass
class Reading:
    station: str
    high: float
    low: float
    calm: bool
    note: str


def build(tools: int) -> Server:
    server = Server("bench", "1.0")

    @server.tool
    def echo(text: str) -> str:
        return text

    @server.tool
    def model(text: str) -> Reading:
        return Reading(text, 21.5, 12.0, True, "dry")

    def other(city: str, days: int = 3) -> str:
        """Something else.

        Args:
            city: The name of the city
            days: How many days ahead
        """
        return city

    for number in range(tools):
        server.tool(name=f"other_{number}")(other)
    return server


def request(method: str, params: dict[str, Any] | None = None) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})


def duel(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[float, float]:
    """The best microseconds of each, taken in turns."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for side, run in enumerate((first, second)):
            start = time.perf_counter()
            for _ in range(CALLS):
                run()
            best[side] = min(best[side], time.perf_counter() - start)
    return best[0] / CALLS * 1e6, best[1] / CALLS * 1e6


def main() -> None:
    few, many = build(10), build(10_000)
    print(f"{'what':44}{'floor':>9}{'ours':>9}{'ratio':>8}")
    for name in ("echo", "model"):
        asked = request("tools/call", {"name": name, "arguments": {"text": "hello"}})
        answer = msgspec.json.decode(few.handle(asked) or b"")
        floor, ours = duel(
            lambda asked=asked, answer=answer: (msgspec.json.decode(asked), msgspec.json.encode(answer)),
            lambda asked=asked: few.handle(asked),
        )
        print(f"{'handle, ' + name:44}{floor:7.2f}us{ours:7.2f}us{ours / floor:8.2f}")
    asked = request("tools/call", {"name": "echo", "arguments": {"text": "hello"}})
    alone, crowded = duel(lambda: few.handle(asked), lambda: many.handle(asked))
    print(f"{'echo among 10,000 tools against 10':44}{alone:7.2f}us{crowded:7.2f}us{crowded / alone:8.2f}")

    thousand = build(998)
    listing = request("tools/list")
    whole = thousand.handle(listing) or b""
    copied, listed = duel(lambda: bytes(bytearray(whole)), lambda: thousand.handle(listing))
    print(f"{'tools/list of 1,000, against copying it':44}{copied:7.2f}us{listed:7.2f}us{listed / copied:8.2f}")

    start = time.perf_counter()
    build(998)
    print(f"\nregistering 1,000 tools: {time.perf_counter() - start:.2f} s")
    tracemalloc.start()
    for _ in range(1000):
        few.handle(asked)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(100_000):
        few.handle(asked)
    gc.collect()
    print(f"retained after 100,000 calls: {tracemalloc.get_traced_memory()[0] - before:+,} bytes")


if __name__ == "__main__":
    main()
