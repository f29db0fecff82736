"""`mcp.shared.auth_utils`: the URL of a protected server, and whether a token for one URL is good for another."""

from typing import Any
from urllib.parse import urlsplit, urlunsplit

__all__ = ["check_resource_allowed", "resource_url_from_server_url"]


def resource_url_from_server_url(url: Any) -> str:
    """The URL of a server as tokens name it: without a fragment, with its scheme and host in small letters.

    >>> resource_url_from_server_url("HTTPS://Example.com/mcp#top")
    'https://example.com/mcp'
    """
    parts = urlsplit(str(url))
    return urlunsplit(parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower(), fragment=""))


def check_resource_allowed(requested_resource: str, configured_resource: str) -> bool:
    """Whether a URL is the configured one, or below it.

    >>> check_resource_allowed("https://example.com/api/v1", "https://example.com/api")
    True
    """
    requested, configured = urlsplit(requested_resource), urlsplit(configured_resource)
    if (requested.scheme.lower(), requested.netloc.lower()) != (configured.scheme.lower(), configured.netloc.lower()):
        return False
    return _to_folder(requested.path).startswith(_to_folder(configured.path))


def _to_folder(path: str) -> str:
    return path if path.endswith("/") else f"{path}/"
