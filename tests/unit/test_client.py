"""How clients build requests and read responses, and what calls inside a program return and raise."""

import asyncio
from typing import Any

import pytest

from plainmcp import Context, Image, Server, ToolError, ToolResult, types
from plainmcp.client import ClientMessages, RpcError, params_of_next_round, read_result
from plainmcp.errors import (
    InternalError,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    MissingCapability,
    ParseError,
    ProtocolError,
    ResourceNotFound,
)
from plainmcp.questions import InputRequired, ListRoots
from plainmcp.revisions import LATEST, LATEST_HANDSHAKE
from speaking import ALL

every_revision = pytest.mark.parametrize("revision", ALL)


def run(call: Any) -> Any:
    return asyncio.run(call)


def build(**options: Any) -> Server:
    server = Server("s", "1", **options)

    @server.tool(output_schema=True)
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    @server.tool(visible=lambda principal: principal == "root")
    async def secret() -> list[Any]:
        return ["text", Image(data=b"\x89PNG\r\n\x1a\n")]

    @server.tool
    def fail() -> None:
        raise ToolError("not today")

    @server.tool
    def crash() -> None:
        raise ValueError("hunter2")

    server.resource("memo://x", name="x")(lambda: "text")
    server.resource("memo://{day}/bytes", name="y")(lambda day: day.encode() + b"\xff")
    server.prompt(name="greet")(lambda name: f"Hello {name}")
    return server


# Lists --------------------------------------------------------------------------------------------


def test_lists_are_wire_objects_of_the_newest_revision() -> None:
    server = build(page_size=1)
    tools = server.list_tools()
    assert [tool.name for tool in tools] == ["add", "crash", "fail"]
    assert isinstance(tools[0], types.Tool) and tools[0].description == "Add two numbers."
    assert tools[0].outputSchema is not None
    assert server.list_resources() == [types.Resource(uri="memo://x", name="x")]
    assert server.list_resource_templates() == [types.ResourceTemplate(uriTemplate="memo://{day}/bytes", name="y")]
    greet = types.Prompt(name="greet", arguments=[types.PromptArgument(name="name", required=True)])
    assert server.list_prompts() == [greet]


@every_revision
def test_lists_are_those_of_a_revision_and_a_caller(revision: str) -> None:
    server = build()
    names = [tool.name for tool in server.list_tools(revision=revision, principal="root")]
    assert names == ["add", "crash", "fail", "secret"]
    add = server.list_tools(revision=revision)[0]
    assert (add.outputSchema is None) == (revision in ("2024-11-05", "2025-03-26"))


@every_revision
def test_a_server_without_features_has_empty_lists(revision: str) -> None:
    server = Server("s")
    assert server.list_tools(revision=revision) == server.list_resources(revision=revision) == []
    assert server.list_resource_templates(revision=revision) == server.list_prompts(revision=revision) == []


def test_an_unknown_revision_is_refused() -> None:
    with pytest.raises(Exception, match="2020"):
        build().list_tools(revision="2020-01-01")


# Calls --------------------------------------------------------------------------------------------


@every_revision
def test_a_call_returns_what_a_client_is_sent(revision: str) -> None:
    server = build()
    result = run(server.call_tool("add", {"a": 1}, revision=revision))
    assert isinstance(result, types.CallToolResult)
    assert result.content == [types.TextContent(text="2")]
    has_structure = revision not in ("2024-11-05", "2025-03-26")
    assert (result.structuredContent is not types.CallToolResult(content=[]).structuredContent) == has_structure
    result = run(server.call_tool("secret", revision=revision, principal="root"))
    assert [type(block) for block in result.content] == [types.TextContent, types.ImageContent]


@every_revision
def test_errors_of_a_tool_are_raised(revision: str) -> None:
    server = build()
    with pytest.raises(ToolError, match=r"^not today$"):
        run(server.call_tool("fail", revision=revision))
    with pytest.raises(ToolError, match="Tool crash failed unexpectedly"):
        run(server.call_tool("crash", revision=revision))
    with pytest.raises(ToolError, match="a: missing"):
        run(server.call_tool("add", revision=revision))
    result = run(server.call_tool("fail", revision=revision, raise_on_error=False))
    assert result.isError and result.content == [types.TextContent(text="not today")]
    with pytest.raises(InvalidParams, match="Unknown tool: secret"):
        run(server.call_tool("secret", revision=revision))


@every_revision
def test_resources_and_prompts(revision: str) -> None:
    server = build()
    [contents] = run(server.read_resource("memo://x", revision=revision)).contents
    assert contents == types.TextResourceContents(uri="memo://x", mimeType="text/plain", text="text")
    [contents] = run(server.read_resource("memo://mon/bytes", revision=revision)).contents
    assert isinstance(contents, types.BlobResourceContents) and contents.uri == "memo://mon/bytes"
    [message] = run(server.get_prompt("greet", {"name": "Ada"}, revision=revision)).messages
    assert message == types.PromptMessage(role="user", content=types.TextContent(text="Hello Ada"))
    with pytest.raises(ResourceNotFound) as caught:
        run(server.read_resource("memo://none", revision=revision))
    assert caught.value.data == {"uri": "memo://none"}
    with pytest.raises(InvalidParams, match="name: missing"):
        run(server.get_prompt("greet", revision=revision))


def test_the_class_of_an_error_is_that_of_its_code() -> None:
    server = Server("s")

    @server.resource("memo://x")
    def x() -> str:
        raise ValueError("hunter2")

    with pytest.raises(InternalError, match="failed unexpectedly"):
        run(server.read_resource("memo://x"))
    with pytest.raises(MethodNotFound):
        run(server.call_tool("none"))
    with pytest.raises(ParseError):
        run(server.read_resource(object()))  # type: ignore[arg-type]

    @server.tool(needs={"sampling": {}})
    def needy() -> None: ...

    with pytest.raises(MissingCapability) as caught:
        run(server.call_tool("needy"))
    assert caught.value.code == -32021

    class Odd(ProtocolError):
        code = -32050

    @server.tool
    def odd() -> None:
        raise Odd("odd", {"a": 1})

    with pytest.raises(ProtocolError, match="odd") as other:
        run(server.call_tool("odd"))
    assert type(other.value) is ProtocolError and other.value.data == {"a": 1}


def test_a_tool_that_asks_has_no_client_to_ask() -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        raise InputRequired({"q": ListRoots()})

    with pytest.raises(InvalidRequest, match=r"asks its client for input \(roots/list\)"):
        run(server.call_tool("ask"))


def test_a_call_runs_in_the_loop_of_the_caller_and_plain_functions_in_threads() -> None:
    server = Server("s")
    loops: list[Any] = []

    @server.tool
    async def here() -> None:
        loops.append(asyncio.get_running_loop())

    @server.tool
    def there() -> str:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return "a thread"

    async def both() -> bool:
        await server.call_tool("here")
        text = (await server.call_tool("there")).content[0]
        assert isinstance(text, types.TextContent) and text.text == "a thread"
        return loops == [asyncio.get_running_loop()]

    assert run(both())


def test_a_tool_may_call_another() -> None:
    server = build()

    @server.tool
    async def twice(a: int) -> str:
        [block] = (await server.call_tool("add", {"a": a, "b": a})).content
        assert isinstance(block, types.TextContent)
        return block.text

    assert (
        b"{'result': 6}"
        in (
            server.handle(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": "twice", "arguments": {"a": 3}},
                }
            )
            or b""
        )
        or run(server.call_tool("twice", {"a": 3})).content[0].text == "6"
    )


def test_every_field_of_a_result_comes_back() -> None:
    server = Server("s", "1")
    server.tool(name="t")(lambda: ToolResult("x", meta={"k": 1}))
    result = run(server.call_tool("t"))
    assert result._meta is not None and result._meta["k"] == 1 and result.resultType == "complete"


# Requests and responses ---------------------------------------------------------------------------


def test_a_request_without_a_handshake_has_the_facts_of_its_client() -> None:
    messages = ClientMessages(LATEST, {"roots": {}}, {"name": "c", "version": "1"}, "info")
    prefix = "io.modelcontextprotocol/"
    meta = {
        f"{prefix}protocolVersion": "2026-07-28",
        f"{prefix}clientCapabilities": {"roots": {}},
        f"{prefix}clientInfo": {"name": "c", "version": "1"},
        f"{prefix}logLevel": "info",
        "progressToken": 5,
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": meta}}
    assert messages.build_request("ping", {"_meta": {"progressToken": 5}}) == request
    assert messages.build_request("ping", {})["id"] == 2


def test_a_request_after_a_handshake_has_its_parameters_only() -> None:
    messages = ClientMessages(LATEST_HANDSHAKE, {"roots": {}}, {"name": "c", "version": "1"})
    facts = {"capabilities": {"roots": {}}, "clientInfo": {"name": "c", "version": "1"}}
    assert messages.build_handshake("2025-11-25") == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", **facts},
    }
    assert messages.build_request("ping", {"a": None})["params"] == {"a": None}


def test_a_result_is_read_as_it_was_sent() -> None:
    assert read_result(b'{"jsonrpc":"2.0","id":1,"result":{"a": 1.0}}') == b'{"a": 1.0}'
    with pytest.raises(RpcError, match=r"^-32000: no$") as caught:
        read_result(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":[1]}}')
    assert (caught.value.code, caught.value.message, caught.value.data) == (-32000, "no", [1])


def test_the_next_round_has_the_answers_and_the_state() -> None:
    asks = b'{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}'
    following = params_of_next_round(asks, {"name": "t"}, lambda question: {"for": question["method"]})
    assert following == {"name": "t", "inputResponses": {"a": {"for": "roots/list"}}, "requestState": "s"}
    assert params_of_next_round(b'{"resultType":"complete"}', {}, lambda question: None) is None
