"""`mcp.shared._httpx_utils`: the client for HTTP that servers of the SDK's examples use."""

from typing import Any

__all__ = ["create_mcp_http_client"]

SECONDS = 30.0
SECONDS_TO_READ = 300.0


def create_mcp_http_client(headers: Any = None, timeout: Any = None, auth: Any = None) -> Any:
    """A client of httpx that follows redirects, with the time limits of the SDK."""
    import httpx

    limits = httpx.Timeout(SECONDS, read=SECONDS_TO_READ) if timeout is None else timeout
    return httpx.AsyncClient(follow_redirects=True, timeout=limits, headers=headers, auth=auth)
