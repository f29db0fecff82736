"""Two principals: one against every kind of state of the other, which is answered as if it did not exist.

R2506-SESS-05, R2511-SESS-05, R26-SESS-06.
"""

import asyncio
import json
from typing import Any

import pytest

from mounted import Live, modern, speak
from plainmcp import Context, Server
from plainmcp.auth import Keys, Principal
from plainmcp.store import MemoryStore
from protected import ADA, APPS, BOB, KEYS, Answer, ask, call, initialize, mount

TOKENS = {"ada": ADA, "bob": BOB}


def as_other(headers: dict[str, str], token: str = BOB) -> dict[str, str]:
    return {**headers, "authorization": f"Bearer {token}"}


def library() -> Server:
    server = Server("library", "1", page_size=1, key=b"k" * 32)

    @server.tool
    async def speak_up(ctx: Context) -> str:
        await ctx.info("secret of ada")
        return "done"

    @server.tool
    def ask_name(ctx: Context) -> str:
        answer = ctx.elicit("What is your name?", {"type": "object", "properties": {"name": {"type": "string"}}})
        return f"hello {answer.data['name']}"

    @server.tool(visible=lambda principal: principal.subject == "ada")
    def only_for_ada() -> str:
        return "secret of ada"

    @server.resource("memo://ada", visible=lambda principal: principal.subject == "ada")
    def memo() -> str:
        return "secret of ada"

    @server.resource("memo://all")
    def shared() -> str:
        return "for all"

    return server


KINDS = {"memory": dict, "store": lambda: {"store": MemoryStore()}}
"""The kinds of sessions that have state, as options of an application."""


@pytest.fixture(params=[(kind, sessions) for kind in APPS for sessions in KINDS], ids="-".join)
def app(request: Any) -> Any:
    kind, sessions = request.param
    return mount(kind, library(), auth=Keys(KEYS), max_standing=10, **KINDS[sessions]())


def unknown(answer: Answer) -> bool:
    return answer.status == 404 and b"secret" not in answer.body


def test_a_session_is_unknown_to_others_in_every_way(app: Any) -> None:
    headers = initialize(app, ADA)
    for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "only_for_ada"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
    ):
        assert unknown(ask(app, message, as_other(headers)))
    assert unknown(ask(app, None, as_other(headers), "GET"))
    assert unknown(ask(app, None, as_other(headers), "DELETE"))
    invented = ask(app, None, {**as_other(headers), "mcp-session-id": "x" * 43}, "DELETE")
    assert ask(app, None, as_other(headers), "DELETE").body == invented.body  # it cannot be seen that there is one
    assert ask(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers).status == 200


@pytest.mark.parametrize("kind", APPS)
def test_a_signed_session_is_unknown_to_others(kind: str) -> None:
    app = mount(kind, library(), auth=Keys(KEYS), sessions="signed")
    ping, headers = {"jsonrpc": "2.0", "id": 1, "method": "ping"}, initialize(app, ADA)
    for message in (ping, [ping], {"jsonrpc": "2.0", "id": 1, "result": {}}):
        assert unknown(ask(app, message, as_other(headers)))
    del headers["authorization"]
    assert unknown(ask(mount(kind, library(), sessions="signed"), ping, headers))  # nor to one without a name
    assert ask(app, ping, headers | {"authorization": f"Bearer {ADA}"}).status == 200


def test_events_are_not_sent_again_to_others(app: Any) -> None:
    headers = initialize(app, ADA)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "speak_up"}}
    ask(app, {"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "debug"}}, headers)
    answer = ask(app, message, headers)
    assert b"secret of ada" in answer.body
    event = next(line[4:] for line in answer.body.decode().splitlines() if line.startswith("id: "))
    stolen = {**as_other(headers), "last-event-id": event.strip()}
    assert unknown(ask(app, None, stolen, "GET"))
    own = {**as_other(initialize(app, BOB)), "last-event-id": event.strip()}
    if "asgi" in type(app).__name__.lower():
        assert b"secret" not in asyncio.run(first_part(app, own))


async def first_part(app: Any, headers: dict[str, str]) -> bytes:
    """What a stream of a session brings in a moment."""
    live = Live(app, None, headers, "GET")
    await asyncio.sleep(0.2)
    live.hang_up()
    await live.task
    return live.body


def test_sealed_state_is_valid_for_its_caller_only(app: Any) -> None:
    body, headers = modern("tools/call", name="ask_name", arguments={})
    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {"form": {}}}
    first = ask(app, body, as_other(headers, ADA)).json["result"]
    [key] = first["inputRequests"]
    body["params"] |= {
        "requestState": first["requestState"],
        "inputResponses": {key: {"action": "accept", "content": {"name": "Ada"}}},
    }
    other = ask(app, body, as_other(headers))
    assert other.json["error"]["code"] == -32602 and other.status == 400
    assert ask(app, body, as_other(headers, ADA)).json["result"]["content"][0]["text"] == "hello Ada"


def test_a_cursor_is_valid_for_its_caller_only(app: Any) -> None:
    page = call(app, ADA, method="tools/list").json["result"]
    cursor = page["nextCursor"]
    assert page["cacheScope"] == "private"
    assert call(app, BOB, method="tools/list", cursor=cursor).json["error"]["code"] == -32602
    assert call(app, ADA, method="tools/list", cursor=cursor).status == 200


def test_callers_that_nothing_tells_apart_share_no_cursor(caplog: pytest.LogCaptureFixture) -> None:
    """A principal without a text is another one on each request: nobody can use its cursor, and the log says so."""

    class Nameless:
        pass

    server = Server("s", page_size=1)
    for name in ("a", "b"):
        server.tool(name=name, visible=lambda principal: True)(lambda: "text")

    def list_tools(**params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
        return json.loads(server.handle(message, principal=Nameless()) or b"")

    cursor = list_tools()["result"]["nextCursor"]
    assert list_tools(cursor=cursor)["error"]["code"] == -32602
    assert "the next page of a list is refused: what principal= gives (Nameless)" in caplog.text


def test_what_is_not_visible_is_unknown_in_lists_calls_and_subscriptions(app: Any) -> None:
    names: dict[str, list[str]] = {}
    for name, token in TOKENS.items():
        page, names[name] = call(app, token, method="tools/list").json["result"], []
        while True:
            names[name] += [tool["name"] for tool in page["tools"]]
            if "nextCursor" not in page:
                break
            page = call(app, token, method="tools/list", cursor=page["nextCursor"]).json["result"]
    assert set(names["ada"]) - set(names["bob"]) == {"only_for_ada"}
    hidden = call(app, BOB, "only_for_ada").json["error"]
    assert hidden == {"code": -32602, "message": "Unknown tool: only_for_ada"}
    read = call(app, BOB, method="resources/read", uri="memo://ada").json["error"]
    missing = call(app, BOB, method="resources/read", uri="memo://missing").json["error"]
    assert (read["code"], read["message"]) == (missing["code"], missing["message"])
    headers = initialize(app, BOB)
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "memo://ada"}}
    assert "error" in ask(app, message, headers).json
    assert "result" in ask(app, message, initialize(app, ADA)).json


def test_a_listener_hears_of_what_its_caller_may_read() -> None:
    server = library()
    app = server.asgi(auth=Keys(KEYS))

    async def run() -> dict[str, list[Any]]:
        heard: dict[str, Any] = {}
        for name, token in TOKENS.items():
            body, headers = modern(
                "subscriptions/listen", notifications={"resourceSubscriptions": ["memo://ada", "memo://all"]}
            )
            heard[name] = Live(app, body, {**headers, "authorization": f"Bearer {token}"})
            await heard[name].until(lambda live: live.body)
        server.registry.publish("resources/updated", "memo://ada")
        server.registry.publish("resources/updated", "memo://all")
        for live in heard.values():
            await live.until(lambda live: live.events[-1]["data"]["params"].get("uri") == "memo://all")
            live.hang_up()
            await live.task
        return {name: [one["data"]["params"].get("uri") for one in live.events[1:]] for name, live in heard.items()}

    assert asyncio.run(run()) == {"ada": ["memo://ada", "memo://all"], "bob": ["memo://all"]}


def test_a_question_is_answered_by_its_caller_only() -> None:
    app = library().asgi(auth=Keys(KEYS))

    async def run() -> tuple[int, Any]:
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "t", "version": "1"},
        }
        own = {"authorization": f"Bearer {ADA}"}
        opened = await speak(app, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, own)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25", **own}
        asked = Live(
            app, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask_name"}}, headers
        )
        await asked.until(lambda live: b"elicitation/create" in live.body)
        question = next(one["data"] for one in asked.events if "method" in (one.get("data") or ""))
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Bob"}}}
        stolen = await speak(app, answer, as_other(headers))
        answer["result"]["content"]["name"] = "Ada"
        await speak(app, answer, headers)
        await asked.done()
        return stolen.status, asked.events[-1]["data"]["result"]["content"][0]["text"]

    assert asyncio.run(run()) == (404, "hello Ada")


def test_the_same_subject_of_another_issuer_or_client_is_another_caller() -> None:
    people = {
        "one": Principal("https://a", "ada", "app"),
        "issuer": Principal("https://b", "ada", "app"),
        "client": Principal("https://a", "ada", "other"),
        "again": Principal("https://a", "ada", "app", frozenset({"more"}), {"jti": 2}),
    }
    for kind in APPS:
        app = mount(kind, library(), auth=people.get)
        headers = initialize(app, "one")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        statuses = {name: ask(app, ping, as_other(headers, name)).status for name in people}
        assert statuses == {"one": 200, "issuer": 404, "client": 404, "again": 200}


def test_an_anonymous_caller_owns_nothing_of_others(app: Any) -> None:
    for kind in APPS:
        mixed = mount(kind, library(), auth=Keys(KEYS), anonymous=True)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = initialize(mixed, ADA)
        del headers["authorization"]
        assert ask(mixed, ping, headers).status == 404
        anonymous = initialize(mixed, None)
        assert ask(mixed, ping, as_other(anonymous)).status == 404
        assert json.loads(ask(mixed, ping, anonymous).body)["result"] == {}


class Hostile:
    """A principal whose class fails in every way, also by trying to end the server."""

    def __hash__(self) -> int:
        raise SystemExit("hash")

    def __eq__(self, other: object) -> bool:
        raise KeyboardInterrupt

    def __repr__(self) -> str:
        raise SystemExit("repr")

    def __getattr__(self, name: str) -> Any:
        raise SystemExit(name)


@pytest.mark.parametrize("sessions", ["memory", "signed"])
def test_the_faults_of_a_principal_fail_its_own_requests_only(sessions: Any) -> None:
    server = Server("s", "1", page_size=1, key=b"k" * 32)
    for name in ("one", "two"):
        server.tool(name=name, visible=lambda principal: True)(lambda: "text")
    app = server.asgi(principal=lambda scope: Hostile(), sessions=sessions)

    async def run() -> list[int]:
        statuses = []
        for method, params in (("tools/call", {"name": "one"}), ("tools/list", {})):
            body, headers = modern(method, **params)
            statuses.append((await speak(app, body, headers)).status)
        body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        live = Live(app, body, headers, address="192.0.2.1")
        await live.until(lambda one: one.body)
        live.hang_up()
        await live.task
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        opened = await speak(app, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        own = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        again = await speak(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, own)
        return [*statuses, live.status, opened.status, again.status]

    listen = 200 if sessions == "memory" else 404  # it is not offered there
    assert asyncio.run(run()) == [200, 200, listen, 200, 404]
