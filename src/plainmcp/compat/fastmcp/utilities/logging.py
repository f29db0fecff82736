"""`fastmcp.utilities.logging`: loggers below "fastmcp", which are configured like any other."""

import logging
from typing import Any

__all__ = ["configure_logging", "get_logger"]


def get_logger(name: str) -> logging.Logger:
    """A logger below "fastmcp"."""
    return logging.getLogger(name if name.startswith("fastmcp.") else f"fastmcp.{name}")


def configure_logging(level: int | str = "INFO", logger: logging.Logger | None = None, **options: Any) -> None:
    """Set the level of the loggers; where they write to is not changed."""
    (logger or logging.getLogger("fastmcp")).setLevel(level)
