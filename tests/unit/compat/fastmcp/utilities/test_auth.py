"""Scopes in a setting, as FastMCP reads them."""

from typing import Any

import pytest
from fastmcp.utilities import auth as theirs

from plainmcp.compat.fastmcp.utilities.auth import parse_scopes

VALUES: list[Any] = [
    None, "", " ", "read", "read write", "read, write,", '["read", " write "]', "[read", [], ["read", ""],
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_scopes_are_read_as_there(value: Any) -> None:
    assert parse_scopes(value) == theirs.parse_scopes(value)
