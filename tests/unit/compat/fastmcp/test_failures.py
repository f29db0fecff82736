"""What FastMCP's facade logs of failures: the level of the error, and a traceback only for the unexpected."""

import logging

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.fastmcp.exceptions import ResourceError, ToolError
from plainmcp.testing import Client


def test_failures_are_logged_at_their_level(caplog: pytest.LogCaptureFixture) -> None:
    mcp = FastMCP("x")

    @mcp.tool
    def expected() -> str:
        raise ToolError("not today", log_level=logging.WARNING)

    @mcp.tool
    def unexpected() -> str:
        raise KeyError("key")

    @mcp.resource("memo://a")
    def broken() -> str:
        raise ResourceError("gone")

    client = Client(mcp)
    assert client.call("expected")["content"][0]["text"] == "not today"
    assert client.call("unexpected")["content"][0]["text"] == "Error calling tool 'unexpected': 'key'"
    with pytest.raises(Exception, match="gone"):
        client.read("memo://a")
    logged = [(one.levelname, one.getMessage(), bool(one.exc_info)) for one in caplog.records]
    assert logged == [
        ("WARNING", "Error calling tool 'expected'", False),
        ("ERROR", "Error calling tool 'unexpected'", True),
        ("ERROR", "Error reading resource 'memo://a'", False),
    ]
