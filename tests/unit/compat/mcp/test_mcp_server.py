"""Servers written for `mcp` 2, with the import changed."""

import asyncio
import logging
from typing import Annotated, Any

import msgspec
import pytest
from pydantic import BaseModel, Field

from plainmcp.compat.mcp.server import MCPServer, ServerRequestContext
from plainmcp.compat.mcp.server.mcpserver import Context
from plainmcp.compat.mcp.server.mcpserver.exceptions import (
    InvalidSignature,
    ResourceError,
    ResourceNotFoundError,
    ToolError,
    UnexpectedResourceError,
)
from plainmcp.compat.mcp.server.mcpserver.resources import Resource
from plainmcp.compat.mcp.shared.exceptions import MCPError
from plainmcp.compat.mcp.types import INVALID_PARAMS, CallToolResult, TextContent
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


def test_a_resource_that_does_not_exist_is_a_value_error_inside_the_program_too() -> None:
    server = MCPServer("demo")
    for kind in (ResourceNotFoundError, ResourceError, ValueError):
        with pytest.raises(kind, match="Unknown resource: a://b"):
            asyncio.run(server.read_resource("a://b"))


def test_what_a_template_raises_has_the_uri_and_a_code() -> None:
    server = MCPServer("demo")

    @server.resource("a://{id}")
    def read(id: str) -> str:
        if id == "none":
            raise ResourceNotFoundError("no such id")
        raise RuntimeError("secret")

    def error_of(uri: str) -> Any:
        raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}})
        return msgspec.json.decode(raw or b"")["error"]

    message = "Error creating resource from template a://1"
    assert error_of("a://1") == {"code": -32603, "message": message, "data": {"uri": "a://1"}}
    assert error_of("a://none") == {"code": -32602, "message": "no such id", "data": {"uri": "a://none"}}


def test_a_prompt_names_all_arguments_that_are_missing() -> None:
    server = MCPServer("demo")

    @server.prompt()
    def greet(name: str, city: str, tone: str = "kind") -> str:
        return name

    def error_of(**arguments: Any) -> Any:
        params = {"name": "greet", "arguments": arguments}
        raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": params})
        return msgspec.json.decode(raw or b"")["error"]

    assert error_of() == {"code": 0, "message": "Missing required arguments: {'name', 'city'}"}
    assert error_of(city="Oslo") == {"code": 0, "message": "Missing required arguments: {'name'}"}
    assert error_of(name="A", city="B", more="C") == {"code": 0, "message": "Error rendering prompt greet"}


def test_a_prompt_is_removed_once() -> None:
    server = MCPServer("demo")
    server.prompt(name="greet")(lambda: "hello")
    server.remove_prompt("greet")
    with pytest.raises(ValueError, match="Unknown prompt: greet"):
        server.remove_prompt("greet")


def test_a_resource_class_has_to_read() -> None:
    class Empty(Resource):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Empty("a://b")  # type: ignore[abstract]


def test_a_context_outside_of_a_request_has_the_server_that_it_is_given() -> None:
    server = MCPServer("demo")
    assert Context(mcp_server=server).mcp_server is server
    with pytest.raises(ValueError, match="outside of a request"):
        _ = Context().mcp_server


def test_failures_are_in_the_log_of_the_package(caplog: pytest.LogCaptureFixture) -> None:
    mcp = MCPServer("x")

    @mcp.tool()
    def expected() -> str:
        raise ToolError("not today")

    @mcp.tool()
    def unexpected() -> str:
        raise KeyError("key")

    @mcp.resource("memo://a")
    def broken() -> str:
        raise OSError("disk")

    client = Client(mcp)
    with caplog.at_level(logging.INFO, "mcp.server.mcpserver.server"):
        assert client.call("expected")["isError"] and client.call("unexpected")["isError"]
        with pytest.raises(Exception, match="Error reading resource memo://a"):
            client.read("memo://a")
    assert [(one.levelname, one.getMessage(), bool(one.exc_info)) for one in caplog.records] == [
        ("INFO", "Tool 'expected' failed: 'Error executing tool expected: not today'", False),
        ("ERROR", "Tool 'unexpected' raised an unexpected exception", True),
        ("ERROR", "Resource 'memo://a' raised an unexpected exception", True),
    ]


def test_its_capabilities_are_always_the_same_and_there_is_no_log_level() -> None:
    assert MCPServer("x").announced_capabilities() == {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "prompts": {"listChanged": True},
    }
    with pytest.raises(Exception, match="Method not found"):
        Client(MCPServer("x"), "2025-06-18").request("logging/setLevel", {"level": "error"})


def test_a_result_that_does_not_fit_is_withheld_without_a_reason() -> None:
    mcp = MCPServer("x")

    @mcp.tool()
    def count() -> int:
        return "many"  # type: ignore[return-value]

    assert Client(mcp).call("count")["content"] == [{"type": "text", "text": "Error executing tool count"}]


def test_a_name_that_some_clients_refuse_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    mcp = MCPServer("x")

    @mcp.tool("my tool!")
    def run() -> str:
        return "ran"

    assert "some clients refuse 'my tool!'" in caplog.text
    for revision in ("2025-06-18", "2026-07-28"):
        client = Client(mcp, revision)
        assert client.list_tools()[0]["name"] == "my tool!"
        assert client.call("my tool!")["structuredContent"] == {"result": "ran"}


def test_what_is_wrong_with_the_arguments_of_a_prompt_is_not_sent() -> None:
    mcp = MCPServer("x")

    @mcp.prompt()
    def repeat(count: int) -> str:
        return "again " * count

    client = Client(mcp, "2025-06-18")
    with pytest.raises(Exception, match=r"^0: Error rendering prompt repeat$"):
        client.get_prompt("repeat", count="many")
    with pytest.raises(Exception, match=r"^0: Missing required arguments: {'count'}$"):
        client.get_prompt("repeat")
    assert client.get_prompt("repeat", count="1")["messages"][0]["content"]["text"] == "again "


class Weather(BaseModel):
    degrees: float


def test_a_whole_result_may_promise_its_structured_content() -> None:
    mcp = MCPServer("x")

    @mcp.tool()
    def measure(data: dict[str, Any] | None = None) -> Annotated[CallToolResult, Weather]:
        return CallToolResult(content=[TextContent(text="sunny")], structuredContent=data)

    client = Client(mcp, "2025-11-25")
    assert client.list_tools()[0]["outputSchema"] == {
        "type": "object",
        "properties": {"degrees": {"type": "number", "title": "Degrees"}},
        "required": ["degrees"],
        "title": "Weather",
    }
    sent = client.call("measure", data={"degrees": 3})
    assert sent == {"content": [{"type": "text", "text": "sunny"}], "structuredContent": {"degrees": 3}}
    for data in (None, {"other": 1}):
        assert client.call("measure", data=data)["content"][0]["text"] == "Error executing tool measure"


def test_completions_need_a_handler_and_a_schema_that_is_asked_for_a_hint() -> None:
    mcp = MCPServer("x")
    mcp.prompt(name="greet")(lambda name: name)
    params = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "a"}}
    client = Client(mcp, "2025-06-18")
    with pytest.raises(Exception, match="Method not found"):
        client.request("completion/complete", params)
    assert "completions" not in mcp.announced_capabilities()

    @mcp.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Any:
        return {"values": [argument.value]}

    assert client.request("completion/complete", params)["completion"] == {"values": ["a"]}
    assert mcp.announced_capabilities()["completions"] == {}
    with pytest.raises(InvalidSignature, match="not serializable"):
        mcp.tool("empty", structured_output=True)(lambda: None)


def test_a_resource_error_is_sent_and_a_crash_is_not(caplog: pytest.LogCaptureFixture) -> None:
    mcp = MCPServer("x")

    @mcp.resource("memo://{name}")
    def memo(name: str) -> str:
        raise ResourceError("in maintenance") if name == "a" else KeyError(name)

    client = Client(mcp, "2025-06-18")
    with pytest.raises(Exception, match=r"^-32603: in maintenance$"):
        client.read("memo://a")
    with pytest.raises(Exception, match=r"^-32603: Error creating resource from template memo://b$"):
        client.read("memo://b")
    crash = caplog.records[-1].exc_info[1]  # type: ignore[index]
    assert isinstance(crash, UnexpectedResourceError) and isinstance(crash.__cause__, KeyError)
