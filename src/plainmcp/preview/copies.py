"""Copies of a server in which one tool has another policy, and a tool's function that runs only once."""

import copy
from collections.abc import Awaitable, Generator, Iterator
from contextlib import contextmanager
from itertools import tee
from types import TracebackType
from typing import Any, TypeVar

from msgspec.structs import replace

from ..errors import ToolError
from ..policy import Policy
from ..protocol import features
from ..protocol.core import Core
from ..protocol.features import ToolFeature
from ..protocol.registry import Registry
from ..questions import InputRequired

__all__ = ["Once", "with_policy"]

S = TypeVar("S", bound=Core)


def with_policy(server: S, policy: Policy, tool: str, function: Any = None) -> S:
    """A copy of a server in which one tool has another policy, as if it was registered with it."""
    clone = copy.copy(server)
    if any(feature.key == tool and feature.policy != policy for feature in server.registry.tools):
        clone.policy = policy  # unless the tool has this policy already
    clone.registry = Registry(clone.policy)
    for kind in ("resources", "templates", "prompts", "completions"):
        setattr(clone.registry, kind, getattr(server.registry, kind))
    for feature in server.registry.tools:
        if feature.key == tool:
            feature = features.redeclare(feature, policy) if policy != feature.policy else replace(feature, plans={})
            feature.function = function or feature.function
        else:
            feature = replace(feature)
        clone.registry.tools.add(feature)
    return clone


class Once:
    """A tool's function that runs once; later calls return, or raise, what the first one did."""

    def __init__(self, feature: ToolFeature) -> None:
        self._function = feature.function
        self._started = False
        self._traceback: TracebackType | None = None  # raising again would make it longer each time
        self._outcome: tuple[Any, BaseException | None] | None = None
        self.function: Any = self._run_async if feature.is_async else self._run

    def _run(self, **arguments: Any) -> Any:
        if not self._started:
            with self._keeping_error():
                self._outcome = self._function(**arguments), None
        return self._repeat()

    async def _run_async(self, **arguments: Any) -> Any:
        if not self._started:
            with self._keeping_error():
                value = self._function(**arguments)
                self._outcome = (await value if isinstance(value, Awaitable) else value), None
        return self._repeat()

    @contextmanager
    def _keeping_error(self) -> Generator[None, None, None]:
        self._started = True
        try:
            yield
        except (Exception, SystemExit, InputRequired) as error:
            self._outcome, self._traceback = (None, error), error.__traceback__

    def _repeat(self) -> Any:
        if self._outcome is None:
            raise ToolError("The tool was cancelled before it ended.")
        value, error = self._outcome
        if error is not None:
            raise error.with_traceback(self._traceback)
        if isinstance(value, Iterator):  # each caller reads it to its end
            value, spare = tee(value)
            self._outcome = spare, None
        return value
