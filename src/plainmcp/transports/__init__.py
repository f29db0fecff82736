"""Where messages meet the world: each transport drives the same core with its own kind of I/O."""

__all__: list[str] = []
