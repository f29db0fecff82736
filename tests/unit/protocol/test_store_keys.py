"""Keys of a server, and content that is believed only if it was signed for its place."""

import logging

import pytest

from plainmcp import Server
from plainmcp.protocol.store_keys import ServerKeys


def keys(name: str = "library", key: bytes = b"the key of all replicas") -> ServerKeys:
    return ServerKeys(Server(name, "1", key=key))


def test_content_comes_back_as_it_was() -> None:
    one, other = keys(), keys()
    place = one.key("session", "x")
    assert other.open(place, one.sign(place, ["a", 1, b"bytes", None])) == ["a", 1, b"bytes", None]


def test_content_of_another_place_key_or_server_is_not_believed(caplog: pytest.LogCaptureFixture) -> None:
    mine = keys()
    place = mine.key("session", "x")
    values = [
        b"",
        b"x" * 100,
        mine.sign(mine.key("session", "y"), True),
        keys(key=b"the key of a stranger").sign(place, True),
        keys("museum").sign(place, True),
        mine.sign(place, True)[:-1],
    ]
    with caplog.at_level(logging.WARNING):
        assert [mine.open(place, value) for value in values] == [None] * len(values)
    assert sum("not written by this server" in record.message for record in caplog.records) == 1


def test_keys_of_servers_differ_whatever_their_names_are() -> None:
    names = ["library", "library:session", "library}", "{library}", "lib rary", "líbrary", "%7Blibrary%7D"]
    assert len({keys(name).key("session", "x") for name in names}) == len(names)
    assert all(keys(name).key("x").count("{") == 1 for name in names)  # one slot of a cluster


def test_tags_are_for_all_their_parts() -> None:
    mine = keys()
    tag = mine.tag("question", "session", "owner", "1")
    assert mine.is_tag(tag, "question", "session", "owner", "1")
    for parts in (
        ("question", "session", "owner", "11"),
        ("question", "sessionowner", "1"),
        ("stream", "session", "owner", "1"),
    ):
        assert not mine.is_tag(tag, *parts)
    for wrong in ("", tag + "0", tag.upper() + "é", "0" * 16):
        assert not mine.is_tag(wrong, "question", "session", "owner", "1")
