"""The server of OpenMCP: its constructor, what it collects, and what it does inside a program."""

import asyncio
from types import ModuleType
from typing import Any

import msgspec
import pytest

from plainmcp.compat.openmcp import (
    CompletionResult,
    Context,
    CreateMessageRequestParams,
    MCPServer,
    SamplingMessage,
    ServerConfig,
    TextContent,
    ToolAnnotations,
    ToolError,
    ToolErrorCode,
    completion,
    get_context,
    prompt,
    resource,
    resource_template,
    tool,
)
from plainmcp.errors import AuthorError
from plainmcp.testing import Client

REVISION = "2025-11-25"


@tool("math.add", description="Add", tags={"math"}, annotations=ToolAnnotations(readOnlyHint=True))
def add(a: int, b: int = 1) -> int:
    return a + b


@resource("memo://all", mime_type="text/plain")
def memos() -> str:
    return "none"


@resource_template("Memo", uri_template="memo://{name}", description="One memo")
def memo(name: str) -> dict[str, str]:
    return {"name": name}


def test_marked_functions_of_a_module_are_collected() -> None:
    module = ModuleType("things")
    vars(module).update(add=add, memos=memos, memo=memo, _hidden=add, other=len)
    server = MCPServer("all", config=ServerConfig(pagination_limit=5), transport="stdio", allow_dynamic_tools=True)
    server.collect_from(module)
    client = Client(server, REVISION)
    [listed] = client.list_tools()
    assert (listed["name"], listed["description"]) == ("math.add", "Add")
    assert listed["annotations"] == {"readOnlyHint": True}
    assert client.call("math.add", a=2)["structuredContent"] == {"result": 3}
    assert client.read("memo://x")["contents"][0]["text"] == '{"name": "x"}'
    assert (server.name, server.tool_names, server.prompt_names) == ("all", ["math.add"], [])


def test_tools_are_allowed_by_name_and_enabled_by_a_function() -> None:
    server, switch = MCPServer("some"), [False]

    @tool(enabled=lambda server: switch[0])
    def sometimes() -> None: ...

    @tool()
    def always() -> None: ...

    server.collect(sometimes, always)
    client = Client(server, REVISION)
    assert [one["name"] for one in client.list_tools()] == ["always"]
    switch[0] = True
    assert [one["name"] for one in client.list_tools()] == ["sometimes", "always"]
    server.allow_tools(["sometimes"])
    assert [one["name"] for one in client.list_tools()] == ["sometimes"]
    server.allow_tools(None)
    assert len(client.list_tools()) == 2


def test_an_error_with_a_code_is_sent_with_it() -> None:
    server = MCPServer("fails")

    @tool()
    async def find(name: str) -> str:
        raise ToolError(f"no {name}", code=ToolErrorCode.NOT_FOUND if name == "a" else "MINE")

    server.collect(find)
    client = Client(server, REVISION)
    assert client.call("find", name="a") == {
        "content": [{"type": "text", "text": "[NOT_FOUND] no a"}],
        "isError": True,
    }
    assert client.call("find", name="b")["content"][0]["text"] == "[MINE] no b"


def test_the_context_is_passed_in_or_asked_for() -> None:
    server = MCPServer("talks")

    @tool()
    async def work(steps: int, ctx: Context) -> str:
        assert get_context() is ctx and ctx.server is server
        async with ctx.progress(total=steps) as tracker:
            for _ in range(steps):
                await tracker.advance(1, message="on")
        await ctx.info("done", data={"steps": steps}, logger="work")
        return str(ctx.progress_token is None)

    server.collect(work)
    client = Client(server, REVISION, log_level="info")
    assert client.call("work", steps=2)["content"][0]["text"] in ("True", "False")
    logged = [one["params"] for one in client.notifications if one["method"] == "notifications/message"]
    assert logged == [{"level": "info", "logger": "work", "data": {"msg": "done", "steps": 2}}]
    with pytest.raises(LookupError):
        get_context()


def test_the_model_and_the_user_are_asked() -> None:
    server = MCPServer("asks")

    @tool()
    async def ask() -> str:
        params = CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(type="text", text="hi"))],
            maxTokens=5,
            systemPrompt="short",
        )
        answer = await get_context().server.request_sampling(params)
        return str(answer.content.text)

    asked: list[Any] = []

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hello"}}

    server.collect(ask)
    client = Client(server, REVISION, answers={"sampling/createMessage": answer}, capabilities={"sampling": {}})
    assert client.call("ask")["content"][0]["text"] == "hello"
    assert (asked[0]["maxTokens"], asked[0]["systemPrompt"]) == (5, "short")


def test_prompts_take_one_dict_and_their_arguments_are_completed() -> None:
    server = MCPServer("prompts")

    @completion(prompt="plan")
    async def complete(argument: Any, context: Any) -> CompletionResult:
        cities = ["Oslo", "Odense"] if not context.arguments else ["Bergen"]
        return CompletionResult(values=[one for one in cities if one.startswith(argument.value)])

    @prompt("plan", description="Plan a trip", arguments=[{"name": "city", "required": True}, {"name": "days"}])
    def plan(arguments: dict[str, str]) -> list[tuple[str, str]]:
        return [("user", f"Plan {arguments}")]

    server.collect(complete, plan)
    client = Client(server, REVISION)
    [listed] = client.list_prompts()
    assert listed["arguments"] == [{"name": "city", "required": True}, {"name": "days", "required": False}]
    assert client.get_prompt("plan", city="Oslo")["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Plan {'city': 'Oslo'}"}}
    ]
    params = {"ref": {"type": "ref/prompt", "name": "plan"}, "argument": {"name": "city", "value": "O"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": params}
    answer = msgspec.json.decode(asyncio.run(server.handle_async(message, revision=REVISION)) or b"")
    assert answer["result"]["completion"]["values"] == ["Oslo", "Odense"]


def test_a_program_uses_its_own_server() -> None:
    server = MCPServer("own")
    server.collect(add, memos)
    assert asyncio.run(server.invoke_tool("math.add", a=1)).structuredContent == {"result": 2}
    assert asyncio.run(server.invoke_tool("math.add", a="x")).isError
    assert asyncio.run(server.invoke_resource("memo://all")).contents[0].text == "none"


@pytest.mark.parametrize("option", ["authorization", "connections", "auth_methods"])
def test_what_belongs_to_another_product_is_refused(option: str) -> None:
    with pytest.raises(AuthorError, match=f"{option}="):
        MCPServer("a", **{option: ["x"]})


def test_scopes_and_unknown_transports_are_refused() -> None:
    server = MCPServer("a")

    @tool(required_scopes=["read"])
    def guarded() -> None: ...

    with pytest.raises(AuthorError, match="required_scopes"):
        server.collect(guarded)
    with pytest.raises(AuthorError, match="there are stdio and streamable-http"):
        asyncio.run(server.serve(transport="unix"))
    with pytest.raises(ValueError, match="prompt= or resource="):
        completion()
