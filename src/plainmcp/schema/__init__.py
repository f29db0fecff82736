"""A library of its own: type hints to JSON Schema, JSON to arguments that fit, values to what a type declares.

Knows types, schemas and data; knows nothing of MCP.
"""

__all__: list[str] = []
