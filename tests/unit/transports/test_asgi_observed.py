"""The ASGI application of a server with observers: the HTTP request beside the message."""

import asyncio
from typing import Any

from mounted import Live, modern, session, speak
from plainmcp import Server
from plainmcp.observe import RequestFacts
from plainmcp.transports.asgi import ASGIApp
from plainmcp.transports.asgi_observed import ObservedASGIApp


def make_app() -> tuple[Any, list[RequestFacts]]:
    log: list[RequestFacts] = []
    return Server("s", observe=lambda facts: log.append).asgi(), log


def test_only_a_server_with_observers_has_such_an_application() -> None:
    assert type(Server("s").asgi()) is ASGIApp
    assert type(make_app()[0]) is ObservedASGIApp


def test_requests_without_a_message_are_reported_when_they_end() -> None:
    app, log = make_app()

    async def run() -> None:
        headers = await session(app)
        del log[:]
        live = Live(app, headers=headers, method="GET")
        await live.until(lambda live: live.status)
        assert log == []
        live.hang_up()
        await live.task
        assert (await speak(app, headers=headers, method="DELETE")).status == 204

    asyncio.run(run())
    assert [(one.http_method, one.http_status, one.outcome) for one in log] == [
        ("GET", 200, "ok"),
        ("DELETE", 204, "ok"),
    ]


def test_a_batch_is_reported_by_its_messages_only() -> None:
    app, log = make_app()

    async def run() -> None:
        headers = await session(app, "2025-03-26")
        del log[:]
        ping = {"jsonrpc": "2.0", "method": "ping"}
        assert (await speak(app, [{**ping, "id": 1}, {**ping, "id": 2}], headers)).status == 200
        assert (await speak(app, [], headers)).status == 400

    asyncio.run(run())
    facts = [(one.method, one.request_id, one.transport, one.http_status) for one in log]
    assert facts == [("ping", 1, "tcp", None), ("ping", 2, "tcp", None), (None, None, "tcp", 400)]


def test_a_unix_socket_has_its_own_name() -> None:
    app, log = make_app()
    body, headers = modern("tools/list")

    async def run() -> None:
        async def on_socket(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "server": ("/run/mcp.sock", None), "client": None}, receive, send)

        await speak(on_socket, body, headers)

    asyncio.run(run())
    assert (log[0].transport, log[0].address, log[0].port) == ("unix", None, None)


def test_the_lifespan_is_passed_on() -> None:
    app, _ = make_app()
    sent: list[Any] = []

    async def run() -> None:
        messages = [{"type": "lifespan.shutdown"}, {"type": "lifespan.startup"}]

        async def receive() -> Any:
            return messages.pop()

        async def send(message: Any) -> None:
            sent.append(message["type"])

        await app({"type": "lifespan"}, receive, send)

    asyncio.run(run())
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
