"""Low-level servers of the official SDK: handlers of whole methods, by decorators or arguments."""

from typing import Any

import msgspec
import pytest
from mcp import types as real

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.server import Server
from plainmcp.compat.mcp.server.lowlevel.helper_types import ReadResourceContents
from plainmcp.compat.mcp.shared.exceptions import McpError
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


def ask(server: Any, method: str, *, revision: str | None = None, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = msgspec.json.decode(server.handle(message, revision=revision))
    return answer.get("result", answer)


@pytest.fixture
def server() -> Server:
    server = Server("low", version="1.0")

    @server.list_tools()
    async def list_tools() -> list[Any]:
        return [
            types.Tool(name="double", description="Double it", inputSchema=SCHEMA),
            real.Tool(name="both", inputSchema={"type": "object"}),
        ]

    @server.call_tool()
    async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
        assert server.request_context.request_id == 1
        if name == "double":
            return [types.TextContent(type="text", text=str(arguments["x"] * 2))]
        if name == "both":
            return [real.TextContent(type="text", text="real")], {"a": 1}
        raise ValueError(f"Unknown tool: {name}")

    return server


def test_lists_hold_objects_of_either_package(server: Server) -> None:
    assert ask(server, "tools/list")["tools"] == [
        {"name": "double", "description": "Double it", "inputSchema": SCHEMA},
        {"name": "both", "inputSchema": {"type": "object"}},
    ]


def test_a_call_returns_content_or_content_and_data(server: Server) -> None:
    result = ask(server, "tools/call", name="double", arguments={"x": 2})
    assert result == {"content": [{"type": "text", "text": "4"}]}
    result = ask(server, "tools/call", name="both", arguments={})
    assert result == {"content": [{"type": "text", "text": "real"}], "structuredContent": {"a": 1}}


def test_arguments_are_checked_and_exceptions_are_results(server: Server) -> None:
    for name, text in {
        "double": "Input validation error: x: missing; it takes an integer",
        "none": "Unknown tool: none",
    }.items():
        assert ask(server, "tools/call", name=name, arguments={}) == {
            "content": [{"type": "text", "text": text}],
            "isError": True,
        }


@pytest.mark.parametrize("revision", [name for name, row in REVISIONS.items() if row.handshake])
def test_results_fit_the_revision(server: Server, revision: str) -> None:
    result = ask(server, "tools/call", revision=revision, name="both", arguments={})
    assert ("structuredContent" in result) == (REVISIONS[revision].structured != "none")


def test_capabilities_are_those_of_the_handlers(server: Server) -> None:
    assert server.announced_capabilities() == {"tools": {"listChanged": False}}
    answer = ask(server, "prompts/list")
    assert answer == {"prompts": []} or answer["error"]["code"] == -32601


def test_resources_prompts_and_completions() -> None:
    server = Server("low")

    @server.read_resource()
    async def read(uri: Any) -> Any:
        if uri.scheme == "none":
            raise McpError(types.ErrorData(code=-32002, message="nothing there"))
        return [ReadResourceContents(b"\x00", "image/png")] if uri.path == "/a" else str(uri)

    @server.get_prompt()
    async def prompt(name: str, arguments: dict[str, str] | None) -> Any:
        message = types.PromptMessage(role="user", content=types.TextContent(text=f"{name} {arguments}"))
        return types.GetPromptResult(description="d", messages=[message])

    @server.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Any:
        return types.Completion(values=[f"{ref.name} {argument.value}"])

    assert ask(server, "resources/read", uri="memo://x/b")["contents"] == [
        {"uri": "memo://x/b", "mimeType": "text/plain", "text": "memo://x/b"}
    ]
    assert ask(server, "resources/read", uri="memo://x/a")["contents"][0]["blob"] == "AA=="
    assert ask(server, "resources/read", uri="none://x")["error"] == {"code": -32002, "message": "nothing there"}
    messages = ask(server, "prompts/get", name="p", arguments={"a": "1"})["messages"]
    assert messages == [{"role": "user", "content": {"type": "text", "text": "p {'a': '1'}"}}]
    ref = {"type": "ref/prompt", "name": "p"}
    completion = ask(server, "completion/complete", ref=ref, argument={"name": "a", "value": "v"})
    assert completion == {"completion": {"values": ["p v"]}}


def test_handlers_of_the_second_version_are_arguments() -> None:
    async def list_tools(ctx: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[types.Tool(name=ctx.method, input_schema={"type": "object"})])

    async def call_tool(ctx: Any, params: Any) -> Any:
        return types.CallToolResult(content=[types.TextContent(text=params.name)], is_error=True)

    server = Server("low", on_list_tools=list_tools, on_call_tool=call_tool)
    assert ask(server, "tools/list")["tools"][0]["name"] == "tools/list"
    assert ask(server, "tools/call", name="x") == {"content": [{"type": "text", "text": "x"}], "isError": True}


def test_names_of_transports_can_be_imported_and_stores_of_events_are_taken() -> None:
    from plainmcp.compat.mcp.server.sse import SseServerTransport

    from plainmcp.compat.mcp.server.streamable_http import EventMessage, EventStore
    from plainmcp.compat.mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    class Store(EventStore):
        pass

    assert StreamableHTTPSessionManager(Server("a"), event_store=Store()).app.name == "a"
    assert EventMessage("m", "1").event_id == "1"
    with pytest.raises(AuthorError, match="streamable_http_app"):
        SseServerTransport("/messages/")


def test_middleware_of_mcp_2_is_around_the_handlers_of_a_low_level_server() -> None:
    server, seen = Server("watched"), []

    @server.list_tools()
    async def list_tools() -> list[Any]:
        return []

    async def watch(ctx: Any, call_next: Any) -> Any:
        seen.append(ctx.method)
        return await call_next(ctx)

    server.middleware.append(watch)
    assert Client(server, "2025-06-18").list_tools() == []
    assert "tools/list" in seen


def test_the_client_for_http_of_the_sdk_is_one_of_httpx() -> None:
    httpx = pytest.importorskip("httpx")
    from plainmcp.compat.mcp.shared._httpx_utils import create_mcp_http_client

    client = create_mcp_http_client(headers={"a": "b"})
    assert isinstance(client, httpx.AsyncClient) and client.follow_redirects and client.headers["a"] == "b"


def test_what_mcp_2_has_and_we_have_not_is_refused_when_it_is_used() -> None:
    from plainmcp.compat.mcp.server import mcpserver

    assert mcpserver.ResourceSecurity(exempt_params={"path"}).exempt_params == {"path"}
    with pytest.raises(AuthorError, match=r"client_capabilities"):
        mcpserver.require_client_extension("x")
    with pytest.raises(AttributeError):
        _ = mcpserver.Nothing


def test_a_level_that_does_not_exist_does_not_reach_the_handler() -> None:
    server, levels = Server("low"), []

    @server.set_logging_level()
    async def set_level(level: str) -> None:
        levels.append(level)

    assert ask(server, "logging/setLevel", level="loud")["error"]["code"] == -32602
    assert ask(server, "logging/setLevel", level="error") == {} and levels == ["error"]


def test_a_method_of_the_program_s_own_is_a_warning_and_initialize_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = Server("low")

    async def handle(ctx: Any, params: Any) -> Any:
        return {}

    server.add_request_handler("shop/reindex", None, handle)
    assert "the method 'shop/reindex' is not one that a handler can answer here" in caplog.text
    with pytest.raises(ValueError, match="initialize"):
        server.add_request_handler("initialize", None, handle)


def test_an_exception_in_a_handler_of_mcp_2_is_sent_on_handshake_revisions_only() -> None:
    async def fail(ctx: Any, params: Any) -> Any:
        raise KeyError("secret")

    server = Server("low", on_list_tools=fail)
    assert ask(server, "tools/list", revision="2025-06-18")["error"] == {"code": 0, "message": "'secret'"}
    with pytest.raises(Exception, match=r"^-32603: Internal server error$"):
        Client(server, "2026-07-28").request("tools/list")


def test_a_handler_returns_questions_and_gets_the_answers() -> None:
    async def call(ctx: Any, params: Any) -> Any:
        answer = (params.input_responses or {}).get("region")
        if answer is None:
            form = types.ElicitRequestFormParams(
                message="Where?", requestedSchema={"type": "object", "properties": {}}
            )
            question = types.ElicitRequest(params=form)
            return types.InputRequiredResult(inputRequests={"region": question}, requestState="step 1")
        return types.CallToolResult(content=[types.TextContent(text=f"{params.request_state}: {answer.action}")])

    server = Server("low", on_call_tool=call)
    client = Client(server, "2026-07-28", answers={"elicitation/create": lambda _: {"action": "decline"}})
    assert client.call("provision")["content"] == [{"type": "text", "text": "step 1: decline"}]
