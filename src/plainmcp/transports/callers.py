"""Who calls, in the threads of a WSGI server: the host application's function, or the verifiers of `auth=`."""

from collections.abc import Callable
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from ..auth.principal import Unavailable
from ..errors import AuthorError
from ..protocol.interrupts import raise_interrupt
from .http.authentication import VERIFY_SECONDS, Authentication, Source, Verification
from .http.headers import Headers
from .http.refusals import refuse_caller
from .http.response import Refused, Response
from .invoke import contain
from .wsgi import Identify

__all__ = ["identify_by_auth", "identify_by_host"]


def identify_by_host(principal: Callable[[Any], Any]) -> Identify:
    """The callers are what a function of the host application returns; raises AuthorError for an async one."""
    if iscoroutinefunction(principal):
        raise AuthorError("principal= is an async function, and WSGI has no event loop; give a plain one")

    def identify(environ: Any, headers: Headers) -> Any:
        try:
            return principal(environ)
        except BaseException as error:
            raise_interrupt(error)
            raise Refused(refuse_caller(error)) from None

    return identify


def identify_by_auth(authentication: Authentication) -> Identify:
    """The callers are those whom the verifiers know."""

    def identify(environ: Any, headers: Headers) -> Any:
        outcome = authentication.begin(headers)
        if isinstance(outcome, Verification):
            outcome = _verify(outcome)
        if isinstance(outcome, Response):
            raise Refused(outcome)
        return outcome

    return identify


def _verify(verification: Verification) -> Any:
    """The outcome of a verification, in this thread."""
    steps = verification.steps
    try:
        source = next(steps)
        while True:
            try:
                value = _call(source, verification.token)
            except BaseException as error:  # of the author's function: it must not end the server
                source = steps.throw(contain(error))
            else:
                source = steps.send(value)
    except StopIteration as end:
        return end.value


def _call(source: Source, token: str) -> Any:
    value = source.verify(token)
    return _wait_for(value) if isawaitable(value) else value


def _wait_for(value: Any) -> Any:
    from . import background_loop  # loads asyncio only when it is needed

    async def wait() -> Any:
        return await value

    try:
        return background_loop.wait_for(wait, VERIFY_SECONDS)
    except TimeoutError:
        raise Unavailable(f"a verifier took longer than {VERIFY_SECONDS} s") from None
