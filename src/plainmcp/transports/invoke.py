"""How a plain function of the user's is called, how a question is waited for, and how a request is given up.

Knows no loop.
"""

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InternalError, InvalidRequest, ProtocolError
from ..interrupts import raise_interrupt
from ..protocol import exchange
from ..protocol.methods import shared
from ..protocol.methods.shared import Steps
from ..protocol.methods.tools import Single
from ..protocol.steps import Cancelled, PeerError, Run, Stay
from ..questions import InputRequired
from ..revisions import Revision
from ..wire import jsonrpc

__all__ = [
    "PASSED_ON",
    "Pending",
    "Process",
    "Staying",
    "Wanted",
    "awaited",
    "called",
    "cannot_stay",
    "contained",
    "end_child",
    "failed",
    "finish",
    "given_up",
    "unexpected",
]

Staying = Callable[[Stay, Steps], None]
"""Takes over an answer that stays open: the step that asked for it, and the steps that end it."""


PASSED_ON = (Exception, InputRequired, Cancelled)
"""What a function may raise as it is; anything else would reach further than its call, and is contained."""


class Process:
    """Which process this is: `current` is another object in each child."""

    current = object()


def end_child(process: object) -> None:
    """End this process, without a word, if it is a child of the one in which a call began.

    A function that forks may return in the child too, and only its parent answers.
    """
    if process is not Process.current:
        os._exit(0)


def called(step: Run) -> Any:
    """The value of a plain function; it may end its call, never the server."""
    process = Process.current
    try:
        return step.feature.function(**step.kwargs)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contained(error) from error
    finally:
        end_child(process)


def finish(step: Run, value: Any) -> Any:
    """What a step brings back for its function's value; what is the user's own in that is contained as well."""
    process = Process.current
    try:
        return step.finish(value)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contained(error) from error
    finally:
        end_child(process)


async def awaited(value: Any) -> Any:
    """What a function gave to be awaited; whether it can be is found out when it is."""
    return await value


def contained(error: BaseException) -> BaseException:
    """An exception that would reach further than the call it comes from, as one that does not; raises Ctrl-C."""
    if isinstance(error, (Exception, InputRequired)):
        return error
    raise_interrupt(error)
    named = "tried to exit the process" if isinstance(error, SystemExit) else f"raised {type(error).__name__}"
    problem = RuntimeError(f"the function {named}")
    problem.__cause__ = error  # the log says where
    return problem


def failed(single: Single, error: BaseException) -> bytes | None:
    """The answer of a function that raised; None where nobody waits for one. Raises Ctrl-C."""
    return None if isinstance(error, Cancelled) else single.failed(contained(error))


def unexpected(error: BaseException) -> InternalError:
    """What a request is told that failed in a way nobody thought of; logs it in full, and raises Ctrl-C."""
    return InternalError(shared.incident("The request", error))


def cannot_stay() -> InvalidRequest:
    """What a listen request is told where nothing can be sent after the answer."""
    return InvalidRequest("subscriptions/listen needs a connection that stays open")


def given_up(steps: Single | Steps, error: ProtocolError) -> bytes | None:
    """The answer of steps that are told of an error instead of being driven on."""
    if isinstance(steps, Single):
        if steps.link is not None:
            steps.link.over()
        return steps.failed(error)
    try:
        while True:
            steps.throw(error)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


class Wanted:
    """Whether somebody still waits for an answer, and whom to tell once nobody does; a Link is one of these.

    There is one for every request, and hardly any has a listener: so they share a lock, and begin without a list.
    """

    _lock = threading.RLock()  # the garbage collector may end another request while this thread holds it
    _listeners: tuple[Callable[[], object], ...] = ()
    cancelled = False
    """Whether nobody waits for the answer any more."""
    id = b""
    """What the request is known by as long as it runs."""
    batch: Sequence[Any] | None = None
    """The messages of a batch, where it is one."""
    revision: Revision

    def refusal(self, error: ProtocolError) -> bytes | None:
        """The answer that says why a request, or each request of a batch, is not answered otherwise."""
        if self.batch is None:
            return exchange.failure(error, self.revision, self.id)
        failures = [exchange.failure(error, self.revision, id) for id in jsonrpc.request_ids(self.batch)]
        return b"[" + b",".join(failures) + b"]" if failures else None

    def cancel(self) -> None:
        """Nobody waits any more."""
        with self._lock:
            self.cancelled = True
            listeners, self._listeners = self._listeners, ()
        for listener in listeners:
            listener()

    def over(self) -> bool:
        """The request is at its end; says whether its answer is wanted."""
        return not self.cancelled

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function, from any thread, once that is so, at once if it is; gives what takes the wish back."""
        with self._lock:
            if not self.cancelled:
                self._listeners = (*self._listeners, listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not listener)


def _forked() -> None:
    """A child of this process is another one, and has none of the threads that may hold the lock."""
    Process.current = object()
    Wanted._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Pending:
    """A question under way: answered once, from any thread."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._told: Callable[[], object] | None = None
        self._answer: Any = None
        self._problem: str | None = None

    def settle(self, answer: Any = None, problem: str | None = None) -> None:
        """Give the answer, or what went wrong; the first word counts."""
        with self._lock:
            if self._done.is_set():
                return
            self._answer, self._problem = answer, problem
            self._done.set()
        if self._told is not None:
            self._told()

    def tell(self, listener: Callable[[], object]) -> None:
        """Call a function once it is settled, at once if it is."""
        with self._lock:
            self._told = listener
        if self._done.is_set():
            listener()

    @property
    def settled(self) -> bool:
        """Whether there is an answer, or a reason why there is none."""
        return self._done.is_set()

    def wait(self, seconds: float | None) -> Any:
        """The answer; raises PeerError when there is none, or not in time."""
        if not self._done.wait(seconds):
            raise PeerError("it took too long")
        if self._problem is not None:
            raise PeerError(self._problem)
        return self._answer
