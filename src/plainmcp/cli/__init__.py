"""The command line: `plainmcp serve`, `list`, `call`, `preview` and the rest. Every rule of MCP is elsewhere."""

__all__: list[str] = []
