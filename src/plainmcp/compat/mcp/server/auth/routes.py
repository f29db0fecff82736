"""`mcp.server.auth.routes`: where clients read at which authorization server they log in (RFC 9728)."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Route

__all__ = ["build_resource_metadata_url", "create_protected_resource_routes"]

_SECONDS = 3600


def build_resource_metadata_url(resource_server_url: Any) -> Any:
    """The URL of the metadata of a server, with the class of the given URL."""
    parts = urlsplit(str(resource_server_url))
    path = parts.path if parts.path != "/" else ""
    url = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource{path}"
    return url if isinstance(resource_server_url, str) else type(resource_server_url)(url)


def create_protected_resource_routes(
    resource_url: Any,
    authorization_servers: Sequence[Any],
    scopes_supported: list[str] | None = None,
    resource_name: str | None = None,
    resource_documentation: Any = None,
) -> list[Route]:
    """The route of the metadata of a server."""
    metadata = {
        "resource": str(resource_url),
        "authorization_servers": [str(one) for one in authorization_servers],
        "scopes_supported": scopes_supported,
        "resource_name": resource_name,
        "resource_documentation": None if resource_documentation is None else str(resource_documentation),
        "bearer_methods_supported": ["header"],
    }
    body = {name: value for name, value in metadata.items() if value is not None}

    async def answer(request: Any) -> JSONResponse:
        return JSONResponse(body, headers={"Cache-Control": f"public, max-age={_SECONDS}"})

    app = CORSMiddleware(
        Route("/", answer).app, allow_origins=["*"], allow_methods=["GET", "OPTIONS"], allow_headers=["*"]
    )
    path = urlsplit(str(build_resource_metadata_url(resource_url))).path
    return [Route(path, endpoint=app, methods=["GET", "OPTIONS"])]
