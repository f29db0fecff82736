"""Introspection: against a real authorization server on loopback, and with answers of every kind."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from issuer import RESOURCE, served
from plainmcp.auth import Introspection, Unavailable
from plainmcp.errors import AuthorError
from protected import APPS, call, mount, notes

GOOD = {"active": True, "sub": "ada", "aud": RESOURCE, "client_id": "app", "scope": "a b", "exp": 4e9}


def answering(answer: Any, **options: Any) -> Introspection:
    raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    defaults: dict[str, Any] = {"client_id": "server", "client_secret": "secret", "resource": RESOURCE}
    return Introspection("https://auth.example.com/introspect", fetch=lambda *args: raw, **(defaults | options))


@pytest.mark.parametrize("secret_in_body", [False, True])
@pytest.mark.parametrize("kind", APPS)
def test_an_opaque_token_is_verified_by_its_server(kind: str, secret_in_body: bool) -> None:
    with served() as issuer:
        verifier = Introspection(
            f"{issuer.url}/introspect",
            client_id="server",
            client_secret="secret&",
            issuer=issuer.url,
            resource=RESOURCE,
            scopes=["read"],
            secret_in_body=secret_in_body,
        )
        app = mount(kind, notes(), auth=verifier)
        assert [call(app, "opaque-read").status for _ in range(3)] == [200] * 3
        assert [call(app, "unknown").status for _ in range(3)] == [401] * 3
        assert call(app, "opaque-write").status == 403
        assert len(issuer.introspected) == 3
        assert issuer.introspected[0]["token_type_hint"] == "access_token"
        assert ("client_secret" in issuer.introspected[0]) == secret_in_body
        assert f'resource_metadata="{RESOURCE[:-4]}/.well-known' in str(call(app).challenge)
    assert call(app, "opaque-other").status == 503  # the server has gone
    assert call(app, "opaque-read").status == 200  # this is known for a while


def test_a_principal_comes_from_the_answer() -> None:
    principal = answering(GOOD, issuer="https://auth.example.com").verify("x")
    assert principal is not None
    assert principal.identity == ("https://auth.example.com", "ada", "app")
    assert (principal.scopes, principal.expires) == ({"a", "b"}, 4e9)
    assert answering({**GOOD, "exp": None}).verify("x").expires is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "change",
    [
        {"active": False},
        {"active": "true"},
        {"active": None},
        {"exp": 5},
        {"nbf": 4e9},
        {"aud": "https://other.example"},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"sub": None, "client_id": None},
        {"token_type": "refresh_token"},
        {"cnf": {"x5t#S256": "abc"}},
    ],
)
def test_an_answer_that_does_not_fit_refuses_the_token(change: dict[str, Any]) -> None:
    assert answering({**GOOD, **change}, issuer="https://auth.example.com").verify("x") is None


@pytest.mark.parametrize("raw", [b"", b"[]", b"not JSON", b"\xff", b"[" * 9000])
def test_an_answer_that_is_not_one_is_a_fault_of_the_server(raw: bytes) -> None:
    with pytest.raises(Unavailable):
        answering(raw).verify("x")


def test_the_secret_is_written_as_a_form_value() -> None:
    seen: list[Mapping[str, str]] = []

    def fetch(url: str, data: bytes, headers: Mapping[str, str]) -> bytes:
        seen.append(headers)
        return b'{"active": false}'

    options: dict[str, Any] = {"client_id": "a b", "client_secret": "c:d/é", "resource": RESOURCE, "fetch": fetch}
    Introspection("https://auth.example.com/i", **options).verify("x")
    assert seen[0]["Authorization"] == "Basic YStiOmMlM0FkJTJGJUMzJUE5"  # a+b:c%3Ad%2F%C3%A9


@pytest.mark.parametrize(
    "options",
    [
        {"client_id": ""},
        {"client_secret": None},
        {"resource": None},
        {"scopes": ["a b"]},
        {"challenge_scopes": {"a": "b c"}},
    ],
)
def test_a_configuration_that_cannot_work_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(AuthorError):
        answering(GOOD, **options)
    with pytest.raises(AuthorError, match="starts with https://"):
        Introspection("http://auth.example.com", client_id="a", client_secret="b", resource=RESOURCE)
