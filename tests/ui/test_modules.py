"""The modules of the page that need no browser, in Node."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npm import NODE
from plainmcp.ui import page_app

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("modules.mjs")
FILES = Path(page_app.__file__).parent / "files"


@pytest.fixture(scope="module")
def js() -> Iterator[Any]:
    """Calls a function: js("check", "check", schema, value)."""
    pipe = subprocess.PIPE
    with subprocess.Popen([NODE, "--no-warnings", SCRIPT, FILES], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def call(*words: Any) -> Any:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(words) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield call
        process.stdin.close()


TREE = {
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["id"]}},
    "$ref": "#/$defs/Node",
}
UNION = {"oneOf": [{"type": "object", "properties": {"k": {"const": k}, k: {"type": "integer"}}} for k in "ab"]}


@pytest.mark.parametrize(
    ("schema", "value", "mistakes"),
    [
        ({"type": "integer"}, 1, []),
        ({"type": "integer"}, 1.5, ["is a whole number"]),
        ({"type": ["integer", "null"]}, "1", ["is a whole number or null"]),
        ({"minimum": 1, "maximum": 3, "multipleOf": 0.1}, 0.3, ["is at least 1"]),
        ({"exclusiveMinimum": 1}, 1, ["is more than 1"]),
        ({"exclusiveMaximum": 1}, 1, ["is less than 1"]),
        ({"multipleOf": 2}, 3, ["is a multiple of 2"]),
        ({"minLength": 2, "maxLength": 3}, "😀", ["has at least 2 characters"]),
        ({"maxLength": 3}, "abcd", ["has at most 3 characters"]),
        ({"pattern": "^a"}, "b", ["matches ^a"]),
        ({"pattern": "(?P<x>a)"}, "b", []),  # this browser cannot read it
        ({"format": "date"}, "2026-7-1", ["is a date"]),
        ({"format": "date-time"}, "2026-07-28T12:00:00Z", []),
        ({"format": "uuid"}, "x", ["is a uuid"]),
        ({"enum": ["a", 1]}, "b", ['is one of "a", 1']),
        ({"const": {"a": 1}}, {"a": 1}, []),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, [1], ["has at least 2 items", "0 is a text"]),
        ({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, ["a", "b"], ["1 is a whole number"]),
        ({"uniqueItems": True}, [1, 1], ["has no item twice"]),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, ["b is not a known field"]),
        ({"additionalProperties": {"type": "string"}}, {"b": 1}, ["b is a text"]),
        (TREE, {"id": 1, "next": {}}, ["next/id is required"]),
        (UNION, {"k": "b", "b": "x"}, ["b is a whole number"]),
        ({"allOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1}, ["b is required"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None, []),
    ],
)
def test_a_value_is_checked(js: Any, schema: Any, value: Any, mistakes: list[str]) -> None:
    found = js("check", "check", schema, value)
    assert ["/".join(map(str, one["path"])) + " " * bool(one["path"]) + one["message"] for one in found] == mistakes


@pytest.mark.parametrize(
    ("text", "header"),
    [("rose", "rose"), ("a b", "a b"), (" a", "=?base64?IGE=?="), ("ü", "=?base64?w7w=?="), ("", "=?base64??=")],
)
def test_a_header_carries_any_text(js: Any, text: str, header: str) -> None:
    assert js("headers", "encode", text) == header


def test_arguments_that_a_schema_names_are_headers(js: Any) -> None:
    schema = {"properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer"}}}
    message = {"method": "tools/call", "params": {"name": "t", "arguments": {"region": "north", "n": 1}}}
    expected = {"Mcp-Method": "tools/call", "Mcp-Name": "t", "Mcp-Param-Region": "north"}
    assert js("headers", "headersFor", message, schema) == expected


@pytest.mark.parametrize(
    ("template", "values", "uri"),
    [
        ("a://{x}", {"x": "a/b c"}, "a://a%2Fb%20c"),
        ("a://{+x}", {"x": "a/b"}, "a://a/b"),
        ("a://b{/x,y}", {"x": "1", "y": "2"}, "a://b/1/2"),
        ("a://b{?x,y}", {"y": "2"}, "a://b?y=2"),
        ("a://b{?x}{&y}", {"x": "1", "y": "2"}, "a://b?x=1&y=2"),
        ("a://{x*}", {"x": "(1)"}, "a://%281%29"),
    ],
)
def test_a_template_is_expanded(js: Any, template: str, values: Any, uri: str) -> None:
    assert js("template", "expand", template, values) == uri


def test_variables_of_a_query_may_be_left_out(js: Any) -> None:
    schema = js("template", "schemaOf", "a://{x}{?y}")
    assert (list(schema["properties"]), schema["required"]) == (["x", "y"], ["x"])


def test_a_difference_is_by_lines_and_indents_do_not_count(js: Any) -> None:
    lines = js("diff", "diffLines", '{\n  "a": 1,\n  "b": 2\n}', '{\n  "x": {\n    "a": 1,\n    "c": 2\n  }\n}')
    assert [(line["kind"], line["text"].strip()) for line in lines] == [
        ("same", "{"),
        ("in", '"x": {'),
        ("same", '"a": 1,'),
        ("out", '"b": 2'),
        ("in", '"c": 2'),
        ("in", "}"),
        ("same", "}"),
    ]


def test_numbers_stay_as_they_were_sent(js: Any) -> None:
    text = '{"a":3.0,"b":[],"c":{},"d":[1e400,"x:{\\"y\\"}"]}'
    pretty = js("pretty", "prettify", text)
    assert pretty == '{\n  "a": 3.0,\n  "b": [],\n  "c": {},\n  "d": [\n    1e400,\n    "x:{\\"y\\"}"\n  ]\n}'


def test_data_keeps_its_numbers(js: Any) -> None:
    data = js(
        "pretty", "parseExactly", '{"long":12345678901234567890123,"rows":[{"half":0.5,"three":3.0,"text":"3.0"}]}'
    )
    assert data == {"long": 12345678901234567890123, "rows": [{"half": 0.5, "three": 3.0, "text": "3.0"}]}
    assert isinstance(data["rows"][0]["three"], float)


def test_json_is_written_as_python(js: Any) -> None:
    value = {"a": [True, False, None, 1.5], "ü": 'say "hi"\n'}
    assert eval(js("copy", "toPython", value)) == value


@pytest.mark.parametrize(
    ("annotations", "level"),
    [
        (None, "note"),
        ({"readOnlyHint": True}, "none"),
        ({"readOnlyHint": False}, "ask"),
        ({"destructiveHint": True}, "ask"),
        ({"destructiveHint": False}, "ask"),
        ({"idempotentHint": True}, "note"),
    ],
)
def test_tools_that_write_are_known_by_what_they_declare(js: Any, annotations: Any, level: str) -> None:
    assert js("warning", "warningOf", {"name": "t", "annotations": annotations})["level"] == level


def test_rows_are_a_table_and_other_data_is_not(js: Any) -> None:
    rows = [{"a": 1}, {"a": 2}]
    assert js("data", "rowsOf", rows) == js("data", "rowsOf", {"result": rows}) == rows
    for value in ([], [1], [{}], {"a": 1}, {"a": rows, "b": 1}, "text", None):
        assert js("data", "rowsOf", value) is None
