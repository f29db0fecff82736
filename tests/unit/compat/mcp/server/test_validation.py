"""Questions to a model with tools, as the official SDK checks them."""

from typing import Any

import mcp_types
import pytest
from mcp.server import validation as official
from mcp.shared.exceptions import MCPError

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.server.validation import (
    check_sampling_tools_capability,
    validate_sampling_tools,
    validate_tool_use_result_messages,
)
from plainmcp.compat.mcp.shared.exceptions import McpError

CAPABILITIES: list[dict[str, Any] | None] = [None, {}, {"sampling": {}}, {"sampling": {"tools": {}}}]
TEXT = {"type": "text", "text": "a"}
USE = {"type": "tool_use", "id": "1", "name": "echo", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "1", "content": []}
CONVERSATIONS: dict[str, list[Any]] = {
    "none": [],
    "a text": [TEXT],
    "a use and its result": [[USE], [RESULT]],
    "a result without a use": [[RESULT]],
    "a result after a text": [[TEXT], [RESULT]],
    "a result beside a text": [[USE], [RESULT, TEXT]],
    "a result of another use": [[USE], [{**RESULT, "toolUseId": "2"}]],
    "a use without a result": [[USE], [TEXT]],
    "one of two results": [[USE, {**USE, "id": "2"}], [RESULT]],
}


@pytest.mark.parametrize("capabilities", CAPABILITIES)
def test_a_client_takes_tools_if_it_does_there(capabilities: dict[str, Any] | None) -> None:
    ours = None if capabilities is None else types.ClientCapabilities.model_validate(capabilities)
    theirs = None if capabilities is None else mcp_types.ClientCapabilities.model_validate(capabilities)
    assert check_sampling_tools_capability(ours) == official.check_sampling_tools_capability(theirs)
    validate_sampling_tools(ours, None, None)
    try:
        official.validate_sampling_tools(theirs, [], None)
    except MCPError as error:
        with pytest.raises(McpError) as refused:
            validate_sampling_tools(ours, [], None)
        assert (refused.value.error.code, refused.value.error.message) == (error.error.code, error.error.message)
    else:
        validate_sampling_tools(ours, [], None)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_refused_as_there(name: str) -> None:
    parts = [{"role": ("assistant", "user")[at % 2], "content": one} for at, one in enumerate(CONVERSATIONS[name])]
    ours = [types.SamplingMessage.model_validate(part) for part in parts]
    theirs = [mcp_types.SamplingMessage.model_validate(part) for part in parts]
    try:
        official.validate_tool_use_result_messages(theirs)
    except ValueError:
        with pytest.raises(ValueError):
            validate_tool_use_result_messages(ours)
    else:
        validate_tool_use_result_messages(ours)
