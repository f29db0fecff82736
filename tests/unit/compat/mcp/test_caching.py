"""`cache_hints=` of `mcp` 2: what clients of 2026-07-28 are told about keeping results (D12)."""

from typing import Any

import msgspec
import pytest

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.server import CacheHint, MCPServer, Server
from plainmcp.compat.mcp.server.caching import CACHEABLE_METHODS

HINTS = {
    "tools/list": CacheHint(ttl_ms=5_000, scope="public"),
    "resources/list": CacheHint(ttl_ms=1),
    "resources/templates/list": CacheHint(scope="public"),
    "prompts/list": CacheHint(ttl_ms=2),
    "resources/read": CacheHint(ttl_ms=3, scope="public"),
    "server/discover": CacheHint(ttl_ms=4, scope="public"),
}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def hint_in(server: Any, method: str) -> tuple[int, str]:
    """What the result of a method says."""
    params = {"_meta": META, **({"uri": "memo://note"} if method == "resources/read" else {})}
    raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    result = msgspec.json.decode(raw)["result"]
    return result["ttlMs"], result["cacheScope"]


def high_level(**options: Any) -> Any:
    mcp = MCPServer("shop", **options)
    mcp.add_tool(lambda: "x", name="look")

    @mcp.resource("memo://note")
    def note() -> str:
        return "milk"

    @mcp.resource("memo://{name}/more")
    def more(name: str) -> str:
        return name

    @mcp.prompt()
    def ask() -> str:
        return "?"

    return mcp


def low_level(**options: Any) -> Any:
    async def list_tools(ctx: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[])

    async def list_resources(ctx: Any, params: Any) -> Any:
        return types.ListResourcesResult(resources=[])

    async def list_templates(ctx: Any, params: Any) -> Any:
        return types.ListResourceTemplatesResult(resourceTemplates=[])

    async def list_prompts(ctx: Any, params: Any) -> Any:
        return types.ListPromptsResult(prompts=[])

    async def read(ctx: Any, params: Any) -> Any:
        contents = [types.TextResourceContents(uri=str(params.uri), text="milk")]
        return types.ReadResourceResult(contents=contents)

    return Server(
        "shop",
        on_list_tools=list_tools,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_list_prompts=list_prompts,
        on_read_resource=read,
        **options,
    )


@pytest.mark.parametrize("make", [high_level, low_level])
def test_the_hint_of_a_method_is_in_its_results(make: Any) -> None:
    """D12. Without hints nothing may be kept."""
    assert set(HINTS) == CACHEABLE_METHODS
    server, without = make(cache_hints=HINTS), make()
    for method, hint in HINTS.items():
        assert hint_in(server, method) == (hint.ttl_ms, hint.scope), method
        assert hint_in(without, method) == (0, "private"), method


def test_what_a_handler_says_itself_comes_before_the_hint_of_the_server() -> None:
    """D12. Each member alone, as in the SDK."""

    async def list_tools(ctx: Any, params: Any) -> Any:
        return {"tools": [], "ttlMs": 0}

    async def read(ctx: Any, params: Any) -> Any:
        return {"contents": [], "ttlMs": 9, "cacheScope": "private"}

    server = Server("shop", on_list_tools=list_tools, on_read_resource=read, cache_hints=HINTS)
    assert hint_in(server, "tools/list") == (0, "public")
    assert hint_in(server, "resources/read") == (9, "private")
    assert server.cache_hints == HINTS


@pytest.mark.parametrize("make", [MCPServer, Server])
def test_a_wrong_hint_is_refused_where_it_is_written(make: Any) -> None:
    """D12. In the words of the SDK."""
    with pytest.raises(ValueError, match=r"cache_hints keys must be cacheable methods: .* not 'tools/call'"):
        make("x", cache_hints={"tools/call": CacheHint()})
    with pytest.raises(TypeError, match=r"cache_hints\['tools/list'\] must be a CacheHint, got tuple"):
        make("x", cache_hints={"tools/list": (1, "public")})
    with pytest.raises(ValueError, match="ttl_ms must be >= 0, got -1"):
        CacheHint(ttl_ms=-1)
    with pytest.raises(ValueError, match="scope must be 'public' or 'private', got 'all'"):
        CacheHint(scope="all")
