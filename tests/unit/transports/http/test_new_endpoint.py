"""Which endpoint a server gets, and the settings that do not go together."""

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.store import MemoryStore
from plainmcp.transports.http.new_endpoint import make_endpoint
from plainmcp.transports.http.sessions.memory import MemorySessions
from plainmcp.transports.http.sessions.none import NoSessions
from plainmcp.transports.http.sessions.shared import SharedSessions
from plainmcp.transports.http.sessions.signed import SignedSessions
from plainmcp.transports.http.settings import Settings
from replicas import make_server


def test_the_settings_say_where_sessions_are() -> None:
    for settings, kind in [
        (Settings(), MemorySessions),
        (Settings(stateless=True), NoSessions),
        (Settings(sessions="signed"), SignedSessions),
        (Settings(store=MemoryStore()), SharedSessions),
    ]:
        assert type(make_endpoint(make_server(), settings).sessions) is kind


def test_what_cannot_be_shared_is_refused() -> None:
    server, memory = make_server(), MemoryStore()
    with pytest.raises(AuthorError, match=r"leave out stateless= and sessions="):
        server.asgi(store=memory, stateless=True)
    with pytest.raises(AuthorError, match=r"leave out stateless= and sessions="):
        server.wsgi(store=memory, sessions="signed")
    with pytest.raises(AuthorError, match="store= must be an object such as RedisStore"):
        server.asgi(store="redis://127.0.0.1")
    with pytest.raises(AuthorError, match=r"store= needs the same Server\(key=…\)"):
        Server("drawn", "1").asgi(store=RedisStore("redis://127.0.0.1:1"))
    with pytest.raises(AuthorError, match="belongs to one process"):
        server.run(http="127.0.0.1:0", workers=2, store=memory)
