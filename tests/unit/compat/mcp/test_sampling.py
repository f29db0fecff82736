"""Which messages a session of the official SDK sends to a model."""

from typing import Any

import pytest

from plainmcp.compat.mcp.sampling import check_messages


def message(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


TEXT = {"type": "text", "text": "hi"}
USE = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "1", "content": []}


@pytest.mark.parametrize(
    "messages",
    [[], [{"role": "user", "content": TEXT}], [message(TEXT), message(TEXT)], [message(TEXT, USE), message(RESULT)]],
)
def test_messages_that_fit_together_are_sent(messages: list[Any]) -> None:
    check_messages(messages)


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([message(USE), message(RESULT, TEXT)], "only tool_result content"),
        ([message(RESULT)], "requires a previous message"),
        ([message(TEXT), message(RESULT)], "do not match any tool_use"),
        ([message(USE), message({**RESULT, "toolUseId": "2"})], "ids of tool_result blocks"),
        ([message(USE), message(TEXT)], "ids of tool_result blocks"),
    ],
)
def test_results_of_tools_belong_to_the_message_before(messages: list[Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_messages(messages)
