"""The sessions of an endpoint: whose they are, how long they live, and which of them are closed for others."""

import threading
from itertools import islice
from typing import Any

import pytest

from plainmcp.transports.http.sessions import memory
from plainmcp.transports.http.sessions.http_session import HttpSession
from stored_sessions import Endpoint


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

    monkeypatch.setattr(memory, "islice", slowly)
    endpoint.time += 2
    endpoint.session()
    for thread in others:
        thread.join()
    assert others and len(endpoint.sessions) == 2


# At the limits --------------------------------------------------------------------------------------


def use(endpoint: Endpoint, *sessions: HttpSession) -> None:
    for session in sessions:
        assert endpoint.sessions.get(session.id, session.principal) is session


def is_there(endpoint: Endpoint, session: HttpSession) -> bool:
    return session.id in endpoint.sessions._sessions


def test_a_session_that_was_never_used_is_closed_for_another_the_oldest_first() -> None:
    endpoint = Endpoint(max_sessions=3)
    first, second, third = (endpoint.session() for _ in range(3))
    use(endpoint, first)
    fourth = endpoint.session()
    assert [is_there(endpoint, one) for one in (first, second, third, fourth)] == [True, False, True, True]
    assert len(endpoint.sessions) == 3


def test_a_new_anonymous_session_is_refused_before_a_used_one_goes() -> None:
    endpoint = Endpoint(max_sessions=2)
    one, two = endpoint.session("ann"), endpoint.session()
    use(endpoint, one, two)
    limit = endpoint.sessions.add(endpoint.make())
    assert limit is not None and not limit.is_own and limit.text == "too many sessions are open (max_sessions=2)"
    assert is_there(endpoint, one) and is_there(endpoint, two)


def test_a_known_caller_takes_the_place_of_an_idle_anonymous_session() -> None:
    endpoint = Endpoint(max_sessions=3)
    ann, busy, idle = endpoint.session("ann"), endpoint.session(), endpoint.session()
    use(endpoint, ann, busy, idle)
    busy.connection.running[b"1"] = None  # type: ignore[assignment]
    bob = endpoint.session("bob")
    assert [is_there(endpoint, one) for one in (ann, busy, idle, bob)] == [True, True, False, True]
    use(endpoint, bob)
    assert endpoint.sessions.add(endpoint.make("eve")) is not None  # the rest is in use, or of known callers
    assert endpoint.sessions.add(endpoint.make("bob")) is None  # one of his own is closed
    assert not is_there(endpoint, bob)


@pytest.mark.parametrize(("principal", "address"), [(None, "192.0.2.1"), ("ann", "192.0.2.1")])
def test_one_caller_has_its_share_of_the_sessions(principal: Any, address: str) -> None:
    endpoint = Endpoint(max_sessions=10, max_sessions_per_caller=2)
    other = endpoint.session(None, "192.0.2.2")
    own = [endpoint.session(principal, address) for _ in range(3)]
    assert [is_there(endpoint, one) for one in own] == [False, True, True]
    use(endpoint, *own[1:])
    limit = endpoint.sessions.add(endpoint.make(principal, address))
    assert is_there(endpoint, other)
    if principal is None:
        assert limit is not None and limit.is_own
        assert limit.text == "too many sessions of this caller are open (max_sessions_per_caller=2)"
        assert all(is_there(endpoint, one) for one in own[1:])
    else:
        assert limit is None and not is_there(endpoint, own[1])


def test_sessions_that_end_give_their_share_back() -> None:
    endpoint = Endpoint(max_sessions=10, max_sessions_per_caller=1, session_idle_seconds=10)
    for _ in range(3):
        session = endpoint.session(None, "192.0.2.1")
        use(endpoint, session)
        endpoint.sessions.remove(session)
        endpoint.sessions.remove(session)
    use(endpoint, endpoint.session(None, "192.0.2.1"))
    endpoint.time += 11
    use(endpoint, endpoint.session(None, "192.0.2.1"))  # the other has expired
    endpoint.sessions.close()
    assert len(endpoint.sessions) == 0
    endpoint.session(None, "192.0.2.1")
