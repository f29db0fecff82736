"""`custom_route` of both SDKs and of FastMCP: handlers get a request of Starlette, which may be missing (D13)."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse

from plainmcp.compat import custom_route
from plainmcp.compat.fastmcp import FastMCP as FastMCP4
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from talking import Program

KINDS = pytest.mark.parametrize("kind", [FastMCP, MCPServer, FastMCP4])


def get(server: Any, path: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(server.asgi(path="/mcp"))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get(path)

    return asyncio.run(ask())


@KINDS
def test_a_handler_gets_a_request_of_starlette_without_a_hint_too(kind: Any) -> None:
    """D13. Async and plain functions, and objects that are called."""
    mcp = kind("shop")

    @mcp.custom_route("/async/{name}", methods=["GET"])
    async def answer(request):  # type: ignore[no-untyped-def]
        assert type(request) is Request
        return JSONResponse({"name": request.path_params["name"], "q": request.query_params["q"]})

    @mcp.custom_route("/plain", methods=["GET"])
    def answer_plainly(request: "Request") -> Any:
        return JSONResponse(request.url.path)

    class Answering:
        async def __call__(self, request: Any) -> Any:
            return JSONResponse(type(request).__name__)

    mcp.custom_route("/object", methods=["GET"])(Answering())
    assert get(mcp, "/async/tea?q=1").json() == {"name": "tea", "q": "1"}
    assert get(mcp, "/plain").json() == "/plain" and get(mcp, "/object").json() == "Request"
    assert answer.__name__ == "answer"


@KINDS
def test_without_starlette_a_route_says_what_to_install_when_it_is_used(
    kind: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """D13. And not before: the server may be one on standard input and output."""
    monkeypatch.setattr(custom_route, "find_spec", lambda name: None)
    mcp = kind("shop")

    @mcp.custom_route("/health", methods=["GET"])
    async def health(request: Any) -> Any:
        raise NotImplementedError

    with caplog.at_level(logging.ERROR):
        assert get(mcp, "/health").status_code == 500
    assert "needs Starlette, which is not installed: pip install starlette; @server.route" in caplog.text


SERVER = """
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("shop")


@mcp.custom_route("/health", methods=["GET"])
async def health(request):
    from starlette.responses import PlainTextResponse
    return PlainTextResponse("well")


@mcp.tool()
def look() -> str:
    return "here"
"""
RUN = """
import sys
from plainmcp.cli.main import main

sys.modules["starlette"] = None  # as if it were not installed
sys.exit(main(["serve", "--drop-in", "server.py"]))
"""


@pytest.mark.slow
def test_a_server_on_standard_input_and_output_does_not_need_starlette(tmp_path: Path) -> None:
    """D13. Its routes are not served there."""
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    (tmp_path / "run.py").write_text(RUN, "utf-8")
    with Program(tmp_path / "run.py", cwd=tmp_path) as program:
        program.shake_hands()
        program.call(1, "look")
        assert program.answer(1)["result"]["content"][0]["text"] == "here"
        assert program.hang_up() == 0
