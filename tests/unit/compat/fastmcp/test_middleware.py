"""The middleware of FastMCP: hooks around requests, and what they see and change."""

import asyncio
import logging
from typing import Any

import mcp
import mcp_types
import pytest

from plainmcp.compat.fastmcp import Context, FastMCP, Middleware, MiddlewareContext, ToolError, get_context
from plainmcp.compat.fastmcp.resources import ResourceContent, ResourceResult
from plainmcp.compat.fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware, RetryMiddleware
from plainmcp.compat.fastmcp.server.middleware.logging import LoggingMiddleware, StructuredLoggingMiddleware
from plainmcp.compat.fastmcp.server.middleware.rate_limiting import RateLimitError, RateLimitingMiddleware
from plainmcp.compat.fastmcp.server.middleware.timing import TimingMiddleware
from plainmcp.compat.fastmcp.tools import Tool, ToolResult
from plainmcp.compat.mcp.shared.exceptions import McpError
from plainmcp.testing import Client, RpcError

REVISIONS = ["2025-11-25", "2026-07-28"]


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_hooks_are_called_from_the_outside_in(revision: str) -> None:
    calls: list[str] = []

    class Seeing(Middleware):
        def __init__(self, name: str) -> None:
            self.name = name

        async def on_message(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
            calls.append(f"{self.name} message {context.method} {context.type} {context.source}")
            return await call_next(context)

        async def on_request(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
            calls.append(f"{self.name} request")
            return await call_next(context)

        async def on_call_tool(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
            assert context.fastmcp_context is get_context()
            calls.append(f"{self.name} call {context.message.name} {context.message.arguments}")
            result = await call_next(context)
            calls.append(f"{self.name} {result.content[0].text} {result.structured_content}")
            return result

    server = FastMCP("hooks", middleware=[Seeing("a")])
    server.add_middleware(Seeing("b"))
    server.tool(name="double")(lambda n: n * 2)
    client = Client(server, revision)
    calls.clear()
    assert text_of(client.call("double", n=2)) == "4"
    assert calls == [
        "a message tools/call request client",
        "a request",
        "a call double {'n': 2}",
        "b message tools/call request client",
        "b request",
        "b call double {'n': 2}",
        "b 4 None",
        "a 4 None",
    ]


class Changing(Middleware):
    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        match context.message.name:
            case "refused":
                raise ToolError("Not today.")
            case "loud":
                context.message.arguments["text"] = context.message.arguments["text"].upper()
            case "copied":
                message = context.message.model_copy(update={"arguments": {"text": "a copy"}})
                return await call_next(context.copy(message=message))
            case "instead":
                return ToolResult("another", {"result": "another"})
            case "after":
                result = await call_next(context)
                result.content.append("and more")
                return result
        assert context.fastmcp_context is not None
        await context.fastmcp_context.set_state("user", "ann")
        return await call_next(context)

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        result = await call_next(context)
        [one] = result.contents
        if isinstance(one.content, bytes):
            return result
        return ResourceResult([ResourceContent(f"{context.message.uri}: {one.content}", one.mime_type)])

    async def on_get_prompt(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        result = await call_next(context)
        result.description = f"{len(result.messages)} message"
        return result

    async def on_list_tools(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        tools = [one for one in await call_next(context) if "hidden" not in one.tags]
        tools[0].description = "Changed in the list"
        return tools


@pytest.fixture(params=REVISIONS)
def client(request: pytest.FixtureRequest) -> Client:
    server = FastMCP("changed", middleware=[Changing()])

    def echo(text: str) -> str:
        return text

    for name in ("refused", "loud", "copied", "instead", "after"):
        server.tool(echo, name=name)

    @server.tool(tags={"hidden"})
    async def user(ctx: Context) -> str:
        return str(await ctx.get_state("user"))

    @server.resource("data://text")
    def text() -> str:
        return "the text"

    @server.resource("data://bytes")
    def data() -> bytes:
        return b"\xff"

    server.prompt(name="ask")(lambda: "Hello")
    return Client(server, request.param)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("refused", {"content": ["Not today."], "isError": True}),
        ("loud", {"content": ["ABC"], "structuredContent": {"result": "ABC"}}),
        ("copied", {"content": ["a copy"], "structuredContent": {"result": "a copy"}}),
        ("instead", {"content": ["another"], "structuredContent": {"result": "another"}}),
        ("after", {"content": ["abc", "and more"], "structuredContent": {"result": "abc"}}),
    ],
)
def test_a_hook_refuses_changes_and_answers(client: Client, name: str, expected: dict[str, Any]) -> None:
    result = client.call(name, text="abc")
    shown = {key: value for key, value in result.items() if key in ("content", "isError", "structuredContent")}
    shown["content"] = [block["text"] for block in shown["content"]]
    assert shown == expected


def test_hooks_see_lists_resources_and_prompts_and_share_their_state(client: Client) -> None:
    tools = client.list_tools()
    assert [one["name"] for one in tools] == ["refused", "loud", "copied", "instead", "after"]
    assert [one.get("description") for one in tools[:2]] == ["Changed in the list", None]
    assert text_of(client.call("user")) == "ann"
    [piece] = client.read("data://text")["contents"]
    assert piece == {"uri": "data://text", "mimeType": "text/plain", "text": "data://text: the text"}
    assert client.read("data://bytes")["contents"][0]["blob"] == "/w=="
    assert client.get_prompt("ask")["description"] == "1 message"


def test_the_ready_ones_log_count_limit_and_try_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    errors = ErrorHandlingMiddleware()
    server = FastMCP("ready")
    for one in (TimingMiddleware(), LoggingMiddleware(include_payloads=True), StructuredLoggingMiddleware(), errors):
        server.add_middleware(one)
    server.add_middleware(RetryMiddleware(max_retries=2, base_delay=0))
    attempts: list[int] = []

    @server.tool
    def flaky() -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("gone")
        return "there"

    @server.tool
    def broken() -> str:
        raise ValueError("no")

    client = Client(server, "2025-11-25")
    assert text_of(client.call("flaky")) == "there"
    assert client.call("broken")["isError"]
    assert errors.get_error_stats() == {"ToolError:tools/call": 1}
    texts = [record.getMessage() for record in caplog.records]
    assert any(text.startswith("Request tools/call completed in ") for text in texts)
    assert any('event=request_start method=tools/call source=client payload={"name": "flaky"' in one for one in texts)
    assert any(text.startswith('{"event": "request_success", "method": "tools/call"') for text in texts)
    limited = FastMCP("limited", middleware=[RateLimitingMiddleware(0.001, burst_capacity=3)])
    limited.tool(name="one")(lambda: 1)
    client = Client(limited, "2025-11-25")  # its first request is the handshake
    assert [client.call("one").get("isError", False) for _ in range(2)] == [False, False]
    for request in (lambda: client.call("one"), client.list_tools):
        with pytest.raises(RpcError, match="-32000: Rate limit exceeded for client: global"):
            request()
    assert RateLimitError().error.code == -32000


@pytest.mark.parametrize("is_called", [True, False])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_list_that_a_hook_changes_is_still_a_whole_result(revision: str, is_called: bool) -> None:
    class Marking(Middleware):
        async def on_list_tools(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
            tools = await call_next(context) if is_called else [Tool.from_function(lambda: 1, name="one")]
            for tool in tools:
                tool.annotations = mcp_types.ToolAnnotations(read_only_hint=True)
            return tools

    server = FastMCP("marked", middleware=[Marking()])
    server.tool(name="one")(lambda: 1)
    page = Client(server, revision).request("tools/list")
    assert page["tools"][0]["annotations"] == {"readOnlyHint": True}
    whole = set() if revision == REVISIONS[0] else {"resultType", "ttlMs", "cacheScope", "_meta"}
    assert page.keys() == {"tools", *whole}


@pytest.mark.parametrize("kind", [McpError, mcp.MCPError])
def test_an_error_with_a_code_in_a_hook_is_sent_with_it(kind: Any) -> None:
    class Refusing(Middleware):
        async def on_list_tools(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
            raise kind(code=-32050, message="not you", data={"a": 1})

    client = Client(FastMCP("refusing", middleware=[Refusing()]), REVISIONS[0])
    with pytest.raises(RpcError, match="-32050: not you") as raised:
        client.list_tools()
    assert raised.value.data == {"a": 1}


def test_a_program_may_ask_its_server_without_middleware() -> None:
    seen: list[Any] = []

    class Seeing(Middleware):
        async def on_message(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
            seen.append(context.method)
            return await call_next(context)

    server = FastMCP("seen", middleware=[Seeing()])
    server.tool(name="one")(lambda: 1)
    server.prompt(name="one")(lambda: "hi")
    server.resource("a://b")(lambda: "text")
    for options in ({"run_middleware": False}, {}):
        asyncio.run(server.call_tool("one", **options))
        asyncio.run(server.render_prompt("one", **options))
        asyncio.run(server.read_resource("a://b", **options))
    assert seen == ["tools/call", "prompts/get", "resources/read"]
