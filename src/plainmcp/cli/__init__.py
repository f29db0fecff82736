"""The command line: serves a file, and is a client for any server. The rules of MCP are in other packages."""

__all__: list[str] = []
