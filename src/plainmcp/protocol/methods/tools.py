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
from .. import describe
from ..core import Core
from ..exchange import FAILURES, Exchange
from ..failures import error_response, log_incident
from ..features import ToolFeature
from ..plan import Plan, plan_of
from ..request import Request
from ..templates import Writers, project_result
from .pages import write_page

__all__ = ["ToolPlan", "call", "list_"]

_log = logging.getLogger("plainmcp")


def list_(server: Core, request: Request) -> bytes:
    """One page of the tools."""
    return write_page(server, request, server.registry.tools, "tools", partial(_describe, request))


def _describe(request: Request, tool: ToolFeature) -> Any:
    return describe.tool(tool.definition, tool.output.object_schema, request.revision)


def call(server: Core, request: Request) -> Exchange:
    """Run a tool; what goes wrong inside it is a result that the model can read (TOOL-11, TOOL-12)."""
    tool = server.registry.tools.get(request.params.get("name", str), request.principal)
    return plan_of(ToolPlan, server, tool, request.revision).start(request, request.params.arguments)


class ToolPlan(Plan[ToolFeature]):
    """How a tool is called on one revision."""

    def __init__(self, server: Core, tool: ToolFeature, revision: Revision) -> None:
        super().__init__(server, tool, revision)
        self._writers = Writers(server, tool, revision)

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments; raises InvalidParams for arguments that are no object, else what the model reads."""
        try:
            return self.feature.bind(arguments)
        except FAILURES:
            if arguments and bytes(arguments)[:1] not in b"{n":  # an object, or null
                raise InvalidParams("params.arguments is an object") from None
            raise

    def respond(self, request: Request, value: Any) -> bytes:
        """The response for what the tool returned, by the class of it."""
        return self._writers[type(value)](request.id, value)

    def fail(self, request: Request, error: BaseException) -> bytes:
        """The response for what the tool raised: a result that tells the model what went wrong."""
        if isinstance(error, InputRequired):
            return self._ask(request, error)
        if isinstance(error, ProtocolError):  # the author chose to answer the client rather than the model
            return error_response(error, self.revision, request.id)
        try:
            block = TextContent(type="text", text=self._describe_failure(error))
            normalized = Normalized(CallToolResult(content=[block], isError=True), True)
            result = project_result(self.server, self.feature, normalized, self.revision)
            return jsonrpc.encode_result(request.id, result)
        except FAILURES as problem:
            return error_response(problem, self.revision, request.id, "Method tools/call")

    def _describe_failure(self, error: BaseException) -> str:
        name = self.feature.definition.name
        if isinstance(error, ToolError):
            return str(error)
        if isinstance(error, (NormalizeError, OutputError)):
            _log.error("tool %r: %s", name, error)
            return f"The result of {name} was not valid and is withheld: {error}"
        return log_incident(f"Tool {name}", error)
