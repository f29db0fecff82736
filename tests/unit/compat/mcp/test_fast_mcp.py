"""Servers written for `mcp` 1, with the import changed: what clients see of their tools, resources and prompts."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Dict, List, Optional  # noqa: UP035 - servers use these, and the SDK tells them apart

import msgspec
import pytest
from pydantic import BaseModel, Field

from plainmcp.compat.mcp.server.fastmcp import Context, FastMCP, Image
from plainmcp.compat.mcp.server.fastmcp.exceptions import ToolError
from plainmcp.compat.mcp.server.fastmcp.prompts.base import AssistantMessage, UserMessage
from plainmcp.compat.mcp.shared.exceptions import UrlElicitationRequiredError
from plainmcp.compat.mcp.types import Completion, ElicitRequestURLParams, TextContent, ToolAnnotations
from plainmcp.testing import Client


def ask(server: Any, method: str, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = msgspec.json.decode(server.handle(message))
    return answer.get("result", answer)


def call(server: Any, name: str, **arguments: Any) -> Any:
    return ask(server, "tools/call", name=name, arguments=arguments)


def listed(server: Any, name: str) -> dict[str, Any]:
    return next(tool for tool in ask(server, "tools/list")["tools"] if tool["name"] == name)


def test_a_docstring_is_the_description_whole_and_null_is_kept() -> None:
    mcp = FastMCP("demo")

    @mcp.tool()
    def find(query: str, limit: Optional[int] = None, page: int = Field(default=1, ge=1)) -> str:  # noqa: UP045
        """Find things.

        Args:
            query: What to find
        """
        return query

    assert listed(mcp, "find") == {
        "name": "find",
        "description": find.__doc__,
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "title": "Query"},
                "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "title": "Limit"},
                "page": {"type": "integer", "minimum": 1, "default": 1, "title": "Page"},
            },
            "required": ["query"],
            "title": "findArguments",
        },
        "outputSchema": {
            "type": "object",
            "properties": {"result": {"type": "string", "title": "Result"}},
            "required": ["result"],
            "title": "findOutput",
        },
    }


class Row(BaseModel):
    name: str
    note: Optional[str] = None  # noqa: UP045


@pytest.mark.parametrize(
    ("hint", "value", "structured"),
    [
        (dict, {"a": 1}, None),
        (dict[str, Any], {"a": 1}, {"a": 1}),
        (Dict[str, Any], {"a": 1}, {"result": {"a": 1}}),  # noqa: UP006
        (Optional[dict], {"a": 1}, {"result": {"a": 1}}),  # noqa: UP045
        (list, [1], None),
        (List[int], [1], {"result": [1]}),  # noqa: UP006
        (list[Any], [1], {"result": [1]}),
        (None, None, {"result": None}),
        (int, 3, {"result": 3}),
        (Row, Row(name="x"), {"name": "x", "note": None}),
        (Any, {"a": 1}, None),
        (TextContent, TextContent(text="a"), None),
    ],
)
def test_which_hints_promise_structured_data(hint: Any, value: Any, structured: Any) -> None:
    mcp = FastMCP("demo")

    def get() -> Any:
        return value

    get.__annotations__["return"] = hint
    mcp.tool()(get)
    assert ("outputSchema" in listed(mcp, "get")) == (structured is not None)
    assert call(mcp, "get").get("structuredContent") == structured


def test_json_is_indented_and_a_list_has_a_block_per_item() -> None:
    mcp = FastMCP("demo")

    @mcp.tool()
    def rows() -> list:  # type: ignore[type-arg]
        return ["text", {"a": 1}, Image(data=b"x")]

    texts = [block.get("text", block.get("mimeType")) for block in call(mcp, "rows")["content"]]
    assert texts == ["text", '{\n  "a": 1\n}', "image/png"]


def test_the_text_of_an_exception_is_sent() -> None:
    mcp = FastMCP("demo")

    @mcp.tool()
    def crash(kind: str) -> str:
        raise ToolError("no such thing") if kind == "tool" else ValueError("bad value")

    for kind, text in {"tool": "no such thing", "value": "bad value"}.items():
        result = call(mcp, "crash", kind=kind)
        assert result == {
            "content": [{"type": "text", "text": f"Error executing tool crash: {text}"}],
            "isError": True,
        }
    missing = call(mcp, "crash")["content"][0]["text"]
    head = "Error executing tool crash: 1 validation error for crashArguments"
    assert missing == f"{head}\nkind: missing; it takes a string"


def test_an_unknown_argument_is_ignored() -> None:
    mcp = FastMCP("demo")

    @mcp.tool()
    def double(number: int) -> int:
        return number * 2

    assert call(mcp, "double", number="2", other=1)["structuredContent"] == {"result": 4}


def test_the_first_of_two_registrations_stays(caplog: pytest.LogCaptureFixture) -> None:
    mcp = FastMCP("demo")
    mcp.add_tool(lambda: "first", name="x")
    with caplog.at_level(logging.WARNING):
        mcp.add_tool(lambda: "second", name="x")
    assert call(mcp, "x")["content"][0]["text"] == "first"
    assert "Tool already exists: x; the first one is kept" in caplog.text


def test_settings_are_those_of_the_constructor() -> None:
    mcp = FastMCP("demo", dependencies=["httpx"], host="0.0.0.0", port=9000, stateless_http=True)
    mcp.settings.port = 9001
    assert (mcp.settings.host, mcp.settings.port, mcp.settings.stateless_http) == ("0.0.0.0", 9001, True)
    assert mcp.settings.streamable_http_path == "/mcp"
    assert mcp.dependencies == ["httpx"]


def test_a_context_has_the_request_and_what_the_lifespan_yielded() -> None:
    @asynccontextmanager
    async def lifespan(server: FastMCP) -> AsyncIterator[dict[str, str]]:
        yield {"db": server.name}

    mcp = FastMCP("demo", lifespan=lifespan)

    @mcp.tool()
    async def show(ctx: Context[Any, Any, Any]) -> str:
        await ctx.info("hello")
        await ctx.session.send_log_message("info", "hello")
        return f"{ctx.request_context.lifespan_context['db']} {ctx.request_id} {mcp.get_context().fastmcp is mcp}"

    assert listed(mcp, "show")["inputSchema"]["properties"] == {}
    assert call(mcp, "show")["content"][0]["text"] == "demo 1 True"


def test_resources_and_templates_are_plain_text_by_default() -> None:
    mcp = FastMCP("demo")

    @mcp.resource("memo://all")
    def every() -> dict[str, int]:
        """All memos."""
        return {"a": 1}

    @mcp.resource("memo://{name}/text", mime_type="text/markdown")
    async def one(name: str) -> str:
        return f"# {name}"

    shown = ask(mcp, "resources/list")["resources"]
    assert shown == [{"uri": "memo://all", "name": "every", "description": "All memos.", "mimeType": "text/plain"}]
    text = ask(mcp, "resources/read", uri="memo://all")["contents"]
    assert text == [{"uri": "memo://all", "mimeType": "text/plain", "text": '{\n  "a": 1\n}'}]
    text = ask(mcp, "resources/read", uri="memo://x/text")["contents"]
    assert text == [{"uri": "memo://x/text", "mimeType": "text/markdown", "text": "# x"}]


def test_prompts_return_messages() -> None:
    mcp = FastMCP("demo")

    @mcp.prompt(title="Review")
    def review(code: str) -> list[Any]:
        """Review code."""
        return [UserMessage(code), AssistantMessage("ok"), {"role": "user", "content": "go"}, "end"]

    messages = ask(mcp, "prompts/get", name="review", arguments={"code": "x"})["messages"]
    assert [(one["role"], one["content"]["text"]) for one in messages] == [
        ("user", "x"),
        ("assistant", "ok"),
        ("user", "go"),
        ("user", "end"),
    ]


def test_completions_come_from_one_function() -> None:
    mcp = FastMCP("demo")

    @mcp.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Any:
        return Completion(values=[ref.name, argument.value])

    ref = {"type": "ref/prompt", "name": "p"}
    result = ask(mcp, "completion/complete", ref=ref, argument={"name": "a", "value": "v"})
    assert result == {"completion": {"values": ["p", "v"]}}
    assert mcp.announced_capabilities()["completions"] == {}


def test_the_meta_of_a_resource_is_in_its_contents() -> None:
    mcp = FastMCP("demo")
    mcp.resource("ui://x", mime_type="text/html", meta={"ui": {"border": False}})(lambda: "<p>")
    assert ask(mcp, "resources/read", uri="ui://x")["contents"] == [
        {"uri": "ui://x", "mimeType": "text/html", "text": "<p>", "_meta": {"ui": {"border": False}}}
    ]


def test_annotations_of_the_types_are_listed() -> None:
    mcp = FastMCP("demo")
    mcp.add_tool(lambda: "x", name="x", annotations=ToolAnnotations(title="X", readOnlyHint=True), title="Tool X")
    assert listed(mcp, "x")["annotations"] == {"title": "X", "readOnlyHint": True}
    assert listed(mcp, "x")["title"] == "Tool X"


def test_a_decorator_without_brackets_is_refused() -> None:
    with pytest.raises(TypeError, match="Use @tool\\(\\) instead of @tool"):
        FastMCP("demo").tool(lambda: "x")  # type: ignore[arg-type]


def test_a_handler_of_the_low_level_server_takes_the_place_of_a_list() -> None:
    mcp = FastMCP("demo")
    mcp.add_tool(lambda: "x", name="shown")
    mcp.add_tool(lambda: "x", name="hidden")

    async def some() -> Any:
        assert mcp.get_context().session.client_params.protocolVersion
        return [tool for tool in await mcp.list_tools() if tool.name != "hidden"]

    mcp._mcp_server.list_tools()(some)
    assert [tool["name"] for tool in ask(mcp, "tools/list")["tools"]] == ["shown"]
    assert call(mcp, "hidden")["content"][0]["text"] == "x"


def test_the_manager_shows_the_tools_and_takes_another_model_of_arguments() -> None:
    mcp = FastMCP("demo")

    @mcp.tool()
    def double(number: int) -> int:
        return number * 2

    tool = mcp._tool_manager.get_tool("double")
    assert tool is not None and tool.fn is double
    tool.parameters["properties"]["number"]["description"] = "any"
    arguments = tool.fn_metadata.arg_model

    class Tripled(arguments):  # type: ignore[misc,valid-type]
        def model_dump_one_level(self) -> dict[str, Any]:
            return {"number": self.number * 3}

    tool.fn_metadata.arg_model = Tripled
    shown = {"type": "integer", "title": "Number", "description": "any"}
    assert listed(mcp, "double")["inputSchema"]["properties"]["number"] == shown
    assert call(mcp, "double", number=1)["structuredContent"] == {"result": 6}


def test_sse_is_served_as_streamable_http_with_a_line_that_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        FastMCP("demo").sse_app()
    assert "the transport sse is served as streamable HTTP: the endpoint is /sse" in caplog.text


@pytest.mark.parametrize(("level", "levels"), [(None, ["debug", "info"]), ("info", ["info"]), ("warning", [])])
def test_a_client_that_sets_no_level_is_sent_all_log_messages(level: str | None, levels: list[str]) -> None:
    mcp = FastMCP("Demo")

    @mcp.tool()
    async def talk(ctx: Context) -> None:
        await ctx.debug("a")
        await ctx.info("b")

    client = Client(mcp, "2025-06-18", log_level=level)
    client.call("talk")
    assert [one["params"]["level"] for one in client.notifications] == levels


def test_a_page_that_the_user_has_to_visit_first_is_an_error_for_the_client() -> None:
    mcp = FastMCP("demo")

    @mcp.tool()
    def pay() -> str:
        page = ElicitRequestURLParams(message="Pay", url="https://example.com/pay", elicitationId="pay-1")
        raise UrlElicitationRequiredError([page])

    error = call(mcp, "pay")["error"]
    assert (error["code"], error["data"]["elicitations"][0]["elicitationId"]) == (-32042, "pay-1")


def test_a_client_may_initialize_again() -> None:
    connection = FastMCP("demo").connect()
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    for id, revision in ((1, "2025-06-18"), (2, "2025-03-26")):
        params = {**info, "protocolVersion": revision}
        raw = connection.handle({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params})
        assert msgspec.json.decode(raw or b"")["result"]["protocolVersion"] == revision
