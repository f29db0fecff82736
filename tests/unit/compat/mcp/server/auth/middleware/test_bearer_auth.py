"""Tokens checked by middleware of Starlette: the same answers as those of the official SDK."""

import asyncio
import time
from typing import Any

import pytest
from mcp.server.auth import provider as official_provider
from mcp.server.auth.middleware import bearer_auth as official
from starlette.authentication import AuthCredentials

from plainmcp.compat.mcp.server.auth import provider
from plainmcp.compat.mcp.server.auth.middleware import bearer_auth

SIDES = [(bearer_auth, provider), (official, official_provider)]
TOKENS = {
    "good": {"scopes": ["read"], "expires_at": int(time.time()) + 600, "resource": "https://example.com/mcp"},
    "without end": {"scopes": ["read", "write"]},
    "old": {"scopes": ["read"], "expires_at": int(time.time()) - 1},
    "for another": {"scopes": ["read"], "resource": "https://example.org/mcp"},
}
HEADERS = [
    "",
    "Bearer",
    "Basic good",
    "Bearer good",
    "bearer good",
    "Bearer nothing",
    *map("Bearer {}".format, TOKENS),
]


class Verifier:
    def __init__(self, models: Any) -> None:
        self.models = models

    async def verify_token(self, token: str) -> Any:
        return self.models.AccessToken(token=token, client_id="c", **TOKENS[token]) if token in TOKENS else None


class Connection:
    def __init__(self, value: str) -> None:
        self.headers = {"Authorization": value} if value else {}


@pytest.mark.parametrize("url", [None, "https://example.com/mcp"])
@pytest.mark.parametrize("header", HEADERS)
def test_a_request_has_the_user_that_it_has_there(header: str, url: str | None) -> None:
    answers = []
    for module, models in SIDES:
        options = {} if url is None else {"resource_server_url": url}
        backend: Any = module.BearerAuthBackend(Verifier(models), **options)  # type: ignore[arg-type]
        found = asyncio.run(backend.authenticate(Connection(header)))
        answers.append(found and (found[0].scopes, found[1].username, found[1].scopes, found[1].access_token.token))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("held", [None, [], ["read"], ["read", "write"]])
@pytest.mark.parametrize("metadata", [None, "https://example.com/.well-known/oauth-protected-resource"])
def test_a_request_is_refused_as_there(held: list[str] | None, metadata: str | None) -> None:
    answers = []
    for module, models in SIDES:
        sent: list[Any] = []

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send("passed")

        scope: dict[str, Any] = {"type": "http"}
        if held is not None:
            user = module.AuthenticatedUser(models.AccessToken(token="t", client_id="c", scopes=held))  # type: ignore[arg-type]
            scope.update(user=user, auth=AuthCredentials(held))
        middleware = module.RequireAuthMiddleware(app, ["read", "write"], metadata)  # type: ignore[arg-type]
        asyncio.run(middleware(scope, None, send))  # type: ignore[arg-type]
        answers.append(sent)
    assert answers[0] == answers[1]
