"""Session ids of one process: unguessable, and another process can tell whose they are."""

import asyncio
import logging

import pytest

from mounted import initialize, speak
from plainmcp import Server
from plainmcp.transports.http.sessions import session_ids
from plainmcp.transports.http.sessions.session_ids import is_of_another_process, make_session_id

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_ids_are_visible_ascii_and_differ() -> None:
    ids = {make_session_id(5.0) for _ in range(100)}
    assert len(ids) == 100 and all(33 <= byte <= 126 for id in ids for byte in id)


def test_an_id_of_another_process_that_serves_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    own = make_session_id(50.0)
    monkeypatch.setattr(session_ids, "_secret", b"of another process")
    other = make_session_id(50.0)
    assert is_of_another_process(own, 10.0, 60.0) and not is_of_another_process(other, 10.0, 60.0)
    assert not is_of_another_process(own, 50.0, 60.0)  # perhaps this process before a restart
    assert not is_of_another_process(own, 10.0, 49.0)
    for garbage in (b"", b"x" * 200, own + b"1" * 20, own.replace(b".", b""), "ä".encode() * 30):
        assert not is_of_another_process(garbage, 10.0, 1e15)


def test_several_processes_without_a_setting_for_them_are_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [100.0]

    async def work() -> None:
        one, other = (Server("s", "1", now=lambda: now[0]).asgi() for _ in range(2))
        now[0] = 200.0
        own = {"mcp-session-id": (await speak(one, initialize())).headers["mcp-session-id"]}
        assert (await speak(one, None, own, "DELETE")).status == 204
        assert (await speak(one, PING, own)).status == 404  # its own, which has ended
        assert not caplog.records
        foreign = {"mcp-session-id": (await speak(one, initialize())).headers["mcp-session-id"]}
        monkeypatch.setattr(session_ids, "_secret", b"of another process")
        for _ in range(2):
            assert (await speak(other, PING, foreign)).status == 404

    with caplog.at_level(logging.WARNING):
        asyncio.run(work())
    [record] = caplog.records
    assert 'sessions="signed" or store=' in record.message
