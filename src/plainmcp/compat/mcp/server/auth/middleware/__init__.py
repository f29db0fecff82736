"""`mcp.server.auth.middleware`: the caller of the request that is running."""

__all__: list[str] = []
