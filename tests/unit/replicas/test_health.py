"""Whether the store works, as a process has found out."""

import logging
import os
from collections.abc import Callable
from functools import partial

import pytest

from plainmcp.replicas import health as store_health
from plainmcp.replicas.health import StoreHealth, contain
from plainmcp.store import StoreError


def test_a_failure_is_over_when_reading_and_writing_work() -> None:
    calls: list[str] = []
    health = StoreHealth(lambda: calls.append("back"))
    assert health.why_down is None
    health.fail("reading", StoreError("away"))
    health.fail("writing", StoreError("away, too"))
    assert health.why_down == "away, too" and health.has_failed("reading")
    health.recover("writing")
    assert health.why_down == "away" and not calls
    health.recover("reading")
    assert health.why_down is None and calls == ["back"]
    health.recover("writing")  # it works all the time
    assert calls == ["back"]


def test_the_time_counts_in_which_the_store_worked(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(store_health, "monotonic", lambda: clock[0])
    health = StoreHealth(lambda: None)

    def after(seconds: float, work: Callable[[], None]) -> tuple[float, float]:
        clock[0] += seconds
        work()
        return health.worked, health.worked_lately

    works, fails = partial(health.recover, "reading"), partial(health.fail, "reading", StoreError("away"))
    assert after(1, works) == (1, 1)
    assert after(2, works) == (3, 3)
    assert after(5, fails) == (3, 0)  # it was not used since, perhaps because the process was paused
    assert after(7, fails) == (3, 0)
    assert after(1, works) == (3, 0)
    assert after(2, works) == (5, 2)
    assert after(0, fails) == (5, 0)


def test_it_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    health = StoreHealth(lambda: None)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            health.fail("reading", StoreError("away"))
        health.recover("reading")
    assert [record.message for record in caplog.records] == [
        f"process {os.getpid()} cannot use the shared store: away. What needs it is refused, and everything else "
        "goes on. It is tried again until it works.",
        f"process {os.getpid()} can use the shared store again, after 0.0 seconds",
    ]


def test_an_unexpected_error_of_a_store_is_a_failure_too_and_has_its_traceback_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    health = StoreHealth(lambda: None)
    for _ in range(3):
        health.fail("writing", KeyError("x"))
    assert health.why_down
    [record] = caplog.records
    assert record.message.startswith(f"process {os.getpid()} cannot use the shared store: KeyError: 'x'. ")
    assert record.exc_info


def test_what_a_function_raises_ends_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise KeyError("x")

    def miss() -> None:
        raise StoreError("away")

    contain(fail)
    contain(miss)
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_a_store_that_fails_again_and_again_does_not_fill_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = [100.0]
    monkeypatch.setattr(store_health, "monotonic", lambda: clock[0])
    health = StoreHealth(lambda: None)

    def fail(text: str, count: int) -> list[str]:
        caplog.clear()
        for _ in range(count):
            clock[0] += 0.5
            health.fail("reading", StoreError(text))
            health.recover("reading")
        return [record.message for record in caplog.records]

    with caplog.at_level(logging.WARNING):
        first = fail("it is full", 10)
        assert (
            len(first) == 2
            and "it is full. What needs it" in first[0]
            and "can use the shared store again" in first[1]
        )
        assert len(fail("it is away", 1)) == 2  # another failure
        clock[0] += store_health.QUIET
        fail("it is away", 3)
        clock[0] += store_health.QUIET
        assert "it is away (2 more times since this was last logged)" in fail("it is away", 1)[0]
