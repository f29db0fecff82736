"""Whole messages as the official SDK has them, for transports of a program's own."""

from typing import Any

import pytest

from plainmcp.compat.mcp import types


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"id": 1, "method": "ping"}, types.JSONRPCRequest),
        ({"method": "notifications/initialized"}, types.JSONRPCNotification),
        ({"id": 1, "result": {}}, types.JSONRPCResponse),
        ({"id": 1, "error": {"code": -32601, "message": "no"}}, types.JSONRPCError),
    ],
)
def test_a_message_has_the_class_that_its_members_show(message: dict[str, Any], kind: type) -> None:
    read = types.JSONRPCMessage.model_validate({"jsonrpc": "2.0", **message})
    assert type(read) is kind and read.root is read
    again = types.JSONRPCMessage.model_validate_json(read.model_dump_json(by_alias=True, exclude_none=True))
    assert again == read and again.jsonrpc == "2.0"


def test_a_message_in_an_envelope_of_mcp_1_is_the_message() -> None:
    request = types.JSONRPCRequest(id=1, method="ping")
    assert types.JSONRPCMessage(request) is request
