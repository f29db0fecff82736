"""Sessions in signed ids: any process with the key answers, and what needs a way back is not offered."""

import asyncio
import json
import logging
from typing import Any

import pytest

from mounted import Live, initialize, session, speak
from plainmcp import Context, Server
from plainmcp.errors import AuthorError
from plainmcp.transports.http.sessions.signed_ids import MAX_FACTS
from plainmcp.wire import signing

KEY = b"the key of all replicas"


def make_server(key: bytes = KEY, name: str = "library", **options: Any) -> Server:
    server = Server(name, "1", key=key, **options)

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    async def ask(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", {"type": "object", "properties": {}})).action

    @server.tool
    def speak_up(ctx: Context) -> str:
        ctx.progress(1, 2)
        ctx.error("nobody reads this")
        return "done"

    @server.tool
    def client(ctx: Context) -> Any:
        return {"client": [ctx.client_name, ctx.client_version], "state": ctx.session_state}

    server.resource("memo://one", name="one")(lambda: "1")
    server.add_text_prompt("hello", "Say hello.")
    return server


def user_of(scope: Any) -> Any:
    return dict(scope["headers"]).get(b"x-user", b"").decode() or None


def replica(key: bytes = KEY, name: str = "library", **options: Any) -> Any:
    settings = {"sessions": "signed", "principal": user_of, **options.pop("settings", {})}
    return make_server(key, name, **options).asgi(**settings)


def request(method: str, id: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


async def call(app: Any, headers: dict[str, str], name: str, meta: Any = None, **arguments: Any) -> Any:
    params = {"name": name, "arguments": arguments, **({} if meta is None else {"_meta": meta})}
    return await speak(app, request("tools/call", **params), headers)


def run(work: Any) -> None:
    asyncio.run(work)


def test_another_process_answers_the_requests_of_a_session() -> None:
    async def work() -> None:
        headers = await session(replica(), "2025-06-18", elicitation={})
        other = replica()
        answer = await call(other, headers, "add", a=1, b=2)
        assert answer.json["result"]["structuredContent"] == {"result": 3}
        assert "mcp-session-id" not in answer.headers
        seen = json.loads((await call(other, headers, "client")).json["result"]["content"][0]["text"])
        assert seen == {"client": ["t", "1"], "state": {}}
        assert (await speak(other, request("ping"), headers)).json["result"] == {}

    run(work())


def test_what_needs_a_way_back_is_not_announced() -> None:
    async def work() -> None:
        answer = await speak(replica(extensions={"x/y": {"subscribe": 1}}), initialize("2025-11-25"))
        assert answer.json["result"]["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}}
        app = replica()
        headers = await session(app)
        for method, params in (
            ("logging/setLevel", {"level": "debug"}),
            ("resources/subscribe", {"uri": "memo://one"}),
            ("resources/unsubscribe", {"uri": "memo://one"}),
        ):
            error = (await speak(app, request(method, **params), headers)).json["error"]
            assert error["code"] == -32601 and "no store; see --redis and store=" in error["message"]
        for method in ("GET", "DELETE"):
            refused = await speak(app, None, headers, method)
            assert (refused.status, refused.headers["allow"]) == (405, "POST")
        answered = await speak(app, {"jsonrpc": "2.0", "id": "s-1", "result": {}}, headers)
        assert answered.status == 400

    run(work())


def test_a_question_is_refused_at_once_and_progress_still_goes_out() -> None:
    async def work() -> None:
        app = replica()
        headers = await session(app, elicitation={})
        refused = (await call(app, headers, "ask")).json["result"]
        assert refused["isError"] and "several processes and no store" in refused["content"][0]["text"]
        spoken = await call(app, headers, "speak_up", {"progressToken": 1})
        methods = [one["data"].get("method") for one in spoken.events if "data" in one]
        assert methods == ["notifications/progress", None]  # no log message: logging is not offered
        assert all("id" not in one for one in spoken.events)  # and nothing to resume

    run(work())


@pytest.mark.parametrize(
    "change",
    [
        {"key": b"the key of others...."},
        {"name": "another server"},
        {"now": lambda: 4e9},
        {"now": lambda: 1.0},
    ],
)
def test_an_id_of_another_key_server_or_time_is_unknown(change: dict[str, Any]) -> None:
    async def work() -> None:
        headers = await session(replica())
        answer = await call(replica(**change), headers, "add", a=1, b=2)
        assert (answer.status, answer.json["error"]["message"]) == (404, "there is no such session; send initialize")

    run(work())


def test_the_id_of_another_caller_is_unknown() -> None:
    async def work() -> None:
        app = replica()
        opened = await speak(app, initialize(), {"x-user": "ada"})
        id = opened.headers["mcp-session-id"]
        for user, status in (("ada", 200), ("bob", 404), (None, 404)):
            headers = {"mcp-session-id": id, **({} if user is None else {"x-user": user})}
            assert (await call(app, headers, "add", a=1, b=2)).status == status
        anonymous = await session(app)
        assert (await call(app, {**anonymous, "x-user": "ada"}, "add", a=1, b=2)).status == 404

    run(work())


def test_a_changed_id_is_unknown() -> None:
    async def work() -> None:
        app, server = replica(), make_server()
        headers = await session(app)
        id = headers["mcp-session-id"]
        sealed = signing.seal([1, "x", "2025-11-25", 0, 9e9, "", {}, {}], server.key)  # as request state is
        first, last = ("B" if one == "A" else "A" for one in (id[0], id[-1]))
        changed = [first + id[1:], id[:-1] + last, id[:-1], id + "A", id + "="]
        forged = [*changed, "", "x", "Ä", sealed, "A" * 100_000]
        for one in forged:
            live = Live(app, request("ping"), {**headers, "mcp-session-id": one.encode().decode("latin-1")})
            assert (await live.done()).status in (400, 404), one
        missing = await speak(app, request("ping"), {"mcp-protocol-version": "2025-11-25"})
        assert missing.status == 400

    run(work())


def test_an_id_never_grows_beyond_what_headers_carry() -> None:
    async def work() -> None:
        app = replica()
        large = initialize()
        large["params"]["clientInfo"]["icons"] = [{"src": "data:," + "x" * 9_000}]
        large["params"]["capabilities"] = {"experimental": {"x": "y" * 9_000}, "sampling": {}}
        opened = await speak(app, large)
        assert opened.status == 200 and len(opened.headers["mcp-session-id"]) < 500
        answer = await call(app, {"mcp-session-id": opened.headers["mcp-session-id"]}, "client")
        assert json.loads(answer.json["result"]["content"][0]["text"]) == {"client": ["t", "1"], "state": {}}
        large["params"]["clientInfo"]["name"] = "n" * MAX_FACTS
        refused = await speak(app, large)
        assert refused.json["error"]["code"] == -32602 and "mcp-session-id" not in refused.headers

    run(work())


def test_a_batch_in_a_signed_session() -> None:
    async def work() -> None:
        headers = await session(replica(), "2025-03-26")
        answer = await speak(replica(), [request("ping", 1), request("tools/list", 2)], headers)
        assert [one["id"] for one in answer.json] == [1, 2]
        unknown = await speak(replica(), [request("ping", 1)], {"mcp-session-id": "x"})
        assert unknown.status == 404
        unread = await speak(replica(), b"{", headers)
        assert unread.status == 400

    run(work())


def test_a_drawn_key_is_refused() -> None:
    with pytest.raises(AuthorError, match=r"the same Server\(key=…\) in all processes"):
        Server("drawn", "1").asgi(sessions="signed")


def test_the_choice_of_sessions_is_checked() -> None:
    server = make_server()
    with pytest.raises(AuthorError, match='sessions is "memory" or "signed"'):
        server.asgi(sessions="elsewhere")  # type: ignore[arg-type]
    with pytest.raises(AuthorError, match="leave out one"):
        server.asgi(sessions="signed", stateless=True)


@pytest.mark.parametrize("name", ["session_seconds", "session_idle_seconds", "ask_seconds"])
def test_no_time_is_infinite(name: str) -> None:
    with pytest.raises(AuthorError, match=f"{name} is a number"):
        make_server().asgi(**{name: float("inf")})


def test_why_a_session_is_unknown_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        app = replica()
        foreign = await session(replica(key=b"the key of another process"))
        ada = (await speak(app, initialize(), {"x-user": "ada"})).headers["mcp-session-id"]
        for _ in range(2):
            assert (await call(app, foreign, "add", a=1, b=2)).status == 404
            assert (await call(app, {"mcp-session-id": ada, "x-user": "bob"}, "add", a=1, b=2)).status == 404
            assert (await call(app, {"mcp-session-id": "garbage"}, "add", a=1, b=2)).status == 404

    with caplog.at_level(logging.WARNING):
        run(work())
    first, second = (record.message for record in caplog.records)
    assert "all processes need the same Server(key=…)" in first
    assert "it has other JSON than when the session was opened" in second


def test_a_principal_is_the_same_whatever_the_order_of_its_members() -> None:
    async def work() -> None:
        orders = iter([{"a": 1, "b": 2}, {"b": 2, "a": 1}])
        app = make_server().asgi(sessions="signed", principal=lambda scope: next(orders))
        opened = await speak(app, initialize())
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        assert (await call(app, headers, "add", a=1, b=2)).status == 200

    run(work())
