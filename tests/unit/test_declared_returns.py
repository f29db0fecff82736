"""A declared return is checked, whether its schema is listed or not: what does not fit is never sent."""

import json
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Flag
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import pytest
from msgspec import Struct
from pydantic import BaseModel

from plainmcp import Audio, Image, Policy, PromptResult, Server, ToolResult, full, structured, types
from plainmcp.testing import Client, RpcError
from wire import REVISIONS

T = TypeVar("T")

CHECKED = ("standard", "lean", "fastmcp", "kubernetes")
"""The profiles that check every declared return."""

PNG = Image(data=b"\x89PNG\r\n\x1a\n")
WAV = Audio(data=b"RIFF....WAVE")


@dataclass
class Row:
    name: str


class Right(Flag):
    READ = 1
    WRITE = 2


@dataclass
class Box(Generic[T]):
    item: T


class Envelope(BaseModel, Generic[T]):
    item: T


class Parcel(Struct, Generic[T]):
    item: T


class Slip(TypedDict, Generic[T]):
    item: T


class Named(NamedTuple, Generic[T]):
    item: T


GENERIC = [Box, Envelope, Parcel, Slip, Named]


def returning(hint: Any, value: Any) -> Any:
    def give() -> Any:
        return value() if callable(value) and not isinstance(value, type) else value

    give.__annotations__ = {"return": hint}
    return give


def call(hint: Any, value: Any, policy: Policy | str, revision: str) -> tuple[Any, dict[str, Any]]:
    """The listed schema of a tool with this hint, and the result of its call."""
    server = Server("s", policy=policy)
    server.tool(returning(hint, value))
    client = Client(server, revision)
    return client.list_tools()[0].get("outputSchema"), client.call("give")


def shown(one: Any) -> str:
    return "function" if callable(one) and not isinstance(one, type) else str(one)[:30]


# What is listed --------------------------------------------------------------------------------------

LISTED: list[tuple[Any, Any]] = [
    (int, {"type": "integer"}),
    (str, {"type": "string"}),
    (bool, {"type": "boolean"}),
    (float, {"type": "number"}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Path, {"type": "string"}),
    (datetime, {"type": "string"}),
    (Right, {"type": "integer"}),
    (Generator[int, None, None], {"type": "array", "items": {"type": "integer"}}),
    (
        tuple[int, str],
        {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": {},
        },
    ),
]


@pytest.mark.parametrize(("hint", "schema"), LISTED, ids=shown)
def test_standard_lists_a_schema_for_every_return_that_describes_data(hint: Any, schema: Any) -> None:
    """V30"""
    wrapped = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    for revision in REVISIONS:
        server = Server("s")
        server.tool(returning(hint, None))
        listed = Client(server, revision).list_tools()[0].get("outputSchema")
        assert listed == (None if revision in ("2024-11-05", "2025-03-26") else wrapped)


def test_standard_lists_an_object_as_it_is() -> None:
    """V30"""
    counted = {"type": "object", "additionalProperties": {"type": "integer"}}
    for hint in (Counter, Counter[str]):  # its values are integers, so it is not a dict of anything
        assert call(hint, Counter("ab"), "standard", "2025-06-18")[0] == counted
    schema, result = call(dict[str, int], {"a": 1}, "standard", "2025-06-18")
    assert schema == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert result["structuredContent"] == {"a": 1}


@pytest.mark.parametrize("kind", GENERIC, ids=shown)
def test_standard_lists_a_generic_record_of_anything_like_the_record_alone(kind: Any) -> None:
    """V30: only a list of anything may hold content; a record of anything was not listed."""
    alone, _ = call(kind, None, "standard", "2025-06-18")
    assert alone is not None and "item" in json.dumps(alone)
    for argument in (Any, object):
        schema, result = call(kind[argument], kind(item=[1]), "standard", "2025-06-18")
        assert schema == alone and "isError" not in result


def test_standard_lists_a_dict_with_any_keys_by_its_values() -> None:
    """V30: keys are texts in JSON, whatever they are."""
    schema, result = call(dict[Any, int], {1: 2}, "standard", "2025-06-18")
    assert schema == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert result["structuredContent"] == {"1": 2}


OPEN: list[tuple[Any, Any]] = [
    (None, None),
    (Any, 5),
    (list, [1]),
    (list[Any], [1]),
    (list | None, [1]),
    (Sequence, [1]),
    (tuple, (1,)),
    (dict, {"a": 1}),
    (dict[str, Any], {"a": 1}),
    (Mapping, {"a": 1}),
    (Mapping[str, object], {"a": 1}),
    (dict[str, Any] | None, {"a": 1}),
    (tuple[str, dict[str, Any]], ("a", {"a": 1})),
    (bytes, b"a"),
    (Image, PNG),
    (list[str | Image], ["a", PNG]),
]


@pytest.mark.parametrize(("hint", "value"), OPEN, ids=shown)
def test_standard_lists_nothing_where_a_value_may_be_content_or_a_result(hint: Any, value: Any) -> None:
    """V30"""
    for revision in REVISIONS:
        schema, result = call(hint, value, "standard", revision)
        assert schema is None and "isError" not in result


@pytest.mark.parametrize("hint", [dict, dict[str, Any], Mapping, Any], ids=shown)
def test_a_dict_of_result_keys_is_a_result_where_anything_is_declared(hint: Any) -> None:
    """V30, S000-09"""
    ready = {"content": [{"type": "text", "text": "Two."}], "structuredContent": {"n": 2}}
    for revision in REVISIONS:
        _, result = call(hint, ready, "standard", revision)
        assert result["content"][0] == {"type": "text", "text": "Two."}
        assert result.get("structuredContent") == (
            None if revision in ("2024-11-05", "2025-03-26") else ready["structuredContent"]
        )


def test_a_dict_with_content_is_data_where_that_is_declared() -> None:
    """V30"""
    value = {"content": [{"type": "text", "text": "x"}]}
    for policy in ("standard", "lean"):
        _, result = call(dict[str, list[dict[str, str]]], value, policy, "2025-06-18")
        assert json.loads(result["content"][0]["text"]) == value


# What fits -------------------------------------------------------------------------------------------

FITS: list[tuple[Any, Any, Any]] = [
    (float, 1, 1),
    (list[int], lambda: (n for n in (1, 2)), [1, 2]),
    (list[int], lambda: {2, 1}, [1, 2]),
    (str, Path("/a"), "/a"),
    (int | None, None, None),
    (tuple[int, str], [1, "a"], [1, "a"]),
    (Right, Right.READ | Right.WRITE, 3),
    (Iterable[str], ("a", "b"), ["a", "b"]),
    (datetime, datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00Z"),
    (dict[str, float], {"a": 1}, {"a": 1}),
    (str, "", ""),
    (list[int], [], []),
]


@pytest.mark.parametrize(("hint", "value", "data"), FITS, ids=shown)
@pytest.mark.parametrize("policy", CHECKED)
def test_a_value_that_fits_is_sent(policy: str, hint: Any, value: Any, data: Any) -> None:
    """V30"""
    for revision in REVISIONS:
        schema, result = call(hint, value, policy, revision)
        assert "isError" not in result, result
        if schema is not None:
            sent = result["structuredContent"]
            assert sent == data or sent == {"result": data}


def test_none_is_wrapped_where_it_is_listed() -> None:
    """V30"""
    for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
        _, result = call(int | None, None, "standard", revision)
        assert result["structuredContent"] == {"result": None}


# What does not fit -----------------------------------------------------------------------------------

MISSES: list[tuple[Any, Any, str]] = [
    (int, "x", "$: expected an integer, got a string"),
    (int, True, "$: expected an integer, got a boolean"),
    (int, None, "$: expected an integer, got null"),
    (int, 1.5, "$: expected an integer, got a number"),
    (str, 5, "$: expected a string, got an integer"),
    (str, {"a": 1}, "$: expected a string, got an object"),
    (bool, 1, "$: expected true or false, got an integer"),
    (list[int], ["x"], "$[0]: expected an integer, got a string"),
    (list[int], lambda: iter([1, None]), "$[1]: expected an integer, got null"),
    (dict[str, int], {"a": "b"}, "$.a: expected an integer, got a string"),
    (tuple[int, str], (1,), "$: expected an array of 2 items, got 1"),
    (int | None, "x", "$: expected an integer or null, got a string"),
    (Literal["a"], "b", '$: expected "a", got a string'),
    (Right, "READ", "$: expected an integer, got a string"),
    (None, 5, "$: expected null, got an integer"),
    (list, "x", "$: expected an array, got a string"),
    (list[Any], {"a": 1}, "$: expected an array, got an object"),
    (dict, [1], "$: expected an object, got an array"),
    (dict[str, Any], "x", "$: expected an object, got a string"),
    (Mapping, 1, "$: expected an object, got an integer"),
    (Image, "x", "$: expected Image, got a string"),
    (Image, WAV, "$: expected Image, got Audio"),
    (str, PNG, "$: "),
    (int, PNG, "$: "),
    (list[str], [PNG], "$[0]: "),
    (list[str | Image], ["a", 5], "$[1]: expected a string or Image, got an integer"),
    (bytes, 5, "$: expected a string or bytes, got an integer"),
    (tuple[str, Row], ("a", {"b": 1}), "$[1]"),
    (int, {"content": [{"type": "text", "text": "x"}]}, "$"),
    (Row, {"title": "x"}, "$"),
]


@pytest.mark.parametrize(("hint", "value", "problem"), MISSES, ids=shown)
@pytest.mark.parametrize("policy", CHECKED)
def test_a_value_that_does_not_fit_is_withheld_with_its_path(
    policy: str, hint: Any, value: Any, problem: str
) -> None:
    """V30"""
    for revision in REVISIONS:
        _, result = call(hint, value, policy, revision)
        assert result["isError"] is True, result
        assert f"The result of give was not valid and is withheld: {problem}" in result["content"][0]["text"]
        assert "structuredContent" not in result


@pytest.mark.parametrize("policy", ["openmcp", "serializer"])
def test_profiles_that_imitate_check_what_they_list(policy: str) -> None:
    """V30"""
    for revision in REVISIONS:
        schema, result = call(str, "5", policy, revision)
        assert schema is None and result["content"] == [{"type": "text", "text": "5"}]
        _, result = call(int, "5", policy, revision)
        assert result["content"] == [{"type": "text", "text": "5"}] and "isError" not in result


def test_the_check_of_what_is_not_listed_can_be_left_out() -> None:
    """V30"""
    lean = Policy.lean
    for policy in (lean.replace(check_return="listed"), lean.replace(validate_output=False)):
        assert "isError" not in call(int, "x", policy, "2026-07-28")[1]
    assert call(Row, {"title": "x"}, lean.replace(check_return="listed"), "2026-07-28")[1]["isError"] is True


# Results that an author makes ------------------------------------------------------------------------


def test_under_a_listed_schema_a_result_needs_data_that_fits() -> None:
    """V30, R2506-TOOL-06"""
    for revision in REVISIONS:
        assert call(int, ToolResult("Two.", {"result": 2}), "standard", revision)[1]["content"][0]["text"] == "Two."
        assert call(int, ToolResult("Two.", {"result": "2"}), "standard", revision)[1]["isError"] is True
        assert call(int, ToolResult("Two."), "standard", revision)[1]["isError"] is True


@pytest.mark.parametrize("policy", CHECKED)
@pytest.mark.parametrize(
    ("hint", "value"), [(int, 2), (list[Row], [Row("a")]), (Row | int, Row("a")), (Row, Row("a"))], ids=shown
)
def test_the_declared_value_may_be_the_data_of_a_result(policy: str, hint: Any, value: Any) -> None:
    """V30: the helpers take the value that would be returned without them, whatever is listed."""
    for revision in REVISIONS:
        schema, alone = call(hint, value, policy, revision)
        for result in (structured(value), full("Text.", value)):
            _, sent = call(hint, result, policy, revision)
            assert "isError" not in sent, sent
            if schema is not None:
                assert sent["structuredContent"] == alone["structuredContent"]
        _, sent = call(hint, structured([None]), policy, revision)
        assert sent["isError"] is True and "expected" in sent["content"][0]["text"]


def test_without_a_listed_schema_a_result_may_have_no_data_but_none_that_does_not_fit() -> None:
    """V30"""
    for revision in REVISIONS:
        assert "isError" not in call(int, ToolResult("Two."), "lean", revision)[1]
        assert call(int, ToolResult("Two.", {"a": 1}), "lean", revision)[1]["isError"] is True


def test_an_error_is_sent_whatever_is_declared() -> None:
    failed = types.CallToolResult(content=[types.TextContent(text="No.")], isError=True)
    for policy in CHECKED:
        assert call(int, failed, policy, "2025-11-25")[1]["content"] == [{"type": "text", "text": "No."}]


# Resources and prompts -------------------------------------------------------------------------------


def read(hint: Any, value: Any, revision: str, policy: str = "standard") -> Any:
    server = Server("s", policy=policy)
    server.resource("memo://1")(returning(hint, value))
    try:
        return Client(server, revision).read("memo://1")["contents"][0]
    except RpcError as error:
        return error.code


def ask(hint: Any, value: Any, revision: str, policy: str = "standard") -> Any:
    server = Server("s", policy=policy)
    server.prompt(returning(hint, value))
    try:
        return [message["content"] for message in Client(server, revision).get_prompt("give")["messages"]]
    except RpcError as error:
        return error.code


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_a_resource_returns_is_checked(revision: str) -> None:
    """V30"""
    assert read(str, "x", revision)["text"] == "x"
    assert read(dict[str, int], {"a": 1}, revision)["text"] == '{"a": 1}'
    assert read(list[int], lambda: (n for n in (1, 2)), revision)["text"] == "[1, 2]"
    assert read(Row, Row("a"), revision)["text"] == '{"name": "a"}'
    assert read(bytes, b"a", revision)["blob"] == "YQ=="
    assert (
        read(types.TextResourceContents, types.TextResourceContents(uri="memo://1", text="x"), revision)["text"]
        == "x"
    )
    for hint, value in ((str, {"a": 1}), (dict[str, int], "x"), (list[int], ["a"]), (Row, {"b": 1}), (Image, "x")):
        assert read(hint, value, revision) == -32603
        assert read(hint, value, revision, policy="openmcp") != -32603


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_a_prompt_returns_is_checked(revision: str) -> None:
    """V30"""
    assert ask(str, "x", revision) == [{"type": "text", "text": "x"}]
    assert [one["text"] for one in ask(list[str], lambda: iter(["a", "b"]), revision)] == ["a", "b"]
    assert ask(dict[str, list[int]], lambda: {"a": iter([1])}, revision) == [{"type": "text", "text": '{"a": [1]}'}]
    assert ask(PromptResult, PromptResult().add_text("x"), revision) == [{"type": "text", "text": "x"}]
    assert ask(list[dict[str, Any]], [{"role": "user", "content": "x"}], revision) == [{"type": "text", "text": "x"}]
    for hint, value in ((str, 5), (list[str], [{"a": 1}]), (dict[str, int], "x")):
        assert ask(hint, value, revision) == -32603
        assert ask(hint, value, revision, policy="openmcp") != -32603
