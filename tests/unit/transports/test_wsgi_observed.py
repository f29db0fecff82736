"""The WSGI application of a server with observers; tests/unit/protocol/test_facts.py has its facts."""

from plainmcp import Server
from plainmcp.transports.wsgi import WSGIApp
from plainmcp.transports.wsgi_observed import ObservedWSGIApp
from ways import send


def test_only_a_server_with_observers_has_such_an_application() -> None:
    assert type(Server("s").wsgi()) is WSGIApp
    assert type(Server("s", observe=lambda facts: None).wsgi()) is ObservedWSGIApp


def test_a_stream_with_a_message_is_reported_once() -> None:
    log = []
    server = Server("s", observe=lambda facts: log.append)

    @server.tool
    def count() -> str:
        return "3"

    assert send("wsgi", server, "tools/call", "2025-11-25", name="count")["result"]
    assert [facts.method for facts in log] == ["initialize", "tools/call"]
