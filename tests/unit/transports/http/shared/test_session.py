"""A session of several replicas: its state, and its open streams."""

from typing import Any

from plainmcp.replicas.claims import Start
from plainmcp.replicas.entries import Holder, Left
from plainmcp.replicas.session_record import RecordChange, SessionRecord
from plainmcp.store import MemoryStore
from plainmcp.transports.http.shared.session import SharedSession
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


def test_a_stream_that_nobody_reads_gets_no_messages() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        session.send(b"nobody hears it")
        stream = session.make_standing_stream(5)
        session.begin_claim(stream, 5, 5)
        assert session.end_claim(stream, 0)
        assert session.busy
        session.send(b"heard")
        session._claims.holder = "another replica"
        session.send(b"heard elsewhere")
        session._claims.holder = None
        session.leave_stream(stream)
        session.send(b"heard later")
        assert [message for _, message in stream.take_after(0)[0]] == [b"heard"] and not session.busy


def test_a_stream_whose_client_left_before_it_was_added_is_not_added() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        stream = session.make_standing_stream()
        session.begin_claim(stream, 0, 0)
        session.leave_stream(stream)
        assert not session.end_claim(stream, 0)
        assert session.standing == [] and not session.busy
        other = session.streams.open(b"1")
        session.leave_stream(other)  # a stream for a response can be resumed
        assert not other.finished


def test_a_stream_of_a_session_that_has_ended_meanwhile_ends() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        stream = session.make_standing_stream()
        session.begin_claim(stream, 0, 0)
        session.close()
        assert not session.end_claim(stream, 0)
        assert stream.finished and session.standing == []


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


def test_a_stream_takes_over_from_another_one_but_not_from_an_older_part_of_itself() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        first = session.make_standing_stream(5)
        session.begin_claim(first, 5, 7)
        assert session.find_start() == 5 and session.end_claim(first, 7)
        again = session.make_standing_stream(6, first.name)  # its client has come back
        session.begin_claim(again, 6, 8)
        assert session.find_start() == 6 and session.end_claim(again, 8)
        second = session.make_standing_stream(6)
        assert second.name != first.name
        session.begin_claim(second, 6, 9)
        assert session.find_start() == 9 and session.end_claim(second, 9)
        assert session.receive_holder(Holder(session.name, "another replica", second.name, 1), 10) is None
        assert session.claim_newest(0) is second and session.end_claim(second, 10)
        assert session.receive_holder(Holder(session.name, "another replica", "another stream", 2), 11) == Start(
            11, True
        )


def test_a_stream_that_was_left_is_not_taken_for_a_later_one() -> None:
    """A replica writes at once that it opens one, and later that one was left: the two may change places."""
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        session.receive_holder(Holder(session.name, "another replica", "its first", 1), 5)
        session.receive_holder(Holder(session.name, "another replica", "its second", 2), 5)
        assert not session.is_without_stream(Left(session.name, "another replica", 1, 5))
        assert not session.is_without_stream(Left(session.name, "a third replica", 2, 5))
        assert session.is_without_stream(Left(session.name, "another replica", 2, 5))
