"""Exchanges with a step that asks the store: before another exchange, and after it."""

from typing import Any

import pytest

from plainmcp.errors import InternalError
from plainmcp.protocol.exchange import Exchange
from plainmcp.protocol.failures import error_response
from plainmcp.protocol.request import Cancelled
from plainmcp.revisions import LATEST
from plainmcp.store import StoreError
from plainmcp.transports.http.shared import store_steps
from plainmcp.transports.http.shared.store_steps import AfterStore, BeforeStore
from plainmcp.transports.run import run


class Steps(Exchange, kw_only=True):
    """An exchange with one step, which is passed back what came."""

    got: list[Any]

    def send(self, value: Any) -> None:
        self.got.append(value)
        self.step, self.response = None, b"done"

    def throw(self, error: BaseException) -> None:
        self.got.append(type(error))
        self.step, self.response = None, None


def with_step(got: list[Any]) -> Steps:
    step = AfterStore.of(lambda: got.append("asked"), Exchange).step
    return Steps(step=step, got=got)


def fail() -> None:
    raise StoreError("away")


def refuse_with_text(problem: InternalError) -> bytes:
    return b"refused: " + problem.message.encode()


def test_an_exchange_begins_after_the_store_was_asked() -> None:
    order: list[Any] = []
    exchange = AfterStore.of(lambda: order.append("loaded"), lambda: with_step(order))
    assert run(exchange) == b"done"
    assert order == ["loaded", "asked", None]


def test_an_exchange_begins_although_the_store_failed() -> None:
    assert run(AfterStore.of(fail, lambda: Exchange(b"response"))) == b"response"


def test_work_that_fails_or_begins_too_late_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def work() -> None:
        order.append("asked")
        raise StoreError("away")

    def undo() -> InternalError:
        order.append("undone")
        return InternalError("too slow")

    def make() -> tuple[Exchange, Exchange]:
        before = BeforeStore(rest=Exchange(b"response"), save=work, undo=undo, refuse=refuse_with_text)
        return AfterStore.of(work, lambda: Exchange(b"response"), undo), before.begin()

    assert [run(exchange) for exchange in make()] == [b"response", b"refused: too slow"]
    assert order == ["asked", "undone"] * 2
    monkeypatch.setattr(store_steps, "LATE", -1.0)
    order.clear()
    assert [run(exchange) for exchange in make()] == [b"response", b"refused: too slow"]
    assert order == ["undone"] * 2


def test_a_cancel_before_it_began_reaches_the_exchange() -> None:
    order: list[Any] = []
    exchange = AfterStore.of(lambda: None, lambda: with_step(order))
    exchange.throw(Cancelled())
    assert (exchange.step, exchange.response, order) == (None, None, [Cancelled])


@pytest.mark.parametrize(("error", "response"), [(None, b"done"), (InternalError("away"), b"refused: away")])
def test_the_response_waits_for_the_store(error: InternalError | None, response: bytes) -> None:
    order: list[Any] = []

    def work() -> InternalError | None:
        order.append("saved")
        return error

    exchange = BeforeStore(rest=with_step(order), save=work, undo=fail, refuse=refuse_with_text).begin()
    assert run(exchange) == response
    assert order == ["asked", None, "saved"]


def test_after_an_error_the_store_is_not_asked() -> None:
    failed = error_response(InternalError("wrong"), LATEST, b"1")
    exchange = BeforeStore(rest=Exchange(failed), save=lambda: None, undo=fail, refuse=lambda problem: None).begin()
    assert (exchange.step, exchange.response) == (None, failed)


def test_a_cancel_while_the_store_is_asked_ends_without_a_response() -> None:
    exchange = BeforeStore(
        rest=Exchange(b"response"), save=lambda: None, undo=fail, refuse=lambda problem: None
    ).begin()
    assert exchange.step is not None
    exchange.throw(Cancelled())
    assert (exchange.step, exchange.response) == (None, None)
