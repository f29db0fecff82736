"""Loggers with the names that FastMCP gives them."""

import logging

import pytest
from fastmcp.utilities import logging as theirs

from plainmcp.compat.fastmcp.utilities.logging import configure_logging, get_logger
from plainmcp.compat.mcp.logs import get_logger as get_plain_logger


@pytest.mark.parametrize("name", ["server", "fastmcp.server"])
def test_a_logger_has_the_name_that_it_has_there(name: str) -> None:
    assert get_logger(name).name == theirs.get_logger(name).name


def test_the_logger_of_the_official_sdk_has_the_name_that_is_given() -> None:
    assert get_plain_logger("server").name == "server"


def test_a_level_holds_for_one_logger() -> None:
    logger, above = logging.getLogger("fastmcp.of-a-test"), logging.getLogger("fastmcp").level
    configure_logging("ERROR", logger)
    assert logger.level == logging.ERROR and logging.getLogger("fastmcp").level == above
