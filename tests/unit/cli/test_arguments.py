"""Arguments as a person types them, and the values that they become."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plainmcp.cli.arguments import UsageError, parse_arguments
from serving import EXAMPLES

WEATHER = str(EXAMPLES / "weather.py")
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "on": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "level": {"enum": [1, 2, "high"]},
        "point": {"$ref": "#/$defs/Point"},
        "blob": {"type": "string", "contentEncoding": "base64"},
    },
    "$defs": {"Point": {"type": "object", "properties": {"x": {"type": "integer"}}}},
}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ([], {}),
        (["text=3", "count=3"], {"text": "3", "count": 3}),
        (["count=many"], {"count": "many"}),
        (["ratio=0.5", "on=true"], {"ratio": 0.5, "on": True}),
        (["ratio=null"], {"ratio": None}),
        (["names=a", "names=b"], {"names": ["a", "b"]}),
        (["names=a"], {"names": ["a"]}),
        (['names=["a", "b"]'], {"names": ["a", "b"]}),
        (["counts=1", "counts=2"], {"counts": [1, 2]}),
        (["either=3"], {"either": "3"}),
        (["level=1"], {"level": 1}),
        (["level=high"], {"level": "high"}),
        (['point={"x": 1}'], {"point": {"x": 1}}),
        (["text=a=b:=c", "unknown=1"], {"text": "a=b:=c", "unknown": "1"}),
        (["text="], {"text": ""}),
        (["count:=4", 'text:="@x"'], {"count": 4, "text": "@x"}),
        (['{"count": 1, "on": false}', "count=2"], {"count": 2, "on": False}),
        (['{"text": "a=b"}'], {"text": "a=b"}),
    ],
)
def test_words_become_what_the_schema_asks_for(words: list[str], values: dict[str, Any]) -> None:
    assert parse_arguments(words).for_schema(SCHEMA) == values


def test_files_are_read_as_the_schema_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("line\n", "utf-8")
    (tmp_path / "a.json").write_text('{"count": 7}', "utf-8")
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    words = ["@a.json", "text=@a.txt", "blob=@a.png", "point:=@a.json"]
    values = {"count": 7, "text": "line\n", "blob": "iVBORw==", "point": {"count": 7}}
    assert parse_arguments(words).for_schema(SCHEMA) == values
    assert parse_arguments(["blob=@a.txt", "blob2=@a.png"]).for_schema(SCHEMA) == {
        "blob": "bGluZQo=",
        "blob2": "iVBORw==",
    }


def test_a_file_of_json_may_begin_with_a_byte_order_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P29: some editors write one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text('{"count": 7}', "utf-8-sig")
    assert parse_arguments(["@a.json", "point:=@a.json"]).for_schema(SCHEMA) == {"count": 7, "point": {"count": 7}}


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"count": 9}')))
    assert parse_arguments(["-", "text=x"]).for_schema(SCHEMA) == {"count": 9, "text": "x"}


def test_a_definition_that_contains_itself_is_read_to_an_end() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}}
    assert parse_arguments(["a=1"]).for_schema(schema) == {"a": "1"}


def test_arguments_of_a_prompt_are_texts() -> None:
    assert parse_arguments(["a=1", "b:=2", '{"c": "x"}']).as_texts() == {"a": "1", "b": "2", "c": "x"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["Oslo"], "the arguments are not a JSON object or pairs, such as city=Oslo"),
        (["[1]"], "the arguments are not a JSON object"),
        (["@missing.json"], "missing.json cannot be read: No such file"),
        (["text=@missing.txt"], "missing.txt cannot be read"),
        (["count:=many"], "count: 'many' is not JSON"),
        (["text=a", "text=b"], "text is there 2 times, and it does not take a list"),
        ([f"@{__file__}"], "does not contain a JSON object"),
    ],
)
def test_words_that_are_no_arguments_are_explained(words: list[str], complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments(words).for_schema(SCHEMA)
    assert complaint in str(caught.value)


def test_a_call_takes_pairs(run: Any) -> None:
    code, out, _ = run("call", WEATHER, "forecast", "city=Oslo", "days=1", "--json")
    assert (code, json.loads(out)["structuredContent"]) == (
        0,
        {"result": [{"city": "Oslo", "high": 19.5, "low": 13}]},
    )
    assert run("call", WEATHER, "compare", "cities=Oslo", "cities=Rome")[1].startswith("city  high  low\nOslo  19.5")
    assert run("call", WEATHER, "forcast", "city=Oslo")[::2] == (
        2,
        "plainmcp: there is no tool 'forcast'; did you mean forecast?\n",
    )
    code, out, _ = run("preview", WEATHER, "forecast", "city=Oslo", "days=1", "--json")
    assert (code, json.loads(out)["arguments"]) == (0, {"city": "Oslo", "days": 1})
