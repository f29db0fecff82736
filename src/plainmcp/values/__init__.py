"""A library of its own: any Python value to JSON, to content, and to the result of a tool, a resource or a prompt."""

__all__: list[str] = []
