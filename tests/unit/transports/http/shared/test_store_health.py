"""Whether the store works, as a process has found out."""

import logging

import pytest

from plainmcp.store import StoreError
from plainmcp.transports.http.shared.store_health import UNAVAILABLE, StoreHealth, contain


def test_a_failure_is_over_when_reading_and_writing_work() -> None:
    calls: list[str] = []
    health = StoreHealth(lambda: calls.append("back"))
    health.check()
    assert health.problem is None and health.has_worked_for(-1)
    health.fail("reading", StoreError("away"))
    health.fail("writing", StoreError("away, too"))
    assert health.problem == UNAVAILABLE and health.has_failed("reading") and not health.has_worked_for(-1)
    with pytest.raises(StoreError, match="away"):
        health.check()
    health.recover("reading")
    assert health.problem == UNAVAILABLE and not calls
    health.recover("writing")
    assert health.problem is None and calls == ["back"]
    health.recover("writing")  # it works all the time
    assert calls == ["back"] and not health.has_worked_for(60)


def test_it_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    health = StoreHealth(lambda: None)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            health.fail("reading", StoreError("away"))
        health.recover("reading")
    assert [record.message for record in caplog.records] == [
        "the store of the replicas failed: away. Plain calls go on; what needs the store is refused until it works "
        "again, which is tried all the time.",
        "the store of the replicas works again, after 0.0 seconds",
    ]


def test_what_a_function_raises_ends_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise KeyError("x")

    def miss() -> None:
        raise StoreError("away")

    contain(fail)
    contain(miss)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
