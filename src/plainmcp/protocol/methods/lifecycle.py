"""initialize, ping, server/discover and logging/setLevel."""

from typing import Any

from ...context import LOG_LEVELS
from ...errors import InvalidParams, InvalidRequest
from ...revisions import MODERN, negotiate
from .. import describe
from ..core import Core
from ..plan import with_server_info
from ..request import Request
from ..session import not_offered

__all__ = ["discover", "initialize", "ping", "set_level"]


def initialize(server: Core, request: Request) -> dict[str, Any]:
    """Negotiate a revision and describe the server (VER-01 to VER-04)."""
    params, session = request.params, request.session
    if session is not None and session.revision is not None and not server.allows_new_handshake:
        raise InvalidRequest("this connection is initialized already")
    revision = negotiate(params.get("protocolVersion", str))
    capabilities = params.get("capabilities", dict[str, Any], {})
    client = params.get("clientInfo", dict[str, Any], {})
    if session is not None:
        session.revision, session.capabilities, session.client = revision, capabilities, client
    result: dict[str, Any] = {
        "protocolVersion": revision.name,
        "capabilities": describe.capabilities(_offered_to(server, request), revision),
        "serverInfo": describe.implementation(server.info, revision),
    }
    if server.instructions is not None:
        result["instructions"] = server.instructions
    return result


def _offered_to(server: Core, request: Request) -> dict[str, Any]:
    """The capabilities of the server; without those that need a way back to the client, if there is none."""
    offered, session = server.announced_capabilities(), request.session
    if request.why_no_changes is None:
        return offered
    back_channel = ("subscribe", "listChanged")
    return {
        name: {one: value for one, value in details.items() if name == "extensions" or one not in back_channel}
        for name, details in offered.items()
        if name != "logging" or session is None or session.log_level is not None
    }


def ping(server: Core, request: Request) -> dict[str, Any]:
    """An empty result (PING-01)."""
    return {}


def set_level(server: Core, request: Request) -> dict[str, Any]:
    """Set the lowest level of log messages that are sent (LOG-02)."""
    level = request.params.get("level", str)
    if level not in LOG_LEVELS:
        raise InvalidParams(f"unknown log level; the levels are {', '.join(LOG_LEVELS)}")  # LOG-04
    if request.session is not None:
        if request.session.log_level is None:
            raise not_offered(request.method, request.session.why_unreachable or "no log messages are sent")
        request.session.log_level = level
    return {}


def discover(server: Core, request: Request) -> dict[str, Any]:
    """Describe the server and its revisions, without a handshake (VER-10)."""
    ttl, scope = server.cache_of(request.method)
    result: dict[str, Any] = {
        "supportedVersions": list(MODERN),
        "capabilities": describe.capabilities(_offered_to(server, request), request.revision),
        "ttlMs": ttl,
        "cacheScope": scope,
    }
    if server.instructions is not None:
        result["instructions"] = server.instructions
    return with_server_info(result, server, request.revision)
