"""mcp-serializer's names: change the imports, and what was written for that package answers the same JSON.

Names and quirks only; every rule is plainmcp's own, under the policy "serializer". The quirks that are no choice of
a policy are put into the finished answer, a method at a time: see MCPSerializer.

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

from .answering import (
    JsonRpcError,
    JsonRpcErrorResponse,
    JsonRpcRequest,
    JsonRpcSuccessResponse,
    MCPSerializer,
    ResponseContext,
    ResponseEntry,
)
from .registry import MCPInitializer, MCPRegistry
from .results import PromptsResult, ResourceResult, ToolsResult

__all__ = [
    "JsonRpcError",
    "JsonRpcErrorResponse",
    "JsonRpcRequest",
    "JsonRpcSuccessResponse",
    "MCPInitializer",
    "MCPRegistry",
    "MCPSerializer",
    "PromptsResult",
    "ResourceResult",
    "ResponseContext",
    "ResponseEntry",
    "ToolsResult",
]
