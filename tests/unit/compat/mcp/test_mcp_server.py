"""Servers written for `mcp` 2, with the import changed."""

from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, Field

from plainmcp.compat.mcp.server import MCPServer, ServerRequestContext
from plainmcp.compat.mcp.server.mcpserver.exceptions import ToolError
from plainmcp.compat.mcp.shared.exceptions import MCPError
from plainmcp.compat.mcp.types import INVALID_PARAMS
from plainmcp.testing import Client


def call(server: Any, name: str, **arguments: Any) -> Any:
    params = {"name": name, "arguments": arguments}
    return msgspec.json.decode(server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))


@pytest.fixture
def server() -> MCPServer:
    server = MCPServer("demo", version="2.0.0", subscriptions=False)

    @server.tool()
    def fail(how: str) -> str:
        errors = {"tool": ToolError("not today"), "coded": MCPError(code=-32050, message="no", data={"a": 1})}
        raise errors.get(how) or ValueError("a secret")

    return server


def test_a_crash_keeps_its_text_to_the_log(server: MCPServer) -> None:
    for how, text in {"tool": "Error executing tool fail: not today", "crash": "Error executing tool fail"}.items():
        result = call(server, "fail", how=how)["result"]
        assert result == {"content": [{"type": "text", "text": text}], "isError": True}


def test_an_error_with_a_code_is_a_json_rpc_error(server: MCPServer) -> None:
    assert call(server, "fail", how="coded")["error"] == {"code": -32050, "message": "no", "data": {"a": 1}}


def test_middleware_sees_the_request_and_may_refuse_it(server: MCPServer) -> None:
    seen: list[Any] = []

    async def middleware(ctx: ServerRequestContext, call_next: Any) -> Any:
        seen.append((ctx.method, ctx.params))
        if ctx.params is not None and ctx.params.get("name") == "secret":
            raise MCPError(code=INVALID_PARAMS, message="Unknown tool: secret")
        return await call_next(ctx)

    server.middleware.append(middleware)  # type: ignore[attr-defined]
    assert call(server, "fail", how="tool")["result"]["isError"] is True
    assert call(server, "secret")["error"] == {"code": -32602, "message": "Unknown tool: secret"}
    assert seen[0] == ("tools/call", {"name": "fail", "arguments": {"how": "tool"}})


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        MCPServer("demo", colour="red")


def test_a_model_with_other_names_for_output_promises_the_names_that_are_sent() -> None:
    class Part(BaseModel):
        part_id: str = Field(validation_alias="id", serialization_alias="partId")

    mcp = MCPServer("parts")

    @mcp.tool()
    def find() -> list[Part]:
        return [Part.model_validate({"id": "7"})]

    client = Client(mcp, "2025-06-18")
    assert client.call("find")["structuredContent"] == {"result": [{"partId": "7"}]}
