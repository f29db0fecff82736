"""`mcp.server.auth.provider`: verifiers of tokens; the other names can be imported, and are refused when used."""

from ....access_token import AccessToken
from ....token_verifiers import TokenVerifier

__all__ = ["AccessToken", "TokenVerifier"]
