"""`fastmcp.server.auth.providers`: the modules of the providers."""

__all__: list[str] = []
