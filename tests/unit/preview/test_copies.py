"""A function that runs once, whatever it returns or raises."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from plainmcp import Server, ToolError
from plainmcp.preview.copies import Once


def once_of(function: Any) -> Any:
    server = Server("s")
    server.tool(name="it")(function)
    feature = server.registry.tools.find("it", None)
    assert feature is not None
    return Once(feature).function


def test_a_value_is_returned_again() -> None:
    runs: list[int] = []

    def roll() -> int:
        runs.append(1)
        return len(runs)

    once = once_of(roll)
    assert (once(), once(), runs) == (1, 1, [1])


def test_an_async_function_runs_once() -> None:
    runs: list[int] = []

    async def roll() -> int:
        runs.append(1)
        return len(runs)

    async def run() -> tuple[Any, Any]:
        once = once_of(roll)
        return await once(), await once()

    assert asyncio.run(run()) == (1, 1) and runs == [1]


def test_each_caller_reads_an_iterator_to_its_end() -> None:
    def count() -> Iterator[int]:
        yield from (1, 2)

    once = once_of(count)
    assert [list(once()), list(once()), list(once())] == [[1, 2]] * 3


def test_an_exception_is_raised_again_with_its_own_traceback() -> None:
    def fail() -> None:
        raise ToolError("no")

    once, lengths = once_of(fail), list[int]()
    for _ in range(3):
        with pytest.raises(ToolError, match="no") as caught:
            once()
        lengths.append(len(caught.traceback))
    assert len(set(lengths)) == 1
