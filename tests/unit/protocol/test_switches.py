"""Enabling and disabling: which rule decides, and what is refused. tests/golden has the wire (disable*.txt)."""

from typing import Any

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError, OptionError
from plainmcp.protocol.switches import Switches, selection_of
from speaking import ALL, HANDSHAKE, answer, client

every_revision = pytest.mark.parametrize("revision", ALL)


def names(server: Server) -> list[str]:
    one = client(server, ALL[-1])
    lists = (one.list_tools(), one.list_resources(), one.list_templates(), one.list_prompts())
    return [feature["name"] for features in lists for feature in features]


def build() -> Server:
    server = Server("s")
    server.tool(name="tool", tags=["a"])(lambda: 1)
    server.resource("memo://r", name="resource", tags={"a", "b"})(lambda: "r")
    server.resource("memo://{x}", name="template", tags=("b",))(lambda x: "r")
    server.prompt(name="prompt", tags=frozenset({"c"}))(lambda: "p")
    return server


ALL_FOUR = ["tool", "resource", "template", "prompt"]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"tags": ["a"]}, ["template", "prompt"]),
        ({"tags": ["a", "c"]}, ["template"]),
        ({"tags": []}, ALL_FOUR),
        ({"names": ["tool", "memo://r"]}, ["template", "prompt"]),
        ({"names": ["resource", "memo://{x}"]}, ["tool", "prompt"]),
        ({"tags": ["a"], "names": ["tool", "prompt"]}, ["resource", "template", "prompt"]),
        ({"kinds": ["resource", "template"]}, ["tool", "prompt"]),
        ({"tags": ["a"], "kinds": ["tool"]}, ["resource", "template", "prompt"]),
        ({"names": ["nothing"]}, ALL_FOUR),
    ],
)
def test_what_a_rule_disables(options: Any, left: list[str]) -> None:
    server = build()
    server.disable(**options)
    assert names(server) == left
    server.enable(**options)
    assert names(server) == ALL_FOUR


def test_the_last_rule_decides() -> None:
    server = build()
    server.disable(kinds=["tool", "resource", "template", "prompt"])
    server.enable(tags=["b"])
    server.disable(names=["template"])
    assert names(server) == ["resource"]
    server.enable(tags=["c"], only=True)
    assert names(server) == ["prompt"]


def test_a_rule_holds_for_features_that_come_later() -> None:
    server = Server("s")
    server.disable(tags=["x"])
    server.tool(name="a", tags=["x"])(lambda: 1)
    server.tool(name="b")(lambda: 1)
    assert names(server) == ["b"]
    server.tool(name="a", replace=True)(lambda: 1)
    assert names(server) == ["a", "b"]
    server.tool(name="b", replace=True, tags=["x"])(lambda: 1)
    assert names(server) == ["a"]


def test_a_disabled_tool_can_be_removed_and_its_name_is_taken() -> None:
    server = build()
    server.disable(names=["tool", "memo://r"])
    with pytest.raises(AuthorError, match="there is already a tool 'tool'"):
        server.tool(name="tool")(lambda: 1)
    server.remove_tool("tool")
    server.remove_resource("memo://r")
    server.enable(names=["tool", "memo://r"])
    assert names(server) == ["template", "prompt"]


def test_rules_that_alternate_do_not_add_up() -> None:
    switches = Switches()
    for _ in range(100):
        for is_on in (False, True):
            switches.add(selection_of("x", ["a"], None, None), is_on)
    assert len(switches._rules) == 1


def test_the_order_of_templates_stays_when_one_is_enabled_again() -> None:
    server = Server("s")
    server.resource("memo://{a}/x", name="first")(lambda a: "first")
    server.resource("memo://{a}/{b}", name="second")(lambda a, b: "second")
    server.disable(names=["first"])
    assert client(server, ALL[-1]).read("memo://1/x")["contents"][0]["text"] == "second"
    server.enable(names=["first"])
    assert client(server, ALL[-1]).read("memo://1/x")["contents"][0]["text"] == "first"


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_server_whose_tools_are_all_disabled_still_declares_tools(revision: str) -> None:
    """R*-TOOL-01: otherwise a client would not look when they are enabled."""
    server = build()
    server.disable(tags=["a", "b", "c"])
    assert {"tools", "resources", "prompts"} <= client(server, revision).initialized["capabilities"].keys()


@every_revision
def test_tags_are_not_listed(revision: str) -> None:
    [tool] = answer(build(), revision, "tools/list")["result"]["tools"]
    assert tool == {"name": "tool", "inputSchema": {"type": "object", "properties": {}}}


def test_pages_follow_the_changes() -> None:
    server = Server("s", page_size=1)
    for name in "abc":
        server.tool(name=name)(lambda: 1)
    assert [tool["name"] for tool in client(server, ALL[-1]).list_tools()] == ["a", "b", "c"]
    server.disable(names=["b"])
    assert [tool["name"] for tool in client(server, ALL[-1]).list_tools()] == ["a", "c"]


def test_wrong_options_are_refused() -> None:
    server = Server("s")
    with pytest.raises(AuthorError, match=r'write server.disable\(tags=\["admin"\]\)'):
        server.disable()
    with pytest.raises(AuthorError, match="'tols' is not a kind of feature; the kinds are tool, resource"):
        server.enable(kinds=["tols"])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="tags= takes a list"):
        server.enable(tags="admin")
    with pytest.raises(OptionError, match="did you mean tags="):
        server.disable(tag=["admin"])  # type: ignore[call-arg]
    with pytest.raises(AuthorError, match="tags= takes texts"):
        server.tool(tags=[1])(lambda: 1)  # type: ignore[list-item]
    with pytest.raises(OptionError, match="tags= takes a list"):
        server.tool(tags="admin")(lambda: 1)
