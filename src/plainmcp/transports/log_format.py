"""What log lines look like while a server is run, where the author did not say: with their time and level.

Only who runs a server asks for this. Whoever mounts it, or calls it, has the logging of their own program.
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
    """Write the lines of loggers that nobody gave a handler with their time and level, for a while."""
    handler = logging.lastResort  # what Python uses for them; it is not asked once a handler is set up
    if handler is None or handler.formatter is not None:
        yield
        return
    handler.setFormatter(logging.Formatter(_LINE))
    try:
        yield
    finally:
        handler.setFormatter(None)


def uvicorn_log_config() -> dict[str, Any]:
    """The same for the loggers of uvicorn, which sets up its own handlers."""
    from uvicorn.config import LOGGING_CONFIG

    lines = {"default": _LINE, "access": _ACCESS}
    formatters = {
        name: {**formatter, "fmt": lines[name], "use_colors": False} if name in lines else formatter
        for name, formatter in LOGGING_CONFIG["formatters"].items()
    }
    return {**LOGGING_CONFIG, "formatters": formatters}
