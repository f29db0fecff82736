"""Files of this machine that are read for a client: which may be opened, and how much of them is read."""

__all__: list[str] = []
