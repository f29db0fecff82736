"""Steps that ask the store, before an exchange and after it."""

import logging
import threading
import time
from typing import Any

import pytest

from plainmcp.errors import InternalError, ProtocolError
from plainmcp.protocol import store_steps
from plainmcp.protocol.conversation import Steps
from plainmcp.protocol.exchange import Exchange
from plainmcp.protocol.request import Cancelled
from plainmcp.protocol.store_steps import (
    StoreExchange,
    ask_store,
    ask_store_first,
    deadline,
    do_nothing,
    step_for,
    steps_of,
)
from plainmcp.store import StoreError
from plainmcp.transports.run import run


class OneStep(Exchange, kw_only=True):
    """An exchange with one step, which is passed back what came."""

    got: list[Any]

    def send(self, value: Any) -> None:
        self.got.append(value)
        self.step, self.response = None, b"done"

    def throw(self, error: BaseException) -> None:
        self.got.append(type(error))
        self.step, self.response = None, b"refused" if isinstance(error, ProtocolError) else None


def with_step(got: list[Any]) -> OneStep:
    return OneStep(step=step_for(lambda: got.append("asked"), do_nothing, deadline()), got=got)


def load_first(exchange: Exchange, work: Any = do_nothing) -> Exchange:
    def steps() -> Steps:
        yield from ask_store_first(work, exchange)
        return (yield from steps_of(exchange))

    return StoreExchange(steps=steps()).begin()


def fail() -> None:
    raise StoreError("away")


def pass_back(steps: Steps) -> Any:
    """What asking the store passes back."""
    return run(StoreExchange(steps=steps).begin())


def test_an_exchange_goes_on_after_the_store_was_asked() -> None:
    order: list[Any] = []
    assert run(load_first(with_step(order), lambda: order.append("loaded"))) == b"done"
    assert order == ["loaded", "asked", None]


def test_an_exchange_goes_on_although_the_store_failed() -> None:
    assert run(load_first(Exchange(b"response"), fail)) == b"response"


@pytest.mark.parametrize(("error", "response"), [(Cancelled(), None), (InternalError("too many"), b"refused")])
def test_what_ends_the_step_before_an_exchange_reaches_it(error: BaseException, response: bytes | None) -> None:
    order: list[Any] = []
    exchange = load_first(with_step(order))
    exchange.throw(error)
    assert (exchange.step, exchange.response, order) == (None, response, [type(error)])


def test_what_ends_the_step_of_an_exchange_reaches_it() -> None:
    order: list[Any] = []
    exchange = load_first(with_step(order))
    exchange.send(None)
    exchange.throw(Cancelled())
    assert (exchange.step, exchange.response, order) == (None, None, [Cancelled])


def test_a_step_passes_back_the_error_for_the_client() -> None:
    refusal = InternalError("too much")
    assert pass_back(ask_store(lambda: refusal, fail)) is refusal
    assert pass_back(ask_store(do_nothing, fail)) is None


@pytest.mark.parametrize("reason", ["away", "late", "broken"])
def test_work_that_fails_or_begins_too_late_is_replaced(
    reason: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    order: list[str] = []

    def work() -> None:
        order.append("asked")
        raise StoreError("away") if reason == "away" else ValueError("broken")

    if reason == "late":
        monkeypatch.setattr(store_steps, "LATE", -1.0)
    with caplog.at_level(logging.ERROR):
        problem = pass_back(ask_store(work, lambda: order.append("undone")))
    assert problem.message.startswith("the shared store of this server is not available")
    assert order == (["undone"] if reason == "late" else ["asked", "undone"])
    assert ("asking the store failed" in caplog.text) == (reason == "broken")


def test_a_request_does_not_wait_longer_for_the_store_than_clients_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever takes long there: connections, names of hosts, or many answers that come in time one by one."""
    monkeypatch.setattr(store_steps, "SECONDS", 0.1)
    order: list[str] = []
    may_go_on = threading.Event()

    def work() -> None:
        may_go_on.wait(5)
        order.append("done")

    started = time.monotonic()
    problem = pass_back(ask_store(work, lambda: order.append("undone")))
    assert problem.message.startswith("the shared store of this server is not available")
    assert time.monotonic() - started < 1 and not order
    may_go_on.set()
    until = time.monotonic() + 5
    while not order:
        assert time.monotonic() < until
        time.sleep(0.005)
    assert order == ["done"]
