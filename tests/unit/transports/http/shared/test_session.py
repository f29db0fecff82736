"""A session of several replicas: its record, the way of answers to other replicas, and copies of its streams."""

from typing import Any

import pytest
from msgspec import UNSET, Raw

from plainmcp.limits.shares import OPTIONAL
from plainmcp.replicas.entries import Event, Lost
from plainmcp.replicas.keys import NEW_LOG, SMALL
from plainmcp.replicas.session_record import RecordChange, SessionRecord
from plainmcp.store import MemoryStore
from plainmcp.transports.http.shared import session as session_module
from plainmcp.transports.http.shared.session import SharedSession, StreamCopy
from plainmcp.wire import jsonrpc
from replicas import replicas


def make(app: Any) -> SharedSession:
    session: SharedSession = app.endpoint.sessions.local.make(None, None)
    return session


def test_an_older_state_does_not_replace_a_newer_one() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        facts = session.connection.session
        session.apply(SessionRecord(2, "debug", ["a://b"]))
        session.apply(SessionRecord(1, "error", []))
        assert (facts.log_level, facts.subscribed, session.version) == ("debug", {"a://b"}, 2)
        session.apply(SessionRecord(3, None, []))
        assert (facts.log_level, facts.subscribed) == ("debug", set())


def test_what_a_store_has_lost_is_completed() -> None:
    begun = RecordChange(level="debug", added=frozenset({"a:1", "a:2"})).apply(SessionRecord())
    later = RecordChange(removed=frozenset({"a:1"})).apply(begun)
    anew = RecordChange(added=frozenset({"a:3"})).apply(SessionRecord())
    ended = SessionRecord(has_ended=True)
    assert later.complete(None) is later
    assert later.complete(begun) is later  # an older one: what was removed stays removed
    assert begun.complete(later) is later
    assert later.complete(ended) is ended
    both = later.complete(anew)  # it had lost all
    assert (both.subscribed, both.level, both.version, both.origin) == (["a:2", "a:3"], "debug", 3, later.origin)
    assert later.complete(both) is both and begun.complete(both) is both
    assert SessionRecord().complete(later) is later


def named(app: Any) -> SharedSession:
    session = make(app)
    session.name = "session"
    return session


def test_an_answer_goes_to_the_replica_that_asked_and_to_no_other() -> None:
    with replicas(MemoryStore()) as (one, other):
        mine, another = named(one), named(other)
        replica = one.endpoint.sessions.local.replica
        asked = replica.keys.name_question("session", replica.name, 1)
        answer = jsonrpc.decode(b'{"jsonrpc":"2.0","id":"%b","result":{}}' % asked.encode())
        assert not isinstance(answer, list) and answer.method is UNSET
        route = another.find_route(answer)
        assert route is not None and route[0].endswith(replica.name)
        assert mine.find_route(answer) is None  # its own question, which has an answer already
        another.name = "another session"
        assert another.find_route(answer) is None
        for id in (b"7", b"null", b'"s-x-1-y"', b'"' + asked.encode()[:-1] + b'"'):
            answer.id = Raw(id)
            assert another.find_route(answer) is None


# The copy of a stream in the store: whole, or known to be lost ---------------------------------------


def copy(monkeypatch: pytest.MonkeyPatch, *messages: bytes) -> list[Any]:
    """What is written for some messages; the stream ends with the last one."""
    entries: list[Any] = []
    with replicas(MemoryStore(), 1) as [one]:
        replica = one.endpoint.sessions.local.replica
        monkeypatch.setattr(replica, "append", lambda log, entry: entries.append(entry))
        stream = StreamCopy(replica, "log", "ada")
        for number, message in enumerate(messages, 1):
            stream.write(number, message, number == len(messages))
        monkeypatch.undo()
    return entries


def test_events_and_the_end_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    assert copy(monkeypatch, b"a", b"b") == [Event(1, b"a", False), Event(2, b"b", True)]
    assert copy(monkeypatch, b"a", b"") == [Event(1, b"a", False), Event(2, b"", True)]  # without a response


def test_after_too_many_bytes_the_rest_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "MAX_COPY", 4)
    assert copy(monkeypatch, b"1234", b"5", b"6") == [Event(1, b"1234", False), Lost()]


def test_a_stream_counts_for_the_budget_with_all_that_it_takes_in_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plainmcp.replicas.replica.MAX_EACH", (NEW_LOG + SMALL + 2) / OPTIONAL)
    copied = copy(monkeypatch, b"1", b"2", b"3")
    assert copied == [Event(1, b"1", False), Event(2, b"2", False), Lost()]
