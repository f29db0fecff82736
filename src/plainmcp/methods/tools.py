"""tools/list and tools/call."""

import logging
from functools import partial
from typing import Any

from .. import codec, describe, project
from ..context import Request
from ..errors import InvalidParams, NormalizeError, OutputError, ProtocolError, ToolError
from ..features import ToolFeature
from ..payload import Normalized
from ..revisions import Revision
from ..steps import Run
from ..types import CallToolResult, TextContent
from . import answering, molds
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
    if given and bytes(given)[:1] not in b"{n":  # an object, or null
        raise InvalidParams("params.arguments is an object")
    try:
        kwargs = tool.bind(given)
        if tool.context is None and not tool.needs:
            value = yield Run(tool.function, kwargs, tool.is_async, tool.inline, tool.timeout, request.link)
        else:
            value = yield from answering.running(server, request, tool, kwargs)
            if isinstance(value, Unfinished):
                return value.result
        filled = molds.cast(server, tool, request.revision, value, _closed)
        return filled or _closed(server, tool.normalize(value), request.revision)
    except ProtocolError:
        raise  # the author chose to answer the peer rather than the model
    except ToolError as error:
        failed = _failure(str(error))
    except (NormalizeError, OutputError) as error:
        _log.error("tool %r: %s", tool.definition.name, error)
        failed = _failure(f"The result of {tool.definition.name} was not valid and is withheld.")
    except Exception:
        failed = _failure(answering.incident(f"Tool {tool.definition.name}"))
    return _closed(server, failed, request.revision)


def _closed(server: Any, normalized: Normalized, revision: Revision) -> bytes:
    result = project.tool_result(normalized.result, normalized.mirrored, revision, server.policy.wrap_key)
    return codec.encode(answering.finished(result, server, revision))


def _failure(text: str) -> Normalized:
    return Normalized(CallToolResult(content=[TextContent(type="text", text=text)], isError=True), True)
