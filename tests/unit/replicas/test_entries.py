"""What replicas write for one another comes back as it was; what another version wrote is left out."""

from typing import Any

import msgspec
import pytest

from plainmcp.replicas import entries
from plainmcp.replicas.entries import LogEntry, read_entry
from plainmcp.replicas.session_record import SessionRecord

SAVED = entries.Saved("session", SessionRecord(3, "debug", ["a://b"]))
ALL: list[LogEntry] = [
    entries.Join("replica"),
    entries.Leave("replica"),
    entries.Ack(1, "replica"),
    entries.Wake(),
    SAVED,
    entries.Saved("session", None),
    entries.SessionEnd("session"),
    entries.Cancel("session", b"1"),
    entries.Answer("session", b'"s-1"', b"{}", b""),
    entries.Holder("session", "replica", "stream", 3),
    entries.Handover("session", 5, True),
    entries.Broadcast("replica", 1, entries.Holder("session", "replica", "stream", 3)),
    entries.Left("session", "replica", 3, 5),
    entries.Resend("session", "stream"),
    entries.Broadcast("replica", 1, SAVED),
    entries.Event(1, b"{}", False),
    entries.Lost(),
]


def write(content: Any) -> Any:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(content))


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: type(entry).__name__)
def test_an_entry_comes_back_as_it_was(entry: LogEntry) -> None:
    assert read_entry(write(entry)) == entry
    newer = [*write(entry), "a field of a newer version"]
    assert read_entry(newer) == entry


def test_each_kind_of_entry_is_tested() -> None:
    kinds = {kind for kind in vars(entries).values() if isinstance(kind, type) and issubclass(kind, LogEntry)}
    assert kinds - {LogEntry, entries.SessionEntry} == {type(entry) for entry in ALL}


@pytest.mark.parametrize(
    "content", [None, [], {}, "Join", ["Join"], ["Join", 1], ["Unknown"], [1], ["Broadcast", "replica", 1, ["Wake"]]]
)
def test_what_cannot_be_read_is_left_out(content: Any) -> None:
    assert read_entry(write(content)) is None
