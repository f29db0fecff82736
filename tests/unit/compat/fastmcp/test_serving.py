"""How a server of FastMCP is served: applications, routes, and use inside a program."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.middleware import Middleware as AsgiMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse

from plainmcp.compat.fastmcp import FastMCP, NotFoundError, ToolError
from plainmcp.compat.fastmcp.prompts import Message, PromptResult
from plainmcp.compat.fastmcp.resources import ResourceContent, ResourceResult
from plainmcp.compat.fastmcp.server.http import create_sse_app, create_streamable_http_app
from plainmcp.compat.fastmcp.utilities.lifespan import combine_lifespans
from plainmcp.compat.mcp.types import TextContent


async def get(app: Any, path: str) -> tuple[int, Any]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        answer = await client.get(path)
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return answer.status_code, answer.json() if is_json else answer.headers.get("x-seen")


def test_an_application_has_routes_middleware_and_the_lifespan_of_the_server() -> None:
    events: list[str] = []

    @asynccontextmanager
    async def live(server: FastMCP) -> AsyncIterator[dict[str, str]]:
        events.append("start")
        yield {"a": "b"}
        events.append("end")

    server, sub = FastMCP("served", lifespan=live), FastMCP("sub")

    @server.custom_route("/health", methods=["GET"])
    async def health(request: Request) -> JSONResponse:
        return JSONResponse({"path": request.url.path})

    @sub.custom_route("/sub", methods=["GET"])
    async def of_sub(request: Request) -> JSONResponse:
        return JSONResponse({"sub": True})

    server.mount(sub)

    class Seen:
        def __init__(self, app: Any, name: str) -> None:
            self.app, self.name = app, name

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            async def send_seen(message: Any) -> None:
                if message["type"] == "http.response.start":
                    message["headers"] = [*message["headers"], (b"x-seen", self.name.encode())]
                await send(message)

            await self.app(scope, receive, send_seen)

    app = server.http_app(middleware=[AsgiMiddleware(Seen, name="yes")])

    async def run() -> list[Any]:
        async with app.lifespan(app):
            events.append("serve")
            return [await get(app, path) for path in ("/health", "/sub", "/none")]

    assert asyncio.run(run()) == [(200, {"path": "/health"}), (200, {"sub": True}), (404, "yes")]
    assert events == ["start", "serve", "end"]


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda server: create_streamable_http_app(server, "/here"), "/here"),
        (lambda server: create_sse_app(server, "/messages", "/events"), "/events"),
        (lambda server: server.sse_app(), "/sse"),
    ],
)
def test_the_old_names_make_an_application_at_their_path(make: Any, path: str) -> None:
    status, _ = asyncio.run(get(make(FastMCP("old")), path))
    assert status not in (404, 500)


def test_a_program_lists_and_uses_its_own_server() -> None:
    server = FastMCP("own", list_page_size=1)

    @server.tool(tags={"t"})
    def double(n: int) -> int:
        """Twice the number."""
        return n * 2

    @server.tool
    def fail() -> None:
        raise ValueError("no")

    server.resource("data://x", name="x")(lambda: b"x")
    server.resource("data://{y}/z", name="y")(lambda y: y)
    server.prompt(name="ask", description="Ask", meta={"m": 1})(lambda: "Hello")

    async def use() -> None:
        tool = (await server.get_tools())["double"]
        assert [one.name for one in await server.list_tools()] == ["double", "fail"]
        assert (tool.name, tool.description, tool.tags) == ("double", "Twice the number.", {"t"})
        assert tool.parameters["required"] == ["n"]
        result = await tool.run({"n": 2})
        assert (result.content[0].text, result.structured_content) == ("4", {"result": 4})
        assert (await server.read_resource("data://x")).contents[0].content == b"x"
        assert [one.uri_template for one in await server.list_resource_templates()] == ["data://{y}/z"]
        prompt = await server.render_prompt("ask")
        assert (prompt.messages[0].content.text, prompt.description, prompt.meta) == ("Hello", "Ask", {"m": 1})
        with pytest.raises(ToolError, match="Error calling tool 'fail': no"):
            await server.call_tool("fail")
        for ask in (server.get_tool, server.get_prompt, server.get_resource, server.call_tool):
            with pytest.raises(NotFoundError):
                await ask("none")

    asyncio.run(use())


def test_what_a_program_gets_from_its_own_server_has_the_types_of_mcp() -> None:
    mcp = FastMCP("own")
    mcp.tool(lambda: "done", name="work")

    @mcp.prompt
    def greet() -> PromptResult:
        return PromptResult("Hello!", description="A greeting")

    called = asyncio.run(mcp.call_tool("work"))
    rendered = asyncio.run(mcp.render_prompt("greet"))
    assert called.content == [TextContent(type="text", text="done")]
    assert rendered.messages[0].content == TextContent(type="text", text="Hello!")
    for ask in (mcp.call_tool("none"), mcp.render_prompt("none"), mcp.read_resource("none://1")):
        with pytest.raises(NotFoundError, match=r"Unknown (tool|prompt|resource): 'none"):
            asyncio.run(ask)


def test_results_are_made_of_one_text_or_of_lists_and_of_nothing_else() -> None:
    assert PromptResult("Hi").messages == [Message("Hi")]
    assert Message("Hi", role="assistant").content == TextContent(type="text", text="Hi")
    assert Message({"a": [1]}).content == TextContent(type="text", text='{"a":[1]}')
    with pytest.raises(TypeError, match="list of Messages"):
        PromptResult(Message("Hi"))
    assert ResourceResult({"a": 1}).contents == [ResourceContent('{"a": 1}')]
    assert ResourceResult(b"a").contents[0].mime_type == "application/octet-stream"
    with pytest.raises(TypeError, match="write"):
        ResourceResult(ResourceContent("a"))
    with pytest.raises(TypeError, match=r"contents\[1\]"):
        ResourceResult([ResourceContent("a"), "b"])


def test_lifespans_of_applications_are_combined() -> None:
    seen: list[str] = []

    def lifespan(name: str, value: Any) -> Any:
        @asynccontextmanager
        async def enter(app: Any) -> AsyncIterator[Any]:
            seen.append(f"{name} starts")
            yield value
            seen.append(f"{name} ends")

        return enter

    async def use() -> Any:
        async with combine_lifespans(lifespan("a", None), lifespan("b", {"x": 1}), lifespan("c", {"x": 2}))(
            None
        ) as got:
            return got

    assert asyncio.run(use()) == {"x": 2}
    assert seen == ["a starts", "b starts", "c starts", "c ends", "b ends", "a ends"]


def test_routes_of_mounted_servers_are_served_also_those_that_come_later() -> None:
    main, child, grandchild = FastMCP("main"), FastMCP("child"), FastMCP("grandchild")

    def add(server: FastMCP, path: str) -> None:
        @server.custom_route(path, methods=["GET"])
        async def answer(request: Request) -> JSONResponse:
            return JSONResponse(server.name)

    add(child, "/early")
    child.mount(grandchild)
    main.mount(child, "sub")
    add(main, "/same")
    add(grandchild, "/same")
    add(grandchild, "/late")
    for path, name in (("/early", "child"), ("/same", "main"), ("/late", "grandchild")):
        assert asyncio.run(get(main.http_app(), path)) == (200, name)
