"""Arguments that do not fit, in the log of each package."""

import logging

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.mcp.server.fastmcp import FastMCP as FastMCP1
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.testing import Client


@pytest.mark.parametrize(
    ("server", "lines"),
    [
        (FastMCP("x"), ["Invalid arguments for tool 'add'"]),
        (FastMCP1("x"), []),
        (MCPServer("x"), ["Tool 'add' rejected arguments: ['a', 'b']"]),
    ],
)
def test_a_call_with_arguments_that_do_not_fit_is_one_line_without_values(
    server: FastMCP | FastMCP1 | MCPServer, lines: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    @server.tool()
    def add(a: int, b: int) -> int:
        return a + b

    with caplog.at_level(logging.INFO):
        assert Client(server).call("add", a="secret")["isError"]
        assert Client(server).call("add", a=1, b=2)["structuredContent"] == {"result": 3}
    assert [one.getMessage() for one in caplog.records] == lines
