"""`mcp.server.auth.provider`: verifiers of tokens; the other names can be imported, and are refused when used."""

from typing import Any

from ....access_token import AccessToken, principal_of
from ....token_verifiers import TokenVerifier

__all__ = ["AccessToken", "ProviderTokenVerifier", "TokenVerifier", "principal_components"]


def principal_components(token: AccessToken) -> tuple[str, str | None, str | None]:
    """The client, the issuer and the subject of a token."""
    principal = principal_of(token)
    return principal.client or "", principal.issuer, principal.subject


class ProviderTokenVerifier(TokenVerifier):
    """Verifies tokens by an object that loads them."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider

    async def verify_token(self, token: str) -> Any:
        """The access token; None if it is not valid."""
        return await self.provider.load_access_token(token)
