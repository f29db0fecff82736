"""Requests as objects: what is read and written is what the official SDK reads and writes."""

from typing import Any

import mcp_types
import pytest

from plainmcp.compat.mcp import more_types, request_types

INFO = {"name": "a", "version": "1"}
ASKED = {"type": "object", "properties": {"size": {"type": "integer"}}}
MESSAGES = [{"role": "user", "content": {"type": "text", "text": "a"}}]
REQUESTS: dict[str, dict[str, Any]] = {
    "PingRequest": {"method": "ping"},
    "ListToolsRequest": {"method": "tools/list", "params": {"cursor": "a"}},
    "CallToolRequest": {"method": "tools/call", "params": {"name": "a", "arguments": {"b": [1, None]}}},
    "ListPromptsRequest": {"method": "prompts/list"},
    "GetPromptRequest": {"method": "prompts/get", "params": {"name": "a", "arguments": {"b": "c"}}},
    "ReadResourceRequest": {"method": "resources/read", "params": {"uri": "a://b"}},
    "SubscribeRequest": {"method": "resources/subscribe", "params": {"uri": "a://b"}},
    "SetLevelRequest": {"method": "logging/setLevel", "params": {"level": "error"}},
    "CompleteRequest": {
        "method": "completion/complete",
        "params": {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "b", "value": "c"}},
    },
    "CreateMessageRequest": {
        "method": "sampling/createMessage",
        "params": {"messages": MESSAGES, "maxTokens": 10, "modelPreferences": {"hints": [{"name": "a"}]}},
    },
    "ElicitRequest": {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "a", "requestedSchema": ASKED},
    },
    "ListRootsRequest": {"method": "roots/list"},
    "InitializeRequest": {
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": INFO},
    },
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_read_and_written_as_there(name: str) -> None:
    module = request_types if hasattr(request_types, name) else more_types
    dumped = [
        getattr(types, name).model_validate(REQUESTS[name]).model_dump(by_alias=True, exclude_none=True, mode="json")
        for types in (module, mcp_types)
    ]
    assert dumped[0] == dumped[1] == REQUESTS[name]


@pytest.mark.parametrize("name", ["CallToolRequestParams", "ReadResourceRequestParams", "SetLevelRequestParams"])
def test_parameters_without_what_they_need_are_refused_as_there(name: str) -> None:
    for types in (request_types, mcp_types):
        with pytest.raises(ValueError):
            getattr(types, name).model_validate({})
