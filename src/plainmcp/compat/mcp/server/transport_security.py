"""`mcp.server.transport_security`."""

from ..settings import TransportSecuritySettings

__all__ = ["TransportSecuritySettings"]
