"""What every client of ours knows: how a request is built for a revision, and how its response is read. Does no I/O.

The clients of tests and of the command line, and calls of a program to its own server, add their way of sending.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from . import errors
from .errors import InvalidRequest, MethodNotFound, ProtocolError, ResourceNotFound, ToolError
from .revisions import Revision
from .types import (
    CallToolResult,
    GetPromptResult,
    PromptMessage,
    ReadResourceResult,
    TextContent,
    parse_block,
    parse_contents,
)

__all__ = [
    "ClientMessages",
    "RpcError",
    "list_all",
    "params_of_next_round",
    "parse_result",
    "raise_failure",
    "read_result",
    "to_error",
]

_META = "io.modelcontextprotocol/"


class RpcError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data


# Requests -----------------------------------------------------------------------------------------


class ClientMessages:
    """The requests of one client on one revision, numbered; without a handshake each has the facts of the client."""

    def __init__(
        self,
        revision: Revision,
        capabilities: dict[str, Any] | None = None,
        info: dict[str, Any] | None = None,
        log_level: str | None = None,
    ) -> None:
        self.capabilities = capabilities or {}
        self._last_id = 0
        self._info = info
        self._meta: dict[str, Any] | None = None
        if not revision.handshake:
            facts = {
                "protocolVersion": revision.name,
                "clientCapabilities": self.capabilities,
                "clientInfo": info,
                "logLevel": log_level,
            }
            self._meta = {f"{_META}{name}": value for name, value in facts.items() if value is not None}

    def build_request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """A request, as data."""
        self._last_id += 1
        if self._meta is not None:
            params = {**params, "_meta": {**self._meta, **params.get("_meta", {})}}
        return {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}

    def build_handshake(self, revision: str) -> dict[str, Any]:
        """The request that begins a conversation on a revision with a handshake."""
        facts = {"protocolVersion": revision, "capabilities": self.capabilities, "clientInfo": self._info}
        return self.build_request("initialize", facts)


class _InputRequired(msgspec.Struct):
    """A result that asks for input, decoded as far as it is needed."""

    resultType: str = "complete"
    inputRequests: dict[str, Any] | None = None
    requestState: str | None = None


def params_of_next_round(
    result: bytes, params: dict[str, Any], answer: Callable[[dict[str, Any]], Any]
) -> dict[str, Any] | None:
    """The parameters with the answers that a result asks for; None if it asks for nothing."""
    required = msgspec.json.decode(result, type=_InputRequired)
    if required.resultType != "input_required":
        return None
    answers = {key: answer(question) for key, question in (required.inputRequests or {}).items()}
    state = {} if required.requestState is None else {"requestState": required.requestState}
    return {**params, "inputResponses": answers, **state}


def list_all(request: Callable[[str, dict[str, Any]], Any], method: str, field: str) -> Iterator[Any]:
    """The entries of a list, all pages; none if the server does not know the method."""
    params: dict[str, Any] = {}
    while True:
        try:
            page = request(method, params)
        except RpcError as error:
            if error.code == MethodNotFound.code:
                return
            raise
        yield from page.get(field, ())
        if not page.get("nextCursor"):
            return
        params = {"cursor": page["nextCursor"]}


# Results ------------------------------------------------------------------------------------------


class _ResultOrError(msgspec.Struct):
    """A response, decoded as far as it is needed."""

    result: msgspec.Raw = msgspec.Raw()
    error: dict[str, Any] | None = None


def read_result(response: bytes) -> bytes:
    """The result in a response, as JSON; raises RpcError, or MsgspecError for what is not a message."""
    message = msgspec.json.decode(response, type=_ResultOrError)
    if message.error is not None:
        raise RpcError(message.error.get("code", 0), message.error.get("message", ""), message.error.get("data"))
    return bytes(message.result)


def parse_result(result: dict[str, Any], method: str) -> Any:
    """A result as a wire object; raises InvalidRequest if it asks for input."""
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
    result["messages"] = [
        PromptMessage(role=one["role"], content=parse_block(one["content"])) for one in result["messages"]
    ]
    return GetPromptResult(**result)


def raise_failure(result: CallToolResult) -> None:
    """Raise ToolError for a result with isError, with the text in it."""
    if result.isError:
        raise ToolError("\n".join(block.text for block in result.content if isinstance(block, TextContent)))


_ERRORS: dict[int, type[ProtocolError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ProtocolError) and kind not in (ProtocolError, ResourceNotFound)
}


def to_error(error: RpcError, revision: Revision) -> ProtocolError:
    """The exception that a handler raises for an error. The code of a missing resource depends on the revision."""
    data = error.data
    is_missing = error.code == revision.resource_not_found and isinstance(data, dict) and data.keys() == {"uri"}
    kind = ResourceNotFound if is_missing else _ERRORS.get(error.code, ProtocolError)
    problem = kind.__new__(kind)  # the classes take different arguments
    ProtocolError.__init__(problem, error.message, data)
    if kind is ProtocolError:
        problem.code = error.code  # type: ignore[misc]  # a code of a server's own
    return problem
