"""What sessions keep to be fetched again: for how long, how much each, and how much all together."""

import threading
from itertools import islice
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.transports.http import session_store
from plainmcp.transports.http.session_store import MAX_STREAMS, HttpSession, SessionStore
from plainmcp.transports.http.settings import Settings
from plainmcp.transports.http.stream import Stream


def wake() -> None: ...


class Endpoint:
    """SessionStore, and a clock that stands still until it is set."""

    def __init__(self, **settings: Any) -> None:
        self.time = 1_000.0
        self._core = Server("s", "1", now=lambda: self.time)
        self._settings = Settings(retry_ms=1_000, **settings)
        self.sessions = SessionStore(self._settings, lambda: self.time)

    def session(self) -> HttpSession:
        held = HttpSession(self._core, self._settings, None, self.time, self.sessions.budget)
        self.sessions.add(held)
        return held


def said(
    held: HttpSession, *words: bytes, answer: bytes = b"answer", read: bool = True, finished: bool = True
) -> Stream:
    """A stream of a session that was begun, and all that was said on it."""
    stream = held.make_stream()
    held.keep(stream)
    for word in words:
        stream.put(word)
    if finished:
        stream.finish(answer)
    if read:
        reader = stream.attach(wake)
        reader.take()
        reader.leave()
    held.tidy()
    return stream


def is_kept(held: HttpSession, stream: Stream) -> bool:
    return held.find_stream(f"{stream.name}-1") is not None


def test_a_stream_that_was_read_is_kept_as_long_as_a_client_may_take_to_come_back() -> None:
    """R2511-HTTP-24"""
    endpoint = Endpoint()
    held = endpoint.session()
    read, unread, open_ = said(held), said(held, read=False), said(held, finished=False)
    endpoint.time += 4
    held.tidy()
    assert all(is_kept(held, stream) for stream in (read, unread, open_))
    endpoint.time += 2
    held.tidy()
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
    stream = held.make_stream()
    if not late:
        held.keep(stream)
        stream.put(b"x")
        held.tidy()
    endpoint.sessions.remove(held)
    if late:  # a request that was under way speaks up
        held.keep(stream)
    assert stream.finished is not late
    assert not is_kept(held, stream) and endpoint.sessions.budget.size == 0


def test_a_session_is_its_owners_however_lately_it_was_used() -> None:
    """R2506-SESS-05, R2511-SESS-05"""
    endpoint = Endpoint()
    held = endpoint.session()
    for _ in range(3):
        assert endpoint.sessions.get(held.id, None) is held
        assert endpoint.sessions.get(held.id, "somebody") is None
        endpoint.time += 0.4
    endpoint.sessions.remove(held)
    assert endpoint.sessions.get(held.id, None) is None


def test_a_session_is_looked_up_while_another_thread_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = Endpoint()
    held = endpoint.session()
    others: list[threading.Thread] = []

    def slowly(items: Any, most: int) -> Any:
        found = islice(items, most)
        others.append(threading.Thread(target=endpoint.sessions.get, args=(held.id, None)))
        others[-1].start()
        others[-1].join(0.05)
        return found

    monkeypatch.setattr(session_store, "islice", slowly)
    endpoint.time += 2
    endpoint.session()
    for thread in others:
        thread.join()
    assert others and len(endpoint.sessions) == 2
