"""A tool under another policy than its server's, and a tool that runs once for many results."""

import copy
from collections.abc import Awaitable, Iterator
from itertools import tee
from types import TracebackType
from typing import Any

from msgspec.structs import replace

from ..errors import ToolError
from ..policy import Policy
from ..protocol import features
from ..protocol.features import ToolFeature
from ..protocol.registry import Registry
from ..questions import InputRequired
from ..server import Server

__all__ = ["Once", "with_policy"]


def with_policy(server: Server, policy: Policy, tool: str, function: Any = None) -> Server:
    """A copy of a server in which one tool follows another policy, as if registered with it."""
    twin = copy.copy(server)
    if any(feature.key == tool and feature.policy != policy for feature in server.registry.tools):
        twin.policy = policy  # a tool that has this policy already stays with the server it is in
    twin.registry = Registry(twin.policy)
    for shelf in ("resources", "templates", "prompts", "completions"):
        setattr(twin.registry, shelf, getattr(server.registry, shelf))
    for feature in server.registry.tools:
        if feature.key == tool:
            feature = features.redeclare(feature, policy) if policy != feature.policy else replace(feature, plans={})
            feature.function = function or feature.function
        else:
            feature = replace(feature)
        twin.registry.tools.add(feature)
    return twin


class Once:
    """A tool's function that runs once; after that it gives, or raises, what it did then."""

    def __init__(self, feature: ToolFeature) -> None:
        self._function = feature.function
        self._begun = False
        self._trace: TracebackType | None = None  # raising again would make it longer each time
        self._ran: tuple[Any, BaseException | None] | None = None
        self.function: Any = self._async if feature.is_async else self._plain

    def _plain(self, **given: Any) -> Any:
        if not self._begun:
            self._begun = True
            try:
                self._ran = self._function(**given), None
            except (Exception, SystemExit, InputRequired) as error:
                self._ran, self._trace = (None, error), error.__traceback__
        return self._again()

    async def _async(self, **given: Any) -> Any:
        if not self._begun:
            self._begun = True
            try:
                value = self._function(**given)
                self._ran = (await value if isinstance(value, Awaitable) else value), None
            except (Exception, SystemExit, InputRequired) as error:
                self._ran, self._trace = (None, error), error.__traceback__
        return self._again()

    def _again(self) -> Any:
        if self._ran is None:
            raise ToolError("The tool was given up before it came to an end.")
        value, error = self._ran
        if error is not None:
            raise error.with_traceback(self._trace)
        if isinstance(value, Iterator):  # is read to its end each time
            value, spare = tee(value)
            self._ran = spare, None
        return value
