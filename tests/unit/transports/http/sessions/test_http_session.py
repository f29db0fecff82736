"""What a session keeps to be fetched again: for how long, how much each, and how much all together."""

import pytest

from plainmcp.transports.http.sessions.kept_streams import MAX_STREAMS
from stored_sessions import Endpoint, is_kept, said


def test_a_stream_that_was_read_is_kept_as_long_as_a_client_may_take_to_come_back() -> None:
    """R2511-HTTP-24"""
    endpoint = Endpoint()
    held = endpoint.session()
    read, unread, open_ = said(held), said(held, read=False), said(held, finished=False)
    endpoint.time += 4
    held.streams.tidy()
    assert all(is_kept(held, stream) for stream in (read, unread, open_))
    endpoint.time += 2
    held.streams.tidy()
    assert [is_kept(held, stream) for stream in (read, unread, open_)] == [False, True, True]


def test_a_session_keeps_so_many_bytes_and_the_newest_in_any_case() -> None:
    endpoint = Endpoint(replay_bytes=1_000)
    held = endpoint.session()
    streams = [said(held, b"x" * 300, read=False) for _ in range(10)]
    assert [is_kept(held, stream) for stream in streams] == [False] * 7 + [True] * 3
    huge = said(held, answer=b"x" * 5_000, read=False)
    assert [stream for stream in streams if is_kept(held, stream)] == []
    assert is_kept(held, huge) and endpoint.sessions.budget.size == huge.size


def test_a_session_keeps_so_many_streams() -> None:
    held = Endpoint().session()
    streams = [said(held, read=False) for _ in range(MAX_STREAMS + 5)]
    assert [is_kept(held, stream) for stream in streams] == [False] * 5 + [True] * MAX_STREAMS


def test_what_is_still_to_be_said_is_never_forgotten() -> None:
    """R2511-HTTP-09"""
    held = Endpoint(replay_bytes=0, replay_bytes_in_all=0).session()
    streams = [said(held, b"x" * 100, finished=False) for _ in range(MAX_STREAMS + 5)]
    assert all(is_kept(held, stream) for stream in streams)


def test_when_all_keep_too_much_those_unused_the_longest_forget() -> None:
    endpoint = Endpoint(replay_bytes_in_all=1_000)
    idle, used, newest = endpoint.session(), endpoint.session(), endpoint.session()
    streams = [(held, said(held, b"x" * 400, read=False)) for held in (idle, used)]
    endpoint.time += 1
    assert endpoint.sessions.get(idle.id, None) is idle and endpoint.sessions.get(used.id, None) is used
    streams.append((newest, said(newest, b"x" * 400, read=False)))
    assert [is_kept(held, stream) for held, stream in streams] == [True, True, False]
    assert endpoint.sessions.budget.size == sum(stream.size for _, stream in streams[:2])


@pytest.mark.parametrize("late", [False, True])
def test_a_session_that_is_over_keeps_nothing(late: bool) -> None:
    endpoint = Endpoint()
    held = endpoint.session()
    stream = held.streams.open()
    if not late:
        held.streams.keep(stream)
        stream.put(b"x")
        held.streams.tidy()
    endpoint.sessions.remove(held)
    if late:  # a request that was under way speaks up
        held.streams.keep(stream)
    assert stream.finished is not late
    assert not is_kept(held, stream) and endpoint.sessions.budget.size == 0
