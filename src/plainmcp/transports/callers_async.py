"""Who calls, in an event loop: the host application's function, or the verifiers of `auth=`.

Plain verifiers run in threads of their own, of which there are few: a flood of invented tokens takes no thread from
the tools. One address never has all of them, and what would have to wait too long is refused. A verifier that hangs
keeps no thread from another one, nor from tokens that it can verify without waiting.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from typing import Any

from ..auth.principal import MustWait, Unavailable
from ..limits.shares import Share, network_of
from ..protocol.interrupts import raise_interrupt
from .asgi import IdentifyAsync
from .http.authentication import VERIFY_SECONDS, Authentication, Source, Verification
from .http.headers import Headers
from .http.refusals import refuse_caller
from .http.response import Refused, Response
from .invoke import contain
from .run_async import run_in_thread
from .threads import OwnThreads, Threads

__all__ = ["identify_by_auth", "identify_by_host"]

MAX_THREADS = 8
"""How many tokens one plain verifier verifies at the same time."""
MAX_WAITING = 256
"""How many tokens one verifier may verify, or let wait for a thread; more are a 503."""
MAX_WAITING_EACH = 128
"""How many of these may be for one address."""


def identify_by_host(principal: Callable[[Any], Any]) -> IdentifyAsync:
    """The callers are what a function of the host application returns; it may be async."""

    async def identify(scope: Any, headers: Headers) -> Any:
        try:
            value = principal(scope)
            return await value if isawaitable(value) else value
        except GeneratorExit:
            raise
        except BaseException as error:
            raise_interrupt(error)
            _raise_cancel(error)
            raise Refused(refuse_caller(error)) from None

    return identify


def identify_by_auth(authentication: Authentication) -> IdentifyAsync:
    """The callers are those whom the verifiers know."""
    verifiers = _Verifiers()

    async def identify(scope: Any, headers: Headers) -> Any:
        outcome = authentication.begin(headers)
        if isinstance(outcome, Verification):
            address = headers.address
            outcome = await verifiers.verify(outcome, None if address is None else network_of(address))
        if isinstance(outcome, Response):
            raise Refused(outcome)
        return outcome

    return identify


def _raise_cancel(error: BaseException) -> None:
    """Raise an exception again if the whole request is cancelled."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise error


class _Verifiers:
    """Runs the verifiers of one application."""

    def __init__(self) -> None:
        self._lanes: defaultdict[tuple[Source, bool], _Lane] = defaultdict(_Lane)
        """By the verifier, and whether it verifies at once."""

    async def verify(self, verification: Verification, address: str | None) -> Any:
        """The outcome of a verification, for a client at an address."""
        steps = verification.steps
        try:
            source = next(steps)
            while True:
                try:
                    value = await self._call(source, verification, address)
                except BaseException as error:  # of the author's function: it must not end the server
                    _raise_cancel(error)
                    source = steps.throw(contain(error))
                else:
                    if isinstance(value, _Recalled):
                        return value.outcome
                    source = steps.send(value)
        except StopIteration as end:
            return end.value

    async def _call(self, source: Source, verification: Verification, address: str | None) -> Any:
        if source.inline:
            return source.verify(verification.token)
        if source.verify_at_once is not None:
            with suppress(MustWait):
                return await self._lanes[source, True].verify(source.verify_at_once, verification, address)
        return await self._lanes[source, False].verify(source.verify, verification, address, source.is_async)


class _Lane:
    """The threads for one verifier, and how many tokens wait for it."""

    def __init__(self) -> None:
        self._threads = Threads(MAX_THREADS)
        self._waiting = Share("verifications", "open", "auth", MAX_WAITING, MAX_WAITING_EACH)

    async def verify(
        self, verify: Callable[[str], Any], verification: Verification, address: str | None, is_async: bool = False
    ) -> Any:
        """What a verifier returns for a token of a client at an address."""
        if self._waiting.find_limit(address) is not None:
            raise Unavailable("too many tokens are being verified", retry_after=1)
        self._waiting.add(address)
        try:
            async with asyncio.timeout(VERIFY_SECONDS):
                if is_async:
                    return await verify(verification.token)
                work = partial(_recall_or_verify, verify, verification)
                value = await run_in_thread(work, OwnThreads(self._threads, address))
                return await value if isawaitable(value) else value
        except TimeoutError:
            raise Unavailable(f"a verifier took longer than {VERIFY_SECONDS} s") from None
        finally:
            self._waiting.remove(address)


class _Recalled:
    """An outcome that another request has found meanwhile."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome


def _recall_or_verify(verify: Callable[[str], Any], verification: Verification) -> Any:
    outcome = verification.recall()
    return verify(verification.token) if outcome is None else _Recalled(outcome)
