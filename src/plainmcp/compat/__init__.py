"""The names of other packages, on top of plainmcp: a program written for one of them only changes its imports."""

__all__: list[str] = []
