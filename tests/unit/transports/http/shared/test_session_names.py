"""The names of questions and streams: who gave them, and that nobody else can make them."""

from typing import Any

from msgspec import UNSET, Raw

from plainmcp.store import MemoryStore
from plainmcp.transports.http.shared.session import SharedSession
from plainmcp.transports.http.shared.session_names import MAX_ID, name_question, name_stream, read_stream_name
from plainmcp.wire import jsonrpc
from replicas import replicas


def test_only_a_replica_can_name_streams_and_only_for_their_session() -> None:
    with replicas(MemoryStore()) as apps:
        one, other = (app.endpoint.sessions.local.replica for app in apps)
        name = name_stream(one, "session", 3, b'"a-b"')
        for reader in (one, other):
            parts = read_stream_name(reader, "session", name)
            assert parts is not None and (parts.source, parts.id) == (one.name, b'"a-b"')
            assert read_stream_name(reader, "another", name) is None
        for forged in ("", "a.b.c.d", name + "0", name.replace(".3.", ".4."), name[1:], "." * 50):
            assert read_stream_name(one, "session", forged) is None
        long = read_stream_name(one, "session", name_stream(one, "session", 4, b"9" * (MAX_ID + 1)))
        assert long is not None and long.id == b""


def make(app: Any, name: str) -> SharedSession:
    session: SharedSession = app.endpoint.sessions.local.make(None, None)
    session.name = name
    return session


def test_an_answer_goes_to_the_replica_that_asked_and_to_no_other() -> None:
    with replicas(MemoryStore()) as (one, other):
        mine, another = make(one, "session"), make(other, "session")
        replica = one.endpoint.sessions.local.replica
        asked = name_question(replica, "session", 1)
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
