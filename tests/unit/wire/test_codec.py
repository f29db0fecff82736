"""JSON that comes in is strict; JSON that goes out is compact, or formatted for people."""

import contextlib
import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp.errors import ParseError, PlainMCPError
from plainmcp.types import TextContent
from plainmcp.wire import codec


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
    assert codec.format_json(b'{"a":[1,{"b":2}],"c":[],"d":{}}', style) == text


@pytest.mark.parametrize("style", ["compact", "spaced", "indent"])
def test_a_style_never_changes_a_value(style):
    raw = rb'{"a,b: {c":"x, y: [z]\n\"\\","n":[65,65.0,1e16,12345678901234567890123]}'
    for value in (b'"x, y"', b"65.0", b"null", b"1e-7"):
        assert codec.format_json(value, style) == value.decode()
    assert codec.decode(codec.format_json(raw, style)) == codec.decode(raw)
    assert "65.0" in codec.format_json(raw, style) and "12345678901234567890123" in codec.format_json(raw, style)


nested = st.recursive(
    st.text('ab[]{}"\\/\n\u00e9') | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('[{"\\'), inner),
)


def depth_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@pytest.mark.slow
@given(nested, st.integers(0, 140), st.booleans(), st.sampled_from([None, 0, 2]))
def test_how_deep_json_is_does_not_depend_on_what_its_texts_say(value, more, ascii, indent):
    for level in range(more):
        value = [value, "]"] if level % 3 else {"[": value}
    value = [value, *([["[", {}]] * codec.MAX_DEPTH)]  # enough brackets to be looked at
    raw = json.dumps(value, ensure_ascii=ascii, indent=indent).encode()
    if depth_of(value) <= codec.MAX_DEPTH:
        codec.check_depth(raw)
        codec.check_depth(msgspec.Raw(raw))
    else:
        for given in (raw, msgspec.Raw(raw)):
            with pytest.raises(ParseError, match="nest more than 128 levels deep"):
                codec.check_depth(given)


@pytest.mark.parametrize(
    "raw",
    [b"[" * 2**21, b"[" * 2**20 + b"]" * 2**20, b'["' + b'\\"' * 2**20, b"[[]," * 2**19, b'["a",' * 2**19,
     b"\\" * 2**21 + b"[" * 200],
)  # fmt: skip
def test_it_takes_no_longer_to_see_how_deep_json_is_than_it_is_long(raw):
    start = time.process_time()
    with contextlib.suppress(ParseError):
        codec.check_depth(raw)
    assert time.process_time() - start < 2  # a hundredth of a second for each 100 kB, and much less on most machines
