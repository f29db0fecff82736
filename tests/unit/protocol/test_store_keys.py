"""Keys of a server, and content that is believed only if it was signed for its place."""

import logging

import pytest

from plainmcp import Server
from plainmcp.protocol.store_keys import MAX_ID, ServerKeys


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


def test_only_a_replica_can_name_streams_and_only_for_their_session() -> None:
    one, other = keys(), keys()
    name = one.name_stream("session", "replica", 3, b'"a-b"')
    for reader in (one, other):
        assert reader.read_stream_name("session", name) == ("replica", b'"a-b"')
        assert reader.read_stream_name("another", name) is None
    strangers = keys(key=b"the key of a stranger").name_stream("session", "replica", 3, b'"a-b"')
    for forged in ("", "a.b.c.d", name + "0", name.replace(".3.", ".4."), name[1:], "." * 50, strangers):
        assert one.read_stream_name("session", forged) is None
    long = one.read_stream_name("session", one.name_stream("session", "replica", 4, b"9" * (MAX_ID + 1)))
    assert long == ("replica", b"")


def test_only_a_replica_can_name_questions_and_only_for_their_session() -> None:
    one, other = keys(), keys()
    asked = one.name_question("session", "replica", 1)
    assert other.find_asker("session", asked) == "replica"
    assert other.find_asker("another", asked) is None
    tag = asked.rpartition("-")[2]
    stream = one.name_stream("session", "replica", 1, b"").replace(".", "-")
    for forged in ("", "7", "s-x-1-y", asked[:-1], asked + "0", f"s-replica-11-{tag}", f"s-replica-1-{tag}é", stream):
        assert other.find_asker("session", forged) is None
