"""One request on its way to its method, and what is known of who sent it. Plain data: it asks nobody anything."""

from typing import Any

from msgspec import Raw, Struct

from ..revisions import Revision
from ..wire.jsonrpc import Meta, Params

__all__ = ["Request"]


class Request(Struct):
    """One request, and what is known of who sent it."""

    id: Raw
    method: str
    params: Params
    meta: Meta | None
    revision: Revision
    session: Any = None
    link: Any = None  # a Link
    principal: Any = None

    # What a handshake settled, a session knows; otherwise each request speaks for itself (BASE-18).

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client can do."""
        if self.revision.handshake:
            return self.session.capabilities if self.session else {}
        return _object(self.meta.capabilities if self.meta else None)

    @property
    def client(self) -> dict[str, Any]:
        """What the client calls itself."""
        if self.revision.handshake:
            return self.session.client if self.session else {}
        return _object(self.meta.client if self.meta else None)

    @property
    def log_level(self) -> str | None:
        """From which level on the client wants log messages; None for not at all."""
        if self.revision.handshake:
            return self.session.log_level if self.session else None
        return self.meta.log_level if self.meta and isinstance(self.meta.log_level, str) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
