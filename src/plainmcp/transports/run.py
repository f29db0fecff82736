"""Runs an exchange in this thread. Knows steps, not methods: the exchange decides what a value or an error means."""

from types import CoroutineType
from typing import Any

from ..protocol.exchange import Exchange, Listen, Run
from ..protocol.request import Cancelled
from .invoke import PASSED_ON, Listener, Process, cannot_listen, end_child, invoke

__all__ = ["run"]


def run(exchange: Exchange, listen: Listener | None = None) -> bytes | None:
    """Take every step of an exchange; returns the response, or None if none is sent, or not yet."""
    process = Process.current
    try:
        while (step := exchange.step) is not None:
            if isinstance(step, Listen):
                if listen is not None:
                    listen(step, exchange)
                    return None
                exchange.throw(cannot_listen())
                continue
            try:
                response = _take(step)
            except PASSED_ON as error:
                exchange.throw(error)
            else:
                if process is not Process.current:
                    end_child()
                exchange.send(response)
    except BaseException:  # Ctrl-C
        if exchange.step is not None:
            exchange.throw(Cancelled())
        raise
    return exchange.response


def _take(step: Run) -> Any:
    """The result of a step. A function that needs an event loop or has a time limit runs in the background loop."""
    feature = step.feature
    if feature.is_async or feature.timeout is not None:
        return _take_in_loop(step)
    value = invoke(step)
    return _take_in_loop(step, value) if type(value) is CoroutineType else step.finish(value)


def _take_in_loop(step: Run, coroutine: Any = None) -> Any:
    from . import background_loop  # loads asyncio only when it is needed

    return background_loop.take(step, coroutine)
