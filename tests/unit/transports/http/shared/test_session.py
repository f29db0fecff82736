"""A session of several replicas: the names of its questions and streams, its state, and its open streams."""

from typing import Any

from msgspec import UNSET, Raw

from plainmcp.store import MemoryStore
from plainmcp.transports.http.shared.session import MAX_ID, SessionState, SharedSession
from plainmcp.wire import jsonrpc
from replicas import replicas


def make(app: Any) -> SharedSession:
    session: SharedSession = app.endpoint.shared.make(None, None)
    return session


def test_only_a_replica_can_name_streams_and_only_for_their_session() -> None:
    with replicas(MemoryStore()) as (one, other):
        mine, another = make(one), make(other)
        name = mine.name_stream(3, b'"a-b"')
        parts = mine.read_name(name)
        assert parts is not None
        assert (parts.owner, parts.id) == (one.endpoint.shared.replica.name, b'"a-b"')
        assert another.read_name(name) is None
        for forged in ("", "a.b.c.d", name + "0", name.replace(".3.", ".4."), name[1:], "." * 50):
            assert mine.read_name(forged) is None
        long = mine.read_name(mine.name_stream(4, b"9" * (MAX_ID + 1)))
        assert long is not None and long.id == b""


def test_an_answer_goes_to_the_replica_that_asked_and_to_no_other() -> None:
    with replicas(MemoryStore()) as (one, other):
        mine, another = make(one), make(other)
        mine.name = another.name  # the same session, at two replicas
        asked = mine.connection.name_question(1)
        answer = jsonrpc.decode(b'{"jsonrpc":"2.0","id":"%b","result":{}}' % asked.encode())
        assert not isinstance(answer, list) and answer.method is UNSET
        route = another.find_route(answer)
        assert route is not None and route[0].endswith(one.endpoint.shared.replica.name)
        assert mine.find_route(answer) is None  # its own question, which has an answer already
        another.name = "another session"
        assert another.find_route(answer) is None
        for id in (b"7", b"null", b'"s-x-1-y"', b'"' + asked.encode()[:-1] + b'"'):
            answer.id = Raw(id)
            assert another.find_route(answer) is None


def test_an_older_state_does_not_replace_a_newer_one() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        facts = session.connection.session
        session.apply(SessionState(2, "debug", ["a://b"]))
        session.apply(SessionState(1, "error", []))
        assert (facts.log_level, facts.subscribed, session.version) == ("debug", {"a://b"}, 2)
        session.apply(SessionState(3, None, []))
        assert (facts.log_level, facts.subscribed) == ("debug", set())


def test_a_stream_that_nobody_reads_gets_no_messages() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        session.send(b"nobody hears it")
        stream = session.make_standing_stream(5)
        session.add_standing(stream)
        assert session.busy
        session.send(b"heard")
        session.reader = "another replica"
        session.send(b"heard elsewhere")
        session.reader = None
        session.leave_stream(stream)
        session.send(b"heard later")
        assert [message for _, message in stream.take_after(0)[0]] == [b"heard"] and not session.busy


def test_a_stream_whose_client_left_before_it_was_added_is_not_added() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        session = make(one)
        stream = session.make_standing_stream()
        session.leave_stream(stream)
        assert not session.add_standing(stream)
        assert session.standing == [] and not session.busy
        other = session.make_stream(b"1")
        session.leave_stream(other)  # a stream for a response can be resumed
        assert not other.finished
