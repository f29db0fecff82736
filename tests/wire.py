"""What the tests at the wire know of the protocol. They import only public names (`plainmcp`, `plainmcp.types`,
`plainmcp.testing`, `plainmcp.errors`, `plainmcp.compat`), so that they stay valid for any design inside.
"""

from typing import Any

__all__ = ["META", "NULL_ID", "REVISIONS", "WITHOUT_HANDSHAKE", "meta_of"]

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""Every revision, oldest first."""

WITHOUT_HANDSHAKE = frozenset({"2026-07-28"})
"""Those on which each request says by itself, in its _meta, what a handshake settled before."""

NULL_ID = frozenset({"2024-11-05", "2025-03-26", "2025-06-18"})
"""Those on which an error about an unreadable id says "id": null; on the others it has no id."""

META = "io.modelcontextprotocol/"
"""How the protocol's own keys in _meta begin."""


def meta_of(revision: str, capabilities: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a request of a revision without a handshake says in its _meta."""
    return {f"{META}protocolVersion": revision, f"{META}clientCapabilities": capabilities or {}}
