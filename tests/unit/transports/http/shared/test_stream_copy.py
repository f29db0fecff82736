"""The copy of a stream in the store: whole, or known to be lost."""

from typing import Any

import pytest

from plainmcp.replicas import budget
from plainmcp.replicas.budget import NEW_LOG, SMALL
from plainmcp.replicas.entries import Event, Lost, StreamEnd
from plainmcp.store import MemoryStore
from plainmcp.transports.http.shared import stream_copy
from plainmcp.transports.http.shared.stream_copy import StreamCopy
from replicas import replicas


def copy(monkeypatch: pytest.MonkeyPatch, *messages: bytes | None) -> list[Any]:
    """What is written for some messages."""
    entries: list[Any] = []
    with replicas(MemoryStore(), 1) as [one]:
        replica = one.endpoint.sessions.local.replica
        monkeypatch.setattr(replica, "append", lambda log, entry: entries.append(entry))
        stream = StreamCopy(replica, "log", "ada")
        for number, message in enumerate(messages, 1):
            stream.write(number, message)
        monkeypatch.undo()
    return entries


def test_events_and_the_end_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    assert copy(monkeypatch, b"a", b"b", None) == [Event(1, b"a"), Event(2, b"b"), StreamEnd()]


def test_after_too_many_bytes_the_rest_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_copy, "MAX_COPY", 4)
    assert copy(monkeypatch, b"1234", b"5", b"6", None) == [Event(1, b"1234"), Lost()]


def test_a_stream_counts_for_the_budget_with_all_that_it_takes_in_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_EACH", (NEW_LOG + SMALL + 2) / budget.OPTIONAL)
    assert copy(monkeypatch, b"1", b"2", b"3", None) == [Event(1, b"1"), Event(2, b"2"), Lost()]
