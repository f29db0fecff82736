"""The dependencies of FastMCP, and the functions that return what is current."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from plainmcp.compat.fastmcp import Context, FastMCP, get_context
from plainmcp.compat.fastmcp.dependencies import (
    CurrentAccessToken,
    CurrentContext,
    CurrentFastMCP,
    CurrentHeaders,
    CurrentRequest,
    Depends,
    Progress,
    TokenClaim,
)
from plainmcp.compat.fastmcp.server.dependencies import (
    get_access_token,
    get_http_headers,
    get_http_request,
    get_server,
)
from plainmcp.testing import Client

REVISION = "2025-11-25"


def test_every_kind_of_function_can_be_depended_on() -> None:
    events: list[str] = []

    def plain() -> str:
        events.append("plain")
        return get_context().fastmcp.name

    async def waiting(ctx: Context, inner: str = Depends(plain)) -> str:
        return f"{ctx.fastmcp.name} {inner}"

    def generator(ctx: Context) -> Iterator[str]:
        yield f"{ctx.fastmcp.name} open"
        events.append("generator closed")

    @asynccontextmanager
    async def opened() -> AsyncIterator[str]:
        yield "opened"
        events.append("opened closed")

    @contextmanager
    def managed() -> Iterator[str]:
        yield "managed"
        events.append("managed closed")

    server = FastMCP("deps")

    @server.tool
    async def all_of_them(
        n: int,
        a: str = Depends(plain),
        b: str = Depends(waiting),
        c: str = Depends(generator),
        d: str = Depends(opened),
        e: str = Depends(managed),
        ctx: Context = CurrentContext(),  # noqa: B008
        s: Any = CurrentFastMCP(),  # noqa: B008
        p: Any = Progress(),  # noqa: B008
    ) -> list[Any]:
        await p.set_total(2)
        await p.increment()
        assert s is ctx.fastmcp is get_server() is server
        return [n, a, b, c, d, e]

    client = Client(server, REVISION)
    assert list(client.list_tools()[0]["inputSchema"]["properties"]) == ["n"]
    assert client.call("all_of_them", n=1)["content"][0]["text"] == (
        '[1,"deps","deps deps","deps open","opened","managed"]'
    )
    assert events == ["plain", "managed closed", "opened closed", "generator closed"]


def test_outside_of_a_request_there_is_nothing() -> None:
    assert (get_http_headers(), get_access_token()) == ({}, None)
    with pytest.raises(RuntimeError, match="No active HTTP request"):
        get_http_request()
    with pytest.raises(RuntimeError, match="No active context"):
        get_server()


async def ask(app: Any, headers: dict[str, str]) -> Any:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "show",
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            },
        },
    }
    more = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "show",
    }
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        answer = await client.post("/mcp?tenant=x&tenant=a%20b&flag=", json=message, headers={**more, **headers})
        return answer.json()["result"]["structuredContent"]


def test_headers_the_request_and_the_caller_are_found_over_http() -> None:
    import asyncio

    server = FastMCP("http")

    @server.tool
    async def show(
        ctx: Context,
        request: Any = CurrentRequest(),  # noqa: B008
        headers: Any = CurrentHeaders(),  # noqa: B008
        token: Any = CurrentAccessToken(),  # noqa: B008
        claim: str = TokenClaim("sub"),
    ) -> dict[str, Any]:
        assert get_http_request().headers["X-Custom"] == request.headers["x-custom"] == headers["x-custom"]
        assert get_access_token() is token
        return {
            "safe": get_http_headers().get("authorization"),
            "asked": get_http_headers(include={"Authorization"})["authorization"],
            "custom": ctx.request_context.request.headers.get("X-CUSTOM"),
            "cookie": request.cookies,
            "query": dict(request.query_params),
            "claim": claim,
            "transport": ctx.transport,
        }

    def principal(scope: Any) -> Any:
        return SimpleNamespace(token="t", claims={"sub": "ann"})

    app = server.http_app(principal=principal)
    shown = asyncio.run(ask(app, {"authorization": "Bearer x", "x-custom": "yes", "cookie": "a=1; b=2"}))
    assert shown == {
        "safe": None,
        "asked": "Bearer x",
        "custom": "yes",
        "cookie": {"a": "1", "b": "2"},
        "query": {"tenant": "a b", "flag": ""},
        "claim": "ann",
        "transport": "streamable-http",
    }


def test_a_dependency_takes_values_for_its_parameters() -> None:
    mcp = FastMCP("x")

    def region() -> str:
        raise NotImplementedError

    def bucket(scheme: str, place: str = Depends(region)) -> str:
        return f"{scheme}://{place}"

    @mcp.tool
    def store(data: str, url: str = Depends(bucket, scheme="s3", place="north")) -> str:
        return url

    assert Client(mcp).call("store", data="a")["structuredContent"] == {"result": "s3://north"}
