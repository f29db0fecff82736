"""`mcp.server.validation`: what a client's model can be asked with tools."""

from typing import Any

from ..exceptions import McpError
from ..sampling import check_messages
from ..types import INVALID_PARAMS
from ..wire_model import to_wire

__all__ = ["check_sampling_tools_capability", "validate_sampling_tools", "validate_tool_use_result_messages"]


def check_sampling_tools_capability(client_caps: Any) -> bool:
    """Whether a client takes tools in questions to its model."""
    return getattr(getattr(client_caps, "sampling", None), "tools", None) is not None


def validate_sampling_tools(client_caps: Any, tools: Any, tool_choice: Any) -> None:
    """Refuse tools for a client that does not take any; raises McpError."""
    if (tools is not None or tool_choice is not None) and not check_sampling_tools_capability(client_caps):
        raise McpError(INVALID_PARAMS, "Client does not support sampling tools capability")


def validate_tool_use_result_messages(messages: list[Any]) -> None:
    """Refuse results of tools that do not belong to the message before them; raises ValueError."""
    check_messages([to_wire(one) for one in messages])
