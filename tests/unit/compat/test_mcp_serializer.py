"""The README of mcp-serializer with changed imports: every exchange exactly as the package answers it, and none of
the bugs of the published package (docs/contributing/requirements.md, sections 1.4 and 4).
"""

import io
import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from plainmcp import Context
from plainmcp.compat.mcp_serializer import (
    JsonRpcErrorResponse,
    JsonRpcRequest,
    JsonRpcSuccessResponse,
    MCPInitializer,
    MCPRegistry,
    MCPSerializer,
    PromptsResult,
    ResourceResult,
    ResponseContext,
    ResponseEntry,
    ToolsResult,
)
from plainmcp.compat.mcp_serializer.casting import cast

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x04\x00\x00\x00WAVE"

# The README ---------------------------------------------------------------------------------------

FILES = {
    "file.json": '{"test": "data", "version": "1.0"}',
    "weather_file.json": '{"temperature": 72, "condition": "sunny"}',
    "message.md": "You are a helpful assistant that can help with any questions.",
    "prompt.txt": "Create a user.",
}

# Its listings from top to bottom, with what the package sends where the README differs from it: the default of `days`
# is listed, and arguments of prompts have no type. Its misprints are put right: the prompt embeds file.json, which is
# what it prints (it registers resource.json), and the degree sign is one.
LISTINGS = '''
from mcp_serializer.registry import MCPRegistry

registry = MCPRegistry()

registry.add_file_resource(
    file="/path/to/file.json",
    title="File Resource Title",
    description="This is a file resource",
)

registry.add_http_resource(
    uri="https://example.com/image.png",
    title="Profile Image",
    description="This image can be used as a profile image for a user.",
    mime_type="image/png",
    size=1024,
)

from mcp_serializer.results import ResourceResult

@registry.resource(uri="resource/weather/")
def get_weather(city: str):
    """Get weather information for a given city

    Returns weather data for the specified city including temperature and conditions.
    """
    result = ResourceResult()

    # Add text content directly
    result.add_text_content(
        f"today is cold in {city}",
        mime_type="text/plain",
        title="indicated cold/hot in the city",
    )

    # Add file as resource (converted to text/binary based on file extension)
    result.add_file("/path/to/weather_file.json")

    return result

@registry.tool()
def add_weather_data(
    city: str, temperature: float, wind_speed: float = None, humidity: float = None
):
    """Add weather data for a given city

    This tool saves weather data to the database for a specific city.

    Args:
        city: The name of the city
        temperature: The temperature in Fahrenheit
        wind_speed: The wind speed in mph
        humidity: The humidity percentage
    """
    # Your logic to save weather data goes here
    return f"Weather data for {city} added successfully"

from pydantic import BaseModel

class WeatherReport(BaseModel):
    temperature: float
    condition: str
    humidity: float

@registry.tool()
def get_current_weather(city: str) -> WeatherReport:
    """Get current weather for a city

    Retrieves real-time weather information including temperature, condition, and humidity.

    Args:
        city: The name of the city
    """
    return WeatherReport(temperature=72.5, condition="sunny", humidity=65.0)

from mcp_serializer.results import ToolsResult

@registry.tool()
def get_weather_forecast(city: str, days: int = 3) -> ToolsResult:
    """Get weather forecast for a city

    Provides a detailed weather forecast with text, data files, and resource links.

    Args:
        city: The name of the city
        days: Number of days to forecast (default: 3)
    """
    result = ToolsResult()

    # Add text content
    result.add_text_content(
        f"{days}-day forecast for {city}: Mostly sunny with temperatures around 70°F"
    )

    # Add embedded file resource
    result.add_file("/path/to/file.json")

    # Add resource link to an existing resource
    result.add_resource_link(uri="resource/weather/{city}", registry=registry)

    return result

registry.add_text_prompt(
    name="greeting",
    text="Hello, how are you?",
    title="Greeting a user and asking common questions",
    role="user",
)

registry.add_file_prompt(
    name="create_user",
    description="Create a new user for any purpose.",
    file="/path/to/prompt.txt",
    role="user",
)

from mcp_serializer.results import PromptsResult

@registry.prompt()
def greeting_prompt(name: str):
    """Greeting prompt

    This prompt helps to greet a user.
    """
    result = PromptsResult()

    # Create a text prompt content (same as returning a string)
    result.add_text(f"Hello, {name}! How are you?", role=PromptsResult.Roles.USER)

    # Create a text prompt from a file
    result.add_file_message("/path/to/message.md")

    # Embed a resource with your prompt
    result.add_file_resource("/path/to/file.json")

    return result

from mcp_serializer.initializer import MCPInitializer

initializer = MCPInitializer()
initializer.add_server_info("My MCP Server", "1.0.0", "A title of the server.")
initializer.add_prompt()
initializer.add_resources()
initializer.add_tools()

class MyInitializer(MCPInitializer):
    def build_result(self, client_params: dict):
        self.protocol_version = client_params.get(
            "protocolVersion", self.protocol_version
        )
        return super().build_result(client_params)

from mcp_serializer.serializers import MCPSerializer

serializer = MCPSerializer(initializer=initializer, registry=registry, page_size=10)

response_context = serializer.process_request(
    request_data={
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2024-11-05",
            "clientInfo": {"name": "test-client", "version": "1.0.0"},
        },
    }
)

# Access the response data as a dictionary (ready to send to client)
response_dict = response_context.response_data

# Access detailed information through history
for entry in response_context.history:
    if entry.is_error:
        print("Error:", entry.data["error"])
    elif entry.is_notification:
        print("Notification - no response to send")
    else:
        print("Success:", entry.data["result"])
'''

TOOLS = """
{
    "tools": [
        {
            "name": "add_weather_data",
            "title": "Add weather data for a given city",
            "description": "This tool saves weather data to the database for a specific city.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "city": {
                        "type": "string",
                        "description": "The name of the city"
                    },
                    "temperature": {
                        "type": "number",
                        "description": "The temperature in Fahrenheit"
                    },
                    "wind_speed": {
                        "type": "number",
                        "description": "The wind speed in mph"
                    },
                    "humidity": {
                        "type": "number",
                        "description": "The humidity percentage"
                    }
                },
                "required": ["city", "temperature"]
            }
        },
        {
            "name": "get_current_weather",
            "title": "Get current weather for a city",
            "description":
                "Retrieves real-time weather information including temperature, condition, and humidity.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "city": {
                        "type": "string",
                        "description": "The name of the city"
                    }
                },
                "required": ["city"]
            },
            "outputSchema": {
                "type": "object",
                "properties": {
                    "temperature": {"type": "number"},
                    "condition": {"type": "string"},
                    "humidity": {"type": "number"}
                },
                "required": ["temperature", "condition", "humidity"]
            }
        },
        {
            "name": "get_weather_forecast",
            "title": "Get weather forecast for a city",
            "description": "Provides a detailed weather forecast with text, data files, and resource links.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "city": {
                        "type": "string",
                        "description": "The name of the city"
                    },
                    "days": {
                        "type": "integer",
                        "description": "Number of days to forecast (default: 3)",
                        "default": 3
                    }
                },
                "required": ["city"]
            }
        }
    ]
}
"""

PROMPTS = """
{
    "prompts": [
        {
            "name": "create_user",
            "description": "Create a new user for any purpose."
        },
        {
            "name": "greeting",
            "title": "Greeting a user and asking common questions"
        },
        {
            "name": "greeting_prompt",
            "title": "Greeting prompt",
            "description": "This prompt helps to greet a user.",
            "arguments": [{"name": "name", "required": true}]
        }
    ]
}
"""

RESOURCES = """
{
    "resources": [
        {
            "uri": "file:///path/to/file.json",
            "name": "file.json",
            "title": "File Resource Title",
            "description": "This is a file resource",
            "size": 34,
            "mimeType": "application/json"
        },
        {
            "uri": "https://example.com/image.png",
            "title": "Profile Image",
            "description": "This image can be used as a profile image for a user.",
            "size": 1024,
            "mimeType": "image/png"
        }
    ]
}
"""

# What it prints, each exchange under the requirement it is: the method, the params, the result.
EXCHANGES = {
    "S003-52": (
        "initialize",
        """
        {
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "test-client", "version": "1.0.0"}
        }
        """,
        """
        {
            "protocolVersion": "2024-11-05",
            "serverInfo": {
                "name": "My MCP Server",
                "title": "A title of the server.",
                "version": "1.0.0"
            },
            "capabilities": {
                "prompts": {"listChanged": false},
                "resources": {"subscribe": false, "listChanged": false},
                "tools": {"listChanged": false}
            }
        }
        """,
    ),
    "S003-53": ("tools/list", "{}", TOOLS),
    "S003-54": (
        "tools/call",
        """
        {
            "name": "add_weather_data",
            "arguments": {
                "city": "London",
                "temperature": 15.5,
                "wind_speed": 10.0,
                "humidity": 80.0
            }
        }
        """,
        """
        {
            "content": [
                {"type": "text", "text": "Weather data for London added successfully"}
            ]
        }
        """,
    ),
    "S003-55": (
        "tools/call",
        """
        {
            "name": "get_current_weather",
            "arguments": {
                "city": "Paris"
            }
        }
        """,
        """
        {
            "content": [],
            "structuredContent": {
                "condition": "sunny",
                "humidity": 65.0,
                "temperature": 72.5
            }
        }
        """,
    ),
    "S003-56": (
        "tools/call",
        """
        {
            "name": "get_weather_forecast",
            "arguments": {"city": "Tokyo", "days": 5}
        }
        """,
        r"""
        {
            "content": [
                {
                    "type": "text",
                    "text": "5-day forecast for Tokyo: Mostly sunny with temperatures around 70°F"
                },
                {
                    "type": "resource",
                    "resource": {
                        "uri": "file:///path/to/file.json",
                        "mimeType": "application/json",
                        "name": "file.json",
                        "text": "{\"test\": \"data\", \"version\": \"1.0\"}"
                    }
                },
                {
                    "type": "resource_link",
                    "uri": "resource/weather/{city}",
                    "name": "get_weather",
                    "title": "Get weather information for a given city",
                    "description":
                        "Returns weather data for the specified city including temperature and conditions."
                }
            ]
        }
        """,
    ),
    "S003-57": ("prompts/list", "{}", PROMPTS),
    "S003-59": (
        "prompts/get",
        '{"name": "greeting"}',
        """
        {
            "messages": [
                {
                    "role": "user",
                    "content": {"type": "text", "text": "Hello, how are you?"}
                }
            ]
        }
        """,
    ),
    "S003-60": (
        "prompts/get",
        '{"name": "greeting_prompt", "arguments": {"name": "Alice"}}',
        r"""
        {
            "description": "This prompt helps to greet a user.",
            "messages": [
                {
                    "role": "user",
                    "content": {"type": "text", "text": "Hello, Alice! How are you?"}
                },
                {
                    "role": "user",
                    "content": {
                        "type": "text",
                        "text": "You are a helpful assistant that can help with any questions.",
                        "mimeType": "text/markdown"
                    }
                },
                {
                    "role": "user",
                    "content": {
                        "type": "resource",
                        "resource": {
                            "uri": "file:///path/to/file.json",
                            "text": "File Resource Title",
                            "mimeType": "application/json",
                            "name": "file.json",
                            "text": "{\"test\": \"data\", \"version\": \"1.0\"}"
                        }
                    }
                }
            ]
        }
        """,
    ),
    "S003-61": ("resources/list", "{}", RESOURCES),
    "S003-63": (
        "resources/templates/list",
        "{}",
        """
        {
            "resourceTemplates": [
                {
                    "uri": "resource/weather/{city}",
                    "name": "get_weather",
                    "title": "Get weather information for a given city",
                    "description":
                        "Returns weather data for the specified city including temperature and conditions."
                }
            ]
        }
        """,
    ),
    "S003-64": (
        "resources/read",
        '{"uri": "file:///path/to/file.json"}',
        r"""
        {
            "contents": [
                {
                    "uri": "file:///path/to/file.json",
                    "name": "file.json",
                    "title": "File Resource Title",
                    "mimeType": "application/json",
                    "text": "{\"test\": \"data\", \"version\": \"1.0\"}"
                }
            ]
        }
        """,
    ),
    "S003-65": (
        "resources/read",
        '{"uri": "resource/weather/Paris"}',
        r"""
        {
            "contents": [
                {
                    "mimeType": "text/plain",
                    "name": "get_weather",
                    "title": "indicated cold/hot in the city",
                    "text": "today is cold in Paris",
                    "uri": "resource/weather"
                },
                {
                    "uri": "file:///path/to/weather_file.json",
                    "mimeType": "application/json",
                    "name": "weather_file.json",
                    "text": "{\"temperature\": 72, \"condition\": \"sunny\"}"
                }
            ]
        }
        """,
    ),
}


@pytest.fixture
def readme(tmp_path: Path) -> dict[str, Any]:
    """What the listings leave behind, run with changed imports in a directory that has their files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    code = LISTINGS.replace("from mcp_serializer.", "from plainmcp.compat.mcp_serializer.")
    names: dict[str, Any] = {"__name__": "readme"}
    exec(code.replace("/path/to", tmp_path.as_posix()), names)
    return names


@pytest.mark.parametrize("id", EXCHANGES)
def test_the_printed_exchange(id: str, readme: dict[str, Any], tmp_path: Path) -> None:
    """S003-01, S003-02, S003-71; and what the exchanges show: S003-05, S003-08, S003-09, S003-10, S003-11, S003-12,
    S003-13, S003-14, S003-15, S003-16, S003-17, S003-18, S003-19, S003-20, S003-21, S003-22, S003-23, S003-24,
    S003-25, S003-26, S003-27, S003-28, S003-33, S003-34, S003-36, S003-37, S003-38, S003-40, S003-41, S003-43,
    S003-58, S003-62, S003-68, S003-70."""
    method, params, result = (part.replace("file:///path/to", tmp_path.as_uri()) for part in EXCHANGES[id])
    request = {"jsonrpc": "2.0", "id": 12, "method": method, "params": json.loads(params)}
    expected = {"jsonrpc": "2.0", "id": 12, "result": json.loads(result)}
    as_data = readme["serializer"].process_request(request_data=request)
    as_text = readme["serializer"].process_request(request_data=json.dumps(request))
    assert as_data.response_data == as_text.response_data == expected
    assert exact(as_data.response_data) == exact(expected)


def exact(value: Any) -> str:
    """As JSON, so that 1, 1.0 and true are three things."""
    return json.dumps(value, sort_keys=True)


def test_S003_66_an_unknown_method(readme: dict[str, Any]) -> None:
    request = {"jsonrpc": "2.0", "id": 12, "method": "invalid/method", "params": {}}
    assert readme["serializer"].process_request(request).response_data == {
        "jsonrpc": "2.0",
        "id": 12,
        "error": {"code": -32601, "message": "Method not found", "data": {"method": "invalid/method"}},
    }


def test_S003_67_a_batch(readme: dict[str, Any], tmp_path: Path) -> None:
    """S003-44, S003-45: a list in, a list out, in the order of the requests."""
    batch = [
        {"jsonrpc": "2.0", "id": 13, "method": "tools/list", "params": {}},
        {"jsonrpc": "2.0", "id": 14, "method": "prompts/list", "params": {}},
        {"jsonrpc": "2.0", "id": 15, "method": "resources/list", "params": {}},
    ]
    expected = [
        {"jsonrpc": "2.0", "id": 13, "result": json.loads(TOOLS)},
        {"jsonrpc": "2.0", "id": 14, "result": json.loads(PROMPTS)},
        {
            "jsonrpc": "2.0",
            "id": 15,
            "result": json.loads(RESOURCES.replace("file:///path/to", tmp_path.as_uri())),
        },
    ]
    assert readme["serializer"].process_request(batch).response_data == expected
    assert readme["serializer"].process_request(json.dumps(batch)).response_data == expected


def test_the_listing_that_looks_at_the_history(readme: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """S003-46, S003-47, S003-48, S003-49, S003-50"""
    context = readme["response_context"]
    assert isinstance(context, ResponseContext)
    (entry,) = context.history
    assert isinstance(entry, ResponseEntry)
    assert entry.data is context.response_data is readme["response_dict"]
    assert isinstance(entry.response, JsonRpcSuccessResponse)
    assert (entry.response.jsonrpc, entry.response.id) == ("2.0", 1)
    assert entry.response.result == entry.data["result"]
    assert entry.response.model_dump() == entry.data
    assert isinstance(entry.request, JsonRpcRequest)
    assert (entry.request.jsonrpc, entry.request.id, entry.request.method) == ("2.0", 1, "initialize")
    assert entry.request.params["clientInfo"]["name"] == "test-client"
    assert not entry.is_error and not entry.is_notification
    # The fixture ran the listing before this test could listen: run its last lines once more.
    exec(LISTINGS[LISTINGS.index("for entry in") :], {"response_context": context})
    assert capsys.readouterr().out.splitlines()[-1].startswith("Success: {'protocolVersion': '2024-11-05'")


def test_S003_39_an_initializer_of_ones_own(readme: dict[str, Any]) -> None:
    mine = readme["MyInitializer"]()
    mine.add_server_info("mine", "2")
    serializer = MCPSerializer(mine, MCPRegistry())
    told = ask(serializer, "initialize", protocolVersion="2025-06-18")
    assert told == {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "serverInfo": {"name": "mine", "version": "2"},
    }
    assert (
        ask(MCPSerializer(readme["MyInitializer"](), MCPRegistry()), "initialize")["protocolVersion"] == "2024-11-05"
    )


# What the README says and does not print ----------------------------------------------------------


def made(registry: MCPRegistry, page_size: int = 10) -> MCPSerializer:
    """A serializer that announces everything."""
    initializer = MCPInitializer().add_server_info("test", "1").add_prompt().add_resources().add_tools()
    return MCPSerializer(initializer, registry, page_size)


def answered(serializer: MCPSerializer, method: str, /, **params: Any) -> dict[str, Any]:
    """The response to one request, which json can write."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    data = serializer.process_request(request).response_data
    assert isinstance(data, dict)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    return data


def ask(serializer: MCPSerializer, method: str, /, **params: Any) -> Any:
    """The result of one request."""
    return answered(serializer, method, **params)["result"]


def called(function: Callable[..., Any], /, **arguments: Any) -> Any:
    """What a function becomes as the result of a tool."""
    registry = MCPRegistry()
    registry.tool(name="t")(function)
    return ask(made(registry), "tools/call", name="t", arguments=arguments)


def prompted(function: Callable[..., Any], /, **arguments: str) -> Any:
    """The messages of a prompt."""
    registry = MCPRegistry()
    registry.prompt(name="p")(function)
    return ask(made(registry), "prompts/get", name="p", arguments=arguments)["messages"]


def read(function: Callable[[], Any], **extra: Any) -> Any:
    """The contents of a resource."""
    registry = MCPRegistry()
    registry.resource("memo/1", **extra)(function)
    return ask(made(registry), "resources/read", uri="memo/1")["contents"]


def contents_of(*texts: str, **fields: Any) -> ResourceResult:
    """A resource of several texts."""
    result = ResourceResult()
    for text in texts:
        result.add_text_content(text, **fields)
    return result


def test_S003_51_a_notification_is_not_answered() -> None:
    context = made(MCPRegistry()).process_request({"jsonrpc": "2.0", "method": "notifications/initialized"})
    (entry,) = context.history
    assert context.response_data is entry.data is entry.response is None
    assert entry.is_notification and not entry.is_error
    assert entry.request.method == "notifications/initialized"


def test_S003_50_an_error_in_the_history_of_a_batch() -> None:
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "no/such"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "ping"},
    ]
    context = made(MCPRegistry()).process_request(batch)
    assert [entry.is_error for entry in context.history] == [True, False, False]
    assert [entry.is_notification for entry in context.history] == [False, True, False]
    first, _, last = context.history
    assert isinstance(first.response, JsonRpcErrorResponse)
    assert (first.response.id, first.response.error.code) == ("a", -32601)
    assert context.response_data == [first.data, last.data]


def test_S003_03_a_file_may_be_open(tmp_path: Path) -> None:
    """S003-04, S003-05: text or binary by its type, at a URI of one's own or that of its path."""
    path = tmp_path / "data.bin"
    path.write_bytes(b"\x00\xff")
    registry = MCPRegistry()
    with path.open("rb") as file:
        registry.add_file_resource(file, title="Open")
    registry.add_file_resource(io.StringIO("hello"), uri="memo://hello")
    serializer = made(registry)
    (blob,) = ask(serializer, "resources/read", uri=path.as_uri())["contents"]
    assert (blob["blob"], blob["title"], blob["name"]) == ("AP8=", "Open", "data.bin")
    (text,) = ask(serializer, "resources/read", uri="memo://hello")["contents"]
    assert (text["uri"], text["text"]) == ("memo://hello", "hello")


def test_S003_06_of_a_page_on_the_web_only_the_uri_is_required() -> None:
    """S003-07: its type is told by its suffix."""
    registry = MCPRegistry()
    registry.add_http_resource("https://example.com/a.png?w=2")
    registry.add_http_resource("https://example.com/b", name="b", mime_type="text/html")
    assert ask(made(registry), "resources/list")["resources"] == [
        {"uri": "https://example.com/a.png?w=2", "mimeType": "image/png"},
        {"uri": "https://example.com/b", "name": "b", "mimeType": "text/html"},
    ]
    with pytest.raises(ValueError, match="http"):
        registry.add_http_resource("ftp://example.com/a.png")


def test_S003_69_a_page_on_the_web_is_not_read_here() -> None:
    registry = MCPRegistry()
    registry.add_http_resource("https://example.com/a.png")
    uri = "https://example.com/a.png"
    assert answered(made(registry), "resources/read", uri=uri)["error"] == {
        "code": -32004,
        "message": "Could not find resource",
        "data": {"uri": uri, "error": f"Key {uri} not found"},
    }


def test_S003_12_where_the_parameters_of_a_function_go() -> None:
    registry = MCPRegistry()
    registry.resource("e/{+path}")(lambda path: contents_of(path))
    for uri in ("a", "b/", "c://", "d/{city}/{day}"):
        registry.resource(uri)(lambda city, day: contents_of(f"{city} {day}"))
    serializer = made(registry)
    listed = ask(serializer, "resources/templates/list")["resourceTemplates"]
    pair = "{city}/{day}"
    assert [one["uri"] for one in listed] == [f"a/{pair}", f"b/{pair}", f"c://{pair}", f"d/{pair}", "e/{+path}"]
    found = [ask(serializer, "resources/read", uri=uri)["contents"][0] for uri in ("a/x/y", "c://x/y", "d/x/y")]
    assert [one["text"] for one in found] == ["x y"] * 3
    assert [one["uri"] for one in found] == ["a", "c://", "d/x/y"]


def test_S003_10_contents_with_everything(tmp_path: Path) -> None:
    """S003-11: what is said of a part counts for more than what its file or its resource says."""
    (tmp_path / "a.json").write_text("{}")

    def notes() -> ResourceResult:
        told: Any = {"uri": "u", "name": "n", "title": "t", "annotations": {"audience": ["user"]}}
        result = contents_of("text", mime_type="text/x", **told)
        result.add_binary_content("AP8=", "image/x")
        result.add_file(tmp_path / "a.json", **told)
        return result

    told = {"uri": "u", "name": "n", "title": "t", "annotations": {"audience": ["user"]}}
    assert read(notes, title="Notes", mime_type="text/plain") == [
        {"mimeType": "text/x", "text": "text", **told},
        {"uri": "memo/1", "mimeType": "image/x", "blob": "AP8="},
        {"mimeType": "application/json", "text": "{}", **told},
    ]


def test_S003_13_the_first_content_is_called_what_the_resource_is() -> None:
    def notes() -> ResourceResult:
        """The notes"""
        return contents_of("a", "b")

    assert read(notes) == [
        {"uri": "memo/1", "name": "notes", "title": "The notes", "text": "a"},
        {"uri": "memo/1", "text": "b"},
    ]


def test_S003_25_everything_a_tool_can_add(tmp_path: Path) -> None:
    """S003-26, S003-27"""
    (tmp_path / "a.bin").write_bytes(b"\x00\xff")
    registry = MCPRegistry()
    registry.add_http_resource("https://example.com/a.png", title="A")

    def everything() -> ToolsResult:
        result = ToolsResult(is_error=True)
        result.add_text_content("text", annotations={"priority": 1.0})
        result.add_image_content(b64encode(PNG).decode(), "image/png")
        result.add_audio_content(b64encode(WAV).decode())
        result.add_file(tmp_path / "a.bin", uri="u", name="n", title="t")
        result.add_resource_link("https://example.com/b.html")
        result.add_resource_link("https://example.com/a.png", registry, description="d")
        result.add_embedded_resource("memo://1", text="hi", mime_type="text/plain", name="memo")
        result.add_structured_content({"a": 1})
        return result

    assert called(everything) == {
        "content": [
            {"type": "text", "text": "text", "annotations": {"priority": 1.0}},
            {"type": "image", "data": b64encode(PNG).decode(), "mimeType": "image/png"},
            {"type": "audio", "data": b64encode(WAV).decode(), "mimeType": "audio/wav"},
            {
                "type": "resource",
                "resource": {
                    "uri": "u",
                    "name": "n",
                    "title": "t",
                    "mimeType": "application/octet-stream",
                    "blob": "AP8=",
                },
            },
            {"type": "resource_link", "uri": "https://example.com/b.html", "mimeType": "text/html"},
            {
                "type": "resource_link",
                "uri": "https://example.com/a.png",
                "title": "A",
                "description": "d",
                "mimeType": "image/png",
            },
            {
                "type": "resource",
                "resource": {"uri": "memo://1", "name": "memo", "mimeType": "text/plain", "text": "hi"},
            },
        ],
        "structuredContent": {"a": 1},
        "isError": True,
    }


def test_S003_27_what_is_linked_is_registered() -> None:
    registry = MCPRegistry()
    registry.resource("weather/")(lambda city: city)
    linked = ToolsResult().add_resource_link("weather/Paris", registry, title="Cold")
    assert (linked.type, linked.uri, linked.title) == ("resource_link", "weather/Paris", "Cold")
    with pytest.raises(ValueError, match="'climate' is not found"):
        ToolsResult().add_resource_link("climate", registry)
    with pytest.raises(ValueError, match="registry is required"):
        ToolsResult().add_resource_link("weather/Paris")
    with pytest.raises(ValueError, match="No resource has been defined"):
        ToolsResult().add_resource_link("weather/Paris", MCPRegistry())


def test_an_add_method_returns_the_block_that_it_added(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hi")
    tools, resource, prompts = ToolsResult(), ResourceResult(), PromptsResult("assistant")
    data = {"n": 1}
    added = [
        tools.add_text_content("a", {"priority": 1}),
        tools.add_image_content("AP8=", "image/png"),
        tools.add_audio_content("AP8="),
        tools.add_file(str(tmp_path / "a.txt")),
        tools.add_resource_link("https://example.com/a.png"),
        tools.add_embedded_resource("memo://1", blob="AP8="),
    ]
    assert tools.content_list == added
    assert [one.type for one in added] == ["text", "image", "audio", "resource", "resource_link", "resource"]
    assert added[0].model_dump(exclude_none=True) == {"type": "text", "text": "a", "annotations": {"priority": 1}}
    assert json.loads(added[1].model_dump_json())["annotations"] is None
    assert (added[3].resource.text, added[3].resource.name, added[4].mimeType) == ("hi", "a.txt", "image/png")
    assert tools.add_structured_content(data) is tools.structured_content is data
    assert resource.add_text_content("a", title="t").title == "t"
    assert resource.add_binary_content("AP8=").blob == "AP8="
    assert len(resource.content_list) == 2
    assert prompts.add_text("a", "user").text == "a"
    assert prompts.add_image("AP8=", "image/png").mimeType == "image/png"
    assert [one["role"] for one in prompts.messages] == ["user", "assistant"]
    assert prompts.messages[0]["content"] == {"type": "text", "text": "a", "mimeType": None, "annotations": None}


def test_a_block_may_be_changed_until_it_is_sent() -> None:
    def late() -> ToolsResult:
        result = ToolsResult()
        result.add_text_content("first").text = "second"
        return result

    assert called(late)["content"][0]["text"] == "second"


@pytest.mark.parametrize(
    "add",
    [
        lambda: ToolsResult().add_text_content(""),
        lambda: ToolsResult().add_text_content(5),  # type: ignore[arg-type]
        lambda: ToolsResult().add_image_content(""),
        lambda: ToolsResult().add_image_content("?", "image/png"),
        lambda: ToolsResult().add_embedded_resource("memo://1"),
        lambda: ToolsResult().add_structured_content([1]),
        lambda: ResourceResult().add_text_content(""),
        lambda: ResourceResult().add_binary_content("?"),
        lambda: PromptsResult("system"),
        lambda: PromptsResult().add_text("a", "system"),
        lambda: PromptsResult().add_text(""),
        lambda: PromptsResult().add_audio("AP8=", ""),
        lambda: PromptsResult().add_embedded_resource("memo://1", text="a"),
        lambda: MCPRegistry().add_text_prompt("p", ""),
        lambda: MCPRegistry().add_file_resource(io.StringIO("no URI")),
    ],
)
def test_what_cannot_be_sent_is_a_value_error_where_it_is_added(add: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"must|needs|Either|Invalid|Role|required|mime type|URI"):
        add()


def test_structured_content_is_set_once() -> None:
    result = ToolsResult()
    result.add_structured_content({"a": 1})
    with pytest.raises(ValueError, match="already exists"):
        result.add_structured_content({"a": 2})


def test_a_prompt_embeds_what_the_registry_has() -> None:
    registry = MCPRegistry()
    registry.resource("memo://1", title="Memo")(lambda: contents_of("hi", mime_type="text/plain"))
    result = PromptsResult(resource_container=registry.resource_container)
    block = result.add_embedded_resource("memo://1")
    assert (block.resource.text, block.resource.title, block.resource.mimeType) == ("hi", "Memo", "text/plain")
    with pytest.raises(PromptsResult.ResourceNotFoundError, match="memo://2"):
        result.add_embedded_resource("memo://2")
    with pytest.raises(PromptsResult.ResourceContainerRequiredError, match="resource_container"):
        PromptsResult().add_embedded_resource("memo://1")


def test_S003_29_a_role_is_the_users_unless_it_is_said(tmp_path: Path) -> None:
    """S003-30, S003-31: and a file may be a path or open."""
    (tmp_path / "a.md").write_text("# A")
    registry = MCPRegistry()
    registry.add_text_prompt("a", "text")
    registry.add_text_prompt("b", "text", PromptsResult.Roles.ASSISTANT, "text/x", title="B", description="of b")
    registry.add_file_prompt("c", tmp_path / "a.md", role="assistant", title="C")
    registry.add_file_prompt("d", io.StringIO("open"), description="of d")
    with pytest.raises(ValueError, match="Invalid default role: system"):
        registry.add_text_prompt("e", "text", role="system")
    with pytest.raises(ValueError, match="Invalid default role: system"):
        registry.add_file_prompt("e", tmp_path / "a.md", role="system")
    with pytest.raises(ValueError, match="Unsupported content type"):
        registry.add_file_prompt("e", io.BytesIO(b"%PDF-1.7"))
    serializer = made(registry)
    assert ask(serializer, "prompts/list")["prompts"] == [
        {"name": "a"},
        {"name": "b", "title": "B", "description": "of b"},
        {"name": "c", "title": "C"},
        {"name": "d", "description": "of d"},
    ]
    said = {name: ask(serializer, "prompts/get", name=name) for name in "abcd"}
    assert said == {
        "a": {"messages": [{"role": "user", "content": {"type": "text", "text": "text"}}]},
        "b": {
            "description": "of b",
            "messages": [{"role": "assistant", "content": {"type": "text", "text": "text", "mimeType": "text/x"}}],
        },
        "c": {
            "messages": [
                {"role": "assistant", "content": {"type": "text", "text": "# A", "mimeType": "text/markdown"}}
            ]
        },
        "d": {
            "description": "of d",
            "messages": [{"role": "user", "content": {"type": "text", "text": "open", "mimeType": "text/plain"}}],
        },
    }


def test_S003_32_what_a_prompt_may_return() -> None:
    """S003-35: a text is the user's."""
    text = {"type": "text", "text": "hi"}
    assert prompted(lambda: "hi") == [{"role": "user", "content": text}]
    assert prompted(lambda: ("hi", "assistant")) == [{"role": "assistant", "content": text}]
    assert prompted(lambda: ("hi", PromptsResult.Roles.ASSISTANT)) == [{"role": "assistant", "content": text}]
    result = PromptsResult("assistant")
    result.add_text("hi")
    assert prompted(lambda: result) == [{"role": "assistant", "content": text}]


def test_S003_33_everything_a_prompt_can_add(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    image = {"type": "image", "data": b64encode(PNG).decode(), "mimeType": "image/png"}

    def everything() -> PromptsResult:
        result = PromptsResult(description="told")
        result.add_image(b64encode(PNG).decode(), "image/png", role="assistant")
        result.add_audio(b64encode(WAV).decode(), "audio/wav")
        result.add_file_message(tmp_path / "a.png")
        result.add_file_resource(tmp_path / "a.png", uri="u", name="n", title="t", mime_type="image/x")
        result.add_embedded_resource("memo://1", text="hi", mime_type="text/plain")
        return result

    assert prompted(everything) == [
        {"role": "assistant", "content": image},
        {"role": "user", "content": {"type": "audio", "data": b64encode(WAV).decode(), "mimeType": "audio/wav"}},
        {"role": "user", "content": image},
        {
            "role": "user",
            "content": {
                "type": "resource",
                "resource": {"uri": "u", "name": "n", "title": "t", "mimeType": "image/x", "blob": image["data"]},
            },
        },
        {
            "role": "user",
            "content": {"type": "resource", "resource": {"uri": "memo://1", "mimeType": "text/plain", "text": "hi"}},
        },
    ]


def test_S003_42_pages_of_every_list() -> None:
    """And of two serializers over one registry each has its own."""
    registry = MCPRegistry()
    for name in "abc":
        registry.tool(name)(lambda: "")
        registry.prompt(name)(lambda: "")
        registry.resource(name)(lambda: "")
        registry.resource(name)(lambda x: "")
    for size in (2, 10, 1):
        serializer = made(registry, size)
        for method, key in {
            "tools/list": "tools",
            "prompts/list": "prompts",
            "resources/list": "resources",
            "resources/templates/list": "resourceTemplates",
        }.items():
            found, sizes, more = [], [], {}
            while True:
                page = ask(serializer, method, **more)
                found += [one.get("uri", one["name"])[0] for one in page[key]]
                sizes.append(len(page[key]))
                if "nextCursor" not in page:
                    break
                more = {"cursor": page["nextCursor"]}
            assert "".join(found) == "abc"
            assert sizes == {1: [1, 1, 1], 2: [2, 1], 10: [3]}[size]


def test_S003_38_capabilities_say_what_they_are_told() -> None:
    registry = MCPRegistry()
    registry.tool("t")(lambda: "")
    registry.resource("r")(lambda: "")
    initializer = MCPInitializer("2025-06-18", "Be kind.").add_server_info("test", "1")
    initializer.add_resources(subscribe=True, list_changed=True).add_tools(list_changed=True)
    assert ask(MCPSerializer(initializer, registry), "initialize") == {
        "protocolVersion": "2025-06-18",
        "capabilities": {"resources": {"subscribe": True, "listChanged": True}, "tools": {"listChanged": True}},
        "serverInfo": {"name": "test", "version": "1"},
        "instructions": "Be kind.",
    }


def test_an_initializer_that_fails_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(MCPInitializer):
        def build_result(self, client_params: dict[str, Any]) -> dict[str, Any]:
            raise RuntimeError("a secret")

    error = answered(MCPSerializer(Failing(), MCPRegistry()), "initialize")["error"]
    assert error["code"] == -32603
    assert "secret" not in str(error)
    assert "a secret" in caplog.text


def test_a_client_of_a_later_revision_is_answered_in_its_words(readme: dict[str, Any]) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    result = ask(readme["serializer"], "resources/templates/list", _meta=meta)
    assert result["resourceTemplates"][0]["uriTemplate"] == "resource/weather/{city}"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "My MCP Server"


# The published package's bugs ---------------------------------------------------------------------


def test_B_04_falsy_items_of_a_list_stay() -> None:
    """B-05: so do empty objects, and an empty result."""
    value = {"scores": [0, 5], "flags": [False], "names": [""], "maps": [{}], "items": [None], "e": {}}
    assert exact(called(lambda: value)["structuredContent"]) == exact(value)
    assert called(lambda: {}) == {"content": [], "structuredContent": {}}
    assert exact(called(lambda: structured(value))["structuredContent"]) == exact(value)


def structured(value: Any) -> ToolsResult:
    """A result with structured content only."""
    result = ToolsResult()
    result.add_structured_content(value)
    return result


def test_S003_68_a_member_that_is_none_is_left_out_wherever_data_stands() -> None:
    class Report(BaseModel):
        degrees: float
        note: str | None = None

    value = {"a": None, "b": 0, "deep": [{"c": None, "d": ""}]}
    left = {"b": 0, "deep": [{"d": ""}]}
    assert called(lambda: value)["structuredContent"] == left
    assert called(lambda: structured(value))["structuredContent"] == left
    assert called(lambda: Report(degrees=1))["structuredContent"] == {"degrees": 1.0}


@pytest.mark.parametrize("id", ["abc", "7", 7, -1, ""])
def test_B_06_an_id_comes_back_as_it_was_sent(id: str | int) -> None:
    registry = MCPRegistry()
    registry.tool("t")(lambda: "done")
    request = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t"}}
    context = made(registry).process_request(request)
    assert context.response_data["id"] == id and type(context.response_data["id"]) is type(id)
    assert context.history[0].response.id == context.history[0].request.id == id


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("{bad json", -32700),
        (b"\xff", -32700),
        (object(), -32700),
        ("7", -32600),
        (None, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 7}, -32602),
    ],
)
def test_B_07_nothing_is_raised_out_of_process_request(bad: Any, code: int) -> None:
    context = made(MCPRegistry()).process_request(bad)
    assert context.response_data["error"]["code"] == code
    assert [entry.is_error for entry in context.history] == [True]
    json.dumps(context.response_data)


def test_B_07_a_batch_with_one_bad_item_and_bytes() -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    context = made(MCPRegistry()).process_request(json.dumps([ping, 7, [ping], {"id": 3}]).encode())
    first, *bad = context.response_data
    assert first == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert [(one["error"]["code"], one["id"]) for one in bad] == [(-32600, None), (-32600, None), (-32600, 3)]
    assert len(context.history) == 4


def test_B_08_bad_arguments_can_be_written() -> None:
    def t(a: int) -> str:
        return str(a)

    assert failed(t, a="xyz") == {
        "code": -32602,
        "message": "Invalid parameters for tools",
        "data": {
            "tool_name": "t",
            "arguments": {"a": "xyz"},
            "error": "Failed to cast parameter a to <class 'int'> for function t. "
            "Error: invalid literal for int() with base 10: 'xyz'",
            "invalid_parameter_name": "a",
            "invalid_parameter_value": "xyz",
            "expected_parameter_type": "int",
        },
    }
    assert failed(t, b=1) == {
        "code": -32602,
        "message": "Required parameter not found for tools",
        "data": {
            "tool_name": "t",
            "arguments": {"b": 1},
            "error": "Required parameter a not found for function t",
            "missing_parameter": "a",
        },
    }


def failed(function: Callable[..., Any], /, **arguments: Any) -> Any:
    """The error of a call of a function as a tool."""
    registry = MCPRegistry()
    registry.tool(name="t")(function)
    return answered(made(registry), "tools/call", name="t", arguments=arguments)["error"]


def test_arguments_are_cast_and_unknown_ones_ignored() -> None:
    def t(a: str, b: int = 0, c: bool = False, d: list[str] | None = None, e=None) -> str:  # type: ignore[no-untyped-def]
        return repr((a, b, c, d, e))

    def text(**arguments: Any) -> Any:
        return called(t, **arguments)["content"][0]["text"]

    assert text(a=5, unknown=1) == "('5', 0, False, None, None)"
    assert text(a="x", b="7", c="yes", d=["a", 1], e=5) == "('x', 7, True, ['a', '1'], '5')"
    assert text(a="x", b=3.7, c="off", d="single") == "('x', 3, False, ['single'], None)"
    assert text(a=None, d=None) == "('None', 0, False, None, None)"


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (5, str, "5"),
        (3.7, int, 3),
        ("maybe", bool, True),
        ("0", bool, False),
        ("[1, 2]", list[int], [1, 2]),
        (["1", 2.0], list[int], [1, 2]),
        ("x", list[str], ["x"]),
        (1, set[str], {"1"}),
        ('{"a": "1"}', dict[str, int], {"a": 1}),
        ({"a": 2.5}, dict[str, int], {"a": 2}),
        (2.5, int | None, 2),
        (None, int | None, None),
        ([1], int | str, "[1]"),
    ],
)
def test_a_value_is_cast_to_what_it_can_be_made_into(value: Any, hint: Any, expected: Any) -> None:
    found = cast(value, hint)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(("value", "hint"), [("x", int), (None, int), ("x", dict[str, int]), ("x", int | float)])
def test_a_value_that_cannot_be_cast_is_refused(value: Any, hint: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        cast(value, hint)


def test_a_docstring_has_a_title_where_its_first_line_is_alone() -> None:
    def two() -> str:
        """First
        second

        third

        Args:
            x: none
        """
        return ""

    def one() -> str:
        """Only this"""
        return ""

    registry = MCPRegistry()
    registry.tool()(one)
    registry.tool()(two)
    registry.prompt()(two)
    listed = ask(made(registry), "tools/list")["tools"] + ask(made(registry), "prompts/list")["prompts"]
    assert [(tool.get("title"), tool.get("description")) for tool in listed] == [
        ("Only this", None),
        (None, "First second third"),
        (None, "First second third"),
    ]


def test_a_file_has_the_type_that_mcp_serializer_gives_it(tmp_path: Path) -> None:
    for name in ("a.yaml", "a.rs", "a.md"):
        (tmp_path / name).write_text("x")
    blocks = [ToolsResult().add_file(tmp_path / name) for name in ("a.yaml", "a.rs", "a.md")]
    assert [block.resource.mimeType for block in blocks] == ["text/yaml", "text/x-rust", "text/markdown"]


def test_a_slash_at_the_end_of_a_uri_makes_no_difference() -> None:
    registry = MCPRegistry()
    registry.resource("a/")(lambda: contents_of("a"))
    registry.resource("b")(lambda: contents_of("b"))
    serializer = made(registry)
    found = [ask(serializer, "resources/read", uri=uri)["contents"][0]["text"] for uri in ("a", "a/", "b", "b/")]
    assert found == ["a", "a", "b", "b"]


def test_a_parameter_without_a_hint_is_a_text() -> None:
    registry = MCPRegistry()
    registry.tool("t")(lambda word: word)
    (tool,) = ask(made(registry), "tools/list")["tools"]
    assert tool["inputSchema"]["properties"] == {"word": {"type": "string"}}


def test_B_09_pictures_and_sounds(tmp_path: Path) -> None:
    registry = MCPRegistry()
    for name, data in {"x.png": PNG, "x.wav": WAV}.items():
        (tmp_path / name).write_bytes(data)
        uri = registry.add_file_resource(str(tmp_path / name)).uri
        (found,) = ask(made(registry), "resources/read", uri=uri)["contents"]
        assert found["blob"] == b64encode(data).decode()
        assert found["name"] == name


def test_B_10_parameters_of_every_type() -> None:
    def f(x: int | None = None, y: Literal["a", "b"] = "a", z: Any = None) -> str:
        return f"{x} {y} {z}"

    assert called(f, x=3, y="b", z=[1])["content"][0]["text"] == "3 b [1]"
    assert called(f, x=None)["content"][0]["text"] == "None a None"


def test_a_function_that_fails_is_an_error_of_its_kind(caplog: pytest.LogCaptureFixture) -> None:
    """B-34: the codes and the text of the exception are those of mcp-serializer; a traceback is not sent."""

    def broken(x: str) -> str:
        raise RuntimeError("no connection")

    registry = MCPRegistry()
    registry.tool()(broken)
    registry.prompt()(broken)
    registry.resource("broken")(broken)
    serializer = made(registry)
    text = "Failed to call function broken. Error: no connection"
    params = {"name": "broken", "arguments": {"x": "1"}}
    assert answered(serializer, "tools/call", **params)["error"] == {
        "code": -32001,
        "message": "Tools call error",
        "data": {"tool_name": "broken", "arguments": {"x": "1"}, "error": text},
    }
    assert answered(serializer, "prompts/get", **params)["error"] == {
        "code": -32006,
        "message": "Prompts call error",
        "data": {"prompt_name": "broken", "arguments": {"x": "1"}, "error": text},
    }
    assert answered(serializer, "resources/read", uri="broken/1")["error"] == {
        "code": -32003,
        "message": "Resources fetch error",
        "data": {"uri": "broken/1", "error": text},
    }
    assert caplog.text.count("RuntimeError: no connection") == 3


def test_a_value_that_cannot_be_sent_is_an_internal_error() -> None:
    registry = MCPRegistry()
    registry.tool("t")(lambda: 42)
    registry.prompt("p")(lambda: 42)
    registry.resource("r")(lambda: 42)
    serializer = made(registry)
    data = {"error": "Unsupported result type: <class 'int'>", "error_type": "UnsupportedResultTypeError"}
    expected = {"code": -32603, "message": "Internal error", "data": data}
    assert answered(serializer, "tools/call", name="t")["error"] == expected
    assert answered(serializer, "prompts/get", name="p")["error"] == expected
    changed = expected | {"message": "Feature returned unsupported type. Check return values."}
    assert answered(serializer, "resources/read", uri="r")["error"] == changed
    assert failed(lambda: "\ud800")["data"]["error_type"] == "UnicodeEncodeError"
    not_a_number = failed(lambda: {"a": float("nan")})
    assert (not_a_number["code"], "$.a" in not_a_number["data"]["error"]) == (-32603, True)


def test_names_that_do_not_exist_have_errors_of_their_kind() -> None:
    registry = MCPRegistry()
    serializer = made(registry)
    for method in ("tools/list", "tools/call", "prompts/list", "resources/list", "resources/templates/list"):
        error = answered(serializer, method, name="x")["error"]
        assert error == {"code": -32601, "message": "Method not found", "data": {"method": method}}
    registry.tool("t")(lambda: "")
    registry.prompt("p")(lambda: "")
    registry.resource("r")(lambda: "")
    assert answered(serializer, "tools/call", name="x", arguments={"a": 1})["error"] == {
        "code": -32002,
        "message": "Could not find tool",
        "data": {"tool_name": "x", "arguments": {"a": 1}, "error": "Key x not found"},
    }
    assert answered(serializer, "prompts/get", name="x")["error"] == {
        "code": -32007,
        "message": "Could not find prompt",
        "data": {"prompt_name": "x", "error": "Key x not found"},
    }
    assert answered(serializer, "resources/read", uri="x")["error"]["code"] == -32004


def test_structured_data_has_the_names_of_fields() -> None:
    class Report(BaseModel):
        degrees: float = Field(alias="deg", description="Celsius")
        note: str | None = None
        count: int = 3

    def report() -> Report:
        return Report(deg=1)

    registry = MCPRegistry()
    registry.tool()(report)
    serializer = made(registry)
    assert ask(serializer, "tools/call", name="report")["structuredContent"] == {"degrees": 1.0, "count": 3}
    assert ask(serializer, "tools/list")["tools"][0]["outputSchema"] == {
        "type": "object",
        "properties": {
            "degrees": {"type": "number", "description": "Celsius"},
            "note": {"type": "string"},
            "count": {"type": "integer", "default": 3},
        },
        "required": ["degrees"],
    }


def test_B_35_what_a_listing_lacked() -> None:
    """Its template key and the missing name are in the README (S003-61, S003-63), and stay."""
    registry = MCPRegistry()
    registry.tool(annotations={"readOnlyHint": True})(only)
    (tool,) = ask(made(registry), "tools/list")["tools"]
    assert tool == {
        "name": "only",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    }
    for audience in (["user"], "user"):
        told = {"audience": audience}
        (found,) = read(lambda told=told: contents_of("a", annotations=told))
        assert found["annotations"] == {"audience": ["user"]}


def only() -> str:
    return ""


@pytest.mark.parametrize(
    ("uri", "code"), [("weather/zzz", -32004), ("w/paris", -32005), ("w/paris/monday/noon", -32004), ("w", -32005)]
)
def test_B_36_a_template_is_matched_whole(uri: str, code: int) -> None:
    registry = MCPRegistry()

    async def weather(city: str, day: str) -> ResourceResult:
        return contents_of(f"{city}, {day}")

    registry.resource("w/")(weather)
    serializer = made(registry)
    error = answered(serializer, "resources/read", uri=uri)["error"]
    assert (error["code"], error["data"]["uri"]) == (code, uri)
    assert error["data"].get("missing_parameter") == {"w": "city", "w/paris": "day"}.get(uri)
    (found,) = ask(serializer, "resources/read", uri="w/S%C3%A3o%20Paulo/monday")["contents"]
    assert found["text"] == "São Paulo, monday"


def test_B_37_what_every_server_answers() -> None:
    registry = MCPRegistry()
    registry.tool("t")(lambda: "done")
    serializer = made(registry)

    def code(request: dict[str, Any]) -> int:
        found: int = serializer.process_request(request).response_data["error"]["code"]
        return found

    assert ask(serializer, "ping") == {}
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": None}
    assert serializer.process_request(listed).response_data["result"]["tools"]
    assert ask(serializer, "tools/call", name="t", arguments=None)["content"][0]["text"] == "done"
    assert answered(serializer, "tools/list", cursor="nonsense")["error"]["code"] == -32602
    assert code({"jsonrpc": "1.0", "id": 1, "method": "ping"}) == -32600
    assert code({"jsonrpc": "2.0", "id": 1}) == -32600


def test_B_38_a_batch_of_one_and_of_none() -> None:
    serializer = made(MCPRegistry())
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert serializer.process_request([ping]).response_data == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert serializer.process_request([]).response_data["error"]["code"] == -32600
    assert serializer.process_request([{"jsonrpc": "2.0", "method": "notifications/x"}]).response_data is None


def test_B_39_what_is_registered_later_is_announced() -> None:
    registry = MCPRegistry()
    serializer = made(registry)
    first = ask(serializer, "initialize")
    assert first["capabilities"] == {}
    first["serverInfo"]["name"] = "changed by the caller"
    assert set(serializer.initializer.capabilities) == {"tools", "resources", "prompts"}
    registry.tool("t")(lambda: "")
    second = ask(serializer, "initialize")
    assert second["capabilities"] == {"tools": {"listChanged": False}}
    assert second["serverInfo"]["name"] == "test"


def test_B_40_any_parameter_any_function_one_listing(tmp_path: Path) -> None:
    def f(func_name: str, name: str, self_: str = "") -> str:
        return f"{func_name} {name}"

    async def later(x: int, context: Context) -> str:
        return f"{x} later"

    assert called(f, func_name="a", name="b")["content"][0]["text"] == "a b"
    assert called(later, x=1)["content"][0]["text"] == "1 later"
    registry = MCPRegistry()
    for answer in ("first", "second"):
        registry.tool("same")(lambda answer=answer: answer)
        registry.add_text_prompt("same", answer)
        (tmp_path / "a.txt").write_text(answer)
        registry.add_file_resource(tmp_path / "a.txt", uri="memo://a")
    serializer = made(registry)
    assert len(ask(serializer, "tools/list")["tools"]) == len(ask(serializer, "prompts/list")["prompts"]) == 1
    assert ask(serializer, "tools/call", name="same")["content"][0]["text"] == "second"
    (found,) = ask(serializer, "resources/read", uri="memo://a")["contents"]
    assert (found["uri"], found["text"]) == ("memo://a", "second")


def test_S003_22_a_model_declared_is_a_schema_and_a_model_not_declared_is_data() -> None:
    class Report(BaseModel):
        degrees: float
        note: str | None = None

    def declared() -> Report:
        return Report(degrees=1)

    registry = MCPRegistry()
    registry.tool("declared")(declared)
    registry.tool("not_declared")(lambda: Report(degrees=1))
    serializer = made(registry)
    with_schema, without = ask(serializer, "tools/list")["tools"]
    assert with_schema["outputSchema"]["required"] == ["degrees"]
    assert "outputSchema" not in without
    for name in ("declared", "not_declared"):
        result = ask(serializer, "tools/call", name=name)
        assert result == {"content": [], "structuredContent": {"degrees": 1.0}}
