"""What each renderer makes of a value, exactly."""

import csv
import json
import sys
from copy import deepcopy
from io import StringIO
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from plainmcp.errors import AuthorError
from plainmcp.values.render import RENDERERS, renderer_of

CONTEXTS = [
    {"name": "cluster-0", "server": "unknown", "default": False},
    {"name": "cluster-10", "server": "https://10.0.0.10:6443", "default": True},
    {"name": "cluster-2", "server": "unknown", "default": False},
]
TABULAR = ["table", "markdown", "csv"]


def render(how: str, value: Any) -> str:
    return renderer_of(how)(value)


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text, newline="")))


# Choosing a renderer ----------------------------------------------------------------------------


def test_there_are_five_renderers_in_a_fixed_order():
    assert list(RENDERERS) == ["json", "yaml", "table", "markdown", "csv"]


def test_a_name_gives_the_renderer_of_that_name():
    assert all(renderer_of(name) is RENDERERS[name] for name in RENDERERS)


def test_a_callable_is_its_own_renderer():
    assert renderer_of(repr) is repr


def test_an_unknown_name_is_refused_and_the_known_ones_are_listed():
    with pytest.raises(AuthorError, match="'xml'; the names are json, yaml, table, markdown, csv"):
        renderer_of("xml")


def test_choosing_yaml_without_pyyaml_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(AuthorError, match=r"pip install 'plainmcp\[yaml\]'"):
        renderer_of("yaml")
    with pytest.raises(AuthorError, match=r"pip install 'plainmcp\[yaml\]'"):
        RENDERERS["yaml"]([])


# Rows as each renderer writes them --------------------------------------------------------------


def test_json_is_indented_by_two():
    assert render("json", CONTEXTS[:1]) == (
        '[\n  {\n    "name": "cluster-0",\n    "server": "unknown",\n    "default": false\n  }\n]'
    )


def test_yaml_is_the_object_itself_keys_and_items_in_their_own_order_S001_12_S001_22():
    assert render("yaml", {"defaultContext": "cluster-10", "contexts": CONTEXTS}) == (
        "defaultContext: cluster-10\n"
        "contexts:\n"
        "- name: cluster-0\n"
        "  server: unknown\n"
        "  default: false\n"
        "- name: cluster-10\n"
        "  server: https://10.0.0.10:6443\n"
        "  default: true\n"
        "- name: cluster-2\n"
        "  server: unknown\n"
        "  default: false"
    )


def test_a_table_has_the_keys_as_its_headers_S001_11():
    assert render("table", CONTEXTS) == (
        "name        server                  default\n"
        "cluster-0   unknown                 false\n"
        "cluster-10  https://10.0.0.10:6443  true\n"
        "cluster-2   unknown                 false"
    )


def test_markdown_is_a_github_table():
    assert render("markdown", CONTEXTS) == (
        "| name | server | default |\n"
        "| --- | --- | --- |\n"
        "| cluster-0 | unknown | false |\n"
        "| cluster-10 | https://10.0.0.10:6443 | true |\n"
        "| cluster-2 | unknown | false |"
    )


def test_csv_has_a_header_and_ends_without_a_newline():
    assert render("csv", CONTEXTS) == (
        "name,server,default\n"
        "cluster-0,unknown,false\n"
        "cluster-10,https://10.0.0.10:6443,true\n"
        "cluster-2,unknown,false"
    )


@pytest.mark.parametrize("how", TABULAR)
def test_the_middle_row_is_the_middle_row_S001_21(how):
    middle = render(how, CONTEXTS).splitlines()[-2]
    assert "cluster-10" in middle and "https://10.0.0.10:6443" in middle


@pytest.mark.parametrize("how", RENDERERS)
def test_rows_keep_the_order_they_came_in_S001_22(how):
    text = render(how, [{"name": name} for name in ("zeta", "alpha", "mid")])
    assert text.index("zeta") < text.index("alpha") < text.index("mid")


@pytest.mark.parametrize("how", RENDERERS)
def test_any_list_of_objects_renders_with_no_extractor_of_its_own_S001_13(how):
    text = render(how, [{"kind": "Pod", "restarts": 3}])
    assert all(word in text for word in ("kind", "Pod", "restarts", "3"))


@pytest.mark.parametrize("how", RENDERERS)
def test_text_is_made_beside_the_data_and_leaves_it_alone_S001_08(how):
    value = {"contexts": deepcopy(CONTEXTS), "none": None, "nested": [{"a": [1]}]}
    before = deepcopy(value)
    render(how, value)
    assert value == before
    assert list(value) == list(before)


# What counts as a row ---------------------------------------------------------------------------


def test_an_object_is_one_row():
    assert render("table", {"city": "Oslo", "high": 4}) == "city  high\nOslo     4"


def test_an_object_around_a_list_is_still_one_row():
    assert render("csv", {"result": [{"a": 1}]}) == 'result\n"[{""a"":1}]"'


def test_scalars_and_mixed_lists_go_under_a_column_named_value():
    assert render("csv", 7) == "value\n7"
    assert render("csv", "seven") == "value\nseven"
    assert render("csv", [1, "b", {"c": 2}]) == 'value\n1\nb\n"{""c"":2}"'


def test_columns_come_in_first_seen_order_and_a_missing_key_is_an_empty_cell():
    rows = [{"b": 1}, {"a": "x", "b": 2}, {"c": True, "a": "y"}]
    assert render("csv", rows) == "b,a,c\n1,,\n2,x,\n,y,true"
    assert render("table", rows) == "b  a  c\n1\n2  x\n   y  true"
    assert render("markdown", rows).splitlines()[2] == "| 1 |  |  |"


# Cells ------------------------------------------------------------------------------------------


def test_nested_cells_are_compact_json():
    row = {"labels": {"app": "web", "tier": None}, "ports": [80, 443]}
    assert render("table", row) == ('labels                     ports\n{"app":"web","tier":null}  [80,443]')


def test_none_is_an_empty_cell_and_booleans_are_lower_case():
    assert render("csv", {"a": None, "b": True, "c": False}) == "a,b,c\n,true,false"


def test_numbers_go_to_the_right_and_a_gap_does_not_change_that():
    rows = [{"n": 5, "f": 0.25, "s": "x"}, {"n": None, "f": 12, "s": "y"}, {"n": 1000, "s": "z"}]
    assert render("table", rows) == (
        "   n     f  s\n"
        "   5  0.25  x\n"
        "        12  y\n"
        "1000        z"
    )  # fmt: skip
    assert render("markdown", rows).splitlines()[1] == "| ---: | ---: | --- |"


def test_booleans_mixed_columns_and_empty_columns_go_to_the_left():
    rows = [{"bool": True, "mixed": 1, "none": None}, {"bool": False, "mixed": "one", "none": None}]
    assert render("markdown", rows).splitlines()[1] == "| --- | --- | --- |"


def test_wide_characters_take_two_columns_and_combining_marks_none():
    rows = [{"city": "東京", "n": 1}, {"city": "Cafe\u0301", "n": 2}, {"city": "Oslo 😀", "n": 3}]
    assert render("table", rows) == (
        "city     n\n"
        "東京     1\n"
        "Cafe\u0301     2\n"
        "Oslo 😀  3"
    )  # fmt: skip


def test_a_table_row_stays_one_line_whatever_is_in_it():
    row = {"a\tkey": "one\ntwo\r\n", "b": "\x1b[31m\u2028\x85", "c": ["\x7f"]}
    assert render("table", row) == (
        "a\\tkey        b                   c\n"
        'one\\ntwo\\r\\n  \\x1b[31m\\u2028\\x85  ["\\x7f"]'
    )  # fmt: skip


def test_no_line_of_a_table_ends_in_a_space():
    rows = [{"a": "x ", "b": None}, {"a": "longer", "b": "y "}]
    assert render("table", rows) == "a       b\nx\nlonger  y"


def test_markdown_escapes_pipes_and_backslashes_and_breaks_lines_with_br():
    row = {"a|b": "x|y", "path": "C:\\dir", "both": "\\|", "lines": "1\n2\r\n3", "tab": "\t"}
    assert render("markdown", row).splitlines() == [
        r"| a\|b | path | both | lines | tab |",
        "| --- | --- | --- | --- | --- |",
        r"| x\|y | C:\\dir | \\\| | 1<br>2<br>3 | \t |",
    ]


def test_csv_quotes_what_rfc_4180_asks_for_and_a_lone_carriage_return():
    row = {"a,b": 'say "hi"', "lines": "1\n2", "cr": "1\r2", "formula": "=1+1"}
    text = render("csv", row)
    assert text == '"a,b",lines,cr,formula\n"say ""hi""","1\n2","1\r2",=1+1'
    assert read_csv(text)[1] == list(row.values())


# YAML -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Oslo", "Oslo"),
        (4, "4"),
        (None, "null"),
        (True, "true"),
        ("", "''"),
        ("...", "'...'"),
        ("4", "'4'"),
    ],
)
def test_a_yaml_scalar_has_no_end_of_document_marker(value, text):
    assert render("yaml", value) == text


def test_yaml_writes_a_shared_list_twice_instead_of_an_alias():
    shared = [1]
    assert render("yaml", {"a": shared, "b": shared}) == "a:\n- 1\nb:\n- 1"


def test_yaml_does_not_turn_a_next_line_character_into_a_newline():
    assert render("yaml", ["a\x85b"]) == '- "a\\Nb"'
    assert yaml.safe_load(render("yaml", ["a\x85b"])) == ["a\x85b"]


def test_yaml_keeps_unicode_readable_and_long_lines_whole():
    line = "東京 " * 100 + "end"
    assert render("yaml", {"line": line}) == f"line: {line}"


# Nothing to show --------------------------------------------------------------------------------


@pytest.mark.parametrize("how", TABULAR)
@pytest.mark.parametrize("value", [[], {}, None, [{}], [{}, {}]], ids=repr)
def test_no_rows_are_said_in_so_many_words(how, value):
    assert render(how, value) == "(no rows)"


@pytest.mark.parametrize("how", ["json", "yaml"])
@pytest.mark.parametrize(("value", "text"), [([], "[]"), ({}, "{}"), (None, "null")])
def test_an_empty_value_is_itself_in_json_and_yaml(how, value, text):
    assert render(how, value) == text


# Any JSON value ---------------------------------------------------------------------------------


def json_values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    return st.recursive(
        st.none() | st.booleans() | numbers | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ROWS = st.lists(st.dictionaries(TEXT, json_values(TEXT), max_size=4), max_size=4)
VALUES = json_values(TEXT) | ROWS


@pytest.mark.parametrize("how", RENDERERS)
@given(value=VALUES)
def test_any_json_value_gives_some_text_and_is_left_unchanged(how, value):
    before = deepcopy(value)
    text = render(how, value)
    assert isinstance(text, str) and text
    assert value == before


@given(VALUES)
def test_json_text_reads_back_as_the_value(value):
    assert json.loads(render("json", value)) == value


@given(VALUES)
def test_yaml_text_reads_back_as_the_value(value):
    assert yaml.safe_load(render("yaml", value)) == value


@given(ROWS.filter(any))
def test_csv_text_reads_back_as_the_cells(rows):
    header, *lines = read_csv(render("csv", rows))
    assert header == list(dict.fromkeys(key for row in rows for key in row))
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        for column, cell in zip(header, line, strict=True):
            value = row.get(column)
            if isinstance(value, str) or value is None:
                assert cell == (value or "")
            else:
                assert json.loads(cell) == value


@given(ROWS.filter(any))
def test_a_table_has_one_line_for_each_row_and_one_for_the_header(rows):
    assert len(render("table", rows).split("\n")) == len(rows) + 1
    assert len(render("markdown", rows).split("\n")) == len(rows) + 2


def test_an_object_with_one_list_of_records_is_the_table_of_that_list() -> None:
    """S1, S001-11"""
    data = {
        "default": "web",
        "count": 2,
        "pods": [{"name": "web", "up": True}, {"name": "db", "up": None}],
        "none": None,
    }
    assert renderer_of("table")(data) == ("default: web\ncount: 2\nnone: \n\nname  up\nweb   true\ndb")
    assert renderer_of("markdown")(data) == (
        "- default: web\n- count: 2\n- none: \n\n| name | up |\n| --- | --- |\n| web | true |\n| db |  |"
    )
    two = {"a": [{"x": 1}], "b": [{"y": 2}]}
    assert renderer_of("table")(two) == 'a          b\n[{"x":1}]  [{"y":2}]'
    assert renderer_of("csv")({"pods": [{"name": "web"}]}) == 'pods\n"[{""name"":""web""}]"'
