"""A stream that stays open ends when the token that opened it expires, with each kind of application and session."""

import asyncio
import time
from typing import Any

import pytest

from mounted import Live, modern
from plainmcp import Context, Server
from plainmcp.auth import Principal
from plainmcp.store import MemoryStore
from protected import APPS, Answer, ask, initialize, mount

SECONDS = 0.6
KEPT = {"memory": lambda: {}, "store": lambda: {"store": MemoryStore()}}

pytestmark = pytest.mark.slow  # real time passes


class Tokens:
    """A verifier whose tokens name a user and when they expire, as user.seconds."""

    def __init__(self) -> None:
        self.start = time.time()

    def after(self, seconds: float, user: str = "ada") -> str:
        """A token that expires so many seconds after the start."""
        return f"{user}.{int(seconds * 1000)}"

    def verify(self, token: str) -> Principal:
        user, _, milliseconds = token.partition(".")
        return Principal(subject=user, expires=self.start + int(milliseconds) / 1000)


def library() -> Server:
    server = Server("library", "1")

    @server.resource("memo://all")
    def shared() -> str:
        return "for all"

    @server.tool
    async def work(ctx: Context) -> str:
        await ctx.info("begun")
        await asyncio.sleep(2 * SECONDS)
        return "done"

    return server


@pytest.fixture(params=APPS)
def kind(request: Any) -> str:
    return str(request.param)


@pytest.fixture(params=KEPT)
def kept(request: Any) -> Any:
    return KEPT[request.param]()


def timed(app: Any, *parts: Any) -> tuple[Answer, float]:
    start = time.monotonic()
    return ask(app, *parts), time.monotonic() - start


def test_a_stream_of_a_session_ends_with_its_token(kind: str, kept: Any) -> None:
    server, tokens = library(), Tokens()
    app = mount(kind, server, auth=tokens, max_standing=10, **kept)
    headers = initialize(app, tokens.after(60)) | {"authorization": f"Bearer {tokens.after(SECONDS)}"}
    answer, seconds = timed(app, None, headers, "GET")
    assert answer.status == 200 and seconds < SECONDS + 0.5
    assert tokens.start + SECONDS <= time.time()
    again = ask(app, None, headers, "GET")
    assert (again.status, again.challenge is not None) == (401, True)


def test_the_next_token_resumes_the_stream_and_nothing_is_lost(kept: Any) -> None:
    server, tokens = library(), Tokens()
    app = server.asgi(auth=tokens, **kept)

    async def run() -> bytes:
        opened = await asyncio.to_thread(initialize, app, tokens.after(60))
        subscribe = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "memo://all"}}
        assert (await asyncio.to_thread(ask, app, subscribe, opened)).status == 200
        short = opened | {"authorization": f"Bearer {tokens.after(time.time() - tokens.start + SECONDS)}"}
        first = Live(app, None, short, "GET")
        await first.until(lambda live: live.body)
        await asyncio.sleep(SECONDS / 3)
        server.resource_updated("memo://all")
        await first.done()
        assert first.body.count(b"resources/updated") == 1
        server.resource_updated("memo://all")  # nobody reads now
        await asyncio.sleep(0.2)
        last = next(event["id"] for event in reversed(first.events) if "id" in event)
        second = Live(app, None, opened | {"last-event-id": last}, "GET")
        await second.until(lambda live: b"resources/updated" in live.body)
        second.hang_up()
        await second.task
        return second.body

    assert asyncio.run(run()).count(b"resources/updated") == 1


def test_a_listen_request_ends_with_its_result(kind: str, kept: Any) -> None:
    """R26-SUB-05."""
    server, tokens = library(), Tokens()
    app = mount(kind, server, auth=tokens, max_standing=10, **kept)
    body, headers = modern("subscriptions/listen", id="one", notifications={"toolsListChanged": True})
    token = tokens.after(SECONDS)
    answer, seconds = timed(app, body, headers | {"authorization": f"Bearer {token}"})
    assert answer.status == 200 and seconds < SECONDS + 0.5
    assert answer.json["id"] == "one" and answer.json["result"]["resultType"] == "complete"


def test_a_listen_request_behind_middleware_ends_too(kind: str) -> None:
    server, tokens = library(), Tokens()

    @server.middleware
    def pause(request: Any, call_next: Any) -> Any:
        return call_next(request)

    app = mount(kind, server, auth=tokens, max_standing=10)
    body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    token = tokens.after(SECONDS)
    answer, seconds = timed(app, body, headers | {"authorization": f"Bearer {token}"})
    assert answer.status == 200 and seconds < SECONDS + 0.5
    assert answer.json["result"]["resultType"] == "complete"


def test_a_stream_that_is_never_quiet_ends_too() -> None:
    server, tokens = library(), Tokens()
    app = server.asgi(auth=tokens)

    async def run() -> float:
        body, headers = modern("subscriptions/listen", notifications={"resourceSubscriptions": ["memo://all"]})
        live = Live(app, body, headers | {"authorization": f"Bearer {tokens.after(SECONDS)}"})
        start = time.monotonic()
        while not live.task.done():
            server.resource_updated("memo://all")
            await asyncio.sleep(0.001)
            assert time.monotonic() - start < 5
        return time.monotonic() - start

    assert asyncio.run(run()) < SECONDS + 0.5


def test_a_call_that_began_with_a_valid_token_is_answered(kind: str) -> None:
    """It was allowed when it came; only what stays open for later messages ends."""
    tokens = Tokens()
    app = mount(kind, library(), auth=tokens)
    body, headers = modern("tools/call", name="work", arguments={}, meta={"io.modelcontextprotocol/logLevel": "info"})
    answer = ask(app, body, headers | {"authorization": f"Bearer {tokens.after(SECONDS)}"})
    assert answer.json["result"]["content"][0]["text"] == "done"


@pytest.mark.parametrize("ending", [None, 60.0])
def test_a_stream_without_an_end_soon_stays_open(ending: float | None) -> None:
    app = library().asgi(auth=lambda token: Principal(subject="ada", expires=ending and time.time() + ending))

    async def run() -> bool:
        body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        live = Live(app, body, headers | {"authorization": "Bearer one"})
        await asyncio.sleep(2 * SECONDS)
        is_open = not live.task.done()
        live.hang_up()
        await live.task
        return is_open

    assert asyncio.run(run())
