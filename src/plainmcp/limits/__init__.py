"""How much of a limited thing callers may hold: each of them, and all together."""

__all__: list[str] = []
