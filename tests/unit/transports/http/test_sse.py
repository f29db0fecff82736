"""Server-sent events as bytes."""

import pytest

from plainmcp.transports.http import sse


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [
        ({"data": b"{}"}, b"data: {}\n\n"),
        ({"data": b"{}", "id": "4-2"}, b"id: 4-2\ndata: {}\n\n"),
        ({}, b"data: \n\n"),
        ({"id": "4-0", "retry": 250}, b"id: 4-0\nretry: 250\ndata: \n\n"),
        ({"data": b"a\nb"}, b"data: a\ndata: b\n\n"),
        ({"data": b"a\r\nb\rc"}, b"data: a\ndata: b\ndata: c\n\n"),
    ],
)
def test_an_event_has_a_line_for_each_field_and_an_empty_one_after(given: dict[str, object], bytes_: bytes) -> None:
    assert sse.event(**given) == bytes_  # type: ignore[arg-type]


def test_a_comment_is_skipped_by_readers() -> None:
    assert sse.comment() == sse.COMMENT == b":\n\n"
    assert sse.comment("still here") == b": still here\n\n"


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\0b"])
def test_an_id_cannot_smuggle_in_a_line(text: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        sse.event(id=text)
    with pytest.raises(ValueError, match="one line"):
        sse.comment(text)
