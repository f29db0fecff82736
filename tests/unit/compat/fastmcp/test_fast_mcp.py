"""The server of FastMCP's facade: its constructor, its composition and its completions, at the wire."""

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Dict, List, Optional  # noqa: UP035 - as servers write them

import pytest
from mcp import types as mcp_types

from plainmcp.compat.fastmcp import Context, FastMCP, ToolResult
from plainmcp.compat.fastmcp.complete import Completion
from plainmcp.compat.fastmcp.exceptions import NotFoundError, ResourceSecurityError, ValidationError
from plainmcp.compat.fastmcp.server.context import reset_transport, set_transport
from plainmcp.compat.fastmcp.server.lifespan import lifespan
from plainmcp.compat.fastmcp.tools import Tool, tool
from plainmcp.compat.mcp import types
from plainmcp.testing import Client

REVISION = "2025-11-25"


def names_of(server: FastMCP) -> list[str]:
    return [one["name"] for one in Client(server, REVISION).list_tools()]


# The constructor --------------------------------------------------------------------------------------


def test_the_constructor_of_fastmcp_2_is_taken_and_its_settings_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    server = FastMCP(
        "old",
        dependencies=["httpx"],
        host="0.0.0.0",
        port=9000,
        log_level="DEBUG",
        debug=True,
        stateless_http=True,
        json_response=True,
        streamable_http_path="/here",
        sse_path="/events",
        auth=None,
        on_duplicate_tools="ignore",
        cache_expiration_seconds=3,
        resource_prefix_format="path",
    )
    assert server.dependencies == ["httpx"]
    assert (server.settings.host, server.settings.port, server.settings.streamable_http_path) == (
        "0.0.0.0",
        9000,
        "/here",
    )
    ran: list[Any] = []
    monkeypatch.setattr("plainmcp.server.Server.run", lambda self, http, **options: ran.append((http, options)))
    server.run("http")
    server.run("sse", port=1, path="/x", log_level="error")
    assert ran == [
        ("0.0.0.0:9000", {"stateless": True, "path": "/here", "uvicorn": {"log_level": "debug"}}),
        ("0.0.0.0:1", {"stateless": True, "path": "/x", "uvicorn": {"log_level": "error"}}),
    ]


def test_a_subclass_and_a_generic_name_are_servers_too() -> None:
    class Mine(FastMCP):
        def __init__(self) -> None:
            super().__init__("mine")
            self.tool(self.greet)

        def greet(self, name: str) -> str:
            """Greet someone."""
            return f"{self.name}: {name}"

    assert FastMCP[dict[str, Any]] is FastMCP
    assert Client(Mine(), REVISION).call("greet", name="Ann")["content"][0]["text"] == "mine: Ann"


def test_a_second_registration_can_be_ignored(caplog: pytest.LogCaptureFixture) -> None:
    server = FastMCP("again", on_duplicate_tools="ignore")
    server.tool(name="same")(lambda: 1)
    server.tool(name="same")(lambda: 2)
    assert Client(server, REVISION).call("same")["content"][0]["text"] == "1"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_serializer_writes_the_text_of_data_and_leaves_texts_alone() -> None:
    server = FastMCP("written", tool_serializer=lambda value: f"<{value}>")
    server.tool(name="data")(lambda: {"a": 1})
    server.tool(name="text")(lambda: "plain")
    client = Client(server, REVISION)
    assert client.call("data")["content"][0]["text"] == "<{'a': 1}>"
    assert client.call("text")["content"][0]["text"] == "plain"


# Lists ------------------------------------------------------------------------------------------------


def test_a_tool_is_listed_as_fastmcp_4_1_lists_it() -> None:
    server = FastMCP("lists")

    @server.tool(tags={"b", "a"}, annotations={"readOnlyHint": True, "unknown": 1}, version=2)
    def find_all(words: List, limit: Optional[int] = None) -> List:  # noqa: UP006, UP045
        """Find things.

        Args:
            words: What to look for
        """
        return []

    @server.tool(exclude_args=["secret"])
    def pair(secret: str = "x") -> Dict[str, int]:  # noqa: UP006
        return {"a": 1}

    assert Client(server, REVISION).list_tools() == [
        {
            "name": "find_all",
            "title": "Find All",
            "description": "Find things.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "words": {"type": "array", "items": {}, "description": "What to look for"},
                    "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
                },
                "required": ["words"],
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": True},
            "_meta": {"fastmcp": {"tags": ["a", "b"], "version": "2"}},
        },
        {
            "name": "pair",
            "title": "Pair",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
            "outputSchema": {"type": "object", "additionalProperties": {"type": "integer"}},
            "_meta": {"fastmcp": {"tags": []}},
        },
    ]


@pytest.mark.parametrize(
    ("value", "content", "more"),
    [
        (["a", {"b": 1}], ['["a",{"b":1}]'], {}),
        ([], [], {}),
        (b"text", ["text"], {}),
        (b"\xff", ["/w=="], {}),
        ({"a": None}, ['{"a":null}'], {"structuredContent": {"a": None}}),
        (ToolResult("x", {"y": 1}, meta={"m": 1}), ["x"], {"structuredContent": {"y": 1}, "_meta": {"m": 1}}),
    ],
)
def test_a_value_without_a_hint_is_sent_as_fastmcp_4_1_sends_it(
    value: Any, content: list[str], more: dict[str, Any]
) -> None:
    server = FastMCP("values")
    server.tool(name="value")(lambda: value)
    texts = [{"type": "text", "text": text} for text in content]
    assert Client(server, REVISION).call("value") == {"content": texts, **more}


def test_resources_have_a_type_their_whole_docstring_and_their_meta() -> None:
    server = FastMCP("resources")

    @server.resource("data://config", meta={"k": 1}, annotations={"priority": 0.5, "readOnlyHint": True})
    def config() -> dict[str, Any]:
        """The configuration.

        Args:
            none: of them
        """
        return {"a": [1, 2]}

    client = Client(server, REVISION)
    assert client.list_resources() == [
        {
            "uri": "data://config",
            "name": "config",
            "description": "The configuration.\n\nArgs:\n    none: of them",
            "mimeType": "text/plain",
            "annotations": {"priority": 0.5},
            "_meta": {"k": 1, "fastmcp": {"tags": []}},
        }
    ]
    assert client.read("data://config")["contents"] == [
        {"uri": "data://config", "mimeType": "text/plain", "text": '{"a": [1, 2]}', "_meta": {"k": 1}}
    ]


def test_descriptions_keep_their_lines() -> None:
    server = FastMCP("lines")

    @server.tool
    def find(word: str) -> None:
        """Find a word.

            An indented line.

        Args:
            word: The word
                in two lines
        """

    @server.tool
    def show() -> None:
        """Show.

        Example: 3
        """

    find_it, show_it = Client(server, REVISION).list_tools()
    assert find_it["description"] == "Find a word.\n\n    An indented line."
    assert find_it["inputSchema"]["properties"]["word"]["description"] == "The word\nin two lines"
    assert show_it["description"] == "Show.\n\nExample: 3"


# Lifespan ---------------------------------------------------------------------------------------------


def test_what_the_lifespan_yields_is_in_the_context_also_of_a_mounted_server() -> None:
    events: list[str] = []

    def make(name: str) -> Any:
        @lifespan
        async def run(server: FastMCP) -> AsyncIterator[dict[str, str]]:
            events.append(f"start {name} of {server.name}")
            yield {name: server.name}
            events.append(f"end {name}")

        return run

    @asynccontextmanager
    async def inner(server: FastMCP) -> AsyncIterator[str]:
        events.append("start inner")
        yield "the value of the inner server"
        events.append("end inner")

    sub, server = FastMCP("sub", lifespan=inner), FastMCP("outer", lifespan=make("a") | make("b"))

    @server.tool
    def outer(ctx: Context) -> dict[str, str]:
        assert ctx.request_context.lifespan_context is ctx.lifespan_context
        return ctx.lifespan_context  # type: ignore[no-any-return]

    @sub.tool
    async def value(ctx: Context) -> str:
        return ctx.lifespan_context  # type: ignore[no-any-return]

    server.mount(sub, "in")
    client = Client(server, REVISION)
    assert client.call("outer")["structuredContent"] == {"a": "outer", "b": "outer"}
    assert client.call("in_value")["content"][0]["text"] == "the value of the inner server"
    server.close()
    assert sorted(events[:3]) == ["start a of outer", "start b of outer", "start inner"]
    assert sorted(events[3:]) == ["end a", "end b", "end inner"]


# Composition ------------------------------------------------------------------------------------------


def test_a_server_is_mounted_in_the_order_of_either_version_and_later_tools_show() -> None:
    first, second, third, server = FastMCP("1"), FastMCP("2"), FastMCP("3"), FastMCP("all")
    first.tool(name="one")(lambda: 1)
    second.tool(name="two")(lambda: 2)
    third.tool(name="three")(lambda: 3)
    server.mount(first, "a")
    server.mount("b", second)
    asyncio.run(server.import_server(third, prefix="c"))
    first.tool(name="later")(lambda: 4)
    assert names_of(server) == ["a_one", "b_two", "c_three", "a_later"]
    with pytest.raises(ValueError, match="onto itself"):
        server.mount(server)


def test_features_are_shown_and_hidden_by_tags_names_and_keys() -> None:
    server = FastMCP("tags", exclude_tags={"secret"})
    server.tool(name="open", tags={"public"})(lambda: 1)
    server.tool(name="closed", tags={"secret"})(lambda: 2)
    server.tool(name="off", enabled=False)(lambda: 3)
    assert names_of(server) == ["open"]
    assert server.enable(keys={"tool:off@"}).enable(tags={"secret"}) is server
    assert names_of(server) == ["open", "closed", "off"]
    server.disable(names={"open"}, components={"tool"})
    assert names_of(server) == ["closed", "off"]
    assert Client(server, REVISION).call("open")["content"] == [{"type": "text", "text": "Unknown tool: 'open'"}]
    only = FastMCP("only", include_tags={"public"})
    only.tool(name="open", tags={"public"})(lambda: 1)
    only.tool(name="closed")(lambda: 2)
    assert names_of(only) == ["open"]


def test_functions_are_marked_first_and_added_later() -> None:
    @tool("marked", description="Marked before", tags={"x"})
    def function(a: int) -> int:
        """Not shown."""
        return a

    changed = Tool.from_function(function, name="changed")
    changed.description = "Changed before it is added"
    changed.tags.add("y")
    server = FastMCP("later", tools=[function, changed])
    shown = [(one["name"], one["description"], one["_meta"]) for one in Client(server, REVISION).list_tools()]
    assert shown == [
        ("marked", "Marked before", {"fastmcp": {"tags": ["x"]}}),
        ("changed", "Changed before it is added", {"fastmcp": {"tags": ["x", "y"]}}),
    ]


def test_a_module_of_fastmcp_2_is_also_the_decorator_of_its_name() -> None:
    from plainmcp.compat.fastmcp.prompts import prompt
    from plainmcp.compat.fastmcp.resources import resource

    modules = {kind: importlib.import_module(f"plainmcp.compat.fastmcp.{kind}s.{kind}") for kind in DECORATED}
    server = FastMCP("both")
    server.add_tool(modules["tool"]("named")(lambda: 1))
    server.add_prompt(prompt(name="asked")(lambda: "x"))
    server.add_resource(resource("data://x", name="x")(lambda: "x"))
    server.add_resource(modules["resource"]("data://y", name="y")(lambda: "y"))
    client = Client(server, REVISION)
    assert [one["name"] for one in (*client.list_tools(), *client.list_prompts(), *client.list_resources())] == [
        "named",
        "asked",
        "x",
        "y",
    ]
    assert modules["tool"].Tool is Tool


DECORATED = ("tool", "prompt", "resource")


# Completions ------------------------------------------------------------------------------------------


def test_one_handler_completes_every_argument_also_of_later_prompts() -> None:
    server = FastMCP("complete")

    @server.prompt
    def before(topic: str) -> str:
        return topic

    @server.completion
    async def complete(ref: Any, argument: Any, context: Any) -> list[str] | None:
        where = ref.name if ref.type == "ref/prompt" else ref.uri
        return [f"{where} {argument.name} {argument.value} {context.arguments}"]

    @server.resource("data://{x}")
    def after(x: str) -> str:
        return x

    client = Client(server, REVISION)
    for ref, name, expected in (
        ({"type": "ref/prompt", "name": "before"}, "topic", "before topic t {'other': 'o'}"),
        ({"type": "ref/resource", "uri": "data://{x}"}, "x", "data://{x} x t {'other': 'o'}"),
    ):
        params = {"ref": ref, "argument": {"name": name, "value": "t"}, "context": {"arguments": {"other": "o"}}}
        assert client.request("completion/complete", params)["completion"]["values"] == [expected]
    unknown = {"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "topic", "value": "t"}}
    assert client.request("completion/complete", unknown)["completion"]["values"] == []


@pytest.mark.parametrize("kind", [Completion, mcp_types.Completion])
def test_a_completion_says_how_many_suggestions_there_are(kind: Any) -> None:
    server = FastMCP("complete")
    server.prompt(name="poem")(lambda theme: theme)
    server.completion(lambda ref, argument, context: kind(values=["a"], total=42, has_more=True))
    params = {"ref": {"type": "ref/prompt", "name": "poem"}, "argument": {"name": "theme", "value": "a"}}
    result = Client(server, REVISION).request("completion/complete", params)
    assert result == {"completion": {"values": ["a"], "total": 42, "hasMore": True}}


def test_the_transport_is_known_over_http_and_stdio_and_can_be_set() -> None:
    server, seen = FastMCP("ways"), []

    @server.tool
    def look(ctx: Context) -> None:
        seen.append(ctx.transport)

    Client(server, REVISION).call("look")
    token = set_transport("stdio")
    Client(server, REVISION).call("look")
    reset_transport(token)
    assert seen == [None, "stdio"]


@pytest.mark.parametrize(
    ("default", "chosen", "levels"),
    [
        (None, None, ["debug", "info"]),
        (None, "info", ["info"]),
        ("info", None, ["info"]),
        ("error", "debug", ["debug", "info"]),
    ],
)
def test_log_messages_are_sent_at_the_level_of_the_client_or_of_the_server(
    default: str | None, chosen: str | None, levels: list[str]
) -> None:
    mcp = FastMCP("Demo", client_log_level=default)

    @mcp.tool
    async def talk(ctx: Context) -> None:
        await ctx.debug("a")
        await ctx.info("b")

    client = Client(mcp, "2025-06-18", log_level=chosen)
    client.call("talk")
    assert [one["params"]["level"] for one in client.notifications] == levels


def test_what_a_program_gets_from_its_own_server_when_a_call_fails() -> None:
    mcp = FastMCP("x")

    @mcp.tool
    def add(a: int) -> int:
        return a

    @mcp.resource("file:///{path*}")
    def file(path: str) -> str:
        return path

    with pytest.raises(ValidationError, match="1 validation error"):
        asyncio.run(mcp.call_tool("add", {"a": "x"}))
    for uri in ("file:///../etc/passwd", "file:////etc/passwd"):
        with pytest.raises(ResourceSecurityError):
            asyncio.run(mcp.read_resource(uri))
    with pytest.raises(NotFoundError) as error:
        asyncio.run(mcp.read_resource("memo://a"))
    assert type(error.value) is NotFoundError


def test_a_disabled_resource_is_not_read_by_a_template() -> None:
    mcp = FastMCP("x")
    mcp.resource("memo://a")(lambda: "one")
    mcp.resource("memo://{name}", name="any")(lambda name: name)
    client = Client(mcp)
    assert client.read("memo://a")["contents"][0]["text"] == "one"
    mcp.disable(names={"memo://a"}, components={"resource"})
    with pytest.raises(Exception, match="Resource not found"):
        client.read("memo://a")
    assert client.read("memo://b")["contents"][0]["text"] == "b"


def test_the_meta_of_a_request_has_keys_and_notifications_of_a_program_are_sent() -> None:
    mcp = FastMCP("x")

    @mcp.tool
    async def tell(ctx: Context) -> str:
        await ctx.send_notification(types.ToolListChangedNotification())
        meta = ctx.request_context.meta
        return f"{meta.get('user')} {meta.get('other', 1)} {meta['user']} {'user' in meta} {ctx.origin_request_id}"

    for revision in ("2025-06-18", "2026-07-28"):
        client = Client(mcp, revision)
        params = {"name": "tell", "arguments": {}, "_meta": {"user": "ada"}}
        text = client.request("tools/call", params)["content"][0]["text"]
        assert text.startswith("ada 1 ada True ")
        assert "notifications/tools/list_changed" in [one["method"] for one in client.notifications]


def test_a_prompt_ignores_arguments_that_it_has_no_parameter_for() -> None:
    mcp = FastMCP("x")

    @mcp.prompt
    def write(topic: str, count: int = 1) -> str:
        return f"{topic} {count}"

    client = Client(mcp)
    text = client.get_prompt("write", topic="tea", secret="s")["messages"][0]["content"]["text"]
    assert text == "tea 1"
    with pytest.raises(Exception, match="count"):
        client.get_prompt("write", topic="tea", count="many", secret="s")
