"""The names of mcp-serializer: change the imports, and a program gives the JSON it gave before.

Protocol, schemas and lists are those of plainmcp with the policy "serializer". Here is what that package does in its
own way: builders in results, arguments and failures in calls and casting, differences of responses in serializers.

>>> registry = MCPRegistry()
>>> @registry.tool()
... def greet(name: str):
...     return f"Hello, {name}!"
>>> serializer = MCPSerializer(MCPInitializer().add_server_info("greeter", "1.0").add_tools(), registry)
>>> call = {"name": "greet", "arguments": {"name": "Ada"}}
>>> answer = serializer.process_request({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
>>> answer.response_data["result"]
{'content': [{'type': 'text', 'text': 'Hello, Ada!'}]}
"""

from .blocks import (
    AnnotationSchema,
    AudioContent,
    BinaryContentSchema,
    EmbeddedResource,
    ImageContent,
    ResourceLinkContent,
    TextContent,
    TextContentSchema,
)
from .initializer import MCPInitializer
from .registry import MCPRegistry
from .resources import ResourceContainer
from .results import PromptsResult, ResourceResult, ToolsResult
from .serializers import (
    JsonRpcError,
    JsonRpcErrorResponse,
    JsonRpcRequest,
    JsonRpcSuccessResponse,
    MCPSerializer,
    ResponseContext,
    ResponseEntry,
)

__all__ = [
    "AnnotationSchema",
    "AudioContent",
    "BinaryContentSchema",
    "EmbeddedResource",
    "ImageContent",
    "JsonRpcError",
    "JsonRpcErrorResponse",
    "JsonRpcRequest",
    "JsonRpcSuccessResponse",
    "MCPInitializer",
    "MCPRegistry",
    "MCPSerializer",
    "PromptsResult",
    "ResourceContainer",
    "ResourceLinkContent",
    "ResourceResult",
    "ResponseContext",
    "ResponseEntry",
    "TextContent",
    "TextContentSchema",
    "ToolsResult",
]
