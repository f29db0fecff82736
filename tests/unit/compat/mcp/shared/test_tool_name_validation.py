"""Names of tools as the official SDK checks them."""

import logging

import pytest
from mcp.shared import tool_name_validation as official

from plainmcp.compat.mcp.shared.tool_name_validation import validate_and_warn_tool_name, validate_tool_name

LONG = ["a" * 128, "a" * 129]
NAMES = ["", "a", *LONG, "get.user-data_2", "-a", "a-", ".a", "a.", "-.", "a b", "a,b", "größe", "a\n", "é😀é"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_valid_if_it_is_there(name: str) -> None:
    ours, theirs = validate_tool_name(name), official.validate_tool_name(name)
    assert ours.is_valid == theirs.is_valid
    assert bool(ours.warnings) == bool(theirs.warnings)


def test_what_is_wrong_with_a_name_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mcp.shared.tool_name_validation"):
        assert validate_and_warn_tool_name("get_user")
        assert not caplog.records
        assert not validate_and_warn_tool_name("get user")
    assert "get user" in caplog.messages[0] and "' '" in caplog.messages[1]
