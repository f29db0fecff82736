"""The FastMCP client against examples/everything.py: on stdio and HTTP, with the handshake and without."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from mcp import MCPError
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged, listen

SECONDS = 20
WATCHED = "test://watched-resource"

# The client warns that what the handshake revisions have is no longer in the newest.
pytestmark = [
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
    pytest.mark.parametrize("mode", ["legacy", "2026-07-28"]),  # its "auto" settles on the latter too
]

ANSWERS = {"username": "jane", "email": "jane@example.com", "name": "Alice", "color": "blue", "ok": True}


async def elicit(message: str, kind: Any, params: Any, context: Any) -> Any:
    return {name: ANSWERS[name] for name in params.requested_schema["properties"]}


async def sample(messages: Any, params: Any, context: Any) -> str:
    return f"heard {messages[0].content.text}"


def conversation(
    target: list[str], mode: str, talk: Callable[[Client[Any]], Awaitable[None]], **handlers: Any
) -> None:
    """Connect, talk and leave, within bounds."""

    async def run() -> None:
        where, *arguments = target
        with anyio.fail_after(SECONDS):
            async with Client(
                StdioTransport(where, arguments, keep_alive=False) if arguments else where,
                mode=mode,
                roots=["file:///home"],
                sampling_handler=sample,
                elicitation_handler=elicit,
                **handlers,
            ) as client:
                await talk(client)

    anyio.run(run)


def test_it_lists_calls_reads_gets_and_completes(anywhere: list[str], mode: str) -> None:
    async def talk(client: Client[Any]) -> None:
        tools = await client.list_tools()
        assert tools[0].name == "test_simple_text" and all(tool.description for tool in tools)
        assert len(await client.list_resources()) == 3 and len(await client.list_resource_templates()) == 1
        assert len(await client.list_prompts()) == 6
        reading = (await client.call_tool("test_structured_content", {"city": "Bergen"})).data
        assert (reading.city, reading.celsius, reading.tags) == ("Bergen", 7.5, ["cold", "dry"])
        mixed = (await client.call_tool("test_multiple_content_types")).content
        assert [block.type for block in mixed] == ["text", "image", "resource"]
        with pytest.raises(ToolError, match="intentionally"):
            await client.call_tool("test_error_handling")
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("no_such_tool")
        [contents] = await client.read_resource("test://template/123/data")
        assert isinstance(contents, types.TextResourceContents) and '"id": "123"' in contents.text
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
        assert "one" in prompt.messages[0].content.text
        ref = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        assert (await client.complete(ref, {"name": "arg1", "value": "par"})).values == ["paris", "park", "party"]

    conversation(anywhere, mode, talk)


def test_it_is_asked_and_answers(target: list[str], mode: str) -> None:
    async def talk(client: Client[Any]) -> None:
        async def said(name: str, **arguments: Any) -> str:
            text: str = (await client.call_tool(name, arguments)).content[0].text
            return text

        assert "jane@example.com" in await said("test_elicitation", message="Who are you?")
        assert await said("test_sampling", prompt="hi") == "LLM response: heard hi"
        assert await said("test_roots") == "Roots: file:///home"
        assert await said("test_input_required_result_multi_round") == "Both answered: accept, accept"
        several = await said("test_input_required_result_multiple_inputs")
        assert several == "heard Write a greeting (accept, 1 roots)"

    conversation(target, mode, talk)


def test_it_hears_of_progress_and_of_what_is_logged_and_can_give_up(target: list[str], mode: str) -> None:
    told: list[Any] = []
    logged: list[Any] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async def log(message: Any) -> None:
        logged.append(message.data)

    async def talk(client: Client[Any]) -> None:
        await client.call_tool("test_tool_with_progress", progress_handler=progress)
        assert told == [(0, 100), (50, 100), (100, 100)]
        if mode == "legacy":
            await client.set_logging_level("info")
        await client.call_tool("test_tool_with_logging")
        assert logged == ["Tool execution started", "Tool processing data", "Tool execution completed"]
        with anyio.move_on_after(0.3) as scope:
            await client.call_tool("test_slow", {"seconds": 60})
        assert scope.cancelled_caught
        assert (await client.call_tool("test_slow", {"seconds": 0})).content[0].text == "Took 0 seconds."

    conversation(target, mode, talk, log_handler=log)


def test_it_hears_of_changes(target: list[str], mode: str) -> None:
    """It has no words of its own for subscribing (no `subscribe` and no `listen`); the session inside it has both."""
    heard: list[Any] = []

    async def message(message: Any) -> None:
        heard.append(message)

    async def until(kind: type) -> None:
        while not any(isinstance(one, kind) for one in heard):
            await anyio.sleep(0.01)

    async def handshake(client: Client[Any]) -> None:
        await client.session.subscribe_resource(WATCHED)
        await client.call_tool("test_trigger_resource_change")
        await until(types.ResourceUpdatedNotification)
        await client.call_tool("test_trigger_tool_change")
        await until(types.ToolListChangedNotification)
        await client.session.unsubscribe_resource(WATCHED)

    async def stateless(client: Client[Any]) -> None:
        async with listen(client.session, tools_list_changed=True, resource_subscriptions=[WATCHED]) as events:
            await client.call_tool("test_trigger_prompt_change")
            await client.call_tool("test_trigger_tool_change")
            assert await anext(events) == ToolsListChanged()
            await client.call_tool("test_trigger_resource_change")
            assert await anext(events) == ResourceUpdated(uri=WATCHED)

    conversation(target, mode, handshake if mode == "legacy" else stateless, message_handler=message)
