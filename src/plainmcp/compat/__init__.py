"""Other packages' names for what plainmcp does: a program that was written for one of them changes its imports."""

__all__: list[str] = []
