"""The metadata of a protected server: where clients find out how to log in (RFC 9728). Does no I/O."""

import re
from collections.abc import Collection
from urllib.parse import urlsplit

from ...errors import AuthorError
from ...wire import codec
from .response import JSON, Response

__all__ = ["WELL_KNOWN", "Metadata", "is_well_known"]

WELL_KNOWN = "/.well-known/oauth-protected-resource"
"""The path of the metadata of a server at the root, and the prefix of that of other servers."""

_CORS = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, OPTIONS"),
    (b"access-control-allow-headers", b"*"),
)
_CHARACTERS = re.compile(r"[A-Za-z0-9._~:/@!$&'()*+,;=%\[\]-]+")  # of a URL, without a query and a fragment
_CACHE = (b"cache-control", b"public, max-age=3600")


class Metadata:
    """The metadata of one server: its document, its URL, and the answers to requests for it (R26-AUTH-07).

    `resource` is the URL at which clients reach the server, and is sent exactly as it is given: clients compare it.
    """

    def __init__(self, resource: str, issuers: Collection[str], scopes: Collection[str], name: str) -> None:
        parts = urlsplit(resource)
        is_url = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        if not is_url or not _CHARACTERS.fullmatch(resource):
            raise AuthorError(
                f'resource= is the public URL of the server, such as "https://api.example.com/mcp"; not {resource!r}'
            )
        path = "" if parts.path == "/" else parts.path
        self.url = f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{path}"
        """Where the document is; clients are sent this URL with every refusal."""
        self.paths = frozenset({WELL_KNOWN, f"{WELL_KNOWN}{path}".rstrip("/")})
        """The paths at which the document is: that of the URL, and the root form, which some clients try alone."""
        self.document = {
            "resource": resource,
            "authorization_servers": list(dict.fromkeys(issuers)),
            **({"scopes_supported": list(scopes)} if scopes else {}),
            "bearer_methods_supported": ["header"],
            "resource_name": name,
        }
        self._found = Response(200, codec.encode(self.document), (*JSON, _CACHE, *_CORS))

    def answer(self, method: str, path: str) -> Response | None:
        """The response to a request for the document; None if it is for something else."""
        if path.rstrip("/") not in self.paths:
            return None
        if method in ("GET", "HEAD"):
            return self._found
        if method == "OPTIONS":
            return Response(204, headers=_CORS)
        return Response(405, headers=((b"allow", b"GET, HEAD, OPTIONS"), *_CORS))


def is_well_known(path: str) -> bool:
    """Whether a path is one of those at which clients look for documents about an origin (RFC 8615)."""
    return path.startswith("/.well-known/")
