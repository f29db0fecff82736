"""The table of refusals, line by line, as bytes and under ASGI and WSGI."""

from typing import Any

import pytest

from plainmcp.auth import Keys, Principal, Unavailable
from plainmcp.errors import AuthorError, InsufficientScope
from plainmcp.transports.http.challenges import Challenges
from protected import ADA, APPS, KEYS, Answer, ask, call, mount, notes

METADATA = "https://api.example.com/.well-known/oauth-protected-resource/public/mcp"
FOUND = f'resource_metadata="{METADATA}"'


class Issued:
    """A verifier of tokens of an authorization server: `good` has the scope of every request, `poor` has not."""

    issuer = "https://auth.example.com"
    resource = "https://api.example.com/public/mcp"
    scopes = ("notes:read",)

    def verify(self, token: str) -> Principal | None:
        if token == "down":
            raise Unavailable("the issuer does not answer", retry_after=7)
        if token == "broken":
            raise ValueError("secret-of-the-server")
        scopes = {"good": "notes:read", "poor": "other", "full": "notes:read notes:write notes:admin"}
        return Principal(self.issuer, "ada", "c", scopes[token].split()) if token in scopes else None


@pytest.fixture(params=APPS)
def app(request: Any) -> Any:
    server = notes()

    @server.tool(requires=["notes:write", "notes:admin"])
    def write(text: str) -> str:
        raise AssertionError("it must not run")

    return mount(request.param, server, auth=Issued())


def with_header(app: Any, value: str, **more: str) -> Answer:
    return ask(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"authorization": value, **more})


def body_of(answer: Answer) -> Any:
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"
    return answer.json["error"]


@pytest.mark.parametrize("header", [None, "Basic YWRhOnB3", "DPoP abc", "Digest x", "BearerX abc"])
def test_no_credentials_or_another_scheme_is_a_401_without_an_error(app: Any, header: str | None) -> None:
    """R2506-AUTH-02, R2511-AUTH-02, R26-AUTH-02, R2506-AUTH-08, R2511-AUTH-08, R26-AUTH-08, R26-AUTH-09."""
    answer = call(app) if header is None else with_header(app, header)
    assert answer.status == 401
    assert answer.challenge == f'Bearer {FOUND}, scope="notes:read"'
    assert body_of(answer) == "unauthorized"


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "bearer",
        "Bearer a b",
        'Bearer "x"',
        "Bearer a,b",
        "Bearer é",
        "Bearer a\0b",
        "Bearer\tgood",
    ],
)
def test_a_garbled_bearer_is_a_400(app: Any, header: str) -> None:
    """R2503-AUTH-03, R2506-AUTH-03, R2511-AUTH-03, R26-AUTH-03."""
    answer = with_header(app, header)
    assert answer.status == 400
    text = "The header Authorization comes once, as Bearer and one token."
    assert answer.challenge == f'Bearer error="invalid_request", error_description="{text}", {FOUND}'
    assert body_of(answer) == "invalid_request"


def test_a_header_that_comes_twice_is_a_400(app: Any) -> None:
    headers = [("authorization", "Bearer good"), ("authorization", "Bearer full")]
    answer = ask(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers)
    assert (answer.status, body_of(answer)) == (400, "invalid_request")


@pytest.mark.parametrize("token", ["bad", "GOOD", "good.", "a" * 20_000, "a" * 1_000_000])
def test_a_bad_token_is_a_401_with_an_error_that_says_nothing_about_it(app: Any, token: str) -> None:
    answer = call(app, token)
    assert answer.status == 401
    text = "The access token is expired, revoked, or not one for this server."
    challenge = f'Bearer error="invalid_token", error_description="{text}", {FOUND}, scope="notes:read"'
    assert answer.challenge == challenge
    assert body_of(answer) == "invalid_token"
    assert token.encode() not in answer.body


def test_a_good_token_without_the_scope_of_the_endpoint_is_a_403(app: Any) -> None:
    """R2506-AUTH-03, R26-AUTH-10."""
    answer = call(app, "poor")
    assert answer.status == 403
    expected = 'Bearer error="insufficient_scope", error_description="The access token lacks a scope.", '
    assert answer.challenge == f'{expected}{FOUND}, scope="notes:read"'
    assert body_of(answer) == "insufficient_scope"


def test_an_operation_that_needs_more_is_a_403_with_all_its_scopes_in_one_challenge(app: Any) -> None:
    """R2511-AUTH-10, R26-AUTH-10, R2511-AUTH-11, R26-AUTH-11."""
    answer = call(app, "good", "write", text=1)  # before the arguments are looked at
    assert answer.status == 403
    expected = 'Bearer error="insufficient_scope", error_description="The access token lacks a scope.", '
    assert answer.challenge == f'{expected}{FOUND}, scope="notes:read notes:write notes:admin"'
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32600,
            "message": "this requires the scopes notes:write notes:admin",
            "data": {"requiredScopes": ["notes:write", "notes:admin"]},
        },
    }


def test_a_token_that_cannot_be_checked_is_a_503(app: Any, caplog: Any) -> None:
    answer = call(app, "down")
    assert (answer.status, answer.headers["retry-after"], answer.challenge) == (503, "7", None)
    assert body_of(answer) == "temporarily_unavailable"
    assert "the issuer does not answer" in caplog.text
    answer = call(app, "broken")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert b"secret-of-the-server" not in answer.body and "secret-of-the-server" in caplog.text


def test_a_good_token_passes(app: Any) -> None:
    assert call(app, "good").json["result"]["content"] == [{"type": "text", "text": "hi"}]


@pytest.mark.parametrize("kind", APPS)
def test_keys_alone_send_a_plain_challenge(kind: str) -> None:
    app = mount(kind, notes(), auth=Keys(KEYS))
    assert call(app).challenge == "Bearer"
    assert (call(app, "wrong-0123456789").status, call(app, ADA).status) == (401, 200)
    assert "resource_metadata" not in str(call(app, "wrong-0123456789").challenge)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"method": "PUT"}, 405),
        ({"method": "POST", "headers": {"content-type": "text/plain"}}, 415),
        ({"method": "POST", "headers": {"accept": "text/html"}}, 406),
        ({"method": "POST", "body": b"x" * 5_000_000}, 413),
        ({"method": "POST", "body": b"{"}, 400),
        ({"method": "POST", "body": {"jsonrpc": "2.0", "id": 1, "method": "nothing"}}, 400),
    ],
)
def test_a_caller_without_a_token_learns_nothing_else(app: Any, request_: dict[str, Any], status: int) -> None:
    """R26-AUTH-04: the token is checked before anything else is read, except Host and Origin."""
    headers = request_.get("headers", {})
    assert ask(app, **{**request_, "headers": headers}).status == 401
    assert ask(app, **{**request_, "headers": {"authorization": "Bearer good", **headers}}).status == status


def test_a_head_is_answered_without_a_body(app: Any) -> None:
    answer = ask(app, method="HEAD")
    assert (answer.status, answer.body) == (401, b"") and answer.challenge is not None


def test_host_and_origin_are_checked_first(app: Any) -> None:
    assert ask(app, headers={"origin": "https://evil.example"}).status == 403
    assert ask(app, headers={"host": "evil.example"}).status == 403
    assert ask(app, headers={"host": "evil.example", "authorization": "Bearer good"}).challenge is None


def test_a_token_in_the_query_is_not_a_token(app: Any) -> None:
    """R2506-AUTH-06, R2511-AUTH-06, R26-AUTH-06."""
    assert ask(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, path="/mcp?access_token=good").status == 401


def test_values_that_would_break_the_header_are_refused_when_it_is_configured() -> None:
    with pytest.raises(AuthorError, match="resource= is a URL"):
        Challenges('https://x.example/"\r\n')


def test_other_names_of_scopes_are_in_challenges() -> None:
    challenges = Challenges(None, ["read"], {"read": "api://x/read"})
    answer = challenges.refuse_scopes(InsufficientScope(("read", "write")), b"{}")
    assert b'scope="api://x/read write"' in dict(answer.headers)[b"www-authenticate"]
