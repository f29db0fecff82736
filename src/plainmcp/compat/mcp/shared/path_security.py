"""`mcp.shared.path_security` of `mcp` 2: whether a text leads out of a folder, and paths that do not."""

from pathlib import Path

__all__ = ["PathEscapeError", "contains_path_traversal", "is_absolute_path", "safe_join"]


class PathEscapeError(ValueError):
    """A path that leads out of its folder."""


def contains_path_traversal(value: str) -> bool:
    """Whether a path leads above the folder in which it begins.

    >>> contains_path_traversal("a/../b"), contains_path_traversal("a/../../b")
    (False, True)
    """
    depth = 0
    for part in value.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


def is_absolute_path(value: str) -> bool:
    """Whether a path begins at a root, on any system.

    >>> is_absolute_path("/etc"), is_absolute_path("C:x"), is_absolute_path("etc")
    (True, True, False)
    """
    has_drive = value[1:2] == ":" and value[0].isascii() and value[0].isalpha()
    return value.startswith(("/", "\\")) or has_drive


def safe_join(base: str | Path, *parts: str) -> Path:
    """A path below a folder; raises PathEscapeError."""
    for part in parts:
        if "\0" in part:
            raise PathEscapeError(f"Path component contains a null byte: {part!r}")
        if is_absolute_path(part):
            raise PathEscapeError(f"Path component is absolute: {part!r}")
    folder = Path(base).resolve()
    path = folder.joinpath(*parts).resolve()
    if not path.is_relative_to(folder):
        raise PathEscapeError(f"Path {path} escapes base {folder}")
    return path
