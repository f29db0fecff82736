"""The documentation of OpenMCP as code: its examples with changed imports, and the results it prints.

`from openmcp import …` is `from plainmcp.compat.openmcp import …`, and `openmcp.types` is `plainmcp.types`.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from plainmcp import Policy
from plainmcp import types as ours
from plainmcp.cli import main
from plainmcp.compat import openmcp
from plainmcp.compat.openmcp import (
    MCPServer,
    normalize_resource_payload,
    normalize_tool_result,
    prompt,
    resource,
    tool,
)
from plainmcp.errors import AuthorError
from plainmcp.testing import Client
from plainmcp.types import CallToolResult, ImageContent, ReadResourceResult, TextContent, TextResourceContents

REVISION = "2025-06-18"  # the one the document is written for

# Tools ----------------------------------------------------------------------------------------------


@tool(description="Manual result construction")
async def custom_response() -> CallToolResult:
    return CallToolResult(
        content=[
            TextContent(type="text", text="Operation succeeded"),
        ],
        structuredContent={"status": "ok", "timestamp": "2025-11-03T10:00:00Z"},
    )


@tool(description="Dict with result fields")
async def dict_result() -> dict:  # type: ignore[type-arg]
    return {
        "content": [{"type": "text", "text": "Custom content"}],
        "structuredContent": {"value": 42},
    }


@dataclass
class MathResult:
    operation: str
    result: int
    units: str


@tool(description="Return a dataclass")
async def calculate() -> MathResult:
    return MathResult(operation="addition", result=42, units="meters")


class Person(BaseModel):
    name: str
    age: int
    email: str


@tool(description="Return a Pydantic model")
async def get_person() -> Person:
    return Person(name="Alice", age=30, email="alice@example.com")


@tool(description="Return tuple with explicit structured data")
async def tuple_result() -> tuple[str, dict]:  # type: ignore[type-arg]
    payload = "Operation completed"
    structured = {"status": "success", "duration_ms": 123}
    return (payload, structured)


@tool(description="Return a plain dict")
async def dict_tool() -> dict:  # type: ignore[type-arg]
    return {"key": "value", "count": 10}


@tool(description="Return a string")
async def greet(name: str) -> str:
    return f"Hello, {name}!"


@tool(description="Return an integer")
async def count() -> int:
    return 42


@tool(description="Return None")
async def noop() -> None:
    return None


@tool(description="Return binary data")
async def binary() -> bytes:
    return b"\x89PNG\r\n\x1a\n"


@tool(description="Return a list of strings")
async def list_tool() -> list[str]:
    return ["first", "second", "third"]


@tool(description="Operation that may fail")
async def risky_operation(x: int) -> CallToolResult:
    if x < 0:
        return CallToolResult(
            content=[TextContent(type="text", text="Error: x must be non-negative")],
            isError=True,
        )
    return CallToolResult(
        content=[TextContent(type="text", text=f"Result: {x * 2}")],
        structuredContent={"result": x * 2},
    )


@tool(description="Return mixed content")
async def mixed_content() -> list:  # type: ignore[type-arg]
    return [
        TextContent(type="text", text="Here is an image:"),
        ImageContent(type="image", data="base64encodedimage", mimeType="image/png"),
    ]


@dataclass
class Address:
    street: str
    city: str


@dataclass
class User:
    name: str
    address: Address


@tool(description="Return nested dataclass")
async def get_user() -> User:
    return User(
        name="Bob",
        address=Address(street="123 Main St", city="Springfield"),
    )


TOOLS = [
    custom_response, dict_result, calculate, get_person, tuple_result, dict_tool, greet, count, noop, binary,
    list_tool, risky_operation, mixed_content, get_user,
]  # fmt: skip


def said(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


CALLS: list[Any] = [
    (
        "custom_response",
        {},
        {
            "content": said("Operation succeeded"),
            "structuredContent": {"status": "ok", "timestamp": "2025-11-03T10:00:00Z"},
        },
    ),
    ("dict_result", {}, {"content": said("Custom content"), "structuredContent": {"value": 42}}),
    (
        "calculate",
        {},
        {
            "content": said('{"operation": "addition", "result": 42, "units": "meters"}'),
            "structuredContent": {"operation": "addition", "result": 42, "units": "meters"},
        },
    ),
    (
        "get_person",
        {},
        {
            "content": said('{"name": "Alice", "age": 30, "email": "alice@example.com"}'),
            "structuredContent": {"name": "Alice", "age": 30, "email": "alice@example.com"},
        },
    ),
    (
        "tuple_result",
        {},
        {
            "content": said("Operation completed"),
            "structuredContent": {"status": "success", "duration_ms": 123},
        },
    ),
    (
        "dict_tool",
        {},
        {"content": said('{"key": "value", "count": 10}'), "structuredContent": {"key": "value", "count": 10}},
    ),
    (
        "greet",
        {"name": "Alice"},
        {"content": said("Hello, Alice!"), "structuredContent": {"result": "Hello, Alice!"}},
    ),
    ("count", {}, {"content": said("42"), "structuredContent": {"result": 42}}),
    ("noop", {}, {"content": []}),
    ("binary", {}, {"content": said("iVBORw0KGgo=")}),
    (
        "list_tool",
        {},
        {
            "content": said("first", "second", "third"),
            "structuredContent": {"result": ["first", "second", "third"]},
        },
    ),
    ("risky_operation", {"x": -1}, {"content": said("Error: x must be non-negative"), "isError": True}),
    ("risky_operation", {"x": 4}, {"content": said("Result: 8"), "structuredContent": {"result": 8}}),
    (
        "mixed_content",
        {},
        {
            "content": [
                {"type": "text", "text": "Here is an image:"},
                {"type": "image", "data": "base64encodedimage", "mimeType": "image/png"},
            ]
        },
    ),
    (
        "get_user",
        {},
        {
            "content": said('{"name": "Bob", "address": {"street": "123 Main St", "city": "Springfield"}}'),
            "structuredContent": {"name": "Bob", "address": {"street": "123 Main St", "city": "Springfield"}},
        },
    ),
]

# Resources ------------------------------------------------------------------------------------------


@resource(uri="custom://response")
async def custom_resource() -> ReadResourceResult:
    return ReadResourceResult(
        contents=[
            TextResourceContents(
                uri="custom://response",
                mimeType="application/json",
                text='{"status": "ok"}',
            )
        ]
    )


@resource(uri="simple://text")
async def simple_text() -> TextResourceContents:
    return TextResourceContents(
        uri="simple://text",
        mimeType="text/plain",
        text="Hello, world!",
    )


@resource(uri="multi://content")
async def multi_content() -> list:  # type: ignore[type-arg]
    return [
        TextResourceContents(uri="multi://1", mimeType="text/plain", text="First"),
        TextResourceContents(uri="multi://2", mimeType="text/plain", text="Second"),
    ]


@resource(uri="dict://resource")
async def dict_resource() -> dict:  # type: ignore[type-arg]
    return {"mimeType": "application/json", "text": '{"key": "value"}'}


@resource(uri="binary://image", mime_type="image/png")
async def binary_resource() -> bytes:
    return b"\x89PNG\r\n\x1a\n"


@resource(uri="text://simple")
async def text_resource() -> str:
    return "Hello, world!"


@dataclass
class Config:
    version: str
    enabled: bool


@resource(uri="config://app", mime_type="application/json")
async def config_resource() -> Config:
    return Config(version="1.0", enabled=True)


@resource(uri="fallback://resource")
async def fallback() -> object:
    class CustomObject:
        def __str__(self) -> str:
            return "CustomObject representation"

    return CustomObject()


@resource(uri="config://settings", mime_type="application/json")
async def settings() -> str:
    return '{"theme": "dark", "notifications": true}'


RESOURCES = [
    custom_resource, simple_text, multi_content, dict_resource, binary_resource, text_resource, config_resource,
    fallback, settings,
]  # fmt: skip

READS: list[Any] = [
    ("custom://response", [{"mimeType": "application/json", "text": '{"status": "ok"}'}]),
    ("simple://text", [{"mimeType": "text/plain", "text": "Hello, world!"}]),
    (
        "multi://content",
        [
            {"uri": "multi://1", "mimeType": "text/plain", "text": "First"},
            {"uri": "multi://2", "mimeType": "text/plain", "text": "Second"},
        ],
    ),
    ("dict://resource", [{"mimeType": "application/json", "text": '{"key": "value"}'}]),
    ("binary://image", [{"mimeType": "image/png", "blob": "iVBORw0KGgo="}]),
    ("text://simple", [{"mimeType": "text/plain", "text": "Hello, world!"}]),
    ("config://app", [{"mimeType": "application/json", "text": '{"version": "1.0", "enabled": true}'}]),
    ("fallback://resource", [{"mimeType": "text/plain", "text": "CustomObject representation"}]),
    (
        "config://settings",
        [{"mimeType": "application/json", "text": '{"theme": "dark", "notifications": true}'}],
    ),
]

server = MCPServer("document")
server.collect(*TOOLS, *RESOURCES)


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(server, REVISION)


@pytest.mark.parametrize(("name", "arguments", "expected"), CALLS, ids=[f"{one[0]}{one[1] or ''}" for one in CALLS])
def test_S000_53_each_tool_of_the_document_gives_the_result_it_prints(
    client: Client, name: str, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert client.call(name, arguments) == expected


@pytest.mark.parametrize(("uri", "contents"), READS, ids=[one[0] for one in READS])
def test_S000_53_each_resource_of_the_document_gives_the_contents_it_prints(
    client: Client, uri: str, contents: list[dict[str, Any]]
) -> None:
    assert client.read(uri) == {"contents": [{"uri": uri, **one} for one in contents]}


def test_S000_53_the_decorators_say_what_is_listed_in_the_order_of_registration(client: Client) -> None:
    tools, resources = client.list_tools(), client.list_resources()
    assert [one["name"] for one in tools] == [one.__name__ for one in TOOLS]
    assert tools[6] == {
        "name": "greet",
        "description": "Return a string",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
    }
    assert [one["uri"] for one in resources] == [uri for uri, _ in READS]
    assert resources[4] == {"uri": "binary://image", "name": "binary_resource", "mimeType": "image/png"}


def test_S000_54_types_are_ours() -> None:
    assert openmcp.types is ours
    names = ["CallToolResult", "TextContent", "ImageContent", "ReadResourceResult", "TextResourceContents"]
    assert all(hasattr(openmcp.types, name) for name in names)


# Collecting -----------------------------------------------------------------------------------------


def test_what_is_marked_in_a_binding_is_offered_there_and_elsewhere_if_collected() -> None:
    one, two = MCPServer("one", "1.2"), MCPServer("two")
    with one.binding() as bound:
        assert bound is one

        @tool
        def bare() -> str:
            """Bare of any words."""
            return "bare"

        @prompt(description="A word of welcome")
        def welcome(name: str) -> str:
            return f"Welcome {name}"

        @resource("memo://{name}")
        def memo(name: str) -> str:
            return f"Memo {name}"

    @tool(name="later", title="Later")
    def unbound() -> int:
        return 1

    first = Client(one, REVISION)
    assert [found["name"] for found in first.list_tools()] == ["bare"]
    assert first.get_prompt("welcome", name="Ann") == {
        "description": "A word of welcome",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Welcome Ann"}}],
    }
    assert first.read("memo://7")["contents"][0]["text"] == "Memo 7"
    two.collect(bare, unbound)
    assert [found["name"] for found in Client(two, REVISION).list_tools()] == ["bare", "later"]
    with two.collecting():
        tool(name="third")(unbound)
    assert [found["name"] for found in Client(two, REVISION).list_tools()] == ["bare", "later", "third"]
    assert bare() == "bare" and one.info.version == "1.2"


def test_one_function_may_be_marked_twice() -> None:
    @tool
    @resource(uri="status://now")
    def status() -> str:
        return "fine"

    both = MCPServer("both")
    both.collect(status)
    client = Client(both, REVISION)
    assert client.call("status")["content"] == said("fine")
    assert client.read("status://now")["contents"][0]["text"] == "fine"


def test_what_is_not_marked_or_cannot_be_is_an_error() -> None:
    with pytest.raises(AuthorError, match="len is marked neither"):
        MCPServer("strict").collect(len)
    with pytest.raises(AuthorError, match="cannot be marked"):
        tool(len)
    with pytest.raises(AuthorError, match="has no option colour="):
        MCPServer("strict").collect(tool(colour="red")(lambda: None))  # type: ignore[call-overload]


def test_a_servers_own_decorators_work_as_well() -> None:
    own = MCPServer("own", instructions="Ask.", policy=Policy.openmcp.replace(json_style="compact"))

    @own.resource(uri="data://one")
    def data() -> dict[str, int]:
        return {"one": 1}

    @own.tool
    def pair() -> tuple[int, int]:
        return (1, 2)

    client = Client(own, REVISION)
    assert client.read("data://one") == {
        "contents": [{"uri": "data://one", "mimeType": "text/plain", "text": '{"one":1}'}]
    }
    assert client.call("pair") == {"content": said("1", "2"), "structuredContent": {"result": [1, 2]}}
    assert client.initialized["instructions"] == "Ask."


# The normalizers ------------------------------------------------------------------------------------


def test_the_normalizers_keep_to_the_policy() -> None:
    made = normalize_tool_result([["a", "b"], "c"])
    assert [block.text for block in made.content if isinstance(block, TextContent)] == ["a", "b", "c"]
    assert made.structuredContent == {"result": [["a", "b"], "c"]}
    assert normalize_resource_payload("config://app", None, Config("1.0", True)) == ReadResourceResult(
        contents=[
            TextResourceContents(
                uri="config://app", mimeType="text/plain", text='{"version": "1.0", "enabled": true}'
            )
        ]
    )


def test_plainmcp_serve_finds_such_a_server(tmp_path: Path) -> None:
    file = tmp_path / "openmcp_file.py"
    file.write_text(
        "from plainmcp.compat.openmcp import MCPServer, tool\n"
        "@tool(description='Add')\n"
        "async def add(a: int, b: int) -> int:\n"
        "    return a + b\n"
        "server = MCPServer('sums')\n"
        "server.collect(add)\n",
        "utf-8",
    )
    try:
        assert Client(main.load(str(file)), REVISION).call("add", a=1, b=2)["structuredContent"] == {"result": 3}
    finally:
        sys.modules.pop("openmcp_file", None)
        sys.path.remove(str(tmp_path))
