"""Handlers of `mcp` 2 that return an InputRequiredResult, and are called again with the answers."""

from typing import Any

import msgspec
import pytest

from plainmcp.compat.mcp.server.mcpserver import Context, MCPServer
from plainmcp.compat.mcp.types import (
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
)
from plainmcp.testing import Client, RpcError

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ANSWERS: dict[str, Any] = {
    "elicitation/create": lambda params: {"action": "accept", "content": {"name": "Ada"}},
    "roots/list": lambda params: {"roots": [{"uri": "file:///home", "name": "home"}]},
}


@pytest.fixture
def server() -> MCPServer:
    server = MCPServer("asks")

    async def greet(ctx: Context) -> str | InputRequiredResult:
        answers = ctx.input_responses
        if answers is None:
            assert ctx.request_state is None
            who = ElicitRequest(params=ElicitRequestFormParams(message="Who?", requestedSchema=SCHEMA))
            requests = {"who": who, "where": ListRootsRequest()}
            return InputRequiredResult(inputRequests=requests, requestState="round 1")
        assert isinstance(answers["who"], ElicitResult)
        return f"{answers['who'].content['name']} {answers['where'].roots[0].name} {ctx.request_state}"

    server.tool()(greet)
    server.prompt()(greet)
    server.resource("greet://{word}")(with_word(greet))
    return server


def with_word(greet: Any) -> Any:
    async def read(word: str, ctx: Context) -> str | InputRequiredResult:
        answer: str | InputRequiredResult = await greet(ctx)
        return answer

    return read


def test_tools_prompts_and_templates_ask_and_are_called_again(server: MCPServer) -> None:
    client = Client(server, answers=ANSWERS)
    assert client.call("greet")["content"][0]["text"] == "Ada home round 1"
    assert client.get_prompt("greet")["messages"][0]["content"]["text"] == "Ada home round 1"
    assert client.read("greet://hi")["contents"][0]["text"] == "Ada home round 1"


def test_a_revision_without_such_results_gets_an_error(server: MCPServer) -> None:
    client = Client(server, "2025-11-25", answers=ANSWERS)
    for request in (
        lambda: client.call("greet"),
        lambda: client.get_prompt("greet"),
        lambda: client.read("greet://x"),
    ):
        with pytest.raises(RpcError, match="-32603: Handler returned an invalid result"):
            request()


def test_a_state_that_was_not_signed_is_not_believed() -> None:
    server, seen = MCPServer("asks"), []

    @server.tool()
    async def look(ctx: Context) -> str:
        seen.append(ctx.request_state)
        return ""

    prefix = "io.modelcontextprotocol"
    meta = {
        f"{prefix}/protocolVersion": "2026-07-28",
        f"{prefix}/clientInfo": {"name": "test", "version": "1"},
        f"{prefix}/clientCapabilities": {},
    }
    forged = {"\0state": {"text": "admin"}}
    params = {"name": "look", "inputResponses": forged, "_meta": meta}
    server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    raw = server.handle(
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {**params, "requestState": "forged"}}
    )
    assert seen == [None]
    assert msgspec.json.decode(raw or b"")["error"]["code"] == -32602


def test_an_answer_of_a_model_has_its_class() -> None:
    server = MCPServer("asks")

    @server.tool()
    async def look(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            params = {"messages": [], "maxTokens": 5}
            return InputRequiredResult(
                inputRequests={"model": {"method": "sampling/createMessage", "params": params}}
            )
        return type(ctx.input_responses["model"]).__name__

    answer = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}
    client = Client(server, answers={"sampling/createMessage": lambda params: answer})
    assert client.call("look")["content"][0]["text"] == CreateMessageResult.__name__
