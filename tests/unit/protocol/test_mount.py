"""Servers in servers: conflicts, nesting, what belongs to which server. tests/golden has the wire (mount*.txt)."""

import asyncio
from typing import Any

import pytest

from plainmcp import Context, Server, ToolError
from plainmcp.errors import AuthorError, OptionError
from speaking import ALL, answer, client

every_revision = pytest.mark.parametrize("revision", ALL)


def with_tool(name: str, tool: str, text: str = "") -> Server:
    server = Server(name)
    server.tool(name=tool)(lambda: text or tool)
    return server


def tools(server: Server, revision: str = ALL[-1]) -> list[str]:
    return [tool["name"] for tool in client(server, revision).list_tools()]


def text_of(server: Server, name: str, revision: str = ALL[-1]) -> str:
    [block] = client(server, revision).call(name)["content"]
    text: str = block["text"]
    return text


def test_without_a_prefix_names_stay() -> None:
    main, other = Server("main"), with_tool("other", "add")
    main.mount(other)
    assert tools(main) == ["add"]


# Conflicts ----------------------------------------------------------------------------------------


def test_a_conflict_is_refused_and_nothing_is_mounted() -> None:
    main, other = with_tool("main", "shop_b"), Server("other")
    for name in ("a", "b", "c"):
        other.tool(name=name)(lambda: 1)
    with pytest.raises(AuthorError, match="the tool 'b' of a mounted server would be 'shop_b', and there is one"):
        main.mount(other, prefix="shop")
    assert tools(main) == ["shop_b"] and main.mounted == []
    other.tool(name="later")(lambda: 1)
    assert tools(main) == ["shop_b"]
    main.mount(other, prefix="market")
    assert tools(main) == ["market_a", "market_b", "market_c", "market_later", "shop_b"]


def test_a_later_conflict_is_refused_on_both_sides() -> None:
    main, other = Server("main"), with_tool("other", "a")
    main.mount(other, prefix="shop")
    main.tool(name="shop_b")(lambda: "mine")
    with pytest.raises(AuthorError, match="'b' of a mounted server would be 'shop_b'"):
        other.tool(name="b")(lambda: "theirs")
    with pytest.raises(AuthorError, match="'b' of a mounted server would be 'shop_b'"):
        other.tool(name="b", replace=True)(lambda: "theirs")
    assert tools(other) == ["a"] and text_of(main, "shop_b") == "mine"
    for replace in (False, True):
        with pytest.raises(AuthorError, match="there is already a tool 'shop_a', of a mounted server"):
            main.tool(name="shop_a", replace=replace)(lambda: "mine")
    with pytest.raises(AuthorError, match="remove it there, or disable it"):
        main.remove_tool("shop_a")
    assert text_of(main, "shop_a") == "a"


def test_a_disabled_tool_keeps_its_name() -> None:
    main, other = Server("main"), with_tool("other", "a")
    other.disable(names=["a"])
    main.mount(other, prefix="shop")
    assert tools(main) == []
    with pytest.raises(AuthorError, match="of a mounted server"):
        main.tool(name="shop_a")(lambda: "mine")
    other.enable(names=["a"])
    assert tools(main) == ["shop_a"]


@pytest.mark.parametrize(
    "feature",
    [
        lambda server: server.resource("memo://x")(lambda: "x"),
        lambda server: server.resource("memo://{x}")(lambda x: "x"),
        lambda server: server.prompt(name="p")(lambda: "x"),
        lambda server: server.completion("p", "a")(lambda typed: []),
    ],
)
def test_conflicts_of_every_kind_are_refused(feature: Any) -> None:
    main, other = Server("main"), Server("other")
    feature(main)
    feature(other)
    with pytest.raises(AuthorError, match="of a mounted server would be"):
        main.mount(other)


def test_mounts_that_cannot_work_are_refused() -> None:
    main, middle, inner = Server("main"), Server("middle"), with_tool("inner", "a")
    with pytest.raises(AuthorError, match="cannot be mounted in itself"):
        main.mount(main, prefix="x")
    main.mount(middle, prefix="m")
    middle.mount(inner, prefix="i")
    with pytest.raises(AuthorError, match="cannot be mounted in itself, nor in a server that is mounted in it"):
        inner.mount(main, prefix="x")
    with pytest.raises(AuthorError, match="is mounted already with the prefix 'm'"):
        main.mount(middle, prefix="m")
    for prefix in ("a b", "a/b", "ä"):
        with pytest.raises(AuthorError, match="letters, digits"):
            main.mount(Server("x"), prefix=prefix)
    with pytest.raises(AuthorError, match="128"):
        main.mount(with_tool("x", "a" * 100), prefix="p" * 100)
    with pytest.raises(OptionError, match="takes a Server, not int"):
        main.mount(3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="did you mean prefix="):
        main.mount(Server("x"), prefx="x")  # type: ignore[call-arg]
    assert tools(main) == ["m_i_a"] and main.mounted == [middle]


# Live -----------------------------------------------------------------------------------------------


@every_revision
def test_a_mount_is_live_through_several_servers(revision: str) -> None:
    main, middle, inner = Server("main"), Server("middle"), Server("inner")
    main.mount(middle, prefix="m")
    middle.mount(inner, prefix="i")
    inner.tool(name="a")(lambda: "1")
    assert (tools(main, revision), text_of(main, "m_i_a", revision)) == (["m_i_a"], "1")
    inner.tool(name="a", replace=True)(lambda: "2")
    assert text_of(main, "m_i_a", revision) == "2"
    assert text_of(middle, "i_a", revision) == "2"
    main.disable(names=["m_i_a"])
    assert tools(main, revision) == [] and tools(middle, revision) == ["i_a"]
    main.enable(names=["m_i_a"])
    middle.disable(names=["i_a"])
    assert tools(main, revision) == tools(middle, revision) == [] and tools(inner, revision) == ["a"]
    middle.enable(names=["i_a"])
    inner.remove_tool("a")
    assert tools(main, revision) == tools(middle, revision) == tools(inner, revision) == []


def test_one_server_in_two_places() -> None:
    main, other = Server("main"), with_tool("other", "a")
    main.mount(other, prefix="x")
    main.mount(other, prefix="y")
    other.tool(name="b")(lambda: "b")
    assert tools(main) == ["x_a", "x_b", "y_a", "y_b"]
    other.remove_tool("a")
    assert tools(main) == ["x_b", "y_b"]


def test_tags_of_a_mounted_server_are_known_in_the_main_one() -> None:
    main, other = Server("main"), Server("other")
    main.disable(tags=["admin"])
    main.mount(other, prefix="x")
    other.tool(name="wipe", tags=["admin"])(lambda: 1)
    assert tools(main) == [] and tools(other) == ["wipe"]


def test_a_new_serializer_of_the_main_server_leaves_mounted_tools_alone() -> None:
    class Point:
        x = 1

    main, other = Server("main"), Server("other")

    @other.tool
    def point() -> Point:
        return Point()

    main.mount(other, prefix="o")
    other.serializer(Point, lambda point: {"theirs": point.x})
    main.serializer(Point, lambda point: {"mine": point.x})
    assert client(main, ALL[-1]).call("o_point")["structuredContent"] == {"theirs": 1}


# What belongs to which server ---------------------------------------------------------------------


@every_revision
def test_the_answers_are_those_of_the_main_server(revision: str) -> None:
    """R26-META-07: the client knows one server."""
    main, other = Server("main", "1"), with_tool("other", "a")
    main.mount(other, prefix="o")
    result = answer(main, revision, "tools/call", {"name": "o_a"})["result"]
    info = result.get("_meta", {}).get("io.modelcontextprotocol/serverInfo")
    assert info == ({"name": "main", "version": "1"} if revision == "2026-07-28" else None)


def test_a_change_that_a_mounted_tool_reports_has_the_prefix() -> None:
    main, other = Server("main"), Server("other")
    events: list[Any] = []
    main.registry.listen(lambda *event: events.append(event))
    main.mount(other, prefix="o")

    @other.tool
    def touch(ctx: Context) -> str:
        ctx.resource_updated("memo://notes")
        return ""

    events.clear()
    text_of(main, "o_touch")
    assert events == [("resources/updated", "memo://o/notes")]


def test_mounted_functions_run_in_the_loop_of_the_caller() -> None:
    main, other = Server("main"), Server("other")
    main.mount(other, prefix="o")

    @other.tool
    async def loop() -> bool:
        return asyncio.get_running_loop() is running

    async def run() -> Any:
        nonlocal running
        running = asyncio.get_running_loop()
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "o_loop"}}
        return await main.handle_async(request, revision="2025-11-25")

    running: Any = None
    assert b'"text":"true"' in asyncio.run(run())


def test_who_may_see_a_mounted_tool_is_decided_there() -> None:
    main, other = Server("main"), Server("other")
    other.tool(name="a", visible=lambda principal: principal == "root")(lambda: "a")
    main.mount(other, prefix="o")
    assert tools(main) == []
    assert [tool["name"] for tool in client(main, ALL[-1], principal="root").list_tools()] == ["o_a"]


@every_revision
def test_middleware_of_a_mounted_server_knows_features_by_their_own_names(revision: str) -> None:
    main, middle, inner = Server("main"), Server("middle"), Server("inner")
    seen: list[Any] = []

    def watch(server: Server) -> None:
        @server.middleware
        def note(request: Any, call_next: Any) -> Any:
            seen.append((server.info.name, request.name))
            if request.name == "wipe":
                raise ToolError("not here")
            return call_next(request)

    for server in (middle, inner):
        watch(server)
    inner.tool(name="wipe")(lambda: "wiped")
    inner.tool(name="add")(lambda: "added")
    inner.resource("memo://{day}/x", name="t")(lambda day: day)
    inner.prompt(name="p")(lambda: "text")
    middle.mount(inner, prefix="i")
    main.mount(middle, prefix="m")
    one = client(main, revision)
    assert one.call("m_i_add")["content"][0]["text"] == "added"
    assert one.call("m_i_wipe")["content"][0]["text"] == "not here"
    assert one.read("memo://m/i/mon/x")["contents"][0]["text"] == "mon"
    assert one.get_prompt("m_i_p")["messages"][0]["content"]["text"] == "text"
    assert seen == [
        ("middle", "i_add"),
        ("inner", "add"),
        ("middle", "i_wipe"),
        ("inner", "wipe"),
        ("middle", "memo://i/mon/x"),
        ("inner", "memo://mon/x"),
        ("middle", "i_p"),
        ("inner", "p"),
    ]
