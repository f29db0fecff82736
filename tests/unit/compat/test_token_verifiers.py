"""Servers of other packages that check tokens are protected here, with the code that they have."""

import asyncio
import time
from typing import Any

import pytest

from issuer import served
from plainmcp.auth import Keys
from plainmcp.compat import fastmcp
from plainmcp.compat.access_token import AccessToken
from plainmcp.compat.fastmcp.server.auth import OAuthProxy, RemoteAuthProvider, StaticTokenVerifier, TokenVerifier
from plainmcp.compat.fastmcp.server.auth.providers.jwt import JWTVerifier, RSAKeyPair
from plainmcp.compat.fastmcp.server.dependencies import get_access_token
from plainmcp.compat.mcp.server import fastmcp as mcp_1
from plainmcp.compat.mcp.server import mcpserver as mcp_2
from plainmcp.compat.mcp.server.auth.middleware.auth_context import get_access_token as get_token_of_sdk
from plainmcp.compat.mcp.server.auth.provider import TokenVerifier as SdkTokenVerifier
from plainmcp.compat.mcp.server.auth.settings import AuthSettings
from plainmcp.compat.token_verifiers import text_of_url
from plainmcp.errors import AuthorError
from protected import ADA, call

BASE = "https://api.example.com"
METADATA = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'


def text_of(answer: Any) -> str:
    return str(answer.json["result"]["content"][0]["text"])


class Own(TokenVerifier):
    """As programs write it."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if not token.startswith("good"):
            return None
        scopes = ["notes:read"] if token == "good" else []
        return AccessToken(
            token=token, client_id="app", scopes=scopes, expires_at=int(time.time()) + 60, subject="ada"
        )


def protected_by(own: Any, **options: Any) -> Any:
    server = fastmcp.FastMCP("notes", auth=own)

    @server.tool
    def who() -> str:
        token = get_access_token()
        return f"{token.client_id} {token.subject} {token.scopes} {token.token!r}"

    return server.http_app(**options)


def test_a_token_verifier_of_fastmcp_protects_its_server() -> None:
    app = protected_by(Own(required_scopes=["notes:read"]))
    assert (call(app, None, "who").status, call(app, None, "who").challenge) == (401, 'Bearer scope="notes:read"')
    assert call(app, "bad", "who").status == 401
    assert call(app, "good-but-little", "who").status == 403
    assert text_of(call(app, "good", "who")) == "app ada ['notes:read'] ''"  # the token itself is not kept


def test_fixed_tokens() -> None:
    tokens = {
        "one": {"client_id": "app", "scopes": ["a"], "sub": "ada"},
        "old": {"client_id": "app", "scopes": [], "expires_at": time.time() - 1},
    }
    app = protected_by(StaticTokenVerifier(tokens))
    assert text_of(call(app, "one", "who")) == "app ada ['a'] ''"
    assert [call(app, token, "who").status for token in ("old", "none")] == [401, 401]


def test_a_remote_provider_tells_clients_where_to_log_in() -> None:
    auth = RemoteAuthProvider(Own(required_scopes=["notes:read"]), ["https://a.example", "https://b.example"], BASE)
    app = protected_by(auth)
    assert call(app, None, "who").challenge == f'Bearer {METADATA}, scope="notes:read"'
    assert text_of(call(app, "good", "who")).startswith("app ada")


@pytest.mark.slow
def test_signed_tokens() -> None:
    with served(BASE) as issuer:
        verifier = JWTVerifier(jwks_uri=f"{issuer.url}/jwks", issuer=issuer.url, audience=BASE)
        app = protected_by(RemoteAuthProvider(verifier, [issuer.url], BASE))
        assert text_of(call(app, issuer.token(), "who")) == "app ada ['notes:read'] ''"
        assert call(app, issuer.token(aud="https://other.example"), "who").status == 401
        assert call(app, issuer.token(exp=1), "who").status == 401


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"public_key": "secret", "algorithm": "HS256", "issuer": BASE}, "takes no algorithm HS256 here"),
        ({"jwks_uri": f"{BASE}/jwks"}, "takes issuer= with jwks_uri="),
        ({"jwks_uri": f"{BASE}/jwks", "issuer": BASE, "algorithm": "HS256"}, "takes no algorithm HS256 here"),
    ],
)
def test_a_check_of_signed_tokens_that_is_not_here_is_refused(options: Any, text: str) -> None:
    with pytest.raises(AuthorError, match=text):
        JWTVerifier(**options)


def test_tokens_are_checked_by_a_key_that_is_given() -> None:
    """D18. A key in the program, one or several issuers or any, and the audience."""
    pair, other = RSAKeyPair.generate(), RSAKeyPair.generate()
    token = pair.create_token(subject="ada", issuer=BASE, audience="shop", scopes=["read"], kid="k1")

    def owner(verified: str, **options: Any) -> Any:
        found = asyncio.run(JWTVerifier(public_key=pair.public_key, **options).verify_token(verified))
        return found and (found.subject, found.scopes)

    assert owner(token) == owner(token, issuer=BASE) == owner(token, issuer=["https://b", BASE]) == ("ada", ["read"])
    assert owner(token, audience="shop", issuer=BASE) == ("ada", ["read"])
    assert owner(token, audience="bank") is owner(token, issuer="https://b") is owner("no token") is None
    assert owner(other.create_token(issuer=BASE)) is None
    assert owner(pair.create_token(issuer=BASE, expires_in_seconds=-100)) is None
    assert "PRIVATE" not in repr(pair) and "PUBLIC" in pair.public_key
    for wrong in ({}, {"public_key": "a", "jwks_uri": "b"}):
        with pytest.raises(ValueError, match="public_key"):
            JWTVerifier(**wrong)


def test_what_logs_users_in_is_refused() -> None:
    with pytest.raises(AuthorError, match="there is no OAuthProxy here; pass auth="):
        OAuthProxy()


def test_verifiers_of_plainmcp_and_several_at_once() -> None:
    app = protected_by([Own(), Keys({ADA: "ada"})])
    assert [call(app, token, "who").status for token in ("good", ADA, "bad")] == [200, 200, 401]
    other = protected_by(Own(), auth=Keys({ADA: "ada"}))  # for one application only
    assert [call(other, token, "who").status for token in ("good", ADA)] == [401, 200]


# The official SDK ---------------------------------------------------------------------------------


class OfSdk(SdkTokenVerifier):
    async def verify_token(self, token: str) -> AccessToken | None:
        resource = {"good": f"{BASE}/mcp", "other": "https://other.example/mcp"}.get(token)
        if resource is None:
            return None
        return AccessToken(token=token, client_id="app", scopes=["notes:read"], resource=resource)


class Url:
    """As pydantic writes a URL without a path."""

    def __str__(self) -> str:
        return "https://auth.example.com/"


@pytest.mark.parametrize("kind", [mcp_1.FastMCP, mcp_2.MCPServer])
@pytest.mark.parametrize("checks", [True, False])
def test_a_token_verifier_of_the_sdk_protects_its_server(kind: Any, checks: bool) -> None:
    auth = AuthSettings(
        issuer_url=Url(),
        resource_server_url=f"{BASE}/mcp",
        required_scopes=["notes:read"],
        validate_token_resource=checks,
    )
    server = kind("notes", token_verifier=OfSdk(), auth=auth)

    @server.tool()
    def who() -> str:
        return str(get_token_of_sdk().client_id)

    app = server.streamable_http_app()
    assert call(app, None, "who").challenge == f'Bearer {METADATA}, scope="notes:read"'
    assert call(app, "bad", "who").status == 401
    assert text_of(call(app, "good", "who")) == "app"
    assert call(app, "other", "who").status == (401 if checks else 200)


def test_without_a_url_of_the_server_clients_are_not_sent_anywhere() -> None:
    auth = AuthSettings(issuer_url="https://auth.example.com", resource_server_url=None)
    server = mcp_1.FastMCP("notes", token_verifier=OfSdk(), auth=auth)
    assert call(server.streamable_http_app(), None, "who").challenge == "Bearer"


def test_no_one_is_authenticated_outside_of_a_request() -> None:
    assert get_token_of_sdk() is None


def test_a_url_keeps_its_path() -> None:
    assert [text_of_url(url) for url in (None, "https://a.example/", Url())] == [
        None,
        "https://a.example/",
        "https://auth.example.com",
    ]
