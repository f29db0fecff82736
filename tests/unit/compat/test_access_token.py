"""The caller that plainmcp.auth has verified, in the facade of FastMCP."""

from typing import Any

from plainmcp.auth import Keys, Principal
from plainmcp.compat.access_token import AccessToken, access_token_of
from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.fastmcp.server.dependencies import CurrentAccessToken, TokenClaim, get_access_token
from protected import ADA, call

ALICE = Principal("https://a", "alice", "app", frozenset({"b", "a"}), {"sub": "alice"}, 4e9 + 0.5)


def test_a_principal_is_an_access_token_without_its_token() -> None:
    assert access_token_of(ALICE) == AccessToken(
        client_id="app", scopes=["a", "b"], expires_at=4_000_000_000, subject="alice", claims={"sub": "alice"}
    )
    assert access_token_of(None) is access_token_of("alice") is None


def test_a_server_of_fastmcp_can_be_protected() -> None:
    server = FastMCP("notes")

    @server.tool
    def who(
        token: Any = CurrentAccessToken(),  # noqa: B008
        sub: str = TokenClaim("sub"),
    ) -> str:
        found = get_access_token()
        assert found == token
        return f"{sub} {found.client_id} {found.scopes}"

    app = server.http_app(auth=Keys({ADA: ALICE}))
    assert call(app, None, "who").status == 401
    assert call(app, ADA, "who").json["result"]["content"][0]["text"] == "alice app ['a', 'b']"
