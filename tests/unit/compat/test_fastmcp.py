"""The documentation of FastMCP as code: its examples with changed imports, and their results.

`from fastmcp import …`, `from fastmcp.utilities.types import …` and the like are all
`from plainmcp.compat.fastmcp import …`.
"""

import asyncio
import enum
import functools
import json
import logging
import re
import subprocess
import sys
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import anyio
import fastmcp
import mcp_types
import pytest
from fastmcp.client.transports import StdioTransport
from pydantic import BaseModel, Field

from plainmcp import Server
from plainmcp.cli import main
from plainmcp.compat.fastmcp import (
    AcceptedElicitation,
    Audio,
    CancelledElicitation,
    Context,
    DeclinedElicitation,
    FastMCP,
    File,
    Image,
    Message,
    Prompt,
    PromptResult,
    Resource,
    ResourceContent,
    ResourceError,
    ResourceResult,
    ResourceTemplate,
    Tool,
    ToolError,
    ToolResult,
    get_context,
    missing,
)
from plainmcp.errors import AuthorError
from plainmcp.testing import Client, RpcError, assert_valid_on_every_revision
from talking import Program, until

REVISION = "2025-06-18"
PNG, WAV, PDF, CSV = b"\x89PNG\r\n\x1a\n", b"RIFF\x04\x00\x00\x00WAVE", b"%PDF-1.7", b"a,b\n1,2\n"

mcp = FastMCP("Document", policy="fastmcp")  # what the document says; the package differs in places


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def base64(data: bytes) -> str:
    return b64encode(data).decode()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the listings find their files."""
    for name, data in {"chart.png": PNG, "visualization.png": PNG, "speech.wav": WAV, "summary.wav": WAV}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "report.pdf").write_bytes(PDF)
    (tmp_path / "data.csv").write_bytes(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Section 7: return values and content blocks ----------------------------------------------------------


@mcp.tool()
def greet(name: str) -> str:
    """Simple string return"""
    return f"Hello, {name}!"


def create_chart(data: list[int], path: str) -> None:
    Path(path).write_bytes(PNG)


@mcp.tool()
def generate_chart(data: list[int]) -> Image:
    """Generate and return chart image"""
    # Generate chart (creates chart.png)
    create_chart(data, "chart.png")

    # From path (MIME type auto-detected from extension)
    return Image(path="chart.png")


@mcp.tool()
def generate_audio(text: str) -> Audio:
    """Generate audio from text"""
    # From path
    return Audio(path="speech.wav")


@mcp.tool()
def generate_report(data: dict) -> File:  # type: ignore[type-arg]
    """Generate PDF report"""
    # From path
    return File(path="report.pdf")


@mcp.tool()
def comprehensive_report(topic: str) -> list:  # type: ignore[type-arg]
    """Generate multi-part report"""
    return [
        "Analysis complete. See attached files:",
        Image(path="chart.png"),
        File(path="data.csv"),
        Audio(path="summary.wav"),
    ]


@mcp.tool()
def from_bytes() -> list:  # type: ignore[type-arg]
    """The same from bytes, as the comments have it"""
    return [
        Image(data=PNG, format="png"),
        Audio(data=WAV, format="wav"),
        File(data=PDF, format="pdf", name="report.pdf"),
    ]


# Section 8: structured output -------------------------------------------------------------------------


@mcp.tool()
def get_user_dict() -> dict:  # type: ignore[type-arg]
    """Get user data (dict is object-like)"""
    return {"name": "Alice", "age": 30}


class UserData(BaseModel):
    name: str
    age: int


@mcp.tool()
def get_profile() -> UserData:  # Pydantic model
    """Get user profile"""
    return UserData(name="Bob", age=25)


@mcp.tool(output_schema={"type": "object", "properties": {"result": {"type": "integer"}}})
def get_count_structured() -> int:
    """Get count with schema"""
    return 42


@mcp.tool()
def get_temperature() -> int:
    return 25


@mcp.tool()
def get_cities() -> list[str]:
    return ["London", "Paris", "Tokyo"]


@mcp.tool()
def get_message() -> str:
    return "Hello"


@mcp.tool()
def get_data() -> dict[str, int]:
    return {"count": 42, "status": 200}


class User(BaseModel):
    name: str
    age: int


@mcp.tool()
def get_user() -> User:
    return User(name="Alice", age=30)


@dataclass
class Product:
    id: int
    name: str


@mcp.tool()
def get_product() -> Product:
    return Product(id=1, name="Widget")


class SearchResult(TypedDict):
    query: str
    results: list[str]
    count: int


@mcp.tool()
def search(query: str) -> SearchResult:
    """Search with typed result"""
    results = ["result1", "result2", "result3"]
    return {"query": query, "results": results, "count": len(results)}


# Section 9: output schemas ----------------------------------------------------------------------------


class WeatherData(BaseModel):
    temperature: float = Field(description="Temperature in Celsius")
    condition: str = Field(description="Weather condition")
    humidity: float = Field(ge=0, le=100)


@mcp.tool()
def get_weather(city: str) -> WeatherData:
    """Get weather (schema auto-generated from WeatherData)"""
    return WeatherData(temperature=22.5, condition="sunny", humidity=65.0)


PROCESSED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["success", "error"]},
        "data": {"type": "array", "items": {"type": "integer"}},
        "timestamp": {"type": "string", "format": "date-time"},
    },
    "required": ["status", "data"],
}


@mcp.tool(output_schema=PROCESSED)
def process() -> dict:  # type: ignore[type-arg]
    """Process with manual schema"""
    return {"status": "success", "data": [1, 2, 3], "timestamp": "2025-10-29T10:00:00Z"}


# Section 10: full control -----------------------------------------------------------------------------


@mcp.tool()
def advanced_analysis(query: str) -> ToolResult:
    """Complete control over response"""
    return ToolResult(
        # Traditional content blocks (shown to LLM)
        content=[
            "Analysis complete. Key findings:",
            "- Finding 1: Data shows upward trend",
            "- Finding 2: No anomalies detected",
            Image(path="visualization.png"),
        ],
        # Structured output (machine-readable)
        structured_content={
            "query": query,
            "findings": ["Finding 1", "Finding 2"],
            "confidence": 0.95,
            "data_points": 1000,
            "trend": "upward",
        },
        # Metadata (NOT shown to LLM, only to client app)
        meta={"execution_time_ms": 150, "cache_hit": True, "model_version": "2.0", "cost": 0.001},
    )


IMAGE = {"type": "image", "data": base64(PNG), "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": base64(WAV), "mimeType": "audio/wav"}


def embedded(uri: str, mime: str, data: bytes) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "blob": base64(data)}}


FILED = embedded("file:///report.pdf", "application/pdf", PDF)
CALLS: list[Any] = [
    ("S004-10", "greet", {"name": "Alice"}, said("Hello, Alice!"), {"result": "Hello, Alice!"}),
    ("S004-11", "generate_chart", {"data": [1]}, [IMAGE], None),
    ("S004-13", "generate_audio", {"text": "hi"}, [AUDIO], None),
    ("S004-14", "generate_report", {"data": {}}, [("report.pdf", "application/pdf", PDF)], None),
    (
        "S004-21",
        "comprehensive_report",
        {"topic": "all"},
        [*said("Analysis complete. See attached files:"), IMAGE, ("data.csv", "text/csv", CSV), AUDIO],
        None,
    ),
    ("S004-12", "from_bytes", {}, [IMAGE, AUDIO, FILED], None),
    ("S004-23", "get_user_dict", {}, said('{"name":"Alice","age":30}'), {"name": "Alice", "age": 30}),
    ("S004-22", "get_profile", {}, said('{"name":"Bob","age":25}'), {"name": "Bob", "age": 25}),
    ("S004-26", "get_count_structured", {}, said("42"), {"result": 42}),
    ("S004-27", "get_temperature", {}, said("25"), {"result": 25}),
    (
        "S004-27",
        "get_cities",
        {},
        said("London", "Paris", "Tokyo"),
        {"result": ["London", "Paris", "Tokyo"]},
    ),
    ("S004-27", "get_message", {}, said("Hello"), {"result": "Hello"}),
    ("S004-28", "get_data", {}, said('{"count":42,"status":200}'), {"count": 42, "status": 200}),
    ("S004-29", "get_user", {}, said('{"name":"Alice","age":30}'), {"name": "Alice", "age": 30}),
    ("S004-29", "get_product", {}, said('{"id":1,"name":"Widget"}'), {"id": 1, "name": "Widget"}),
    (
        "S004-30",
        "search",
        {"query": "x"},
        said('{"query":"x","results":["result1","result2","result3"],"count":3}'),
        {"query": "x", "results": ["result1", "result2", "result3"], "count": 3},
    ),
    (
        "S004-31",
        "get_weather",
        {"city": "Oslo"},
        said('{"temperature":22.5,"condition":"sunny","humidity":65.0}'),
        {"temperature": 22.5, "condition": "sunny", "humidity": 65.0},
    ),
    (
        "S004-33",
        "process",
        {},
        said('{"status":"success","data":[1,2,3],"timestamp":"2025-10-29T10:00:00Z"}'),
        {"status": "success", "data": [1, 2, 3], "timestamp": "2025-10-29T10:00:00Z"},
    ),
]


@pytest.mark.parametrize(
    ("name", "arguments", "content", "structured"), [one[1:] for one in CALLS], ids=[f"{a}-{b}" for a, b, *_ in CALLS]
)
def test_S004_43_each_tool_of_the_document_gives_what_it_says(
    folder: Path, name: str, arguments: dict[str, Any], content: list[Any], structured: Any
) -> None:
    expected: dict[str, Any] = {
        "content": [
            embedded((folder / one[0]).as_uri(), *one[1:]) if isinstance(one, tuple) else one for one in content
        ]
    }
    if structured is not None:
        expected["structuredContent"] = structured
    assert Client(mcp, REVISION).call(name, arguments) == expected


ANALYSIS = {
    "content": [
        *said(
            "Analysis complete. Key findings:",
            "- Finding 1: Data shows upward trend",
            "- Finding 2: No anomalies detected",
        ),
        IMAGE,
    ],
    "structuredContent": {
        "query": "sales",
        "findings": ["Finding 1", "Finding 2"],
        "confidence": 0.95,
        "data_points": 1000,
        "trend": "upward",
    },
    "_meta": {"execution_time_ms": 150, "cache_hit": True, "model_version": "2.0", "cost": 0.001},
}


def test_S004_44_a_tool_result_is_sent_as_it_was_made() -> None:
    assert Client(mcp, REVISION).call("advanced_analysis", query="sales") == ANALYSIS


# As the document prints it: with an import of a name that FastMCP has in another module.
SECTION_10 = '''
from fastmcp import FastMCP
mcp = FastMCP("Document")

from fastmcp.utilities.types import ToolResult, Image

@mcp.tool()
def advanced_analysis(query: str) -> ToolResult:
    """Complete control over response"""
    return ToolResult(
        # Traditional content blocks (shown to LLM)
        content=[
            "Analysis complete. Key findings:",
            "- Finding 1: Data shows upward trend",
            "- Finding 2: No anomalies detected",
            Image(path="visualization.png")
        ],

        # Structured output (machine-readable)
        structured_content={
            "query": query,
            "findings": ["Finding 1", "Finding 2"],
            "confidence": 0.95,
            "data_points": 1000,
            "trend": "upward"
        },

        # Metadata (NOT shown to LLM, only to client app)
        meta={
            "execution_time_ms": 150,
            "cache_hit": True,
            "model_version": "2.0",
            "cost": 0.001
        }
    )
'''


@pytest.mark.slow
def test_S004_44_the_example_of_the_document_is_served_as_it_is_printed(folder: Path) -> None:
    """S4. By the command, with the imports of the document."""
    (folder / "printed.py").write_text(SECTION_10, "utf-8")
    with Program("-m", "plainmcp", "serve", "--drop-in", "printed.py", cwd=folder) as program:
        program.shake_hands()
        program.send("tools/list", {}, 1)
        assert program.answer(1)["result"]["tools"] == [
            {
                "name": "advanced_analysis",
                "title": "Advanced Analysis",
                "description": "Complete control over response",
                "inputSchema": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                    "additionalProperties": False,
                },
                "_meta": {"fastmcp": {"tags": []}},
            }
        ]
        program.call(2, "advanced_analysis", query="sales")
        assert program.answer(2)["result"] == ANALYSIS
        assert program.hang_up() == 0


def test_S004_31_32_33_the_output_schemas_are_those_of_the_document() -> None:
    tools = {tool["name"]: tool for tool in Client(mcp, REVISION).list_tools()}
    weather = tools["get_weather"]["outputSchema"]
    assert weather["type"] == "object" and weather["required"] == ["temperature", "condition", "humidity"]
    fields = weather["properties"]
    assert fields["temperature"]["description"] == "Temperature in Celsius"
    assert (fields["humidity"]["minimum"], fields["humidity"]["maximum"]) == (0, 100)
    assert tools["process"]["outputSchema"] == PROCESSED
    assert tools["get_count_structured"]["outputSchema"] == {
        "type": "object",
        "properties": {"result": {"type": "integer"}},
    }
    assert tools["get_temperature"]["outputSchema"] == {
        "type": "object",
        "properties": {"result": {"type": "integer"}},
        "required": ["result"],
        "x-fastmcp-wrap-result": True,
    }
    assert "outputSchema" not in tools["comprehensive_report"]
    assert tools["greet"]["description"] == "Simple string return"


# The quick-start of the package -----------------------------------------------------------------------

QUICK_START = '''
from fastmcp import FastMCP, Context

mcp = FastMCP("Demo 🚀", instructions="Adds and greets.", version="1.4")


@mcp.tool
def add(a: int, b: int) -> int:
    """Add two numbers"""
    return a + b


@mcp.tool(tags={"social"}, annotations={"readOnlyHint": True}, meta={"team": "demo"})
async def greet(name: str, ctx: Context) -> str:
    """Greet somebody"""
    await ctx.info(f"Greeting {name}")
    return f"Hello, {name}!"


@mcp.resource("data://config")
def get_config() -> dict:
    """Provides the application configuration."""
    return {"theme": "dark", "version": "1.0"}


@mcp.resource("users://{user_id}/profile")
def get_user_profile(user_id: int) -> dict:
    """Retrieves a user's profile by ID."""
    return {"id": user_id, "name": f"User {user_id}", "status": "active"}


@mcp.prompt
def analyze_data(data_points: list[float]) -> str:
    """Creates a prompt asking for analysis of numerical data."""
    formatted_data = ", ".join(str(point) for point in data_points)
    return f"Please analyze these data points: {formatted_data}"


if __name__ == "__main__":
    mcp.run()
'''


@pytest.fixture
def quick_start(folder: Path) -> Path:
    file = folder / "quick_start.py"
    file.write_text(QUICK_START.replace("from fastmcp import", "from plainmcp.compat.fastmcp import"), "utf-8")
    return file


@pytest.fixture
def loaded(quick_start: Path) -> Any:
    yield main.load(str(quick_start))
    sys.modules.pop("quick_start", None)
    sys.path.remove(str(quick_start.parent))


def test_the_quick_start_runs_with_one_import_changed(loaded: FastMCP) -> None:
    client = Client(loaded, REVISION, log_level="info")
    assert client.initialized["serverInfo"] == {"name": "Demo 🚀", "version": "1.4"}
    assert client.initialized["instructions"] == "Adds and greets."
    assert (loaded.name, loaded.version) == ("Demo 🚀", "1.4")
    assert client.call("add", a=1, b=2) == {
        "content": said("3"),
        "structuredContent": {"result": 3},
        "_meta": {"fastmcp": {"wrap_result": True}},
    }
    assert client.call("greet", name="Ann")["content"] == said("Hello, Ann!")
    assert client.notifications[-1]["params"] == {
        "level": "info",
        "data": {"msg": "Greeting Ann", "extra": None},
    }
    greet = client.list_tools()[1]
    assert greet["annotations"] == {"readOnlyHint": True}
    assert greet["_meta"] == {"team": "demo", "fastmcp": {"tags": ["social"]}}
    assert list(greet["inputSchema"]["properties"]) == ["name"]
    assert client.read("data://config") == {
        "contents": [
            {"uri": "data://config", "mimeType": "text/plain", "text": '{"theme": "dark", "version": "1.0"}'}
        ]
    }
    assert (
        client.read("users://7/profile")["contents"][0]["text"] == '{"id": 7, "name": "User 7", "status": "active"}'
    )
    assert client.get_prompt("analyze_data", data_points="[1.5, 2]")["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Please analyze these data points: 1.5, 2.0"}}
    ]
    assert_valid_on_every_revision(loaded)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
@pytest.mark.parametrize("command", [["-m", "plainmcp", "serve"], []], ids=["plainmcp serve", "python"])
def test_S004_43_a_served_file_shows_the_packages_own_client_the_same_tools(
    quick_start: Path, loaded: FastMCP, command: list[str]
) -> None:
    async def talk() -> tuple[list[Any], Any, Any]:
        transport = StdioTransport(sys.executable, [*command, str(quick_start)], keep_alive=False)
        with anyio.fail_after(30):
            async with fastmcp.Client(transport, mode="legacy") as client:
                listed = await client.list_tools_mcp()
                added = await client.call_tool("add", {"a": 1, "b": 2})
                prompt = await client.get_prompt("analyze_data", {"data_points": [1, 2]})
        shown = listed.model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]
        return shown, added.data, prompt.messages[0].content.text

    tools, added, prompt = anyio.run(talk)
    assert tools == Client(loaded, "2025-11-25").list_tools()
    assert added == 3  # unwrapped, as from a server of that package
    assert prompt == "Please analyze these data points: 1.0, 2.0"


# Registering ------------------------------------------------------------------------------------------


def test_a_tool_is_registered_in_every_way_the_package_knows() -> None:
    server = FastMCP(tools=[greet])

    @server.tool("named")
    def one() -> str:
        return "one"

    @server.tool(name="worded", title="Worded", description="Two words", output_schema=None)
    def two() -> int:
        """Not shown."""
        return 2

    def three() -> int:
        return 3

    assert server.tool(three, name="third") is three and server.add_tool(three) is three
    made = Tool.from_function(three, name="fourth", description="Three again", tags={"b", "a"}, meta={"k": 1})
    assert server.add_tool(made) is made
    server.tool(name="hidden", enabled=False)(three)
    hints = mcp_types.ToolAnnotations(title="Four", read_only_hint=True)
    icon = mcp_types.Icon(src="https://example.com/icon.png")
    server.tool(annotations=hints, icons=[icon], run_in_thread=False, task=None)(lambda_like)
    client = Client(server, "2025-11-25")
    tools = {tool["name"]: tool for tool in client.list_tools()}
    assert list(tools) == ["greet", "named", "worded", "third", "three", "fourth", "lambda_like"]
    assert tools["fourth"]["description"] == "Three again"
    assert tools["fourth"]["_meta"] == {"k": 1, "fastmcp": {"tags": ["a", "b"]}}
    assert client.call("hidden") == {"content": said("Unknown tool: 'hidden'"), "isError": True}
    assert tools["worded"] == {
        "name": "worded",
        "title": "Worded",
        "description": "Two words",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "_meta": {"fastmcp": {"tags": []}},
    }
    assert tools["lambda_like"]["annotations"] == {"title": "Four", "readOnlyHint": True}
    assert tools["lambda_like"]["icons"] == [{"src": "https://example.com/icon.png"}]
    assert client.call("named")["content"] == said("one")


def lambda_like() -> None:
    """Do nothing."""


def test_S004_09_03_24_none_bytes_and_what_has_no_hint() -> None:
    server = FastMCP("values", policy="fastmcp")
    server.tool(name="none")(lambda: None)
    server.tool(name="number")(lambda: 42)
    server.tool(name="bytes")(lambda: b"\x00\x01")
    client = Client(server, REVISION)
    assert client.call("none") == {"content": []}
    assert client.call("number") == {"content": said("42")}
    [block] = client.call("bytes")["content"]
    assert block["type"] == "resource" and block["resource"]["blob"] == "AAE="


class Scales:
    """A pair of scales."""

    def __call__(self, grams: int) -> str:
        """Weigh something.

        Args:
            grams: How heavy it is
        """
        return f"{grams} g"

    def method(self, grams: int) -> str:
        """Weigh by a method."""
        return f"{grams} g"


def test_partials_methods_and_callable_objects_are_tools_as_ours_are() -> None:
    theirs, ours = FastMCP("any", policy="fastmcp"), Server("any", policy="fastmcp")
    scales = Scales()
    for server in (theirs, ours):
        server.tool(name="object")(scales)
        server.tool(scales.method)
        server.tool(name="filled")(functools.partial(scales, grams=3))
    tools = Client(theirs, REVISION).list_tools()
    assert all(tool["outputSchema"]["x-fastmcp-wrap-result"] for tool in tools)
    for tool in tools:
        assert (tool.pop("title"), tool.pop("_meta")) == (tool["name"].title(), {"fastmcp": {"tags": []}})
    assert tools == Client(ours, REVISION).list_tools()
    assert tools[0]["inputSchema"]["properties"]["grams"]["description"] == "How heavy it is"
    for name, given in (("object", {"grams": 1}), ("method", {"grams": 2}), ("filled", {})):
        assert Client(theirs, REVISION).call(name, given) == Client(ours, REVISION).call(name, given)
    served = FastMCP("words", auth=None, lifespan=None, tasks=False).http_app(json_response=False, middleware=None)
    assert served.lifespan


def test_S004_24_25_what_is_not_promised_is_sent_as_text_unless_it_is_an_object() -> None:
    server = FastMCP("unpromised")

    @server.tool(output_schema=None)
    def number() -> int:
        return 42

    @server.tool(output_schema=None)
    def record(ctx: Context) -> dict[str, int]:
        return {"a": 1}

    client = Client(server, REVISION)
    assert client.call("number") == {"content": said("42")}
    assert client.call("record") == {"content": said('{"a":1}'), "structuredContent": {"a": 1}}
    assert not any("outputSchema" in tool for tool in client.list_tools())


def test_resources_and_prompts_are_made_of_functions_and_added_later() -> None:
    server = FastMCP("later", tools=[Tool.from_function(lambda_like)])
    server.add_resource(Resource.from_function(lambda: "text", uri="data://text", name="Text"))
    server.add_template(ResourceTemplate.from_function(lambda x: x, uri_template="data://{x}/echo", name="Echo"))
    server.add_prompt(Prompt.from_function(lambda: "Hello", name="hello"))
    client = Client(server, REVISION)
    assert [one["name"] for one in client.list_resources()] == ["Text"]
    assert client.read("data://word/echo")["contents"][0]["text"] == "word"
    assert client.get_prompt("hello")["messages"][0]["content"] == {"type": "text", "text": "Hello"}
    with pytest.raises(AuthorError, match="a resource needs a URI"):
        server.add_resource(lambda_like)


def test_the_context_is_found_from_anywhere_inside_a_handler_and_nowhere_else() -> None:
    server = FastMCP("found")

    def helper() -> str:
        return f"{get_context().fastmcp.name} {get_context().request_id}"

    @server.tool
    def plain(word: str) -> str:
        return f"{word} {helper()}"

    @server.tool
    async def waiting(ctx: Context, **rest: str) -> str:
        await asyncio.sleep(0)
        assert get_context() is ctx
        return f"{sorted(rest)} {helper()}"

    @server.resource("data://found")
    def found() -> str:
        return helper()

    @server.prompt
    def asked() -> str:
        return helper()

    client = Client(server, REVISION)
    assert client.call("plain", word="a")["content"] == said("a found 2")
    assert client.call("waiting", x="1")["content"] == said("['x'] found 3")
    assert client.read("data://found")["contents"][0]["text"] == "found 4"
    assert client.get_prompt("asked")["messages"][0]["content"]["text"] == "found 5"
    assert list(client.list_tools()[0]["inputSchema"]["properties"]) == ["word"]
    with pytest.raises(RuntimeError, match="no handler is running"):
        get_context()


@pytest.mark.parametrize("name", missing.IN_THE_SERVER)
def test_what_a_server_has_there_and_not_here_says_what_to_do(name: str) -> None:
    for held in (FastMCP, FastMCP("x")):
        assert not hasattr(held, name)
        with pytest.raises(AuthorError, match=rf"^there is no FastMCP\.{name} here; \w"):
            getattr(held, name)


@pytest.mark.parametrize("name", missing.IN_THE_CONTEXT)
def test_what_a_context_has_there_and_not_here_says_what_to_do(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"^there is no Context\.{name} here; \w"):
        getattr(Context, name)


def test_what_neither_package_has_is_missing_as_usual() -> None:
    assert not hasattr(FastMCP("x"), "nonsense")
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        exec("from plainmcp.compat.fastmcp import nonsense", {})


def test_what_is_registered_again_replaces_unless_that_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    def version(number: int) -> Any:
        def tool() -> int:
            return number

        return tool

    server = FastMCP("again")
    for number in (1, 2):
        server.tool(version(number))
        server.resource("data://{x}")(lambda x: x)
        server.prompt("ask")(lambda: "ask")
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "the tool 'tool' is registered again; the new one is used",
        "the resource 'data://{x}' is registered again; the new one is used",
        "the prompt 'ask' is registered again; the new one is used",
    ]
    assert Client(server, REVISION).call("tool")["content"] == said("2")
    strict = FastMCP("strict", on_duplicate="error")
    strict.tool(version(1))
    with pytest.raises(AuthorError, match="already a tool"):
        strict.tool(version(2))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: FastMCP("x", auth=object()), "auth= takes a TokenVerifier, .* not object"),
        (lambda: FastMCP("x", transforms=[object()]), "there is no transforms= here; register functions"),
        (lambda: FastMCP("x", on_duplicate="never"), "on_duplicate is warn, replace, error or ignore"),  # type: ignore[arg-type]
        (lambda: FastMCP("x").tool(auth=object())(lambda_like), "there is no auth="),
        (lambda: FastMCP("x").tool("one", name="two"), "Cannot specify both a name"),
        (lambda: FastMCP("x").run("carrier"), "there is no transport 'carrier'"),
        (lambda: FastMCP("x").http_app(transport="carrier"), "there is no transport 'carrier' over HTTP"),
        (lambda: FastMCP("x").mount(FastMCP("y"), tool_names={"a": "b"}), "name the tools where they are"),
        (lambda: FastMCP("x").tool(task=True)(lambda_like), "there is no task= here; a tool answers in the call"),
    ],
    ids=[
        "auth",
        "transforms",
        "duplicate",
        "tool auth",
        "names",
        "transport",
        "transport of the app",
        "tool names",
        "task",
    ],
)
def test_what_cannot_be_had_is_refused_and_never_ignored(make: Any, problem: str) -> None:
    with pytest.raises(AuthorError, match=problem):
        make()


# Resources and prompts --------------------------------------------------------------------------------


def test_resources_and_prompts_are_made_of_the_packages_pieces() -> None:
    server = FastMCP("pieces")

    @server.resource("data://both", name="Both", mime_type="application/json", tags={"data"})
    def both() -> ResourceResult:
        return ResourceResult([ResourceContent("{}"), ResourceContent(b"\x00", mime_type="application/x-nul")])

    @server.resource("data://broken")
    def broken() -> str:
        raise ResourceError("The disk is full.")

    @server.prompt("talk", description="Two turns", tags={"talk"})
    def talk(topic: str) -> list[Message]:
        return [Message(f"Tell me about {topic}"), Message("Gladly.", role="assistant")]

    @server.prompt
    async def told(ctx: Context) -> PromptResult:
        return PromptResult([Message(ctx.request_id)], description="An id")

    client = Client(server, REVISION)
    assert client.read("data://both")["contents"] == [
        {"uri": "data://both", "mimeType": "text/plain", "text": "{}"},
        {"uri": "data://both", "mimeType": "application/x-nul", "blob": "AA=="},
    ]
    with pytest.raises(RpcError, match="The disk is full"):
        client.read("data://broken")
    assert client.get_prompt("talk", topic="tea") == {
        "description": "Two turns",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Tell me about tea"}},
            {"role": "assistant", "content": {"type": "text", "text": "Gladly."}},
        ],
    }
    assert client.get_prompt("told")["messages"][0]["content"]["text"].isdigit()


# The context ------------------------------------------------------------------------------------------


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Account:
    name: str
    age: int = 1


asking = FastMCP("asking")
CHOICES = {"low": {"title": "Low Priority"}, "high": {"title": "High Priority"}}
WANTED: dict[str, Any] = {
    "text": (str, {"type": "string"}, "Ann", "Ann"),
    "whole": (int, {"type": "integer"}, 3, 3),
    "yes": (bool, {"type": "boolean"}, True, True),
    "literal": (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "a", "a"),
    "enum": (Color, {"type": "string", "enum": ["red", "blue"]}, "blue", Color.BLUE),
    "options": (["x", "y"], {"type": "string", "enum": ["x", "y"]}, "y", "y"),
    "titled": (
        CHOICES,
        {
            "type": "string",
            "oneOf": [{"const": "low", "title": "Low Priority"}, {"const": "high", "title": "High Priority"}],
        },
        "low",
        "low",
    ),
    "several": (
        [["x", "y"]],
        {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
        ["x", "y"],
        ["x", "y"],
    ),
    "several titled": (
        [CHOICES],
        {
            "type": "array",
            "items": {
                "anyOf": [{"const": "low", "title": "Low Priority"}, {"const": "high", "title": "High Priority"}]
            },
        },
        ["high"],
        ["high"],
    ),
}
heard: list[Any] = []


@asking.tool
async def ask(which: str, ctx: Context) -> str:
    answer = await ctx.elicit("Say", WANTED[which][0], response_title="Label")
    heard.append(answer)
    return type(answer).__name__


@asking.tool
def ask_plainly(ctx: Context) -> str:
    answer = ctx.elicit("Who?", Account)
    heard.append(answer)
    return str(answer.action)


@asking.tool
async def confirm(ctx: Context) -> str:
    match await ctx.elicit("Sure?", None):
        case AcceptedElicitation():
            return "accepted"
        case DeclinedElicitation():
            return "declined"
        case CancelledElicitation():
            return "cancelled"
    return "neither"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("which", WANTED)
def test_a_user_is_asked_for_anything_the_package_can_ask_for(which: str, revision: str) -> None:
    asked: list[Any] = []

    def answer(params: Any) -> Any:
        asked.append(params)
        return {"action": "accept", "content": {"value": WANTED[which][2]}}

    heard.clear()
    client = Client(asking, revision, answers={"elicitation/create": answer})
    assert client.call("ask", which=which)["content"] == said("AcceptedElicitation")
    assert asked[0]["requestedSchema"] == {
        "type": "object",
        "properties": {"value": {**WANTED[which][1], "title": "Label"}},
        "required": ["value"],
    }
    assert heard == [AcceptedElicitation("accept", WANTED[which][3])]


@pytest.mark.parametrize(
    ("action", "told"), [("accept", "accepted"), ("decline", "declined"), ("cancel", "cancelled")]
)
def test_what_a_user_did_is_told_by_class(action: str, told: str) -> None:
    client = Client(asking, "2025-11-25", answers={"elicitation/create": lambda params: {"action": action}})
    assert client.call("confirm")["content"] == said(told)


def test_a_plain_function_asks_without_awaiting() -> None:
    heard.clear()
    answers: Any = {"elicitation/create": lambda params: {"action": "accept", "content": {"name": "Ann"}}}
    assert Client(asking, "2025-11-25", answers=answers).call("ask_plainly")["content"] == said("accept")
    assert heard == [AcceptedElicitation("accept", Account("Ann"))]


def test_the_context_has_the_packages_names() -> None:
    server = FastMCP("context")

    @server.resource("data://text")
    def text() -> str:
        return "cold"

    @server.resource("data://bytes")
    def raw() -> bytes:
        return b"\x00"

    @server.tool
    async def work(ctx: Context | None = None) -> dict[str, Any]:
        assert ctx is not None and ctx.fastmcp is server
        await ctx.report_progress(1, 2, "half")
        await ctx.debug("unheard")
        await ctx.warning("careful", logger_name="work", extra={"n": 1})
        await ctx.log("plain", "error")
        await ctx.error("failed")
        sampled = await ctx.sample("Hi", system_prompt="Be brief", temperature=0, model_preferences="small")
        [one] = (await ctx.read_resource("data://text")).contents
        [other] = (await ctx.read_resource("data://bytes")).contents
        with pytest.raises(ResourceError, match="not found"):
            await ctx.read_resource("data://nowhere")
        return {
            "request": ctx.request_id,
            "client": ctx.client_id,
            "said": sampled.text,
            "read": [one.content, one.mime_type, other.content.hex()],
        }

    @server.tool
    def read(ctx: Context) -> str:
        return str(ctx.read_resource("data://text").contents[0].content)

    asked: list[Any] = []

    def sample(params: Any) -> Any:
        asked.append(params)
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hello"}}

    client = Client(server, "2025-11-25", answers={"sampling/createMessage": sample}, log_level="info")
    meta = {"progressToken": "t", "client_id": "me"}
    result = client.request("tools/call", {"name": "work", "arguments": {}, "_meta": meta})
    assert result["structuredContent"] == {
        "request": "3",
        "client": "me",
        "said": "Hello",
        "read": ["cold", "text/plain", "00"],
    }
    assert asked == [
        {
            "messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}],
            "maxTokens": 512,
            "systemPrompt": "Be brief",
            "temperature": 0,
            "modelPreferences": {"hints": [{"name": "small"}]},
        }
    ]
    assert [one["params"] for one in client.notifications if one["method"].startswith("notifications/")] == [
        {"progressToken": "t", "progress": 1, "total": 2, "message": "half"},
        {"level": "warning", "logger": "work", "data": {"msg": "careful", "extra": {"n": 1}}},
        {"level": "error", "data": {"msg": "plain", "extra": None}},
        {"level": "error", "data": {"msg": "failed", "extra": None}},
    ]
    assert client.call("read")["content"] == said("cold")


@pytest.mark.parametrize(
    ("masked", "text"), [(True, "Error calling tool 'fail'"), (None, "Error calling tool 'fail': secret")]
)
def test_the_text_of_an_exception_is_sent_unless_it_is_masked(masked: bool | None, text: str) -> None:
    server = FastMCP("failing", mask_error_details=masked)

    @server.tool
    def fail(kindly: bool) -> str:
        raise ToolError("Try Oslo.") if kindly else RuntimeError("secret")

    client = Client(server, REVISION)
    assert client.call("fail", kindly=True) == {"content": said("Try Oslo."), "isError": True}
    assert client.call("fail", kindly=False) == {"content": said(text), "isError": True}


# Serving ----------------------------------------------------------------------------------------------


def test_run_takes_the_packages_words(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Any] = []
    monkeypatch.setattr("plainmcp.server.Server.run", lambda self, http=None, **options: ran.append((http, options)))
    server = FastMCP("run")
    server.run()
    server.run(transport="stdio", show_banner=False)
    server.run("http")
    server.run(transport="streamable-http", host="::1", port=9, path="/mcp/", log_level="DEBUG", stateless_http=True)
    server.run(http="127.0.0.1:1", workers=2)
    server.run("http", path="/other")
    assert ran == [
        (None, {}),
        (None, {}),
        ("127.0.0.1:8000", {"path": "/mcp", "uvicorn": {}}),
        ("[::1]:9", {"path": "/mcp/", "uvicorn": {"log_level": "debug"}, "stateless": True}),
        ("127.0.0.1:1", {"path": "/mcp", "uvicorn": {}, "workers": 2}),
        ("127.0.0.1:8000", {"path": "/other", "uvicorn": {}}),
    ]


@pytest.mark.slow
def test_a_file_that_runs_itself_at_a_path_is_found_there(folder: Path) -> None:
    file = folder / "at_a_path.py"
    file.write_text(
        "from plainmcp.compat.fastmcp import FastMCP\n"
        "FastMCP('at a path').run(transport='http', port=0, path='/here/', show_banner=False)\n",
        "utf-8",
    )
    with Program(file) as program:
        url = until(lambda: re.search(rb"serving MCP at (\S+)\n", program.stderr))[1].decode()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/here/", url)
        for address in (url, url.rstrip("/")):
            done = subprocess.run(
                [sys.executable, "-m", "plainmcp", "list", address], capture_output=True, timeout=20
            )
            assert (done.returncode, done.stdout.decode().splitlines()[0]) == (0, "at a path 0.0.0, on 2025-11-25")


@pytest.mark.parametrize(
    ("path", "root", "asked", "status"),
    [
        ("/mcp", "", "/mcp", 200),
        ("/mcp", "", "/mcp/", 200),
        ("/mcp", "", "/other", 404),
        ("/mcp", "/api", "/api/mcp", 200),
        ("/", "/api", "/api/", 200),
        (None, "", "/mcp", 200),
    ],
)
def test_the_http_app_answers_at_its_path_wherever_it_is_mounted(
    path: str | None, root: str, asked: str, status: int
) -> None:
    app = FastMCP("app").http_app(path, allowed_hosts=["example.com"])
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    headers = [
        (b"host", b"example.com"),
        (b"content-type", b"application/json"),
        (b"accept", b"application/json, text/event-stream"),
    ]
    scope = {"type": "http", "method": "POST", "path": asked, "root_path": root, "headers": headers, "server": None}
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        async with app.lifespan(app):
            await app(scope, receive, send)

    asyncio.run(run())
    assert sent[0]["status"] == status


def test_a_resource_content_of_data_is_its_json() -> None:
    class Item(BaseModel):
        name: str

    assert ResourceContent({"a": [1]}).content == '{"a":[1]}'
    assert ResourceContent(Item(name="x")).content == '{"name":"x"}'
    assert ResourceContent(["a"]).mime_type == "application/json"
