"""What the documents behind the profiles state, for a client of each revision."""

import json
from dataclasses import dataclass
from typing import Any, Literal, NotRequired

import jsonschema_rs
import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict

from plainmcp import Policy, Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

every_revision = pytest.mark.parametrize("revision", REVISIONS)


# MCP Serializer: members that are None ------------------------------------------------------------


class Station(BaseModel):
    name: str
    note: str | None
    unit: Literal["c"] | None = None
    parts: list["Station | None"] = []


STATION = Station(name="Oslo", note=None, parts=[Station(name="North", note="new"), None])


@every_revision
def test_a_model_is_sent_without_its_members_that_are_none_and_keeps_its_schema(revision: str) -> None:
    """S003-68, S003-22: an item of a list that is None is no member, and stays."""
    server = Server("weather", policy="serializer")

    @server.tool
    def station() -> Station:
        return STATION

    client = Client(server, revision)
    (tool,) = client.list_tools()
    result = client.call("station")
    sent = {"name": "Oslo", "parts": [{"name": "North", "note": "new", "parts": []}, None]}
    if "outputSchema" in tool:
        assert result["structuredContent"] == sent
        assert jsonschema_rs.is_valid(tool["outputSchema"], sent)
        assert not {"note", "unit"} & set(tool["outputSchema"]["$defs"]["Station"]["required"])
    else:
        assert "note" not in result["content"][0]["text"].partition("North")[0]


def test_what_a_schema_written_by_hand_requires_is_sent_even_if_it_is_none() -> None:
    """S002-23 before S003-68: what is sent keeps the schema that is listed."""
    server = Server("weather", policy="serializer")
    promised = {"type": "object", "properties": {"note": {"type": ["string", "null"]}}, "required": ["note"]}

    @server.tool(output_schema=promised)
    def station() -> dict[str, Any]:
        return {"note": None}

    assert Client(server).call("station")["structuredContent"] == {"note": None}


@every_revision
def test_the_other_profiles_keep_members_that_are_none(revision: str) -> None:
    """S000-26"""

    @dataclass
    class Row:
        note: str | None

    for policy in ("standard", "openmcp", "fastmcp", "kubernetes", "lean"):
        server = Server("weather", policy=policy)
        server.tool(name="row")(lambda: Row(None))
        assert "null" in Client(server, revision).call("row")["content"][0]["text"]


# OpenMCP's document, which `standard` follows: nested lists, and the type of a resource ---------------


@dataclass
class Reading:
    at: str
    values: list[float]


ROWS = [[Reading("noon", [1.5])], [], [Reading("night", [2.5, 3.5])]]

ROW_TEXTS = ['{"at": "noon", "values": [1.5]}', '{"at": "night", "values": [2.5, 3.5]}']


@pytest.mark.parametrize("policy", ["standard", "openmcp"])
@every_revision
@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (lambda: ["a", ["b", ["c", 1]], {"d": [2]}], ["a", "b", "c", "1", '{"d": [2]}']),
        (lambda: [[1, 2], [3, [None]]], ["1", "2", "3", "null"]),
        (lambda: (n for n in [(1, 2), ["x"]]), ["1", "2", "x"]),
        (lambda: {(2, "b"), (1, "a")}, ["1", "a", "2", "b"]),
        (lambda: [["[not a list]"]], ["[not a list]"]),
        (lambda: ROWS, ROW_TEXTS),
    ],
)
def test_lists_in_lists_are_flattened_into_blocks(make: Any, texts: list[str], revision: str, policy: str) -> None:
    """S000-21"""
    server = Server("lists", policy=policy)
    server.tool(name="nested")(make)
    result = Client(server, revision).call("nested")
    assert [block["text"] for block in result["content"]] == texts


@every_revision
def test_nested_lists_of_records_keep_their_shape_in_the_data_and_its_schema(revision: str) -> None:
    """S000-21, S000-22, S002-23"""
    server = Server("lists")

    @server.tool
    def readings() -> list[list[Reading]]:
        return ROWS

    client = Client(server, revision)
    (tool,) = client.list_tools()
    result = client.call("readings")
    assert [block["text"] for block in result["content"]] == ROW_TEXTS
    if "outputSchema" in tool:
        assert jsonschema_rs.is_valid(tool["outputSchema"], result["structuredContent"])
        assert [len(row) for row in result["structuredContent"]["result"]] == [1, 0, 1]


@every_revision
def test_a_list_of_empty_lists_is_told_where_there_is_no_place_for_data(revision: str) -> None:
    server = Server("lists")
    server.tool(name="nested")(lambda: [[], [[]]])
    result = Client(server, revision).call("nested")
    if "structuredContent" in result:
        assert result["content"] == [] and result["structuredContent"] == {"result": [[], [[]]]}
    else:
        assert result["content"][0]["text"] == '{"result": [[], [[]]]}'


@pytest.mark.parametrize("value", [{"high": 21.5}, [1, 2], 42, True, None, Reading("noon", []), STATION])
def test_json_text_of_a_resource_is_plain_text_unless_its_type_is_declared(value: Any) -> None:
    """S000-47, S000-42: `lean` says what it is."""
    said = {}
    for policy in ("standard", "openmcp", "lean"):
        server = Server("memo", policy=policy)
        server.resource("memo://1")(lambda: value)
        server.resource("memo://2", mime_type="application/json")(lambda: value)
        client = Client(server)
        said[policy] = [client.read(f"memo://{n}")["contents"][0]["mimeType"] for n in (1, 2)]
    assert said["standard"] == said["openmcp"] == ["text/plain", "application/json"]
    assert said["lean"] == ["application/json", "application/json"]


# What the official SDK answers differently -------------------------------------------------------------


def _demo(**changes: Any) -> Client:
    server = Server("demo", policy=Policy.standard.replace(**changes))

    @server.tool
    def find(word: str, limit: int | None = None) -> dict[str, int] | None:
        """Find words.

        Args:
            word: What to find
        """
        return {word: limit or 0}

    return Client(server, "2025-06-18")


def _tool_of(client: Client) -> Any:
    (tool,) = client.list_tools()
    return tool


def _input_of(client: Client) -> Any:
    return _tool_of(client)["inputSchema"]["properties"]


def test_null_is_hidden_or_shown_as_pydantic_does() -> None:
    assert _input_of(_demo())["limit"] == {"type": "integer"}
    shown = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    assert _input_of(_demo(schema_form="pydantic"))["limit"] == shown


def test_a_docstring_is_split_or_whole() -> None:
    assert _input_of(_demo())["word"] == {"type": "string", "description": "What to find"}
    whole = _demo(docstring="whole")
    assert _input_of(whole)["word"] == {"type": "string"}
    assert "Args:" in _tool_of(whole)["description"]


def test_an_unknown_argument_is_refused_or_ignored() -> None:
    assert _demo().call("find", word="a", other=1)["isError"] is True
    assert _demo(extra_arguments="ignore").call("find", word="a", other=1).get("isError") is None


def test_an_object_of_a_union_is_sent_bare_or_wrapped() -> None:
    listed = _demo(output_schema="all", wrap_objects="generic")
    assert listed.call("find", word="a")["structuredContent"] == {"result": {"a": 0}}


def test_an_error_has_the_words_of_the_policy() -> None:
    text = _demo(error_text="{tool} failed: {error}").call("find")["content"][0]["text"]
    assert text == "find failed: word: missing; it takes a string"


def test_problems_of_arguments_have_the_words_of_the_policy() -> None:
    words = {"error_text": "failed: {error}", "arguments_text": "{count} mistake{s} in {tool}: {problems}"}
    call = _demo(**words).call
    assert call("find")["content"][0]["text"] == "failed: 1 mistake in find: word: missing; it takes a string"
    assert call("find", other=1)["content"][0]["text"].startswith("failed: 2 mistakes in find: ")


def test_defaults_in_output_schemas_are_hidden_or_shown() -> None:
    @dataclass
    class Row:
        name: str
        note: str = ""

    def schema_of(**changes: Any) -> Any:
        server = Server("demo", policy=Policy.standard.replace(**changes))

        @server.tool
        def row() -> Row:
            return Row("a")

        return _tool_of(Client(server, "2025-06-18"))["outputSchema"]

    assert schema_of()["required"] == ["name", "note"]
    shown = schema_of(output_defaults="show")
    assert (shown["required"], shown["properties"]["note"]["default"]) == (["name"], "")


# What FastMCP sends and does not document ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "value", "texts"),
    [
        ({"list_content": "some"}, [1, 2], ["[1, 2]"]),
        ({"list_content": "some"}, [], []),
        ({"list_content": "json"}, [], ["[]"]),
        ({"bytes_as": "decoded"}, b"text", ["text"]),
        ({"bytes_as": "decoded"}, b"\xff", ["/w=="]),
        ({"bytes_as": "text"}, b"text", ["dGV4dA=="]),
    ],
)
def test_one_text_for_a_list_and_the_text_of_bytes(change: dict[str, Any], value: Any, texts: list[str]) -> None:
    server = Server("values", policy=Policy.standard.replace(**change))
    server.tool(name="value")(lambda: value)
    assert [block["text"] for block in Client(server, "2025-11-25").call("value")["content"]] == texts


def test_an_input_schema_can_be_closed_and_a_wrapped_result_marked() -> None:
    server = Server("marks", policy=Policy.fastmcp.replace(schema_closed=True, wrap_meta=True, docstring="lines"))

    @server.tool
    def one(n: int) -> int:
        """One.

        Args:
            n: A number
                in two lines
        """
        return n

    client = Client(server, "2025-11-25")
    schema = client.list_tools()[0]["inputSchema"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["n"]["description"] == "A number\nin two lines"
    assert client.call("one", n=1)["_meta"] == {"fastmcp": {"wrap_result": True}}


# Kubernetes: camelCase ----------------------------------------------------------------------------


class Twins(BaseModel):
    my_key: int
    myKey: int


@dataclass
class Triplets:
    a_b_c: int
    aB_c: int


class Beside(TypedDict):
    aB: NotRequired[int]
    a_b: NotRequired[int]
    name: str


@pytest.mark.parametrize(
    ("hint", "names"),
    [(Twins, ("my_key", "myKey", "myKey")), (Triplets, ("a_b_c", "aB_c", "aBC")), (Beside, ("aB", "a_b", "aB"))],
)
def test_fields_that_are_one_in_camel_case_are_refused_when_a_tool_is_registered(hint: Any, names: Any) -> None:
    """V44"""
    server = Server("twins", policy="kubernetes")

    def twins() -> Any: ...

    twins.__annotations__ = {"return": hint}
    expected = "the result of 'twins': {!r} and {!r} are both {!r} in camelCase; rename one of them".format(*names)
    with pytest.raises(AuthorError) as caught:
        server.tool(twins)
    assert str(caught.value) == expected
    Server("twins").tool(twins)


@every_revision
def test_fields_with_other_names_in_camel_case_are_sent(revision: str) -> None:
    """V44, S001-23"""
    server = Server("twins", policy="kubernetes")

    @server.tool
    def fields() -> Fields:
        return Fields(1, 2)

    client = Client(server, revision)
    sent = {"myKey": 1, "mykey": 2}
    assert json.loads(client.call("fields")["content"][0]["text"]) == sent
    if client.revision.structured != "none":
        assert client.call("fields")["structuredContent"] == sent
        assert client.list_tools()[0]["outputSchema"]["required"] == ["myKey", "mykey"]


@dataclass
class Fields:
    my_key: int
    mykey: int
