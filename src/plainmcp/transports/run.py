"""Runs an exchange in this thread. Knows steps, not methods: the exchange decides what a value or an error means."""

from contextlib import suppress
from typing import Any

from ..protocol.exchange import Around, Detach, Exchange, Listen, Run
from ..protocol.request import Cancelled
from .invoke import PASSED_ON, PROCESS, Listener, end_child, keep_open
from .take import take

__all__ = ["run"]


def run(exchange: Exchange, listen: Listener | None = None) -> bytes | None:
    """Take every step of an exchange; returns the response, or None if none is sent, or not yet."""
    process = PROCESS.current
    try:
        while (step := exchange.step) is not None:
            if type(step) is Listen:
                if keep_open(step, exchange, listen):
                    return None
                continue
            if type(step) is Detach:
                exchange.send(run(step.exchange))
                continue
            try:
                response = take(step, _take_in_loop)
            except PASSED_ON as error:
                exchange.throw(error)
            else:
                if process is not PROCESS.current:
                    end_child()
                exchange.send(response)
    except BaseException:  # Ctrl-C
        if exchange.step is not None:
            with suppress(Cancelled):  # it must not take the place of Ctrl-C
                exchange.throw(Cancelled())
            run(exchange)  # the steps that are left, such as the ends of dependencies
        raise
    return exchange.response


def _take_in_loop(step: Run | Around, coroutine: Any) -> Any:
    from . import background_loop  # loads asyncio only when it is needed

    return background_loop.take(step, coroutine)
