"""`mcp.server.auth.middleware.bearer_auth`: tokens checked by middleware of Starlette, for a program's own routes.

A server here checks tokens by itself, with `token_verifier=` and `auth=`.
"""

import json
import logging
import time
from typing import Any, TypedDict

from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser

from .....access_token import AccessToken, principal_of
from .....token_verifiers import is_same_url, text_of_url

__all__ = [
    "AuthenticatedUser",
    "AuthorizationContext",
    "BearerAuthBackend",
    "RequireAuthMiddleware",
    "authorization_context",
]

_log = logging.getLogger("mcp.server.auth.middleware.bearer_auth")


class AuthenticatedUser(SimpleUser):
    """The user of a token, which is in `access_token`."""

    def __init__(self, auth_info: AccessToken) -> None:
        super().__init__(auth_info.client_id)
        self.access_token = auth_info
        self.scopes = auth_info.scopes


class AuthorizationContext(TypedDict):
    """Who a user is: two users with equal ones are the same."""

    client_id: str
    issuer: str | None
    subject: str | None


def authorization_context(user: AuthenticatedUser) -> AuthorizationContext:
    """Who a user is."""
    principal = principal_of(user.access_token)
    return {"client_id": principal.client or "", "issuer": principal.issuer, "subject": principal.subject}


class BearerAuthBackend(AuthenticationBackend):
    """Checks the bearer token of a request; with `resource_server_url`, it must have been issued for this server."""

    def __init__(self, token_verifier: Any, *, resource_server_url: Any = None) -> None:
        self.token_verifier = token_verifier
        self.resource_server_url = resource_server_url

    async def authenticate(self, conn: Any) -> tuple[AuthCredentials, AuthenticatedUser] | None:
        """The scopes and the user of a request; None without a valid token."""
        header = next((value for name, value in conn.headers.items() if name.lower() == "authorization"), "")
        kind, _, token = header.partition(" ")
        access = await self.token_verifier.verify_token(token) if kind.lower() == "bearer" and token else None
        if access is None or (access.expires_at and access.expires_at < int(time.time())):
            return None
        url = text_of_url(self.resource_server_url)
        if url is not None and not is_same_url(access.resource or "", url):
            _log.warning("the token was issued for %r, and not for %s", access.resource, url)
            return None
        return AuthCredentials(access.scopes), AuthenticatedUser(access)


class RequireAuthMiddleware:
    """Refuses requests without a user, or without a scope that is required."""

    def __init__(self, app: Any, required_scopes: list[str], resource_metadata_url: Any = None) -> None:
        self.app, self.required_scopes, self.resource_metadata_url = app, required_scopes, resource_metadata_url

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        held = getattr(scope.get("auth"), "scopes", ())
        lacking = [one for one in self.required_scopes if one not in held]
        if not isinstance(scope.get("user"), AuthenticatedUser):
            await self._refuse(send, 401, "invalid_token", "Authentication required")
        elif lacking:
            await self._refuse(send, 403, "insufficient_scope", f"Required scope: {lacking[0]}")
        else:
            await self.app(scope, receive, send)

    async def _refuse(self, send: Any, status: int, error: str, text: str) -> None:
        fields = {"error": error, "error_description": text}
        body = json.dumps(fields).encode()
        if self.resource_metadata_url:
            fields["resource_metadata"] = str(self.resource_metadata_url)
        challenge = "Bearer " + ", ".join(f'{name}="{value}"' for name, value in fields.items())
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"www-authenticate", challenge.encode()),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
