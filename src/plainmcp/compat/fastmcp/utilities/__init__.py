"""`fastmcp.utilities`."""

__all__: list[str] = []
