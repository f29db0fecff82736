"""Exchanges that ask the store before or after another exchange. The work is a step, so the drivers do not block."""

from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar

from ....errors import InternalError
from ....protocol.conversation import keep
from ....protocol.exchange import Exchange, Run
from ....protocol.features import Feature
from ....protocol.files import reads_file
from ....store.interface import StoreError
from ....wire.jsonrpc import Failure
from .replica import OwnChanges

__all__ = ["AfterChanges", "AfterStore", "BeforeStore", "Work", "do_nothing"]

LATE = 0.5
"""How many seconds work may wait for a thread: when many ask a slow store, most are told so instead of waiting."""

Work = Callable[[], object]
"""Asks the store, or does what is to be done if it failed; may return an error for the client."""


def do_nothing() -> None:
    """Do nothing after a failure."""


def _step_of(work: Work, fail: Work = do_nothing) -> Run:
    """A step that does work in the threads for files: functions of the user cannot keep it waiting.

    If the store fails, or the work would begin too late, `fail` is called instead.
    """
    latest = monotonic() + LATE

    @reads_file
    def ask() -> Any:
        try:
            return work() if monotonic() <= latest else fail()
        except StoreError:
            return fail()

    return Run(Feature(function=ask, is_async=False), {}, keep, None)


class AfterStore(Exchange, kw_only=True):
    """An exchange that begins after its first step has asked the store, also if the store failed."""

    has_one_step: ClassVar[bool] = False
    begin: Callable[[], Exchange]
    rest: Exchange | None = None

    @classmethod
    def of(cls, work: Work, begin: Callable[[], Exchange], fail: Work = do_nothing) -> "AfterStore":
        """Do the work before an exchange begins; if the store fails, do something else."""
        return cls(step=_step_of(work, fail), begin=begin)

    def send(self, value: Any) -> None:
        """Pass back the value of a step."""
        if self.rest is None:
            self.rest = self.begin()
        else:
            self.rest.send(value)
        self._go_on(self.rest)

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of a step."""
        if self.rest is None:  # the request was cancelled, or the server ends
            self.rest = self.begin()
        if self.rest.step is not None:
            self.rest.throw(error)
        self._go_on(self.rest)

    def _go_on(self, rest: Exchange) -> None:
        self.step, self.response = rest.step, rest.response


class BeforeStore(Exchange, kw_only=True):
    """An exchange after whose last step the store is asked, unless its response is an error.

    If the store fails, the response is another error.
    """

    rest: Exchange
    save: Work
    undo: Work
    refuse: Callable[[InternalError], bytes | None]
    is_asked: bool = False

    def begin(self) -> "BeforeStore":
        """Go to the first step; returns itself."""
        self._go_on()
        return self

    def send(self, value: Any) -> None:
        """Pass back the value of a step."""
        if self.is_asked:
            self._end(value)
            return
        self.rest.send(value)
        self._go_on()

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of a step."""
        if self.is_asked:  # the request was cancelled, or the server ends
            self.step, self.response = None, None
            return
        self.rest.throw(error)
        self._go_on()

    def _go_on(self) -> None:
        self.step, self.response = self.rest.step, self.rest.response
        if self.step is None and self.response is not None and not isinstance(self.response, Failure):
            self.is_asked, self.step = True, _step_of(self.save, self.undo)

    def _end(self, error: InternalError | None) -> None:
        self.step = None
        if error is not None:
            self.response = self.refuse(error)


class AfterChanges(Exchange, kw_only=True):
    """An exchange whose response waits until the store has the changes that its function has made.

    So its client can rely on them. Most functions make none.
    """

    rest: Exchange
    changes: OwnChanges

    def send(self, value: Any) -> None:
        """Pass back the value of a step."""
        if self.rest.step is None:  # the store was waited for
            self.step = None
            return
        self.rest.send(value)
        self._go_on()

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of a step."""
        if self.rest.step is not None:
            self.rest.throw(error)
        self.step, self.response = self.rest.step, self.rest.response

    def _go_on(self) -> None:
        self.step, self.response = self.rest.step, self.rest.response
        if self.step is None and self.changes.last and not self.changes.are_written():
            self.step = _step_of(self.changes.wait)
