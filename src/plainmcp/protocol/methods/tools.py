"""tools/list and tools/call."""

import logging
from functools import partial
from typing import Any

from ...errors import InvalidParams, NormalizeError, OutputError, ProtocolError, ToolError
from ...questions import InputRequired
from ...revisions import Revision
from ...types import CallToolResult, TextContent
from ...values.payload import Normalized
from ...wire import jsonrpc
from ...wire.jsonrpc import Id, Params
from .. import describe, plan
from ..features import ToolFeature
from ..request import Request
from ..steps import FAILURES, Link, Run
from . import shared
from .shared import Steps, Unfinished

__all__ = ["Single", "bound", "call", "list_"]

_log = logging.getLogger("plainmcp")


def list_(server: Any, request: Request) -> bytes:
    """One page of the tools."""
    return shared.listed(server, request, server.registry.tools, "tools", partial(_shown, request))


def _shown(request: Request, tool: ToolFeature) -> Any:
    return describe.tool(tool.definition, tool.output.object_schema, request.revision)


def call(server: Any, request: Request) -> "Single | Steps | CallToolResult":
    """Run a tool; what goes wrong inside it is a result the model can read (TOOL-11, TOOL-12)."""
    tool = server.registry.tools.known(request.params.get("name", str), request.principal)
    found = bound(server, tool, request.id, request.params, request.revision, request.link)
    if tool.is_simple or not isinstance(found, Single):
        return found
    return _steps(server, request, tool, found.kwargs)


def bound(
    server: Any, tool: ToolFeature, id: Id, params: Params, revision: Revision, link: Link | None
) -> "Single | CallToolResult":
    """The call of a tool with its arguments: all there is to do for one that asks for nothing while it runs."""
    try:
        kwargs = tool.bind(params.arguments)
    except FAILURES as error:
        if params.arguments and bytes(params.arguments)[:1] not in b"{n":  # an object, or null
            raise InvalidParams("params.arguments is an object") from None
        return _rescued(server, tool, revision, error)
    return Single(tool, kwargs, link, server, id, revision)


class Single(Run, frozen=True):
    """An answer with a single step: a tool's function to run, before the result of its value is made.

    Iterating gives the steps it stands for; those in a hurry run the function and then ask to `finish`, or `failed`.
    Most requests are of this kind, and a generator would be a sixth of what a small one costs.
    """

    server: Any
    id: Id
    revision: Revision

    def finish(self, value: Any) -> bytes:
        """The response, once the function has given its value."""
        try:
            return plan.made(self.server, self.feature, self.revision, self.id, value)
        except BaseException as error:  # a generator is the user's code too, and may raise anything
            return self.failed(error)

    def failed(self, error: BaseException) -> bytes:
        """The response, once it has raised."""
        try:
            return jsonrpc.close(self.id, _rescued(self.server, self.feature, self.revision, error))
        except FAILURES as problem:
            return shared.unanswerable(problem, self.id, "tools/call", self.revision)

    def __iter__(self) -> Steps:
        try:
            response = yield self
        except (*FAILURES, InputRequired) as error:
            return self.failed(error)
        return response


def _steps(server: Any, request: Request, tool: ToolFeature, kwargs: dict[str, Any]) -> Steps:
    """The same for a tool that may ask for something while it runs."""
    try:
        make = partial(plan.made, server, tool, request.revision, request.id)
        result = yield from shared.running(server, request, tool, kwargs, make)
        return result.result if isinstance(result, Unfinished) else result
    except FAILURES as error:
        return _rescued(server, tool, request.revision, error)


def _rescued(server: Any, tool: ToolFeature, revision: Revision, error: BaseException) -> CallToolResult:
    """The result that tells a model what went wrong."""
    name = tool.definition.name
    if isinstance(error, ProtocolError):
        raise error  # the author chose to answer the peer rather than the model
    if isinstance(error, ToolError):
        text = str(error)
    elif isinstance(error, (NormalizeError, OutputError)):
        _log.error("tool %r: %s", name, error)
        text = f"The result of {name} was not valid and is withheld: {error}"
    else:
        text = shared.incident(f"Tool {name}", error)
    block = TextContent(type="text", text=text)
    failed = Normalized(CallToolResult(content=[block], isError=True), True)
    return plan.closed(server, tool, failed, revision)
