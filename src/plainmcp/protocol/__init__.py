"""What MCP is: sessions, methods and features, and what each revision makes of them. Does no I/O."""

__all__: list[str] = []
