"""Bugs of published packages with values, which must not be here: one test each, with its number in
docs/contributing/requirements.md (section 4) and the value that shows the bug.
"""

import enum
import json
import os
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import attrs
import fastmcp.prompts
import fastmcp.resources
import jsonschema_rs
import mcp.types as official
import msgspec
import pydantic
import pytest
from fastmcp.utilities.types import Image as FastMCPImage

from plainmcp import Image, Policy, normalize_prompt_result, normalize_resource_payload, normalize_tool_result
from plainmcp import types as ours
from plainmcp.errors import NormalizeError
from plainmcp.wire import codec

PNG = b"\x89PNG\r\n\x1a\n"
WHEN = datetime(2026, 7, 28, 12, 30, tzinfo=UTC)


@dataclass
class Address:
    street: str
    city: str


@dataclass
class User:
    name: str
    address: Address


class Item(pydantic.BaseModel):
    sku: str
    amount: int


class Basket(pydantic.BaseModel):
    owner: str
    items: list[Item]


class Aliased(pydantic.BaseModel):
    user_name: str = pydantic.Field(alias="userName")
    joined: date = pydantic.Field(serialization_alias="joinedOn")


class Colour(enum.Enum):
    RED = "red"


class Pair(NamedTuple):
    left: int
    right: int


def wire(result: Any) -> Any:
    """A result as a client reads it; a constant that is not JSON fails the test."""
    return json.loads(codec.encode(result), parse_constant=pytest.fail)


def tool(value: Any, policy: str = "standard", **options: Any) -> Any:
    return wire(normalize_tool_result(value, policy=policy, **options))


def resource(value: Any, policy: str = "standard", mime_type: str | None = None) -> Any:
    return wire(normalize_resource_payload("memo://1", mime_type, value, policy=policy))["contents"]


def prompt(value: Any, policy: str = "standard") -> Any:
    return wire(normalize_prompt_result(value, policy=policy))


def refusal(normalize: Any, value: Any, policy: str = "standard", **options: Any) -> str:
    with pytest.raises(NormalizeError) as caught:
        normalize(value, policy, **options)
    return str(caught.value)


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def schemas(kind: Any) -> Iterator[dict[str, Any]]:
    """What others say a type looks like once it is JSON."""
    yield pydantic.TypeAdapter(kind).json_schema(mode="serialization")
    if not (isinstance(kind, type) and issubclass(kind, pydantic.BaseModel | PurePosixPath)) and kind != list[Item]:
        yield msgspec.json.schema(kind)


def assert_fits(data: Any, kind: Any) -> None:
    for schema in schemas(kind):
        jsonschema_rs.validate(schema, data, validate_formats=True)


profiles = pytest.mark.parametrize("policy", Policy.profiles)


def test_b02_a_file_name_that_is_not_utf_8_is_refused_or_replaced_and_nothing_dies():
    name = os.fsdecode(b"r\xe9sum\xe9.txt")
    refused = "$: a lone surrogate, which no UTF-8 text can hold"
    assert refusal(tool, name) == refusal(resource, name) == refusal(prompt, name) == refused
    assert refusal(tool, ours.TextContent(text=name)) == f"$.text{refused[1:]}"
    assert tool(name, "lean")["content"] == [text("r\ufffdsum\ufffd.txt")]
    assert resource(name, "openmcp")[0]["text"] == "r\ufffdsum\ufffd.txt"


@profiles
def test_b03_an_object_a_cycle_or_raw_bytes_in_a_dict_do_not_end_the_server(policy):
    cycle: dict[str, Any] = {}
    cycle["self"] = cycle
    assert refusal(tool, {"o": object()}, policy).startswith("$.o: object has no JSON form")
    assert refusal(tool, cycle, policy) == "$.self: a cycle: it holds $ again"
    assert tool({"b": b"\xff"}, policy, declared="schema")["structuredContent"] == {"b": "/w=="}


@profiles
def test_b04_falsy_items_of_a_list_stay_what_they_are(policy):
    value = {"scores": [0, 5], "flags": [False], "names": [""], "objects": [{}], "lists": [[]]}
    assert tool(value, policy, declared="schema")["structuredContent"] == value


@profiles
def test_b05_null_and_empty_members_are_kept(policy):
    """Null only where the profile's own document does not leave it out (S003-68)."""
    value = {"a": None, "e": {}, "l": []}
    kept = {key: item for key, item in value.items() if item is not None or policy != "serializer"}
    assert tool(value, policy, declared="schema")["structuredContent"] == kept
    assert tool({}, policy, declared="schema")["structuredContent"] == {}


def test_b11_nested_dataclasses_and_lists_of_models_fit_their_own_schema_with_its_defs():
    user = User("Ada", Address("Main St", "Oslo"))
    basket = Basket(owner="Ada", items=[Item(sku="a", amount=1)])
    assert "$defs" in next(schemas(User)) and "$defs" in next(schemas(Basket))
    assert_fits(tool(user, declared="schema")["structuredContent"], User)
    assert_fits(tool(basket, declared="schema")["structuredContent"], Basket)
    assert_fits(tool(basket.items, declared="schema")["structuredContent"]["result"], list[Item])
    assert_fits(tool(basket.items, "lean", declared="schema")["structuredContent"], list[Item])


@profiles
def test_b13_a_document_that_has_a_content_key_is_still_a_document(policy):
    document = {"content": [], "title": "Doc 1", "id": 7}
    assert tool(document, policy, declared="schema")["structuredContent"] == document


@profiles
def test_b14_a_resource_that_has_a_text_key_keeps_its_other_keys(policy):
    [contents] = resource({"text": "hello", "author": "bob"}, policy)
    assert json.loads(contents["text"]) == {"text": "hello", "author": "bob"}


def test_b15_what_breaks_a_promised_schema_is_refused_or_stands_there_to_be_checked():
    assert refusal(tool, float("nan"), declared="schema") == "$: nan is not a JSON number"
    broken = [("x", int), (None, User)]
    for value, kind in broken:
        structured = tool(value, declared="schema")["structuredContent"]
        assert structured == {"result": value}
        assert not any(jsonschema_rs.is_valid(schema, structured["result"]) for schema in schemas(kind))


@profiles
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_b16_bytes_that_are_no_text_are_base64_inside_data(policy, kind):
    value = {"b": kind(b"\xff"), "more": [kind(b"\xfe")]}
    assert tool(value, policy, declared="schema")["structuredContent"] == {"b": "/w==", "more": ["/g=="]}
    assert json.loads(resource(value, policy)[0]["text"]) == {"b": "/w==", "more": ["/g=="]}


@pytest.mark.parametrize("policy", ["standard", "openmcp", "fastmcp", "kubernetes", "lean"])
@pytest.mark.parametrize("data", [b"hello", PNG, b"\xff\xfe", b""])
def test_b19_bytes_have_one_form_whatever_is_in_them(policy, data):
    [block] = tool(data, policy)["content"]
    match Policy.of(policy).bytes_as, block["type"]:
        case "text", "text":
            sent = block["text"]
        case "blob" | "media", "resource":
            sent = block["resource"]["blob"]
        case "media", "image" if data == PNG:  # its type says what it is
            sent = block["data"]
        case other:
            pytest.fail(f"{other}")
    assert b64decode(sent, validate=True) == data


@profiles
def test_b20_a_bytes_resource_nobody_gave_a_type_is_octets_and_not_text(policy):
    [contents] = resource(PNG, policy)
    assert contents == {"uri": "memo://1", "mimeType": "application/octet-stream", "blob": "iVBORw0KGgo="}
    assert resource(PNG, policy, "image/png")[0]["mimeType"] == "image/png"


def test_b21_a_resource_may_return_records_moments_buffers_and_ready_made_contents():
    assert json.loads(resource(Address("Main St", "Oslo"))[0]["text"]) == {"street": "Main St", "city": "Oslo"}
    assert json.loads(resource(Item(sku="a", amount=1))[0]["text"]) == {"sku": "a", "amount": 1}
    assert resource(WHEN)[0]["text"] == "2026-07-28T12:30:00Z"
    assert resource(bytearray(b"\xff"))[0]["blob"] == "/w=="
    expected = [{"uri": "a:b", "mimeType": "text/plain", "text": "hi"}]
    mine = ours.TextResourceContents(**expected[0])
    theirs = official.TextResourceContents.model_validate(expected[0])
    for contents in (mine, theirs):
        assert resource(contents) == resource([contents]) == expected
    assert resource(ours.ReadResourceResult(contents=[mine])) == expected
    assert resource(official.ReadResourceResult(contents=[theirs])) == expected
    assert resource(fastmcp.resources.ResourceResult("hi"))[0]["text"] == "hi"


def test_b22_messages_and_results_of_the_official_sdk_are_taken_for_what_they_are():
    message = official.PromptMessage(role="assistant", content=official.TextContent(type="text", text="hi"))
    expected = [{"role": "assistant", "content": text("hi")}]
    assert prompt(message) == prompt([message]) == {"messages": expected}
    result = official.GetPromptResult(description="a greeting", messages=[message])
    assert prompt(result) == {"description": "a greeting", "messages": expected}
    assert prompt(fastmcp.prompts.Message("hi", role="assistant")) == {"messages": expected}


def test_b23_title_and_annotations_inside_resource_contents_reach_the_wire():
    """S002-17: the specification's own example."""
    inner = {
        "uri": "file:///project/src/main.rs",
        "title": "Project Rust Main File",
        "mimeType": "text/x-rust",
        "text": 'fn main() {\n    println!("Hello world!");\n}',
        "annotations": {
            "audience": ["user", "assistant"],
            "priority": 0.7,
            "lastModified": "2025-05-03T14:30:00Z",
        },
    }
    contents = ours.TextResourceContents(**{**inner, "annotations": ours.Annotations(**inner["annotations"])})
    block = {"type": "resource", "resource": inner}
    assert tool(ours.EmbeddedResource(resource=contents))["content"] == [block]
    assert tool({"content": [block]})["content"] == [block]
    assert resource(contents) == [inner]


@profiles
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_b24_no_text_ever_holds_a_bare_nan(policy, number):
    value = {"v": number}
    if Policy.of(policy).unencodable == "error":
        refused = f"$.v: {number} is not a JSON number"
        assert refusal(tool, value, policy) == refusal(resource, value, policy) == refused
        return
    result = tool(value, policy, declared="schema")
    said = [json.loads(block["text"], parse_constant=pytest.fail) for block in result["content"]]
    assert said == [result["structuredContent"]] == [{"v": None}]
    assert json.loads(resource(value, policy)[0]["text"], parse_constant=pytest.fail) == {"v": None}


@profiles
def test_b26_an_error_keeps_all_its_blocks_its_data_and_its_meta(policy):
    expected = {
        "content": [text("a"), text("b")],
        "structuredContent": {"code": 7},
        "isError": True,
        "_meta": {"trace": "x"},
    }
    blocks = [ours.TextContent(text="a"), ours.TextContent(text="b")]
    mine = ours.CallToolResult(content=blocks, structuredContent={"code": 7}, isError=True, _meta={"trace": "x"})
    assert tool(mine, policy) == tool(official.CallToolResult.model_validate(expected), policy) == expected


@profiles
def test_b27_none_is_empty_content_and_nothing_else(policy):
    if policy == "serializer":  # takes only texts, objects and builders
        assert refusal(tool, None, policy).startswith("$: this policy takes")
        return
    assert tool(None, policy) == {"content": []}


@pytest.mark.parametrize("policy", ["standard", "openmcp", "fastmcp", "kubernetes", "lean"])
def test_b28_a_pair_is_data_unless_its_second_item_is_an_object(policy):
    structured = Policy.of(policy).non_object != "raw"
    for value in ((1, 2), Pair(1, 2)):
        found = tool(value, policy, declared="schema")["structuredContent"]
        assert found == ({"result": [1, 2]} if structured else [1, 2])
    if Policy.of(policy).pair == "object":
        expected = {"content": [text("one item")], "structuredContent": {"sku": "a", "amount": 1}}
        assert tool(("one item", Item(sku="a", amount=1)), policy) == expected
        assert tool(("one item", {"sku": "a", "amount": 1}), policy) == expected


@profiles
def test_b29_a_moment_is_the_same_in_the_text_and_in_the_data(policy):
    result = tool({"d": WHEN}, policy, declared="schema")
    assert result["structuredContent"] == {"d": "2026-07-28T12:30:00Z"}
    assert [json.loads(block["text"]) for block in result["content"]] in ([], [{"d": "2026-07-28T12:30:00Z"}])


@profiles
def test_b30_a_model_is_sent_under_the_names_its_schema_gives(policy):
    value = Aliased(userName="ada", joined=date(2026, 7, 28))
    structured = tool(value, policy, declared="schema")["structuredContent"]
    assert structured == {"userName": "ada", "joinedOn": "2026-07-28"}
    assert_fits(structured, Aliased)
    [inside] = tool({"users": [value]}, policy, declared="schema")["structuredContent"]["users"]
    assert inside == structured


@pytest.mark.parametrize(
    ("value", "kind", "sent"),
    [
        (Colour.RED, Colour, "red"),
        (WHEN, datetime, "2026-07-28T12:30:00Z"),
        (date(2026, 7, 28), date, "2026-07-28"),
        (UUID(int=7), UUID, "00000000-0000-0000-0000-000000000007"),
        (Decimal("1.50"), Decimal, "1.50"),
        (PurePosixPath("/srv/data"), PurePosixPath, "/srv/data"),
        (frozenset({"b", "a"}), frozenset[str], ["a", "b"]),
    ],
)
def test_b31_scalars_of_the_standard_library_fit_the_schema_of_their_type(value, kind, sent):
    assert tool(value, "lean", declared="schema")["structuredContent"] == sent
    assert tool(value, declared="schema")["structuredContent"] == {"result": sent}
    assert_fits(sent, kind)


@profiles
def test_b41_sets_are_sorted(policy):
    """S001-17; that no run differs is shown with several hash seeds in tests/property."""
    words = [f"word-{number:03}" for number in range(100)]
    value = {"set": set(words), "frozen": frozenset(words), "model": pydantic.RootModel[set[str]](set(words))}
    assert tool(value, policy, declared="schema")["structuredContent"] == dict.fromkeys(value, words)


def test_b42_records_ranges_and_buffers_are_data_and_an_image_in_a_dict_is_refused():
    @attrs.define
    class Attributes:
        x: int
        y: str

    class Struct(msgspec.Struct):
        x: int
        y: str

    assert tool(Attributes(1, "b"))["structuredContent"] == {"x": 1, "y": "b"}
    assert tool(Struct(1, "b"))["structuredContent"] == {"x": 1, "y": "b"}
    assert tool(range(3))["structuredContent"] == {"result": [0, 1, 2]}
    assert tool({"m": memoryview(b"\xff")})["structuredContent"] == {"m": "/w=="}
    for image in (Image(data=PNG), FastMCPImage(data=PNG, format="png")):
        refused = "$.chart: Image is content, not data; return it by itself or in a list of content"
        assert refusal(tool, {"chart": image}) == refused
        assert tool([image])["content"] == [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]


@profiles
def test_b43_two_keys_that_are_one_in_json_are_refused(policy):
    refused = "$: two keys are both '1' in JSON"
    assert refusal(tool, {1: "a", "1": "b"}, policy) == refusal(resource, {1: "a", "1": "b"}, policy) == refused


def test_b44_a_dict_is_data_without_any_annotation_and_a_scalar_has_no_quotes():
    assert tool({"a": 1}) == {"content": [text('{"a": 1}')], "structuredContent": {"a": 1}}
    assert tool(Colour.RED)["content"] == [text("red")]
    assert tool(WHEN)["content"] == [text("2026-07-28T12:30:00Z")]
    assert tool(UUID(int=7))["content"] == [text("00000000-0000-0000-0000-000000000007")]
    assert tool(Path("a/b"))["content"] == [text(os.fspath(Path("a/b")))]


@pytest.mark.parametrize("policy", ["standard", "openmcp", "fastmcp", "kubernetes", "lean"])
def test_b45_none_does_not_vanish_from_a_list(policy):
    result = tool([None, "a"], policy)
    one_text = [text(codec.format_json(b'[null,"a"]', Policy.of(policy).json_style))]
    assert result["content"] in ([text("null"), text("a")], one_text)
    assert result.get("structuredContent", {"result": [None, "a"]}) == {"result": [None, "a"]}


def test_b45_the_data_keeps_the_nesting_that_flat_blocks_do_not_show():
    """S000-21 has the blocks flat."""
    value = [[1, 2], [3], []]
    assert tool(value)["content"] == [text("1"), text("2"), text("3")]
    assert tool(value)["structuredContent"] == {"result": value}
    assert tool(value, "fastmcp")["content"] == [text("[1,2]"), text("[3]"), text("[]")]
