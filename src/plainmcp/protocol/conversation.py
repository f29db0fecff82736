"""Requests that take several steps: dependencies before a function, and middleware around it.

Each is a generator of steps, which the drivers take. Knows no transport, and neither threads nor loops.
"""

from collections.abc import Callable, Generator
from functools import partial
from types import GeneratorType
from typing import Any, Protocol

from ..context import Context
from ..questions import InputRequired
from .dependencies import Dependency
from .exchange import Evaluation, Run, Step
from .features import Feature
from .interrupts import traceback_of
from .request import Cancelled, Request

__all__ = ["ENDS", "Conversation", "Finish", "Prepared", "Steps", "evaluate", "keep"]

Finish = Callable[[Any], Any]
Steps = Generator[Step, Any, Any]

ENDS = (Exception, InputRequired, Cancelled)
"""The exceptions with which a step can end."""


class Prepared(Protocol):
    """The parts of a plan that are used here."""

    @property
    def feature(self) -> Feature:
        """The feature that is called."""
        ...

    def prepare(self, request: Request, arguments: Any) -> tuple[dict[str, Any], Context | None]:
        """The keyword arguments of the function and its Context; may raise."""
        ...


class Conversation(Evaluation, kw_only=True):
    """A message that takes several steps. The value at its end is the response already, or the steps to it."""

    request: Request
    write_failure: Callable[[Request, BaseException], bytes]

    def end(self) -> None:
        """Set the response; none is sent after a cancel (CANC-01)."""
        if type(self.value) is GeneratorType:  # of a whole result
            self.steps, self.value = self.value, None
            return self.send(None)
        error, link = self.error, self.request.link
        self.error = None
        if error is not None:
            self.value = None if issubclass(type(error), Cancelled) else self.write_failure(self.request, error)
        if link is None or link.finish():
            self.response = self.value


def evaluate(plan: Prepared, request: Request, arguments: Any, finish: Finish) -> Steps:
    """The steps of one call: its dependencies, its function, and the ends of dependencies that are generators."""
    kwargs, context = plan.prepare(request, arguments)
    run = Run(plan.feature, kwargs, finish, request.link)
    try:
        if plan.feature.dependencies:
            return (yield from _run_with_dependencies(run, _Call(request, context)))
        return (yield run)
    finally:
        if context is not None:
            context.finish()


def _run_with_dependencies(run: Run, call: "_Call") -> Steps:
    try:
        for dependency in run.feature.dependencies:
            run.kwargs[dependency.parameter] = yield from call.resolve(dependency)
        value = yield run
    except ENDS as error:
        yield from call.close(error)
        raise
    yield from call.close(None)
    return value


class _Call:
    """The values of dependencies within one call, and the context managers that are open."""

    def __init__(self, request: Request, context: Context | None) -> None:
        self._request, self._context = request, context
        self._values: dict[Any, Any] = {}
        self._opened: list[tuple[Dependency, Any]] = []

    def resolve(self, dependency: Dependency) -> Steps:
        """The steps to the value of a dependency."""
        if dependency.function in self._values:
            return self._values[dependency.function]
        kwargs: dict[str, Any] = {}
        for inner in dependency.dependencies:
            kwargs[inner.parameter] = yield from self.resolve(inner)
        if dependency.context is not None and self._context is not None:
            kwargs[dependency.context] = self._context._for_function(dependency.is_async)
        if dependency.manager is not None:
            value = yield from self._open(dependency, dependency.manager(**kwargs))
        else:
            value = yield self._run(dependency.function, dependency.is_async, kwargs, self._request.link)
        self._values[dependency.function] = value
        return value

    def _open(self, dependency: Dependency, manager: Any) -> Steps:
        enter = manager.__aenter__ if dependency.is_async else manager.__enter__
        value = yield self._run(enter, dependency.is_async, {}, self._request.link)
        self._opened.append((dependency, manager))
        return value

    def close(self, error: BaseException | None) -> Steps:
        """The steps that end the open dependencies, the last one first; each gets the exception of the call.

        They are taken after a cancel, too. An exception of one of them does not prevent the others.
        """
        problem: BaseException | None = None
        while self._opened:
            dependency, manager = self._opened.pop()
            details = (None, None, None) if error is None else (type(error), error, traceback_of(error))
            leave = manager.__aexit__ if dependency.is_async else manager.__exit__
            try:
                yield self._run(partial(leave, *details), dependency.is_async, {}, None)
            except ENDS as another:
                if another is not error:
                    problem = another
        if problem is not None:
            raise problem

    def _run(self, function: Callable[..., Any], is_async: bool, kwargs: dict[str, Any], link: Any) -> Run:
        return Run(Feature(function=function, is_async=is_async), kwargs, keep, link)


def keep(value: Any) -> Any:
    """The value itself."""
    return value
