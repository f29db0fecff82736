"""Short functions for tests of the protocol: a message of a revision, and a client that checks every message."""

import json
from typing import Any

import official
from plainmcp import Server
from plainmcp.revisions import MODERN, REVISIONS
from plainmcp.testing import Client

__all__ = ["ALL", "HANDSHAKE", "META", "MODERN", "answer", "client", "initialize", "message", "modern"]

ALL = list(REVISIONS)
HANDSHAKE = [name for name in ALL if name not in MODERN]
META = "io.modelcontextprotocol/"


def message(revision: str, method: str, params: dict[str, Any] | None = None, id: Any = 1) -> dict[str, Any]:
    """A request, with what the revision wants said in it."""
    params = dict(params or {})
    if revision in MODERN:
        params["_meta"] = modern() | params.get("_meta", {})
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def modern(**capabilities: Any) -> dict[str, Any]:
    """What a modern request says of itself."""
    return {f"{META}protocolVersion": MODERN[-1], f"{META}clientCapabilities": capabilities}


def initialize(revision: str, **capabilities: Any) -> dict[str, Any]:
    """The first message of a handshake."""
    params = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


def answer(server: Server, revision: str, method: str, params: dict[str, Any] | None = None, **how: Any) -> Any:
    """What `handle` answers to a request, judged and read."""
    raw = server.handle(message(revision, method, params), revision=revision, **how)
    assert raw is not None
    found = json.loads(raw)
    official.check_answer(revision, raw, method if "result" in found else None)
    return found


def client(server: Server, revision: str, **options: Any) -> Client:
    """A client that takes nothing its revision does not allow."""
    return Client(server, revision, check=official.check, **options)
