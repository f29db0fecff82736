"""What a variable of a URI may contain: decoded once, and refused if it could leave its segment."""

import time

import pytest

from plainmcp.errors import AuthorError
from plainmcp.wire.uri_variable import Piece, Variable, decode_value

A, B = Variable("a", "segment"), Variable("b", "segment")


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("oslo", "oslo"),
        ("S%C3%A3o%20Paulo", "São Paulo"),
        ("a+b", "a+b"),  # a plus is a plus: this is no HTML form
        ("%2B", "+"),
        ("%252F", "%2F"),  # decoded once, and not again
        ("%252e%252e", "%2e%2e"),
        ("...", "..."),
        (".hidden", ".hidden"),
        ("a..b", "a..b"),
        ("%F0%9F%8D%B5", "🍵"),
        ("%41%62", "Ab"),
    ],
)
def test_a_segment_is_decoded_once(raw, value):
    assert decode_value(raw, "segment") == value


@pytest.mark.parametrize("kind", ["segment", "path", "text"])
@pytest.mark.parametrize(
    "raw",
    ["%", "%4", "%zz", "a%2", "%FF", "%C3", "%C0%AE", "%ED%A0%80", "%00", "a%0Ab", "%1f", "%7F", "%C2%85"],
)
def test_broken_escapes_broken_utf8_and_control_characters_are_refused_everywhere(kind, raw):
    """R26-RES-07"""
    assert decode_value(raw, kind) is None


@pytest.mark.parametrize(
    ("literals", "text", "values"),
    [
        (("", "-", ""), "x-y-z", {"a": "x-y", "b": "z"}),
        (("", "-", ""), "--z", {"a": "-", "b": "z"}),
        (("", "-", ""), "x--", {"a": "x", "b": "-"}),
        (("", "-", ""), "-x", None),
        (("", "-", ""), "x-", None),
        (("", "-", ""), "-", None),
        (("", "-", ""), "", None),
        (("v", ".", "!"), "v1.2!", {"a": "1", "b": "2"}),
        (("v", ".", "!"), "v1.2", None),
        (("v", ".", "!"), "1.2!", None),
        (("v", "..", "!"), "v...!", None),
    ],
)
def test_a_text_is_cut_so_that_the_left_variable_is_the_longer(literals, text, values):
    assert Piece(literals, (A, B)).match(text) == values


@pytest.mark.parametrize("text", ["ab", "b", "a", "abb", ""])
def test_literals_never_share_a_letter(text):
    assert Piece(("ab", "b"), (A,)).match(text) is None


def test_reading_takes_no_time_whatever_the_text():
    names = [Variable(f"v{number}", "segment") for number in range(50)]
    piece = Piece(("", *("-" for _ in names[1:]), "!"), tuple(names))
    start = time.perf_counter()
    for text in ("-" * 8192, "-" * 8191 + "!", "a-" * 4096, "-a" * 4095 + "!", "%2d" * 2730):
        piece.match(text)
    assert time.perf_counter() - start < 0.5


def test_a_list_is_written_only_where_a_list_is_read():
    assert Variable("a", "segments").write(["x y", "z"]) == ["x%20y", "z"]
    with pytest.raises(AuthorError, match="a takes a list"):
        Variable("a", "segments").write("x")
    with pytest.raises(AuthorError, match="a takes one value"):
        A.write(["x"])
