"""The logging functions of the official SDK's servers."""

import logging

__all__ = ["configure_logging", "get_logger"]


def get_logger(name: str) -> logging.Logger:
    """The logger of a name."""
    return logging.getLogger(name)


def configure_logging(level: str = "INFO") -> None:
    """Write the log to standard error, from a level on."""
    logging.basicConfig(format="%(message)s", level=level)
