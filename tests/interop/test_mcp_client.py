"""The official Python client against examples/everything.py: on stdio and HTTP, with the handshake and without."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged

SECONDS = 20
WATCHED = "test://watched-resource"

# The client warns that what the handshake revisions have is no longer in the newest.
pytestmark = [
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
    pytest.mark.parametrize("mode", ["legacy", "auto"]),
]


class Heard:
    """What a client was told and asked."""

    def __init__(self) -> None:
        self.logged: list[Any] = []
        self.messages: list[Any] = []
        self.came = anyio.Event()

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logged.append(params.data)

    async def message(self, message: Any) -> None:
        self.messages.append(message)
        self.came.set()

    async def elicit(self, context: Any, params: Any) -> types.ElicitResult:
        if isinstance(params, types.ElicitRequestURLParams):
            return types.ElicitResult(action="accept")
        fields = params.requested_schema["properties"]
        known = {"username": "jane", "email": "jane@example.com", "name": "Alice", "color": "blue", "ok": True}
        return types.ElicitResult(action="accept", content={name: known[name] for name in fields})

    async def sample(self, context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        said = params.messages[0].content
        text = types.TextContent(type="text", text=f"heard {said.text}")
        return types.CreateMessageResult(role="assistant", content=text, model="m")

    async def roots(self, context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///home", name="home")])


def conversation(target: list[str], mode: str, talk: Callable[[Client, Heard], Awaitable[None]]) -> None:
    """Connect, talk and leave, within bounds."""

    async def run() -> None:
        heard = Heard()
        where, *arguments = target
        with anyio.fail_after(SECONDS):
            async with Client(
                StdioServerParameters(command=where, args=arguments) if arguments else where,
                mode=mode,
                elicitation_callback=heard.elicit,
                sampling_callback=heard.sample,
                list_roots_callback=heard.roots,
                logging_callback=heard.log,
                log_level="debug",
                message_handler=heard.message,
            ) as client:
                await talk(client, heard)

    anyio.run(run)


def text_of(result: types.CallToolResult) -> str:
    [block] = result.content
    assert isinstance(block, types.TextContent) and not result.is_error
    return block.text


def test_it_lists_calls_reads_gets_and_completes(anywhere: list[str], mode: str) -> None:
    async def talk(client: Client, heard: Heard) -> None:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        tools = (await client.list_tools()).tools
        assert tools[0].name == "test_simple_text" and all(tool.description for tool in tools)
        assert len((await client.list_resources()).resources) == 3
        assert len((await client.list_resource_templates()).resource_templates) == 1
        assert len((await client.list_prompts()).prompts) == 6

        assert text_of(await client.call_tool("test_simple_text")).startswith("This is a simple text")
        mixed = (await client.call_tool("test_multiple_content_types")).content
        assert [block.type for block in mixed] == ["text", "image", "resource"]
        reading = await client.call_tool("test_structured_content", {"city": "Bergen"})
        assert reading.structured_content == {"city": "Bergen", "celsius": 7.5, "tags": ["cold", "dry"]}
        assert text_of(await client.call_tool("test_x_mcp_header", {"region": "północ"})) == "Region: północ"
        failed = await client.call_tool("test_error_handling")
        assert failed.is_error
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool")
        assert unknown.value.code == -32602

        [contents] = (await client.read_resource("test://template/123/data")).contents
        assert isinstance(contents, types.TextResourceContents) and '"id": "123"' in contents.text
        [blob] = (await client.read_resource("test://static-binary")).contents
        assert isinstance(blob, types.BlobResourceContents) and blob.mime_type == "image/png"
        with pytest.raises(MCPError):
            await client.read_resource("test://nowhere")

        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
        assert "one" in prompt.messages[0].content.text and "two" in prompt.messages[0].content.text
        ref = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        found = await client.complete(ref, {"name": "arg1", "value": "par"})
        assert found.completion.values == ["paris", "park", "party"]

    conversation(anywhere, mode, talk)


def test_it_is_asked_and_answers(target: list[str], mode: str) -> None:
    async def talk(client: Client, heard: Heard) -> None:
        asked = await client.call_tool("test_elicitation", {"message": "Who are you?"})
        assert "jane@example.com" in text_of(asked)
        assert text_of(await client.call_tool("test_elicitation_url")) == "Visit: accept"
        assert text_of(await client.call_tool("test_sampling", {"prompt": "hi"})) == "LLM response: heard hi"
        assert text_of(await client.call_tool("test_roots")) == "Roots: file:///home"
        assert text_of(await client.call_tool("test_input_required_result_elicitation")) == "Hello, Alice!"
        rounds = await client.call_tool("test_input_required_result_multi_round")
        assert text_of(rounds) == "Both answered: accept, accept"
        several = await client.call_tool("test_input_required_result_multiple_inputs")
        assert text_of(several) == "heard Write a greeting (accept, 1 roots)"

    conversation(target, mode, talk)


def test_it_hears_of_progress_and_of_what_is_logged(target: list[str], mode: str) -> None:
    async def talk(client: Client, heard: Heard) -> None:
        told: list[Any] = []

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total, message))

        await client.call_tool("test_tool_with_progress", progress_callback=progress)
        assert told == [(done, 100, f"Completed step {done} of 100") for done in (0, 50, 100)]
        if mode == "legacy":
            await client.set_logging_level("info")
        await client.call_tool("test_tool_with_logging")
        assert heard.logged == ["Tool execution started", "Tool processing data", "Tool execution completed"]

    conversation(target, mode, talk)


def test_it_hears_of_changes(target: list[str], mode: str) -> None:
    async def told(client: Client, heard: Heard, name: str, kind: type) -> None:
        heard.came = anyio.Event()
        await client.call_tool(name)
        while not any(isinstance(message, kind) for message in heard.messages):
            await heard.came.wait()
            heard.came = anyio.Event()

    async def handshake(client: Client, heard: Heard) -> None:
        await client.subscribe_resource(WATCHED)
        await told(client, heard, "test_trigger_resource_change", types.ResourceUpdatedNotification)
        await told(client, heard, "test_trigger_tool_change", types.ToolListChangedNotification)
        await client.unsubscribe_resource(WATCHED)

    async def stateless(client: Client, heard: Heard) -> None:
        async with client.listen(tools_list_changed=True, resource_subscriptions=[WATCHED]) as events:
            await client.call_tool("test_trigger_prompt_change")
            await client.call_tool("test_trigger_tool_change")
            assert await anext(events) == ToolsListChanged()
            await client.call_tool("test_trigger_resource_change")
            assert await anext(events) == ResourceUpdated(uri=WATCHED)

    conversation(target, mode, handshake if mode == "legacy" else stateless)


def test_it_can_give_up_and_go_on(target: list[str], mode: str) -> None:
    async def talk(client: Client, heard: Heard) -> None:
        with anyio.move_on_after(0.3) as scope:
            await client.call_tool("test_slow", {"seconds": 60})
        assert scope.cancelled_caught
        assert text_of(await client.call_tool("test_slow", {"seconds": 0})) == "Took 0 seconds."

    conversation(target, mode, talk)
