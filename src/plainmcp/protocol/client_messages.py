"""The client's side of a message: builds requests, and decodes their responses into wire objects or exceptions.

For requests of a program to its own server. Knows revisions and types, but neither servers nor transports.
"""

from collections.abc import Mapping
from typing import Any

from .. import errors
from ..errors import InvalidRequest, ProtocolError, ResourceNotFound, ToolError
from ..revisions import Revision
from ..types import (
    CallToolResult,
    GetPromptResult,
    PromptMessage,
    ReadResourceResult,
    TextContent,
    parse_block,
    parse_contents,
)
from ..wire import codec

__all__ = ["build_request", "raise_failure", "read_result", "to_error"]

_META = "io.modelcontextprotocol/"

_ERRORS: dict[int, type[ProtocolError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ProtocolError) and kind not in (ProtocolError, ResourceNotFound)
}


def build_request(method: str, params: Mapping[str, Any], revision: Revision) -> dict[str, Any]:
    """A request, as data; on a revision without a handshake it names the revision in its _meta."""
    named = {name: value for name, value in params.items() if value is not None}
    if not revision.handshake:
        named["_meta"] = {f"{_META}protocolVersion": revision.name, f"{_META}clientCapabilities": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": named}


def read_result(response: bytes | None, method: str, revision: Revision) -> Any:
    """The result in a response, as a wire object, or as data if it is a list; raises ProtocolError."""
    message = codec.decode(response or b"{}")
    if "error" in message:
        raise to_error(message["error"], revision)
    result: dict[str, Any] = message["result"]
    if result.get("resultType") == "input_required":
        questions = ", ".join(one["method"] for one in result.get("inputRequests", {}).values())
        raise InvalidRequest(
            f"{method} asks its client for input ({questions}), and a call inside the program has no client to ask; "
            "plainmcp.testing.Client takes answers="
        )
    match method:
        case "tools/call":
            result["content"] = [parse_block(block) for block in result["content"]]
            return CallToolResult(**result)
        case "resources/read":
            result["contents"] = [parse_contents(one) for one in result["contents"]]
            return ReadResourceResult(**result)
        case "prompts/get":
            result["messages"] = [
                PromptMessage(role=one["role"], content=parse_block(one["content"])) for one in result["messages"]
            ]
            return GetPromptResult(**result)
    return result


def raise_failure(result: CallToolResult) -> None:
    """Raise ToolError for a result with isError, with the text in it."""
    if result.isError:
        raise ToolError("\n".join(block.text for block in result.content if isinstance(block, TextContent)))


def to_error(error: dict[str, Any], revision: Revision) -> ProtocolError:
    """The exception for an error object. The code of a missing resource depends on the revision."""
    code, message, data = error["code"], error["message"], error.get("data")
    is_missing = code == revision.resource_not_found and isinstance(data, dict) and data.keys() == {"uri"}
    kind = ResourceNotFound if is_missing else _ERRORS.get(code, ProtocolError)
    problem = kind.__new__(kind)  # the classes take different arguments
    ProtocolError.__init__(problem, message, data)
    if kind is ProtocolError:
        problem.code = code  # type: ignore[misc]  # a code of a server's own
    return problem
