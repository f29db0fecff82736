"""Bytes in, bytes out, in one call: `Server.handle`, what others have of that kind, and the floor below both."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

import payloads
import systems
from workload import Case, check, request

__all__ = ["copy", "floor", "timed", "way"]


def way(system: str, case: Case, server: Any) -> Callable[[], Any]:
    """One call of a system's door, after a look at its answer."""
    body, door = request(case, None), systems.door(system, server)
    check(system, case, door(body))
    return lambda: door(body)


def floor(case: Case, server: Any) -> Callable[[], Any]:
    """The same request decoded and the same response encoded by msgspec, with no protocol around.

    Where the handler returns dataclasses or bytes, so does the floor: msgspec writes the ones as objects and the
    others as base64, and somebody has to.
    """
    body = request(case, None)
    answer = msgspec.json.decode(server.handle(body))
    if case.name == "image":
        answer["result"]["content"][0]["data"] = payloads.PICTURE
    elif case.name == "table of dataclasses":
        answer["result"]["structuredContent"] = payloads.table(len(answer["result"]["structuredContent"]["rows"]))
    decode, encode = msgspec.json.decode, msgspec.json.encode
    assert decode(encode(answer)) == decode(server.handle(body))
    return lambda: (decode(body), encode(answer))


def copy(case: Case, server: Any) -> Callable[[], Any]:
    """A copy of the bytes of the response, and nothing else."""
    answer = server.handle(request(case, None))
    return lambda: bytes(bytearray(answer))


def timed(call: Callable[[], Any], calls: int) -> float:
    """The seconds so many calls take."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - start
