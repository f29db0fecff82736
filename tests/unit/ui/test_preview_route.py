"""The route for previews at the wire: one run, every revision and policy, and the checks of the endpoint."""

import asyncio
import json
from typing import Any

import pytest

from fetching import Answer, fetch_asgi
from plainmcp import Context, Policy, Server, ToolError
from plainmcp.auth import Principal
from plainmcp.revisions import REVISIONS
from plainmcp.ui import preview_route
from plainmcp.ui.preview_route import PREVIEW

JSON = {"content-type": "application/json"}
ROWS = len(REVISIONS) * len(Policy.profiles)


def app_of(server: Server, **options: Any) -> Any:
    return server._asgi_with_page("127.0.0.1:8000", path="/mcp", health=None, **options)


def preview(server: Server, name: str, headers: dict[str, str] | None = None, **params: Any) -> Answer:
    body = json.dumps({"name": name, **params}).encode()
    app = app_of(server, **({"auth": verify} if headers else {}))
    return asyncio.run(fetch_asgi(app, "POST", PREVIEW, body, headers={**JSON, **(headers or {})}))


def verify(token: str) -> Principal | None:
    return Principal("us", token, "client", frozenset({"write"} if token == "writer" else ()))


def counting() -> tuple[Server, list[Any]]:
    server, runs = Server("s", "1"), list[Any]()

    @server.tool
    def plain(city: str) -> dict[str, str]:
        runs.append(city)
        return {"city": city}

    @server.tool
    async def later(city: str) -> list[str]:
        runs.append(asyncio.get_running_loop())
        return [city]

    return server, runs


@pytest.mark.parametrize("tool", ["plain", "later"])
def test_a_tool_runs_once_for_all_rows(tool: str) -> None:
    server, runs = counting()
    rows = preview(server, tool, arguments={"city": "Oslo"}).json["results"]
    assert len(rows) == ROWS and len(runs) == 1
    assert {(row["policy"], row["revision"]) for row in rows} == {(p, r) for p in Policy.profiles for r in REVISIONS}


def test_a_row_has_the_exact_result_of_a_call() -> None:
    server, _ = counting()
    rows = preview(server, "plain", arguments={"city": "Oslo"}).json["results"]
    [row] = [row for row in rows if (row["policy"], row["revision"]) == ("standard", "2025-06-18")]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call = {**message, "params": {"name": "plain", "arguments": {"city": "Oslo"}}}
    raw = server.handle(call, revision="2025-06-18")
    assert raw is not None and f'"result":{row["json"]}}}'.encode() in raw
    assert (row["bytes"], row["result"]) == (len(raw), json.loads(raw)["result"])
    characters = row["textCharacters"] + row["structuredCharacters"]
    assert row["approximateTokens"] == -(-characters // 4)


def test_failures_are_rows_and_unknown_tools_are_errors() -> None:
    server = Server("s", "1")

    @server.tool
    def fail() -> str:
        raise ToolError("no")

    assert all(row["result"]["isError"] for row in preview(server, "fail").json["results"])
    assert preview(server, "none").json["error"]["code"] == -32602


def test_answers_come_with_the_state_of_the_call() -> None:
    server = Server("s", "1")

    @server.tool
    def greet(ctx: Context) -> str:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        return f"Hello {ctx.elicit('Who?', schema, key='who').data['name']}"

    rows = preview(server, "greet").json["results"]
    assert rows[-1]["result"]["resultType"] == "input_required"
    answers = {"who": {"action": "accept", "content": {"name": "Ada"}}}
    rows = preview(server, "greet", inputResponses=answers).json["results"]
    assert all(row["result"]["content"][0]["text"] == "Hello Ada" for row in rows)


def test_the_caller_is_checked_as_at_the_endpoint() -> None:
    server = Server("s", "1")

    @server.tool(requires="write")
    def write() -> str:
        return "written"

    body = json.dumps({"name": "write"}).encode()
    refused = asyncio.run(fetch_asgi(app_of(server, auth=verify), "POST", PREVIEW, body, headers=JSON))
    assert refused.status == 401 and "www-authenticate" in refused.headers
    assert "error" in preview(server, "write", {"authorization": "Bearer reader"}).json
    rows = preview(server, "write", {"authorization": "Bearer writer"}).json["results"]
    assert rows[0]["result"]["content"][0]["text"] == "written"


def test_a_tool_that_only_some_see_runs_once_for_these() -> None:
    server, runs = Server("s", "1"), list[int]()

    @server.tool(visible=lambda principal: principal is not None and principal.subject == "writer")
    def hidden() -> str:
        runs.append(1)
        return "seen"

    assert preview(server, "hidden", {"authorization": "Bearer reader"}).json["error"]["code"] == -32602
    rows = preview(server, "hidden", {"authorization": "Bearer writer"}).json["results"]
    assert len(rows) == ROWS and runs == [1]


@pytest.mark.parametrize(
    ("method", "body", "headers", "status"),
    [
        ("GET", b"", {}, 405),
        ("POST", b"{", JSON, 400),
        ("POST", b"[]", JSON, 400),
        ("POST", b'{"name": 1}', JSON, 400),
        ("POST", b'{"name": "plain"}', {"content-type": "text/plain"}, 415),
        ("POST", b'{"name": "plain"}', {**JSON, "origin": "https://evil.example"}, 403),
        ("POST", b'{"name": "plain"}', {**JSON, "host": "evil.example"}, 403),
        ("POST", b'{"name": "plain"}', {}, 415),  # P23, as well as those that follow
        ("POST", b'{"name": "plain"}', {**JSON, "origin": "http://127.0.0.1:8001"}, 403),
        ("POST", b'{"name": "plain"}', {**JSON, "origin": "https://127.0.0.1:8000"}, 403),
        ("POST", b'{"name": "plain"}', {**JSON, "origin": "http://localhost:8000"}, 403),
        ("POST", b'{"name": "plain"}', {**JSON, "origin": "https://app.example"}, 403),
        ("POST", b'{"name": "' + b"x" * 200 + b'"}', JSON, 413),
    ],
)
def test_what_is_not_a_preview_is_refused(method: str, body: bytes, headers: dict[str, str], status: int) -> None:
    server, runs = counting()
    app = app_of(server, max_body=100, origins=["https://app.example"])  # for the endpoint only
    assert asyncio.run(fetch_asgi(app, method, PREVIEW, body, headers=headers)).status == status
    assert not runs


def test_observers_see_one_call() -> None:
    server, _ = counting()
    seen: list[str] = []
    server.observe(lambda facts: seen.append(facts.method))
    preview(server, "plain", arguments={"city": "Oslo"})
    assert seen == ["tools/call"]


def test_only_some_previews_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview_route, "MAX_RUNNING", 1)
    server = Server("s", "1")
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    @server.tool
    async def wait() -> str:
        has_begun.set()
        await may_end.wait()
        return "done"

    async def run() -> list[int]:
        app, body = app_of(server), b'{"name": "wait"}'
        first = asyncio.ensure_future(fetch_asgi(app, "POST", PREVIEW, body, headers=JSON))
        await has_begun.wait()
        second = await fetch_asgi(app, "POST", PREVIEW, body, headers=JSON)
        may_end.set()
        return [(await first).status, second.status]

    assert asyncio.run(run()) == [200, 503]


def test_a_client_that_leaves_cancels_its_preview() -> None:
    server = Server("s", "1")
    events: list[str] = []

    @server.tool
    async def wait() -> str:
        events.append("began")
        try:
            await asyncio.sleep(30)
        finally:
            events.append("ended")
        return "done"

    async def run() -> list[Any]:
        messages = [{"type": "http.request", "body": b'{"name": "wait"}', "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if messages:
                return messages.pop()
            while not events:
                await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": PREVIEW, "headers": headers, "server": ("127.0.0.1", 1)}
        await asyncio.wait_for(app_of(server)(scope, receive, send), 5)
        await asyncio.sleep(0.05)
        return sent

    assert asyncio.run(run()) == []
    assert events == ["began", "ended"]


def test_only_the_first_row_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s", "1")
    server.tool(name="some")(lambda: [1, 2])  # the policy serializer refuses a list
    server.tool(name="fail")(lambda: 1 / 0)
    rows = preview(server, "some").json["results"]
    assert any(row["result"].get("isError") for row in rows) and not caplog.records
    preview(server, "fail")
    assert len([record for record in caplog.records if record.exc_info]) == 1


def test_a_tool_of_a_mounted_server_has_previews() -> None:
    server, (inner, runs) = Server("s", "1"), counting()
    server.mount(inner, prefix="inner")
    [name] = [tool.name for tool in server.list_tools() if "plain" in tool.name]
    rows = preview(server, name, arguments={"city": "Oslo"}).json["results"]
    assert len(rows) == ROWS and runs == ["Oslo"]
