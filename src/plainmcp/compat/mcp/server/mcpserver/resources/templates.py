"""`mcp.server.mcpserver.resources.templates`."""

from ....resource_security import DEFAULT_RESOURCE_SECURITY, ResourceSecurity, ResourceSecurityError
from ....resource_templates import ResourceTemplate

__all__ = ["DEFAULT_RESOURCE_SECURITY", "ResourceSecurity", "ResourceSecurityError", "ResourceTemplate"]
