"""`ctx.session_state` with a store: what a handler keeps at one replica is there for the next call, at any other."""

import asyncio
import io
import json
from typing import Any

import pytest

from mounted import Live, initialize, modern, session, speak
from plainmcp import Context, Depends, Server
from plainmcp.compat import fastmcp
from plainmcp.store import MemoryStore, Store, StoreError
from plainmcp.transports.http.shared import saved_records
from replicas import KEY, call, messages, request, wait_until

SHARED = ["2025-03-26", "2025-06-18", "2025-11-25"]
"""The revisions whose sessions are in HTTP."""
AWAY = "the shared store of this server is not available at the moment; try again"


def make_server(**options: Any) -> Server:
    server = Server("library", "1", key=KEY, **options)
    server.gate = asyncio.Event()  # type: ignore[attr-defined]

    @server.tool
    def put(key: str, value: Any, ctx: Context, wrong: bool = False) -> str:
        ctx.session_state[key] = value
        if wrong:
            raise ValueError("later")
        return "put"

    @server.tool
    async def put_later(key: str, value: Any, ctx: Context) -> str:
        ctx.session_state[key] = value
        ctx.progress(1)
        await server.gate.wait()  # type: ignore[attr-defined]
        return "put"

    @server.tool
    def append(key: str, value: Any, ctx: Context) -> str:
        ctx.session_state[key].append(value)
        return "appended"

    @server.tool
    def delete(key: str, ctx: Context) -> str:
        del ctx.session_state[key]
        return "deleted"

    @server.tool
    def put_a_set(ctx: Context) -> str:
        try:
            ctx.session_state["cart"] = {1, 2}
        except TypeError as error:
            return str(error)
        return "put"

    @server.tool
    def read(ctx: Context) -> str:
        return json.dumps(ctx.session_state, sort_keys=True)

    return server


class Apps:
    """Two applications of two servers with one store."""

    def __init__(self, store: Any, count: int = 2, **options: Any) -> None:
        self.servers = [make_server(store=store, **options) for _ in range(count)]
        self.apps = [server.asgi() for server in self.servers]

    def __enter__(self) -> list[Any]:
        for app, server in zip(self.apps, self.servers, strict=True):
            app.server = server
            app.endpoint.start()
        return self.apps

    def __exit__(self, *error: object) -> None:
        for app in self.apps:
            app.close()


async def text_of(app: Any, headers: Any, tool: str, id: int = 1, **arguments: Any) -> Any:
    answer = (await speak(app, call(tool, id, **arguments), headers)).json
    return answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]


async def read(app: Any, headers: Any) -> Any:
    text = await text_of(app, headers, "read")
    return json.loads(text) if isinstance(text, str) else text


@pytest.mark.parametrize("version", SHARED)
def test_what_one_replica_keeps_another_reads_at_the_next_call(store: Store, version: str) -> None:
    async def work() -> None:
        with Apps(store) as (one, other):
            headers = await session(one, version)
            value = {"items": [1, None, True, 1.5, "é"]}
            kept = await speak(one, call("put", 7, key="cart", value=value), headers)
            result: dict[str, Any] = {"content": [{"type": "text", "text": "put"}]}
            if version != "2025-03-26":
                result["structuredContent"] = {"result": "put"}
            assert kept.json == {"jsonrpc": "2.0", "id": 7, "result": result}
            assert await read(other, headers) == {"cart": value}
            assert await text_of(other, headers, "put", key="n", value=2) == "put"
            assert await read(one, headers) == {"cart": value, "n": 2}
            assert await text_of(one, headers, "delete", key="cart") == "deleted"
            assert await read(other, headers) == {"n": 2}
            assert await read(other, await session(other, version)) == {}

    asyncio.run(work())


def test_a_replica_that_starts_later_reads_what_was_kept(store: Store) -> None:
    async def work() -> None:
        with Apps(store) as (one, _):
            headers = await session(one)
            await text_of(one, headers, "put", key="large", value="x" * 5_000)
            with Apps(store, 1) as [late]:
                assert await read(late, headers) == {"large": "x" * 5_000}

    asyncio.run(work())


def test_a_change_inside_a_value_counts_only_if_the_value_is_set_again() -> None:
    async def work() -> None:
        with Apps(MemoryStore()) as (one, other):
            headers = await session(one)
            await text_of(one, headers, "put", key="seen", value=[1])
            assert await text_of(one, headers, "append", key="seen", value=2) == "appended"
            for app in (one, other):
                assert await read(app, headers) == {"seen": [1]}

    asyncio.run(work())


def test_a_value_that_is_not_json_is_refused_when_it_is_set_and_the_rest_is_kept() -> None:
    async def work() -> None:
        with Apps(MemoryStore()) as (one, other):
            headers = await session(one)
            problem = await text_of(one, headers, "put_a_set")
            assert problem.startswith("ctx.session_state['cart'] is shared by several processes: its key must")
            assert await read(other, headers) == {}

    asyncio.run(work())


def test_of_calls_at_the_same_time_different_keys_are_kept_and_the_later_wins_a_key(store: Store) -> None:
    """The later is the one that ends later."""

    async def work() -> None:
        with Apps(store) as (one, other):
            headers = await session(one)
            slow = [
                Live(app, call("put_later", key, True, key=key, value="slow"), headers)
                for app, key in ((one, "a"), (other, "b"), (other, "both"))
            ]
            for live in slow:
                await live.until(messages)
            await text_of(one, headers, "put", key="both", value="quick")
            await text_of(one, headers, "put", key="c", value="quick")
            assert await read(other, headers) == {"both": "quick", "c": "quick"}
            for app in (one, other):
                app.server.gate.set()
            for live in slow:
                await live.done()
            kept = {"a": "slow", "b": "slow", "both": "slow", "c": "quick"}
            assert [await read(app, headers) for app in (one, other)] == [kept, kept]

    asyncio.run(work())


def test_what_many_calls_keep_at_the_same_time_is_all_there(store: Store) -> None:
    async def work() -> None:
        with Apps(store, 3) as apps:
            headers = await session(apps[0])
            calls = (text_of(apps[n % 3], headers, "put", n, key=str(n), value=n) for n in range(12))
            assert await asyncio.gather(*calls) == ["put"] * 12
            assert await read(apps[1], headers) == {str(n): n for n in range(12)}

    asyncio.run(work())


def test_a_call_that_fails_keeps_what_it_has_set_as_in_one_process() -> None:
    async def work() -> None:
        with Apps(MemoryStore()) as (one, other):
            headers = await session(one)
            await text_of(one, headers, "put", key="n", value=1, wrong=True)
            assert await read(other, headers) == {"n": 1}

    asyncio.run(work())


def test_the_parts_of_a_batch_see_what_the_ones_before_have_kept() -> None:
    async def work() -> None:
        with Apps(MemoryStore(), batches=True) as (one, other):
            headers = await session(one, "2025-03-26")
            batch = [call("put", 1, key="n", value=1), call("read", 2)]
            answers = (await speak(one, batch, headers)).json
            assert json.loads(answers[1]["result"]["content"][0]["text"]) == {"n": 1}
            assert await read(other, headers) == {"n": 1}

    asyncio.run(work())


def test_dependencies_and_the_handler_share_the_dict_of_a_request_also_within_middleware() -> None:
    async def work() -> None:
        with Apps(MemoryStore()) as (one, other):

            def count(ctx: Context) -> int:
                ctx.session_state["n"] = ctx.session_state.get("n", 0) + 1
                return int(ctx.session_state["n"])

            @one.server.tool
            def counted(ctx: Context, n: int = Depends(count)) -> str:
                return f"{n} {count(ctx)}"

            headers = await session(one)
            assert await text_of(one, headers, "counted") == "1 2"

            @one.server.middleware
            async def around(asked: Any, call_next: Any) -> Any:
                return await call_next(asked)

            assert await text_of(one, headers, "counted") == "3 4"
            assert await read(other, headers) == {"n": 4}

    asyncio.run(work())


def test_wsgi_shares_it_too(store: Store) -> None:
    servers = [make_server(store=store) for _ in range(2)]
    apps = [server.wsgi(max_standing=2) for server in servers]

    def ask(app: Any, body: Any, **headers: str) -> tuple[dict[str, str], Any]:
        raw = json.dumps(body).encode()
        got: dict[str, str] = {}
        environ = {
            "REQUEST_METHOD": "POST", "PATH_INFO": "/mcp", "HTTP_HOST": "localhost", "SERVER_NAME": "localhost",
            "SERVER_PORT": "8000", "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(raw)),
            "HTTP_ACCEPT": "application/json, text/event-stream", "wsgi.input": io.BytesIO(raw), **headers,
        }  # fmt: skip
        answer = b"".join(app(environ, lambda status, pairs: got.update(pairs)))
        return got, json.loads(answer) if answer else None

    try:
        opened, _ = ask(apps[0], initialize())
        headers = {"HTTP_MCP_SESSION_ID": {name.lower(): value for name, value in opened.items()}["mcp-session-id"]}
        _, kept = ask(apps[0], call("put", key="n", value=1), **headers)
        assert kept["result"]["content"] == [{"type": "text", "text": "put"}]
        _, other = ask(apps[1], call("read"), **headers)
        assert other["result"]["content"] == [{"type": "text", "text": '{"n": 1}'}]
    finally:
        for app in apps:
            app.close()


def test_without_a_session_it_is_a_dict_for_the_request_and_takes_anything() -> None:
    async def work() -> None:
        with Apps(MemoryStore()) as (one, _):
            answer = await speak(one, *modern("tools/call", name="put_a_set", arguments={}))
            assert answer.json["result"]["content"] == [{"type": "text", "text": "put"}]

    asyncio.run(work())


# Limits, and a store that fails --------------------------------------------------------------------


def test_what_a_session_keeps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_records, "MAX_RECORD", 1_000)

    async def work() -> None:
        with Apps(MemoryStore()) as (one, other):
            headers = await session(one)
            assert await text_of(one, headers, "put", key="a", value="x") == "put"
            refused = await text_of(one, headers, "put", key="b", value="x" * 1_000)
            assert refused["code"] == -32603 and refused["message"].startswith("this session keeps too much")
            for app in (one, other):
                assert await read(app, headers) == {"a": "x"}

    asyncio.run(work())


class Away(MemoryStore):
    """A store that can be away."""

    is_away = False

    def _check(self) -> None:
        if self.is_away:
            raise StoreError("away")

    def get(self, key: str) -> bytes | None:
        self._check()
        return super().get(key)

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        self._check()
        return super().change(key, before, after, seconds)

    def put(self, key: str, value: bytes, seconds: float) -> None:
        self._check()
        super().put(key, value, seconds)

    def append(self, entries: Any, most: int, seconds: float) -> list[int]:
        self._check()
        return super().append(entries, most, seconds)


def test_while_the_store_is_away_a_change_is_an_error_and_what_is_known_can_be_read() -> None:
    async def work() -> None:
        away = Away()
        with Apps(away) as (one, other):
            headers = await session(one)
            await text_of(one, headers, "put", key="n", value=1)
            away.is_away = True
            answer = await speak(one, call("put", 5, key="n", value=2), headers)
            assert (answer.status, answer.json) == (
                200, {"jsonrpc": "2.0", "id": 5, "error": {"code": -32603, "message": AWAY}}
            )  # fmt: skip
            await wait_until(lambda: one.endpoint.sessions.local.replica.health.why_down)
            assert (await read(one, headers), await text_of(one, headers, "put_a_set"))[0] == {"n": 1}
            unknown = await read(other, headers)  # this replica has never seen the session
            assert unknown == {"code": -32603, "message": AWAY}
            away.is_away = False
            for app in (one, other):
                await wait_until(lambda app=app: not app.endpoint.sessions.local.replica.health.why_down)
                assert await read(app, headers) == {"n": 1}
            assert await text_of(other, headers, "put", key="n", value=3) == "put"
            assert await read(one, headers) == {"n": 3}

    asyncio.run(work())


def test_a_call_on_a_stream_ends_with_the_error_if_nothing_is_saved() -> None:
    async def work() -> None:
        away = Away()
        with Apps(away) as (one, _):
            headers = await session(one)
            meta = {"_meta": {"progressToken": 1}}
            body = request("tools/call", 6, name="put_later", arguments={"key": "n", "value": 1}, **meta)
            live = Live(one, body, headers)
            await live.until(lambda live: messages(live))
            away.is_away = True
            one.server.gate.set()
            await live.done()
            assert messages(live)[-1] == {"jsonrpc": "2.0", "id": 6, "error": {"code": -32603, "message": AWAY}}

    asyncio.run(work())


# The facades --------------------------------------------------------------------------------------


def test_the_state_of_fastmcp_is_shared_and_its_session_is_an_object_of_the_process() -> None:
    async def work() -> None:
        def make() -> Any:
            server: Any = fastmcp.FastMCP("library", key=KEY, store=store)

            @server.tool
            async def put(ctx: fastmcp.Context, key: str, value: Any) -> bool:
                await ctx.set_state(key, value)
                return ctx.session is ctx.session

            @server.tool
            async def get(ctx: fastmcp.Context, key: str) -> Any:
                return await ctx.get_state(key)

            return server

        store = MemoryStore()
        apps = [Server.asgi(make()) for _ in range(2)]
        for app in apps:
            app.endpoint.start()
        headers = await session(apps[0])
        for key, value in (("a", 1), ("b", [2])):
            assert await text_of(apps[0], headers, "put", key=key, value=value) == "true"
        assert [json.loads(await text_of(apps[1], headers, "get", key=key)) for key in "ab"] == [1, [2]]
        for app in apps:
            app.close()

    asyncio.run(work())
