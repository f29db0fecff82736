"""The places for what looks at whole results: before a value is normalized, and before its result is projected."""

from collections.abc import Generator
from typing import Any

import msgspec
import pytest

from plainmcp import Depends, Server, ToolError
from plainmcp.protocol.request import Request
from plainmcp.protocol.state import Kind, State, owner_of
from plainmcp.results import structured
from plainmcp.store import MemoryStore
from plainmcp.types import CallToolResult, TextContent
from ways import REVISIONS, WAYS, send

KEY = b"the key of all replicas"


class FirstRows:
    """Sends two rows, keeps the others in the state of the server, and says so in the result."""

    def __init__(self, server: Server) -> None:
        self._server, self._state = server, State(server, Kind("rows"))

    def take_value(self, request: Request, value: Any) -> tuple[Any, Any]:
        if isinstance(value, list) and len(value) > 2:
            return value[:2], msgspec.json.encode(value[2:])
        return value, None

    def take_result(
        self, request: Request, result: CallToolResult, note: bytes | None
    ) -> Generator[Any, Any, CallToolResult]:
        if note is None:
            return result
        state, owner = self._state, owner_of(self._server, request)
        yield from state.ask(lambda: state.add(owner, "rest", note, 60))
        kept = yield from state.ask(lambda: state.find(owner, "rest"))
        text = TextContent(type="text", text=f"kept: {kept.value.decode()}")
        return msgspec.structs.replace(result, content=[*result.content, text])


def make_server(store: Any, middleware: bool) -> Server:
    server = Server("s", key=KEY, store=store)

    @server.tool
    def rows(count: int) -> list[int]:
        return list(range(count))

    @server.tool
    async def rows_async(count: int) -> list[int]:
        return list(range(count))

    @server.tool
    async def depending(count: int, first: int = Depends(lambda: 0)) -> list[int]:
        return list(range(first, count))

    @server.tool
    def failing(count: int) -> list[int]:
        raise ToolError("no rows today")

    @server.tool
    def wrong(count: int) -> list[int]:
        return ["a", "b", "c"]  # type: ignore[list-item]

    if middleware:

        @server.middleware
        async def pass_on(request: Any, call_next: Any) -> Any:
            return await call_next(request)

    for tool in server.registry.tools.registered.values():
        tool.whole = (FirstRows(server),)
    return server


@pytest.mark.parametrize("middleware", [False, True])
@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("tool", ["rows", "rows_async", "depending"])
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", WAYS)
def test_a_whole_result_is_cut_and_the_rest_is_kept(
    way: str, revision: str, tool: str, stored: bool, middleware: bool
) -> None:
    server = make_server(MemoryStore() if stored else None, middleware)
    result = send(way, server, "tools/call", revision, name=tool, arguments={"count": 5})["result"]
    assert [block["text"] for block in result["content"]] == ["0", "1", "kept: [2,3,4]"]
    assert result["structuredContent"] == {"result": [0, 1]}
    short = send(way, server, "tools/call", revision, name=tool, arguments={"count": 1})["result"]
    assert [block["text"] for block in short["content"]] == ["0"]


@pytest.mark.parametrize("middleware", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_errors_are_what_they_are_without(way: str, middleware: bool) -> None:
    server = make_server(MemoryStore(), middleware)
    for tool, text in (("failing", "no rows today"), ("wrong", "The result of wrong was not valid and is withheld")):
        result = send(way, server, "tools/call", "2025-11-25", name=tool, arguments={"count": 5})["result"]
        assert result["isError"] is True and text in result["content"][0]["text"]


def test_what_is_ready_passes_through_both_places() -> None:
    server = Server("s")

    @server.tool
    def ready() -> Any:
        return structured({"a": 1})

    server.registry.tools.registered["ready"].whole = (FirstRows(server),)
    result = send("handle", server, "tools/call", "2026-07-28", name="ready", arguments={})["result"]
    assert result["structuredContent"] == {"a": 1}
