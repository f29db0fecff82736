"""`fastmcp.contrib.mcp_mixin`: the methods of an object as tools, resources and prompts."""

from .mcp_mixin import MCPMixin, mcp_prompt, mcp_resource, mcp_tool

__all__ = ["MCPMixin", "mcp_prompt", "mcp_resource", "mcp_tool"]
