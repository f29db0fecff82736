"""tools/list and tools/call."""

import logging
from functools import partial
from typing import Any

from .. import describe, project
from ..context import Request
from ..errors import InvalidParams, NormalizeError, OutputError, ProtocolError, ToolError
from ..features import ToolFeature
from ..normalize import Normalized
from ..types import CallToolResult, TextContent
from . import answering
from .answering import Steps, Unfinished

__all__ = ["call", "list_"]

_log = logging.getLogger("plainmcp")


def list_(server: Any, request: Request) -> bytes:
    """One page of the tools."""
    return answering.listed(server, request, server.registry.tools, "tools", partial(_shown, request))


def _shown(request: Request, tool: ToolFeature) -> Any:
    return describe.tool(tool.definition, tool.object_schema, request.revision)


def call(server: Any, request: Request) -> Steps:
    """Run a tool; what goes wrong inside it is a result the model can read (TOOL-11, TOOL-12)."""
    params = request.params
    tool = server.registry.tool(params.get("name", str), request.principal)
    given = params.arguments
    if given and not bytes(given).startswith((b"{", b"null")):
        raise InvalidParams("params.arguments is an object")
    try:
        value = yield from answering.running(server, request, tool, tool.bind(given))
        if isinstance(value, Unfinished):
            return value.result
        normalized = tool.normalize(value)
    except ProtocolError:
        raise  # the author chose to answer the peer rather than the model
    except ToolError as error:
        normalized = _failure(str(error))
    except (NormalizeError, OutputError) as error:
        _log.error("tool %r: %s", tool.definition.name, error)
        normalized = _failure(f"The result of {tool.definition.name} was not valid and is withheld.")
    except Exception:
        normalized = _failure(answering.incident(f"Tool {tool.definition.name}"))
    result = project.tool_result(normalized.result, normalized.mirrored, request.revision, server.policy.wrap_key)
    return answering.finished(result, server, request)


def _failure(text: str) -> Normalized:
    return Normalized(CallToolResult(content=[TextContent(type="text", text=text)], isError=True), True)
