"""The session of the official SDK: what handlers ask and send, and the exceptions they get."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import pytest
from pydantic import BaseModel

from plainmcp.compat.fastmcp import Context as Context4
from plainmcp.compat.fastmcp import FastMCP as FastMCP4
from plainmcp.compat.mcp.server import MCPServer, Server
from plainmcp.compat.mcp.server.elicitation import elicit_url, elicit_with_validation
from plainmcp.compat.mcp.server.fastmcp import Context, FastMCP
from plainmcp.compat.mcp.server.mcpserver import Context as Context2
from plainmcp.compat.mcp.shared.exceptions import McpError
from plainmcp.compat.mcp.types import SamplingMessage, TextContent, Tool
from plainmcp.testing import Client, RpcError

REVISION = "2025-11-25"
URL_FORMS = {"elicitation": {"form": {}, "url": {}}}


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def test_a_question_that_the_client_cannot_answer_is_an_error_that_handlers_can_catch() -> None:
    mcp = FastMCP("asks")

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await ctx.session.create_message([], max_tokens=5)
        except McpError as error:
            return f"{error.error.code} {error}"
        return "answered"

    @mcp.tool()
    def ask_in_a_thread(ctx: Context) -> str:
        try:
            ctx.session.list_roots()
        except McpError as error:
            return f"{error.code} {error.message}"
        return "answered"

    client = Client(mcp, REVISION)
    assert text_of(client.call("ask")) == "-32600 Sampling not supported"
    assert text_of(client.call("ask_in_a_thread")) == "-32600 List roots not supported"


def test_an_error_of_the_client_has_its_code_its_text_and_its_data() -> None:
    mcp, caught = FastMCP("asks"), []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await ctx.session.create_message([], max_tokens=5)
        except McpError as error:
            caught.append((error.code, error.message, error.data))
        return ""

    def refuse(raw: bytes) -> None:
        id = msgspec.json.decode(raw)["id"]
        error = {"code": -1, "message": "not today", "data": {"retry": True}}
        connection.handle({"jsonrpc": "2.0", "id": id, "error": error})

    connection = mcp.connect(refuse)
    info = {
        "protocolVersion": REVISION,
        "capabilities": {"sampling": {}},
        "clientInfo": {"name": "c", "version": "1"},
    }
    connection.handle({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info})
    connection.handle({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ask"}})
    assert caught == [(-1, "not today", {"retry": True})]


def test_a_session_does_not_compare_an_answer_with_the_form() -> None:
    mcp, asked = FastMCP("asks"), []
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        answer = await ctx.session.elicit("How old?", schema)
        return f"{answer.action} {answer.content}"

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params["requestedSchema"])
        return {"action": "accept", "content": {"age": "old", "more": 1}}

    for revision in (REVISION, "2026-07-28"):
        client = Client(mcp, revision, answers={"elicitation/create": answer})
        assert text_of(client.call("ask")) == "accept {'age': 'old', 'more': 1}"
    assert asked == [schema, schema]


def test_a_client_without_tools_for_its_model_is_not_sent_any() -> None:
    mcp = FastMCP("asks")

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await ctx.session.create_message([], max_tokens=5, tools=[Tool(name="look", inputSchema={})])
        except McpError as error:
            return f"{error.code} {error.message}"
        return ""

    client = Client(mcp, REVISION, capabilities={"sampling": {}})
    assert text_of(client.call("ask")) == "-32602 Client does not support sampling tools capability"


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_the_functions_of_the_module_for_elicitations_return_its_classes(action: str) -> None:
    mcp = MCPServer("asks")

    class Form(BaseModel):
        name: str

    @mcp.tool()
    async def ask(ctx: Context) -> list[str]:
        first = await elicit_with_validation(ctx.session, "Who?", Form)
        second = await elicit_url(ctx.session, "Pay", "https://example.com", "pay-1")
        return [type(first).__name__, type(second).__name__]

    content = {"content": {"name": "Ada"}} if action == "accept" else {}
    client = Client(mcp, REVISION, answers={"elicitation/create": lambda params: {"action": action, **content}})
    kinds = {
        "accept": ["AcceptedElicitation", "AcceptedUrlElicitation"],
        "decline": ["DeclinedElicitation"] * 2,
        "cancel": ["CancelledElicitation"] * 2,
    }
    assert client.call("ask")["structuredContent"] == {"result": kinds[action]}


def test_a_model_that_is_no_form_is_a_type_error() -> None:
    mcp = MCPServer("asks")

    class Inner(BaseModel):
        value: str

    class Form(BaseModel):
        nested: Inner

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await ctx.elicit("Who?", Form)
        except TypeError as error:
            return str(error)
        return ""

    assert "Form.nested is neither a single value nor a choice" in text_of(
        Client(mcp, REVISION, capabilities=URL_FORMS).call("ask")
    )


def test_tools_and_messages_of_the_sdk_can_be_sent_to_the_model() -> None:
    mcp, asked = FastMCP("asks"), []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        message = SamplingMessage(role="user", content=TextContent(type="text", text="hi"))
        tool = Tool(name="look", inputSchema={"type": "object"})
        answer = await ctx.session.create_message([message], max_tokens=5, tools=[tool])
        return str(answer.content.text)

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hello"}}

    client = Client(
        mcp, REVISION, answers={"sampling/createMessage": answer}, capabilities={"sampling": {"tools": {}}}
    )
    assert text_of(client.call("ask")) == "hello"
    assert asked[0]["tools"] == [{"name": "look", "inputSchema": {"type": "object"}}]


@pytest.mark.parametrize("of_session", [True, False])
def test_the_id_of_a_page_is_the_one_that_the_handler_chose(of_session: bool) -> None:
    mcp, asked = FastMCP("asks"), []

    @mcp.tool()
    async def visit(ctx: Context) -> str:
        source: Any = ctx.session if of_session else ctx
        answer = await source.elicit_url("Please pay", "https://example.com/pay", "pay-1")
        await ctx.session.send_elicit_complete("pay-1")
        return str(answer.action)

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        return {"action": "accept"}

    client = Client(mcp, REVISION, answers={"elicitation/create": answer}, capabilities=URL_FORMS)
    assert text_of(client.call("visit")) == "accept"
    assert asked[0]["elicitationId"] == "pay-1"
    assert client.notifications[-1]["method"] == "notifications/elicitation/complete"
    assert client.notifications[-1]["params"] == {"elicitationId": "pay-1"}


def test_a_client_can_be_pinged() -> None:
    mcp = FastMCP("asks")

    @mcp.tool()
    async def ping(ctx: Context) -> str:
        return type(await ctx.session.send_ping()).__name__

    assert text_of(Client(mcp, REVISION, answers={"ping": lambda params: {}}).call("ping")) == "EmptyResult"


def test_a_changed_resource_is_announced_to_the_client_that_is_calling() -> None:
    mcp = FastMCP("changes")

    @mcp.tool()
    async def change(ctx: Context) -> None:
        await ctx.session.send_resource_updated("notes://1")

    client = Client(mcp, REVISION)
    client.call("change")
    [sent] = client.notifications
    assert (sent["method"], sent["params"]) == ("notifications/resources/updated", {"uri": "notes://1"})


def test_what_a_resource_of_mcp_2_raises_is_not_sent() -> None:
    server = MCPServer("hides")

    @server.resource("notes://{name}")
    def read(name: str) -> str:
        raise ValueError("the password is swordfish")

    with pytest.raises(RpcError) as raised:
        Client(server, REVISION).read("notes://1")
    assert raised.value.code == -32603 and raised.value.data == {"uri": "notes://1"}
    assert "swordfish" not in raised.value.message


def test_an_error_of_the_real_package_has_its_code() -> None:
    mcp_error = pytest.importorskip("mcp.shared.exceptions").MCPError
    server = MCPServer("mixed")

    @server.tool()
    def fail() -> str:
        raise mcp_error(-32001, "not now", {"retry": 5})

    with pytest.raises(RpcError) as raised:
        Client(server, REVISION).call("fail")
    assert (raised.value.code, raised.value.message, raised.value.data) == (-32001, "not now", {"retry": 5})


# One session --------------------------------------------------------------------------------------


def low_level(use: Any) -> Any:
    server: Any = Server("keeps")

    @server.list_tools()
    async def list_tools() -> list[Tool]:
        return [Tool(name="use", inputSchema={"type": "object"})]

    @server.call_tool()
    async def call_tool(name: str, arguments: dict[str, Any]) -> list[TextContent]:
        return [TextContent(type="text", text=await use(server.request_context))]

    return server


def high_level(make: Any, context: Any, use: Any) -> Any:
    mcp = make("keeps")

    async def run(ctx: Any) -> str:
        assert ctx.session is ctx.session is ctx.request_context.session
        return str(await use(ctx.request_context))

    run.__annotations__["ctx"] = context
    mcp.tool(name="use")(run)
    return mcp


SERVERS = [
    low_level,
    lambda use: high_level(FastMCP, Context, use),
    lambda use: high_level(MCPServer, Context2, use),
    lambda use: high_level(FastMCP4, Context4, use),
]


@pytest.mark.parametrize("make", SERVERS)
def test_the_session_is_one_object_as_long_as_the_client_is_connected(make: Any) -> None:
    """D3. Programs keep data on it, and use it as a key; another client has another session."""
    seen: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    async def use(request: Any) -> str:
        session = request.session
        session.calls = getattr(session, "calls", 0) + 1
        seen[session] = session.calls
        return f"{session.calls} {len(seen)} {session.client_params.clientInfo.name}"

    server = make(use)
    one, other = Client(server, REVISION), Client(server, REVISION)
    assert [text_of(one.call("use")) for _ in range(3)] == [f"{n} 1 plainmcp-testing" for n in (1, 2, 3)]
    assert text_of(other.call("use")) == "1 2 plainmcp-testing"


@pytest.mark.parametrize("make", SERVERS)
def test_calls_at_the_same_time_report_their_own_progress_on_one_session(make: Any) -> None:
    """D3. The session is shared, and each call sends by its own request."""
    both, seen = asyncio.Event(), set()

    async def use(request: Any) -> str:
        seen.add(request.session)
        if request.request_id == 2:
            both.set()
        await both.wait()
        await request.session.send_progress_notification("any", 1, message=str(request.request_id))
        return str(request.request_id)

    server = make(use)
    sent: list[Any] = []
    connection = server.connect(lambda raw: sent.append(msgspec.json.decode(raw)))
    hello = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}

    def message(id: int, method: str, params: Any) -> Any:
        return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}

    async def talk() -> None:
        await connection.handle_async(message(0, "initialize", hello))
        await connection.handle_async({"jsonrpc": "2.0", "method": "notifications/initialized"})
        params = [{"name": "use", "arguments": {}, "_meta": {"progressToken": f"token {n}"}} for n in (1, 2)]
        await asyncio.gather(*(connection.handle_async(message(n, "tools/call", params[n - 1])) for n in (1, 2)))

    asyncio.run(talk())
    reported = sorted((one["params"]["message"], one["params"]["progressToken"]) for one in sent)
    assert reported == [("1", "token 1"), ("2", "token 2")] and len(seen) == 1
