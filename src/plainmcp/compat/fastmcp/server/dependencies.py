"""`fastmcp.server.dependencies`."""

from ..dependencies import (
    CurrentAccessToken,
    CurrentContext,
    CurrentFastMCP,
    CurrentHeaders,
    CurrentRequest,
    Depends,
    Progress,
    TokenClaim,
    get_access_token,
    get_context,
    get_http_headers,
    get_http_request,
    get_server,
)

__all__ = [
    "CurrentAccessToken",
    "CurrentContext",
    "CurrentFastMCP",
    "CurrentHeaders",
    "CurrentRequest",
    "Depends",
    "Progress",
    "TokenClaim",
    "get_access_token",
    "get_context",
    "get_http_headers",
    "get_http_request",
    "get_server",
]
