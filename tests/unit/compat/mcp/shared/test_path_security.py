"""Texts that lead out of a folder, as the official SDK finds them."""

from pathlib import Path

import pytest
from mcp.shared import path_security as official

from plainmcp.compat.mcp.shared.path_security import (
    PathEscapeError,
    contains_path_traversal,
    is_absolute_path,
    safe_join,
)

PATHS = [
    "", ".", "..", "a", "a/b", "a/../b", "a/../../b", "../a", "a/..", "a\\..\\..\\b", "..\\a", "/etc", "\\etc", "C:x",
    "c:\\x", "é:x", "a:b", "...", "a/./../..", "//host/share", "~/x", "a/b/../../c",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_path_leads_out_if_it_does_there(path: str) -> None:
    assert contains_path_traversal(path) == official.contains_path_traversal(path)
    assert is_absolute_path(path) == official.is_absolute_path(path)


@pytest.mark.parametrize("path", [*PATHS, "a\0b", "out/x"])
def test_a_joined_path_is_the_same_or_refused_as_there(path: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    try:
        theirs = official.safe_join(folder, path)
    except official.PathEscapeError:
        with pytest.raises(PathEscapeError):
            safe_join(folder, path)
    else:
        assert safe_join(folder, path) == theirs
