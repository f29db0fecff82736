"""What a browser is answered: preflights, and headers that pages of allowed origins may read."""

from typing import Any

import pytest

from plainmcp import Context
from plainmcp.auth import Keys
from protected import ADA, APPS, KEYS, Answer, ask, call, initialize, mount, notes

PAGE = "https://app.example.com"
EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After"
ASKED = {"origin": PAGE, "access-control-request-method": "POST"}
OPTIONS: dict[str, Any] = {"origins": [PAGE], "hosts": ["127.0.0.1"]}


def is_open(answer: Answer, origin: str = PAGE) -> bool:
    headers = answer.headers
    return (
        headers.get("access-control-allow-origin"),
        headers.get("access-control-expose-headers"),
        headers.get("vary"),
    ) == (origin, EXPOSED, None if origin == "*" else "Origin")


@pytest.mark.parametrize("path", [None, "/mcp"])
@pytest.mark.parametrize("auth", [None, Keys(KEYS)])
@pytest.mark.parametrize("kind", APPS)
def test_a_preflight_is_answered_before_authentication(kind: str, auth: Any, path: str | None) -> None:
    app = mount(kind, notes(), auth=auth, path=path, **OPTIONS)
    answer = ask(app, None, ASKED, "OPTIONS")
    assert (answer.status, answer.body) == (204, b"") and is_open(answer)
    assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE, OPTIONS"
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert answer.headers["access-control-max-age"] == "600"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("kind", APPS)
def test_headers_that_a_tool_repeats_its_arguments_in_are_allowed(kind: str) -> None:
    app = mount(kind, notes(), **OPTIONS)
    names = "authorization, mcp-param-region,X-API-Key"
    answer = ask(app, None, {**ASKED, "access-control-request-headers": names}, "OPTIONS")
    assert answer.headers["access-control-allow-headers"] == names
    for bad in ("a b", "é", "x\r\nset-cookie: a", "a" * 1001):
        answer = ask(app, None, {**ASKED, "access-control-request-headers": bad}, "OPTIONS")
        assert answer.headers["access-control-allow-headers"].startswith("Accept, Authorization")


@pytest.mark.parametrize("kind", APPS)
def test_other_origins_are_not_answered(kind: str) -> None:
    app = mount(kind, notes(), **OPTIONS)
    for origin in ("https://evil.example", "https://app.example.com.evil.example", "http://app.example.com"):
        answer = ask(app, None, {**ASKED, "origin": origin}, "OPTIONS")
        assert answer.status == 403 and "access-control-allow-origin" not in answer.headers
    answer = ask(app, None, [("origin", PAGE), ("origin", "https://evil.example")], "OPTIONS")
    assert answer.status == 403 and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("kind", APPS)
def test_without_an_origin_nothing_changes(kind: str) -> None:
    app = mount(kind, notes(), **OPTIONS)
    assert ask(app, None, {}, "OPTIONS").status == 405
    assert not any(name.startswith("access-control") or name == "vary" for name in call(app).headers)


@pytest.mark.parametrize("kind", APPS)
def test_every_response_to_an_allowed_origin_can_be_read(kind: str) -> None:
    server = notes()

    @server.tool
    async def speak(ctx: Context) -> str:
        await ctx.progress(1, 2)
        return "spoken"

    app = mount(kind, server, auth=Keys(KEYS), **OPTIONS)
    good = {"origin": PAGE, "authorization": f"Bearer {ADA}"}
    requests: list[tuple[int, Any]] = [
        (401, ask(app, {}, {"origin": PAGE})),
        (401, ask(app, {}, {"origin": PAGE, "content-type": "text/plain"})),
        (400, ask(app, {}, {"origin": PAGE, "authorization": "Bearer"})),
        (415, ask(app, {}, {**good, "content-type": "text/plain"})),
        (406, ask(app, {}, {**good, "accept": "text/html"})),
        (413, ask(app, b"x" * 5_000_000, good)),
        (405, ask(app, None, good, "PUT")),
        (400, ask(app, b"{", good)),
    ]
    for status, answer in requests:
        assert (answer.status, is_open(answer)) == (status, True), answer
    session = initialize(app, ADA)
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "speak", "_meta": {"progressToken": 1}},
    }
    answer = ask(app, message, {**session, "origin": PAGE})
    assert answer.headers["content-type"] == "text/event-stream" and is_open(answer)
    assert is_open(ask(app, None, {**session, "origin": PAGE}, "DELETE"))


@pytest.mark.parametrize("kind", APPS)
def test_a_star_opens_the_server_to_all_pages(kind: str) -> None:
    app = mount(kind, notes(), origins=["*"], hosts=["*"])
    assert is_open(ask(app, None, ASKED, "OPTIONS"), "*")
    assert is_open(ask(app, {}, {"origin": "https://any.example"}), "*")


@pytest.mark.parametrize("kind", APPS)
def test_pages_of_this_machine_can_read_a_server_on_it_if_they_are_named(kind: str) -> None:
    """P23: so that the Inspector in a browser can connect, and a page of another port cannot."""
    asked = {**ASKED, "origin": "http://localhost:6274"}
    for origins in (["http://localhost:6274"], ["http://localhost:*"]):
        answer = ask(mount(kind, notes(), origins=origins), None, asked, "OPTIONS")
        assert answer.status == 204 and is_open(answer, "http://localhost:6274")
    answer = ask(mount(kind, notes()), None, asked, "OPTIONS")
    assert answer.status == 403 and b"name it in the setting origins" in answer.body
    assert not any(name.startswith("access-control") for name in answer.headers)
