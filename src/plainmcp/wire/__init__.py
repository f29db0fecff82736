"""The bytes of MCP: JSON, JSON-RPC, cursors, signatures, URIs and MIME types. Knows no method and no feature."""

__all__: list[str] = []
