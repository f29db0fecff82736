"""The rules for results of tools in messages for a model, which the official SDK checks before it sends them."""

from typing import Any

__all__ = ["check_messages"]


def check_messages(messages: list[Any]) -> None:
    """Refuse a last message whose tool results do not belong to the message before it; raises ValueError."""
    last, before = _blocks_of(messages, -1), _blocks_of(messages, -2)
    results = [one for one in last if one.get("type") == "tool_result"]
    uses = [one for one in before if one.get("type") == "tool_use"]
    if results and len(results) < len(last):
        raise ValueError("The last message must contain only tool_result content if any is present")
    if results and len(messages) < 2:
        raise ValueError("tool_result requires a previous message containing tool_use")
    if results and not uses:
        raise ValueError("tool_result blocks do not match any tool_use in the previous message")
    if uses and {one.get("id") for one in uses} != {one.get("toolUseId") for one in results}:
        raise ValueError("ids of tool_result blocks and tool_use blocks from previous message do not match")


def _blocks_of(messages: list[Any], at: int) -> list[dict[str, Any]]:
    if len(messages) < -at:
        return []
    content = messages[at].get("content")
    return [one for one in (content if isinstance(content, list) else [content]) if isinstance(one, dict)]
