"""JSON that comes in is strict JSON; what goes out is compact, and can be set for people."""

import pytest

from plainmcp import codec
from plainmcp.errors import PlainMCPError
from plainmcp.types import TextContent


def test_what_goes_out_is_compact_and_keeps_its_order():
    assert codec.encode({"b": [1, 2.5, None, True], "a": "é"}) == '{"b":[1,2.5,null,true],"a":"é"}'.encode()


def test_words_of_the_wire_go_out_under_their_own_names():
    assert codec.encode([TextContent(text="hi")]) == b'[{"type":"text","text":"hi"}]'


@pytest.mark.parametrize("raw", ['{"b": 1, "a": [2.50, "é"]}', '{"b": 1, "a": [2.50, "é"]}'.encode()])
def test_what_comes_in_is_plain_data(raw):
    assert codec.decode(raw) == {"b": 1, "a": [2.5, "é"]}
    assert list(codec.decode(raw)) == ["b", "a"]


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "NaN",
        "[Infinity]",
        "{'a': 1}",
        '{"a": 1,}',
        "1 2",
        '"\n"',
        b"\xff",
        b'"\xff"',
        "01",
        "+1",
        "nul",
    ],
)
def test_what_is_not_json_is_refused(raw):
    with pytest.raises(PlainMCPError):
        codec.decode(raw)


def test_a_nest_no_reader_can_follow_is_refused():
    with pytest.raises(PlainMCPError):
        codec.decode(b"[" * 100_000)


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("compact", '{"a":[1,{"b":2}],"c":[],"d":{}}'),
        ("spaced", '{"a": [1, {"b": 2}], "c": [], "d": {}}'),
        ("indent", '{\n  "a": [\n    1,\n    {\n      "b": 2\n    }\n  ],\n  "c": [],\n  "d": {}\n}'),
    ],
)
def test_there_are_three_styles_of_json_text(style, text):
    """S000-33: spaced as json.dumps has it"""
    assert codec.styled(b'{"a":[1,{"b":2}],"c":[],"d":{}}', style) == text


@pytest.mark.parametrize("style", ["compact", "spaced", "indent"])
def test_a_style_never_changes_a_value(style):
    raw = rb'{"a,b: {c":"x, y: [z]\n\"\\","n":[65,65.0,1e16,12345678901234567890123]}'
    for value in (b'"x, y"', b"65.0", b"null", b"1e-7"):
        assert codec.styled(value, style) == value.decode()
    assert codec.decode(codec.styled(raw, style)) == codec.decode(raw)
    assert "65.0" in codec.styled(raw, style) and "12345678901234567890123" in codec.styled(raw, style)
