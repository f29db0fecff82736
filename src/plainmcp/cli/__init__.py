"""The command line: `plainmcp serve`, `list`, `call` and `preview`. The rules of MCP are in other packages."""

__all__: list[str] = []
