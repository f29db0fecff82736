"""`fastmcp.contrib`: of its modules, mcp_mixin is here; the others can be imported, and are refused when used."""

__all__: list[str] = []
