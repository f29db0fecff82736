"""What a returned value becomes with different policies. Complete results are in tests/golden/values; this file has
what those cannot show: which objects pass unchanged, and the effect of each policy field.
"""

import dataclasses
import inspect
import json
from typing import Any, NamedTuple

import fastmcp.prompts
import fastmcp.resources
import fastmcp.tools
import mcp.types as official
import msgspec
import pydantic
import pytest
from msgspec import UNSET, Raw

from plainmcp import (
    Image,
    Policy,
    PromptResult,
    ResourceResult,
    ToolResult,
    full,
    normalize_prompt_result,
    normalize_resource_payload,
    normalize_tool_result,
    structured,
    types,
)
from plainmcp.errors import NormalizeError, ToolError
from plainmcp.types import (
    Annotations,
    CallToolResult,
    GetPromptResult,
    ImageContent,
    PromptMessage,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)
from plainmcp.values import render
from plainmcp.values.encode import Rules
from plainmcp.values.prompt_result import prompt_result
from plainmcp.values.resource_result import resource_result
from plainmcp.values.tool_result import tool_result

PNG = b"\x89PNG\r\n\x1a\n"


@dataclasses.dataclass
class ContextInfo:
    name: str
    server: str
    default: bool


@dataclasses.dataclass
class ContextsListResult:
    defaultContext: str
    contexts: list[ContextInfo]


class Model(pydantic.BaseModel):
    a: int


class Pair(NamedTuple):
    text: str
    data: dict[str, int]


def wire(message: Any) -> Any:
    return json.loads(msgspec.json.encode(message))


def tool(value: Any, policy: Policy | str = "standard", **options: Any) -> Any:
    return wire(normalize_tool_result(value, policy=policy, **options))


def resource(value: Any, mime_type: str | None = None, policy: Policy | str = "standard") -> Any:
    return wire(normalize_resource_payload("a://1", mime_type, value, policy=policy))


def prompt(value: Any, policy: Policy | str = "standard") -> Any:
    return wire(normalize_prompt_result(value, policy=policy))


def variant(**changes: Any) -> Policy:
    return Policy.standard.replace(**changes)


def text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


# The normalizers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", Policy.profiles)
@pytest.mark.parametrize("value", ["a", {"a": 1}, Model(a=1), ToolResult("a"), CallToolResult(content=[])])
def test_whatever_a_handler_returns_the_answer_is_a_result(value, policy):
    """S000-01, S000-03"""
    assert type(normalize_tool_result(value, policy=policy)) is CallToolResult


@pytest.mark.parametrize("policy", Policy.profiles)
@pytest.mark.parametrize("value", ["a", {"a": 1}, Model(a=1), [1, 2], None, b"a", Image(data=PNG), 3.5])
def test_whatever_a_resource_returns_the_answer_is_its_contents(value, policy):
    """S000-02, S000-03, B-21"""
    result = normalize_resource_payload("a://1", None, value, policy=policy)
    assert type(result) is ReadResourceResult
    assert [one.uri for one in result.contents] == ["a://1"]


@pytest.mark.parametrize("value", ["a", {"a": 1}, Model(a=1), [1, 2], ("a", "assistant"), Image(data=PNG), 3.5])
def test_whatever_a_prompt_returns_the_answer_is_messages(value):
    result = normalize_prompt_result(value)
    assert type(result) is GetPromptResult and result.messages


def test_people_get_data_and_the_server_gets_raw_json():
    assert normalize_tool_result({"a": {2, 1}}).structuredContent == {"a": [1, 2]}
    result, mirrored = tool_result({"a": {2, 1}}, Policy.standard)
    assert isinstance(result.structuredContent, Raw)
    assert (bytes(result.structuredContent), mirrored) == (b'{"a":[1,2]}', True)


def test_rules_of_ones_own_reach_every_normalizer():
    rules = Rules()
    rules.add(Model, lambda model: f"#{model.a}")
    assert tool_result(Model(a=1), Policy.standard, rules).result.content == [TextContent(text="#1")]
    assert resource_result("a://1", None, Model(a=1), Policy.standard, rules).contents[0].text == "#1"
    assert prompt_result(Model(a=1), Policy.standard, rules).messages[0].content.text == "#1"


class Hostile:
    @property
    def __class__(self) -> type:
        raise ZeroDivisionError("password")


@pytest.mark.parametrize(
    "normalize",
    [normalize_tool_result, normalize_prompt_result, lambda value: normalize_resource_payload("a://1", None, value)],
)
def test_no_exception_but_ours_comes_out_and_none_tells_a_secret(normalize):
    """B-03"""
    for value in (Hostile(), [Hostile()], {"a": Hostile()}):
        with pytest.raises(NormalizeError) as caught:
            normalize(value)
        assert "password" not in str(caught.value)


# Results made by hand ----------------------------------------------------------------------------------


def test_a_result_made_by_hand_is_the_same_result():
    """S000-08, S000-48"""
    given = CallToolResult(
        content=[TextContent(text="a"), ImageContent(data="AA==", mimeType="image/png")],
        structuredContent={"n": [1, None]},
        isError=True,
        _meta={"a": 1},
    )
    assert normalize_tool_result(given) == given
    assert normalize_tool_result(given) is not given  # what happens to ours is not done to the author's


@pytest.mark.parametrize("is_error", [True, False, None])
def test_the_error_flag_is_never_altered(is_error):
    """S000-48, S000-49"""
    given = CallToolResult(content=[TextContent(text="a")], isError=is_error)
    assert normalize_tool_result(given).isError is is_error


@pytest.mark.parametrize("data", [None, [], {}, 0, "", [1]])
def test_structured_content_of_ones_own_is_not_wrapped(data):
    """S000-08"""
    given = CallToolResult(content=[], structuredContent=data)
    assert normalize_tool_result(given).structuredContent == data


def test_structured_content_of_ones_own_may_be_any_value_that_has_a_form():
    """S004-40"""
    for data in (Model(a=1), {"a": 1}, ContextInfo("a", "b", False)):
        expected = {"a": 1} if not isinstance(data, ContextInfo) else dataclasses.asdict(data)
        assert normalize_tool_result(CallToolResult(content=[], structuredContent=data)).structuredContent == expected
        assert tool(ToolResult([], data)) == {"content": [], "structuredContent": expected}


def test_structured_content_of_ones_own_that_has_no_form_is_refused():
    with pytest.raises(NormalizeError, match=r"^\$.*no JSON form"):
        normalize_tool_result(CallToolResult(content=[], structuredContent={"o": object()}))


def test_a_read_result_made_by_hand_is_the_same_result():
    """S000-35"""
    given = ReadResourceResult(
        contents=[TextResourceContents(uri="b://2", text="c", title="T", annotations=Annotations(priority=0.5))],
        ttlMs=5000,
        cacheScope="public",
        _meta={"a": 1},
    )
    assert normalize_resource_payload("a://1", "text/html", given) == given


def test_a_prompt_result_made_by_hand_is_the_same_result():
    given = GetPromptResult(
        description="d", messages=[PromptMessage(role="assistant", content=TextContent(text="a"))], _meta={"a": 1}
    )
    assert normalize_prompt_result(given) == given


# Results of other packages -------------------------------------------------------------------------------


def test_results_of_the_official_package_are_results():
    """S000-08, S000-14"""
    given = official.CallToolResult(
        content=[official.TextContent(type="text", text="a")],
        structured_content={"n": 1},
        is_error=True,
        _meta={"a": 1},
    )
    assert tool(given) == {
        "content": [text("a")],
        "structuredContent": {"n": 1},
        "isError": True,
        "_meta": {"a": 1},
    }
    assert tool(official.CallToolResult(content=[])) == {"content": []}


def test_resources_of_the_official_package_are_resources():
    """S000-35, S000-36, S000-37, B-22"""
    contents = official.TextResourceContents(uri="b://2", text="c")
    wire = {"contents": [{"uri": "b://2", "text": "c"}]}
    assert resource(official.ReadResourceResult(contents=[contents])) == wire
    assert resource(contents) == resource([contents]) == wire


def test_cache_hints_of_the_official_package_are_kept():
    """S000-35"""
    given = official.ReadResourceResult(contents=[], ttl_ms=5000, cache_scope="public", _meta={"a": 1})
    assert resource(given) == {"contents": [], "ttlMs": 5000, "cacheScope": "public", "_meta": {"a": 1}}


def test_prompts_of_the_official_package_are_prompts():
    """B-22"""
    message = official.PromptMessage(role="assistant", content=official.TextContent(type="text", text="a"))
    result = official.GetPromptResult(messages=[message], description="d")
    assert prompt(result) == {"description": "d", "messages": [said("assistant", "a")]}
    assert prompt(message) == prompt([message]) == {"messages": [said("assistant", "a")]}


def test_results_of_fastmcp_are_results():
    """S004-38"""
    block = official.TextContent(type="text", text="a")
    given = fastmcp.tools.ToolResult(content=[block], structured_content={"n": 1}, meta={"a": 1})
    assert tool(given) == {"content": [text("a")], "structuredContent": {"n": 1}, "_meta": {"a": 1}}
    message = fastmcp.prompts.Message("a", role="assistant")
    assert prompt(message) == prompt(fastmcp.prompts.PromptResult([message]))
    assert prompt([message]) == {"messages": [said("assistant", "a")]}
    contents = fastmcp.resources.ResourceContent(b"\x01", mime_type="image/png")
    assert resource(fastmcp.resources.ResourceResult([contents])) == {
        "contents": [{"uri": "a://1", "mimeType": "image/png", "blob": "AQ=="}]
    }


# Builders ------------------------------------------------------------------------------------------------


def test_a_tool_result_without_content_has_the_json_of_its_data_for_text():
    """S001-03"""
    assert tool(ToolResult(structured_content={"a": [1]})) == {
        "content": [text('{"a": [1]}')],
        "structuredContent": {"a": [1]},
    }
    assert tool(structured({"a": [1]}), "kubernetes")["content"] == [text('{"a":[1]}')]


@pytest.mark.parametrize("policy", ["standard", "kubernetes", "lean", "fastmcp"])
def test_the_text_of_structured_is_the_very_json_of_its_data(policy):
    """S001-02, S001-03: marshalled once, so that they cannot drift"""
    payload = ContextsListResult("b", [ContextInfo("b", "x", True), ContextInfo("a", "y", False)])
    result = tool(structured(payload), policy)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert list(json.loads(result["content"][0]["text"])) == list(result["structuredContent"])


@pytest.mark.parametrize("items", [["a", 1, {"b": 2}, None, [3, "c"]]])
def test_anything_may_stand_among_the_content_of_a_tool_result(items):
    """S004-39"""
    assert tool(ToolResult(items))["content"] == [text("a"), text("1"), text('{"b": 2}'), text("3"), text("c")]


@pytest.mark.parametrize("policy", Policy.profiles)
def test_what_stands_among_content_is_said_or_refused_and_never_lost(policy):
    """S003-25, S004-39: object_text is about text beside structured data, and here is no structured data"""
    try:
        blocks = tool(ToolResult([{"a": 1}]), policy)["content"]
    except NormalizeError:
        return
    assert [json.loads(block["text"]) for block in blocks] == [{"a": 1}]


def test_what_an_author_vouches_for_is_marked_as_said():
    """S001-05"""
    assert tool_result(full("a", {"b": 1}), Policy.standard).mirrored
    assert tool_result(structured({"b": 1}), Policy.standard).mirrored
    assert not tool_result(ToolResult(["a"], {"b": 1}), Policy.standard).mirrored
    assert not tool_result(("a", {"b": 1}), Policy.standard).mirrored


def test_an_error_from_a_builder_is_an_error():
    """S001-09"""
    assert tool(ToolResult(["no such city"], is_error=True)) == {"content": [text("no such city")], "isError": True}
    assert "isError" not in tool(ToolResult(["fine"]))


def test_a_resource_in_parts_keeps_what_was_said_of_each():
    """S003-10, S002-10"""
    result = (
        ResourceResult(meta={"a": 1})
        .add_text("b", title="T", mime_type="text/markdown", annotations={"priority": 0.5}, meta={"c": 1})
        .add_bytes(b"\x01", uri="b://2", name="n")
    )
    assert resource(result, "text/html") == {
        "contents": [
            {
                "uri": "a://1",
                "title": "T",
                "mimeType": "text/markdown",
                "text": "b",
                "annotations": {"priority": 0.5},
                "_meta": {"c": 1},
            },
            {"uri": "b://2", "name": "n", "mimeType": "text/html", "blob": "AQ=="},
        ],
        "_meta": {"a": 1},
    }


def test_a_prompt_in_turns_keeps_roles_and_order():
    """S003-33"""
    result = PromptResult(description="d", meta={"a": 1}).add_text("b").add_text("c", role="assistant")
    assert prompt(result) == {
        "description": "d",
        "messages": [said("user", "b"), said("assistant", "c")],
        "_meta": {"a": 1},
    }


# Dicts of result keys --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ({"content": []}, {"content": []}),
        (
            {"content": [TextContent(text="a"), {"type": "text", "text": "b"}]},
            {"content": [text("a"), text("b")]},
        ),
        ({"content": [], "structuredContent": {"a": 1}}, {"content": [], "structuredContent": {"a": 1}}),
        ({"content": [], "isError": False}, {"content": [], "isError": False}),
        ({"content": [], "_meta": {"a": 1}}, {"content": [], "_meta": {"a": 1}}),
        ({"content": [], "meta": {"a": 1}}, {"content": [], "_meta": {"a": 1}}),
        ({"content": [], "isError": None, "meta": None}, {"content": []}),
    ],
)
def test_a_dict_that_is_a_result_is_that_result(value, result):
    """S000-09, S000-10"""
    assert tool(value) == result


@pytest.mark.parametrize(
    "value",
    [
        {"structuredContent": {"a": 1}},
        {"isError": True},
        {"meta": {"a": 1}},
        {"content": "a"},
        {"content": None},
        {"content": ["a"]},
        {"content": [{"type": "video"}]},
        {"content": [{"type": "text", "text": "a", "colour": "red"}]},
        {"content": [], "isError": "no"},
        {"content": [], "isError": 1},
        {"content": [], "_meta": []},
        {"content": [], "title": "Doc 1"},
    ],
)
def test_a_dict_that_is_not_quite_a_result_is_data(value):
    """S000-11, B-13"""
    assert tool(value) == {"content": [text(json.dumps(value))], "structuredContent": value}


def test_where_the_policy_knows_no_envelopes_every_dict_is_data():
    value = {"content": [{"type": "text", "text": "a"}]}
    assert tool(value, variant(envelope="off"))["structuredContent"] == value


# Pairs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (("a", {"b": 1}), {"content": [text("a")], "structuredContent": {"b": 1}}),
        (({"a": 1}, {"b": 2}), {"content": [text('{"a": 1}')], "structuredContent": {"b": 2}}),
        ((["a", 1], {"b": 2}), {"content": [text("a"), text("1")], "structuredContent": {"b": 2}}),
        ((None, {"b": 2}), {"content": [], "structuredContent": {"b": 2}}),
        (("a", Model(a=1)), {"content": [text("a")], "structuredContent": {"a": 1}}),
        ((TextContent(text="a"), Model(a=1)), {"content": [text("a")], "structuredContent": {"a": 1}}),
    ],
)
def test_a_payload_and_its_structured_data(value, result):
    """S000-15, S000-25, B-28"""
    assert tool(value) == result


@pytest.mark.parametrize(
    "value", [(1, 2), ("a", "b"), ("a", [1]), ("a", None), (1,), ("a", {"b": 1}, 2), ["a", {"b": 1}]]
)
def test_a_tuple_that_is_no_pair_is_a_list(value):
    """S000-25, S000-28, B-28"""
    assert tool(value)["structuredContent"] == {"result": json.loads(json.dumps(value))}


def test_a_named_tuple_is_one_record_and_no_pair():
    """B-28"""
    assert tool(Pair("a", {"b": 1})) == {
        "content": [text('["a", {"b": 1}]')],
        "structuredContent": {"result": ["a", {"b": 1}]},
    }


def test_where_the_policy_knows_no_pairs_a_pair_is_a_list():
    assert tool(("a", {"b": 1}), variant(pair="never"))["structuredContent"] == {"result": ["a", {"b": 1}]}


# Policy fields, one by one -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("non_object", "declared", "sent"),
    [
        ("wrap", "nothing", {"result": 42}),
        ("raw", "nothing", 42),
        ("annotated", "nothing", UNSET),
        ("annotated", "hint", {"result": 42}),
        ("annotated", "schema", {"result": 42}),
        ("schema", "hint", UNSET),
        ("schema", "schema", {"result": 42}),
        ("never", "hint", UNSET),
        ("never", "schema", {"result": 42}),
        ("raw", "schema", 42),
    ],
)
def test_when_a_scalar_is_structured_data(non_object, declared, sent):
    """S000-18, S004-24, S004-25, S004-26, S004-27"""
    result = normalize_tool_result(42, policy=variant(non_object=non_object), declared=declared)
    assert result.content == [TextContent(text="42")]
    assert result.structuredContent == sent


def test_the_key_scalars_are_wrapped_under():
    assert tool(42, variant(wrap_key="value"))["structuredContent"] == {"value": 42}
    assert tool(42, variant(wrap_key='a"b'))["structuredContent"] == {'a"b': 42}


@pytest.mark.parametrize("declared", ["nothing", "hint", "schema"])
def test_a_policy_may_keep_structured_data_for_those_who_promised_it(declared):
    result = tool({"a": 1}, variant(structured="schema"), declared=declared)
    assert ("structuredContent" in result) == (declared == "schema")
    assert result["content"] == [text('{"a": 1}')]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("spaced", ['{"a": [1, 2]}', "[3, 4]"]),
        ("compact", ['{"a":[1,2]}', "[3,4]"]),
        ("indent", ['{\n  "a": [\n    1,\n    2\n  ]\n}', "[\n  3,\n  4\n]"]),
    ],
)
def test_the_style_of_json_text(style, expected):
    """S000-33, S001-03, S002-26"""
    result = tool([{"a": [1, 2]}, [3, 4]], variant(json_style=style, list_content="blocks"))
    assert [block["text"] for block in result["content"]] == expected
    result = tool([[{"a": [1, 2]}], "[3, 4]"], variant(json_style=style))
    assert [block["text"] for block in result["content"]] == [expected[0], "[3, 4]"]
    assert tool({"a": [1, 2]}, variant(json_style=style))["content"] == [text(expected[0])]
    assert resource({"a": [1, 2]}, None, variant(json_style=style))["contents"][0]["text"] == expected[0]


@pytest.mark.parametrize(
    ("list_content", "texts"),
    [
        ("blocks", ["a", "1", '["b", [null]]']),
        ("flat", ["a", "1", "b", "null"]),
        ("json", ['["a", 1, ["b", [null]]]']),
        ("auto", ['["a", 1, ["b", [null]]]']),
    ],
)
def test_a_list_as_content(list_content, texts):
    """S000-21, S001-03, S004-08, B-45"""
    value = ["a", 1, ["b", [None]]]
    result = tool(value, variant(list_content=list_content))
    assert [block["text"] for block in result["content"]] == texts
    assert result["structuredContent"] == {"result": value}


def test_a_list_beside_which_nothing_is_structured_is_blocks():
    """S004-08, S004-24"""
    result = tool(["a", "b"], variant(list_content="auto", non_object="never"))
    assert result == {"content": [text("a"), text("b")]}


def test_the_text_beside_structured_data_may_be_left_out():
    """S003-23"""
    policy = variant(object_text="none")
    assert tool({"a": 1}, policy) == {"content": [], "structuredContent": {"a": 1}}
    assert tool("a", policy)["content"] == [text("a")]


def test_text_is_left_out_only_where_the_data_is_sent():
    policy = variant(object_text="none", structured="schema")
    assert tool({"a": 1}, policy) == {"content": [text('{"a": 1}')]}


@pytest.mark.parametrize(
    ("value", "sent"), [({}, {}), ([], {"result": []}), (Model.model_construct(), {}), ({"a": []}, {"a": []})]
)
def test_empty_data_is_left_out_where_the_policy_says_so_and_nobody_promised_it(value, sent):
    """S001-38"""
    policy = variant(empty_structured="omit")
    expected = {} if value != {"a": []} else {"structuredContent": sent}
    assert {key: item for key, item in tool(value, policy).items() if key != "content"} == expected
    assert tool(value, policy, declared="schema")["structuredContent"] == sent
    assert tool(value)["structuredContent"] == sent


@pytest.mark.parametrize(
    ("bytes_as", "block"),
    [
        ("text", text("iVBORw0KGgo=")),
        ("media", {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}),
    ],
)
def test_bytes_are_what_the_policy_says(bytes_as, block):
    """S000-20, S004-03"""
    for value in (PNG, bytearray(PNG), memoryview(PNG)):
        assert tool(value, variant(bytes_as=bytes_as)) == {"content": [block]}


def test_bytes_may_be_refused():
    with pytest.raises(NormalizeError, match=r"^\$: this policy takes no bytes; return an Image, Audio or File$"):
        tool(PNG, variant(bytes_as="error"))


def test_bytes_inside_data_are_base64_whatever_the_policy():
    """B-16"""
    for policy in Policy.profiles:
        result = tool({"b": b"\xff"}, policy, declared="schema")
        assert result["structuredContent"] == {"b": "/w=="}


@pytest.mark.parametrize("value", [42, ["a"], None, b"a", ("a", {"b": 1}), 1.5])
def test_a_policy_that_takes_only_text_and_objects_refuses_the_rest(value):
    """S003-21, S003-23"""
    kind = type(value).__name__
    with pytest.raises(
        NormalizeError, match=rf"^\$: this policy takes a str, an object or a ToolResult, and {kind} is"
    ):
        tool(value, "serializer")


@pytest.mark.parametrize("value", ["a", {"a": 1}, Model(a=1), ContextInfo("a", "b", True), ToolResult("a")])
def test_a_policy_that_takes_only_text_and_objects_takes_those(value):
    """S003-21, S003-22, S003-25"""
    assert tool(value, variant(accept="serializer"))


@pytest.mark.parametrize(
    ("key", "renamed"),
    [
        ("default_context", "defaultContext"),
        ("already_camelCase", "alreadyCamelCase"),
        ("defaultContext", "defaultContext"),
        ("api_url", "apiUrl"),
        ("id", "id"),
        ("_private", "_private"),
        ("a__b", "aB"),
        ("trailing_", "trailing"),
        ("x_1", "x1"),
    ],
)
def test_keys_at_the_top_are_camel_case_where_the_policy_says_so(key, renamed):
    """S001-23"""
    value = {key: {"in_ner": [{"deep_er": 1}]}}
    assert tool(value, variant(key_case="camel"))["structuredContent"] == {renamed: {"in_ner": [{"deep_er": 1}]}}


def test_two_keys_that_are_one_in_camel_case_are_refused():
    """S001-23, B-43"""
    with pytest.raises(NormalizeError, match=r"^\$: two keys are the same in camelCase$"):
        tool({"a_b": 1, "aB": 2}, variant(key_case="camel"))


def test_entries_are_sorted_by_name_as_strings():
    """S001-17, S001-18, S001-20, S001-21, S001-36"""
    entries = [{"name": f"cluster-{n}"} for n in (3, 2, 10, 1, 0)]
    data = tool({"contexts": entries}, variant(item_order="name"))["structuredContent"]
    assert [entry["name"] for entry in data["contexts"]] == [
        "cluster-0",
        "cluster-1",
        "cluster-10",
        "cluster-2",
        "cluster-3",
    ]
    assert data["contexts"][2]["name"] == "cluster-10"


@pytest.mark.parametrize(
    "value",
    [
        {"ports": [443, 80]},
        {"names": ["b", "a"]},
        {"rows": [{"Name": "b"}, {"Name": "a"}]},
        {"rows": [{"name": "b"}, {"id": 1}]},
        {"rows": [{"name": 2}, {"name": 1}]},
        {"inner": {"rows": [{"name": "b"}, {"name": "a"}]}},
    ],
)
def test_what_has_no_name_or_stands_deeper_keeps_its_order(value):
    """S001-19, S001-22"""
    assert tool(value, variant(item_order="name"))["structuredContent"] == value


def test_a_bare_list_of_rows_keeps_its_order():
    """S001-22"""
    rows = [{"name": "b"}, {"name": "a"}]
    assert tool(full("b\na", rows), "kubernetes")["structuredContent"] == rows


def test_the_shape_of_a_typed_payload_is_its_contract():
    """S001-15, S001-16, S001-25, S001-27, S001-36: top-level keys, nested entries, a middle index"""
    payload = ContextsListResult(
        defaultContext="cluster-1", contexts=[ContextInfo(f"cluster-{n}", "unknown", n == 1) for n in (2, 1, 0)]
    )
    data = tool(full("3 contexts", payload), "kubernetes")["structuredContent"]
    assert list(data) == ["defaultContext", "contexts"]
    assert [list(entry) for entry in data["contexts"]] == [["name", "server", "default"]] * 3
    assert data["contexts"][1] == {"name": "cluster-1", "server": "unknown", "default": True}
    assert [entry["name"] for entry in data["contexts"] if entry["default"]] == [data["defaultContext"]]


def test_members_that_are_none_may_be_dropped():
    policy = variant(drop_none=True)
    assert tool({"a": None, "b": 0}, policy) == {"content": [text('{"b": 0}')], "structuredContent": {"b": 0}}


# What a schema promises ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "data"),
    [(None, {"result": None}), (b"a", {"result": "YQ=="}), ([], {"result": []}), ({}, {}), ("a", {"result": "a"})],
)
def test_what_a_schema_promises_is_sent(value, data):
    """S002-23, S004-26, S004-35, B-15"""
    assert tool(value, declared="schema")["structuredContent"] == data


def test_what_a_schema_promises_is_never_a_str_of_something():
    """S002-23"""

    class Spoken:
        def __str__(self) -> str:
            return "spoken"

    assert tool(Spoken()) == {"content": [text("spoken")]}
    with pytest.raises(NormalizeError, match=r"^\$: Spoken has no JSON form"):
        tool(Spoken(), declared="schema")


# Rendering ---------------------------------------------------------------------------------------------

ROWS = [ContextInfo("cluster-0", "unknown", False), ContextInfo("cluster-10", "b", True)]
AS_DATA = {
    "result": [
        {"name": "cluster-0", "server": "unknown", "default": False},
        {"name": "cluster-10", "server": "b", "default": True},
    ]
}


@pytest.mark.parametrize("how", render.RENDERERS)
def test_the_structured_view_does_not_depend_on_the_rendering(how):
    """S001-08, S001-11, S001-12, S001-13"""
    draw = render.renderer_of(how)
    result, mirrored = tool_result(ROWS, Policy.standard, render=lambda value, raw: draw(msgspec.json.decode(raw)))
    assert json.loads(bytes(result.structuredContent)) == AS_DATA
    assert result.content == [TextContent(text=draw(AS_DATA["result"]))]
    assert mirrored


def test_a_renderer_is_given_the_value_and_its_json():
    given: list[Any] = []

    def draw(value: Any, raw: bytes) -> str:
        given.append((value, raw))
        return "drawn"

    result = tool_result({"a": (1, 2)}, Policy.standard, render=draw).result
    assert result.content == [TextContent(text="drawn")]
    assert given == [({"a": (1, 2)}, b'{"a":[1,2]}')]


@pytest.mark.parametrize("value", ["prose", None, TextContent(text="a"), ToolResult("a")])
def test_text_content_and_nothing_are_not_rendered(value):
    def draw(value: Any, raw: bytes) -> str:
        raise AssertionError("rendered")

    assert tool_result(value, Policy.standard, render=draw)


# Content among data --------------------------------------------------------------------------------------


def test_none_among_content_says_nothing():
    """S000-19, S000-34"""
    assert tool([TextContent(text="a"), None, "b"]) == {"content": [text("a"), text("b")]}


def test_content_in_a_list_in_a_list_comes_out_in_order():
    """S000-21, S000-34"""
    value = ["a", [TextContent(text="b"), ["c", [Image(data=PNG)]]], {"d": 1}]
    blocks = tool(value)["content"]
    assert [block.get("text", block["type"]) for block in blocks] == ["a", "b", "c", "image", '{"d": 1}']


@pytest.mark.parametrize("policy", Policy.profiles)
def test_content_inside_data_is_refused_with_its_path(policy):
    """B-42"""
    with pytest.raises(NormalizeError, match=r"^\$\.a\[1\]: TextContent is content, not data"):
        tool({"a": [1, TextContent(text="a")]}, policy)


@pytest.mark.parametrize(
    "value", [types.Tool(name="a", inputSchema={}), PromptMessage(role="user", content=TextContent(text="a"))]
)
def test_a_word_of_the_protocol_that_is_no_answer_of_a_tool_is_refused(value):
    with pytest.raises(NormalizeError, match=type(value).__name__):
        tool(value)


def test_a_missing_file_is_told_to_the_model():
    with pytest.raises(ToolError, match=r"^cannot read 'gone\.png': there is no such file$"):
        tool(["a", Image("gone.png")])


# Resources -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "declared", "mime"),
    [
        ("a", None, "text/plain"),
        ("a", "text/html", "text/html"),
        (b"a", None, "application/octet-stream"),
        (b"a", "image/png", "image/png"),
        ({"a": 1}, None, "text/plain"),
        ({"a": 1}, "application/json", "application/json"),
        ({"text": "a"}, None, "text/plain"),
        ({"text": "a"}, "text/html", "text/html"),
        ({"text": "a", "mimeType": "text/css"}, "text/html", "text/css"),
        ({"blob": "YQ=="}, None, "application/octet-stream"),
    ],
)
def test_a_declared_type_wins_then_bytes_are_octets_and_the_rest_is_plain_text(value, declared, mime):
    """S000-41, S000-42, S000-44, S000-47"""
    assert resource(value, declared, "openmcp")["contents"][0]["mimeType"] == mime


@pytest.mark.parametrize("value", [{"a": 1}, [1], 42, None, Model(a=1)])
def test_json_made_here_is_labelled_as_the_policy_says(value):
    """S000-46, S000-47"""
    labels = {policy: resource(value, None, policy)["contents"][0]["mimeType"] for policy in Policy.profiles}
    assert labels == {
        "standard": "text/plain",
        "openmcp": "text/plain",
        "fastmcp": "text/plain",
        "serializer": "application/json",
        "kubernetes": "application/json",
        "lean": "application/json",
    }


@pytest.mark.parametrize(
    ("value", "contents"),
    [
        ({"text": "b"}, {"uri": "a://1", "mimeType": "text/plain", "text": "b"}),
        ({"uri": "b://2", "text": "b"}, {"uri": "b://2", "mimeType": "text/plain", "text": "b"}),
        ({"blob": "AA==", "mimeType": "image/png"}, {"uri": "a://1", "mimeType": "image/png", "blob": "AA=="}),
    ],
)
def test_a_dict_that_is_contents_with_the_uri_is_contents(value, contents):
    """S000-38"""
    assert resource(value) == {"contents": [contents]}


@pytest.mark.parametrize(
    "value",
    [
        {"text": "a", "author": "b"},
        {"text": 3},
        {"text": "a", "blob": "AA=="},
        {"blob": 3},
        {"mimeType": "text/plain"},
        {"text": "a", "mimeType": 3},
    ],
)
def test_any_other_dict_is_json_text(value):
    """S000-39, S000-47, B-14"""
    assert resource(value) == {"contents": [{"uri": "a://1", "mimeType": "text/plain", "text": json.dumps(value)}]}


def test_a_dict_of_contents_is_checked_like_any_other_value():
    """B-02"""
    with pytest.raises(NormalizeError, match="a lone surrogate"):
        msgspec.json.encode(normalize_resource_payload("a://1", None, {"text": "a\ud800"}))


@pytest.mark.parametrize(("uri", "mime_type"), [("a://\ud800", None), ("a://1", "text/\ud800")])
def test_a_uri_and_a_mime_type_are_checked_like_any_other_text(uri, mime_type):
    """B-02"""
    with pytest.raises(NormalizeError, match="a lone surrogate"):
        normalize_resource_payload(uri, mime_type, "text")


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ([TextResourceContents(uri="b://2", text="c"), "d", b"e"], 3),
        ([b"a", b"b"], 2),
        ([Image(data=PNG), Image(data=PNG)], 2),
        (["a", "b"], 1),
        ([], 1),
    ],
)
def test_a_list_is_several_contents_only_when_it_holds_contents_media_or_bytes(value, count):
    """S000-37, S000-46"""
    assert len(resource(value)["contents"]) == count


@pytest.mark.parametrize("value", [Image("gone.png"), {"o": object()}, [float("nan")]])
def test_a_resource_that_fails_raises(value):
    """S000-50"""
    with pytest.raises((ToolError, NormalizeError)):
        resource(value)


# Prompts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("a", [said("user", "a")]),
        (42, [said("user", "42")]),
        ({"a": 1}, [said("user", '{"a": 1}')]),
        (["a", "b"], [said("user", "a"), said("user", "b")]),
        (("a", "b"), [said("user", "a"), said("user", "b")]),
        (("a", "assistant"), [said("assistant", "a")]),
        (("assistant", "a"), [said("assistant", "a")]),
        ([("a", "assistant"), "b"], [said("assistant", "a"), said("user", "b")]),
        ({"role": "assistant", "content": "a"}, [said("assistant", "a")]),
        ({"role": "assistant", "content": ["a", "b"]}, [said("assistant", "a"), said("assistant", "b")]),
        ({"role": "user", "content": TextContent(text="a")}, [said("user", "a")]),
        ({"role": "system", "content": "a"}, [said("user", '{"role": "system", "content": "a"}')]),
        (None, []),
    ],
)
def test_what_a_prompt_says(value, messages):
    """S003-32, S003-35"""
    assert prompt(value) == {"messages": messages}


@pytest.mark.parametrize(
    ("prompt_pair", "value", "roles"),
    [
        ("text_role", ("a", "assistant"), ["assistant"]),
        ("text_role", ("assistant", "a"), ["user", "user"]),
        ("role_text", ("assistant", "a"), ["assistant"]),
        ("role_text", ("a", "assistant"), ["user", "user"]),
        ("either", ("user", "assistant"), ["assistant"]),
        ("role_text", ("user", "assistant"), ["user"]),
    ],
)
def test_which_half_of_a_pair_is_the_role(prompt_pair, value, roles):
    """S003-32"""
    said = prompt(value, variant(prompt_pair=prompt_pair))["messages"]
    assert [message["role"] for message in said] == roles


@pytest.mark.parametrize("policy", Policy.profiles)
@pytest.mark.parametrize(
    "value", [{"a": 1}, Model(a=1), {"role": "system", "content": "a"}], ids=["dict", "model", "role"]
)
def test_what_a_prompt_says_is_said_or_refused_and_never_lost(value, policy):
    """S003-32"""
    try:
        messages = prompt(value, policy)["messages"]
    except NormalizeError:
        return
    assert len(messages) == 1


@pytest.mark.parametrize("policy", ["serializer", "standard", "openmcp"])
def test_an_iterator_inside_an_object_is_read_once(policy: str) -> None:
    found = normalize_tool_result({"value": (n * n for n in range(4))}, policy=policy)
    assert found.structuredContent == {"value": [0, 1, 4, 9]}


def test_an_iterator_inside_the_data_beside_a_text_is_read_once() -> None:
    @dataclasses.dataclass
    class Squares:
        of: Any

    found = normalize_tool_result(("four", Squares(n * n for n in range(4))))
    assert found.structuredContent == {"of": [0, 1, 4, 9]}


@pytest.mark.parametrize(
    ("result", "data"),
    [
        (
            normalize_tool_result({"a": (1, None)}),
            {"content": [{"type": "text", "text": '{"a": [1, null]}'}], "structuredContent": {"a": [1, None]}},
        ),
        (normalize_tool_result(None), {"content": []}),
        (
            normalize_resource_payload("a://b", None, b"x"),
            {"contents": [{"uri": "a://b", "mimeType": "application/octet-stream", "blob": "eA=="}]},
        ),
        (normalize_prompt_result("x"), {"messages": [{"role": "user", "content": {"type": "text", "text": "x"}}]}),
    ],
)
def test_a_result_has_its_form_on_the_wire(result, data):
    """S5"""
    assert result.to_dict() == data
    assert json.loads(result.to_json()) == data


def test_the_signatures_of_the_normalizers_can_be_read():
    """S5"""
    for function in (normalize_tool_result, normalize_resource_payload, normalize_prompt_result):
        assert len(str(inspect.signature(function))) < 200
