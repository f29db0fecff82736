"""The default format of log lines while `server.run` serves: with time and level.

A program that mounts the server, or calls it, has its own logging.
"""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

__all__ = ["formatted_logs", "uvicorn_log_config"]

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_ACCESS = '%(asctime)s %(levelname)s %(name)s: %(client_addr)s "%(request_line)s" %(status_code)s'


@contextmanager
def formatted_logs() -> Generator[None, None, None]:
    """While it is open, the lines of loggers without a handler have their time and level."""
    handler = logging.lastResort  # Python uses it for loggers without a handler
    if handler is None or handler.formatter is not None:
        yield
        return
    handler.setFormatter(logging.Formatter(_LINE))
    try:
        yield
    finally:
        handler.setFormatter(None)


def uvicorn_log_config() -> dict[str, Any]:
    """The logging configuration of uvicorn, with lines that have their time and level."""
    from uvicorn.config import LOGGING_CONFIG

    lines = {"default": _LINE, "access": _ACCESS}
    formatters = {
        name: {**formatter, "fmt": lines[name], "use_colors": False} if name in lines else formatter
        for name, formatter in LOGGING_CONFIG["formatters"].items()
    }
    return {**LOGGING_CONFIG, "formatters": formatters}
