"""The log while `server.run` serves: the format of its lines, its level, and where the access log goes.

A program that mounts the server, or calls it, has its own logging. One that runs it and has its own handlers keeps
them.
"""

import logging
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from ..errors import AuthorError

__all__ = ["LOG_LEVELS", "formatted_logs", "level_of", "shown_access_log", "uvicorn_log_config"]

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
"""The names of the levels."""

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_ACCESS = '%(asctime)s %(levelname)s %(name)s: %(client_addr)s "%(request_line)s" %(status_code)s'


def level_of(name: str) -> int:
    """The number of a level; raises AuthorError.

    >>> level_of("info")
    20
    """
    if name.lower() not in LOG_LEVELS:
        raise AuthorError(f"log_level is one of {', '.join(LOG_LEVELS)}; not {name!r}")
    return int(getattr(logging, name.upper()))


@contextmanager
def formatted_logs(level: str | None = None) -> Generator[None, None, None]:
    """While it is open, the lines of loggers without a handler have their time and level.

    With a level, messages from this level on are logged: of all loggers, or only of this package if the program has
    its own handlers.
    """
    handler = logging.lastResort  # Python uses it for loggers without a handler
    number = None if level is None else level_of(level)
    with ExitStack() as stack:
        if handler is not None and handler.formatter is None:
            handler.setFormatter(logging.Formatter(_LINE))
            stack.callback(handler.setFormatter, None)
        if number is not None:
            root = logging.getLogger()
            _set_level(stack, logging.getLogger("plainmcp") if root.handlers else root, number)
            if handler is not None:
                _set_level(stack, handler, number)
        yield


@contextmanager
def shown_access_log(name: str, format: str) -> Generator[None, None, None]:
    """While it is open, a logger writes to standard error, unless the program has a handler for it."""
    logger = logging.getLogger(name)
    with ExitStack() as stack:
        if logger.level == logging.NOTSET:
            _set_level(stack, logger, logging.INFO)
        if not logger.hasHandlers():
            handler = _StandardError()
            handler.setFormatter(logging.Formatter("%(message)s" if format == "json" else _LINE))
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        yield


class _StandardError(logging.StreamHandler[Any]):
    """A handler that writes to standard error as it is at the moment of writing."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        """Where it writes."""
        return sys.stderr


def _set_level(stack: ExitStack, logger: logging.Logger | logging.Handler, level: int) -> None:
    """Set a level, until the end of the stack."""
    stack.callback(logger.setLevel, logger.level)
    logger.setLevel(level)


def uvicorn_log_config() -> dict[str, Any]:
    """The logging configuration of uvicorn, with lines that have their time and level."""
    from uvicorn.config import LOGGING_CONFIG

    lines = {"default": _LINE, "access": _ACCESS}
    formatters = {
        name: {**formatter, "fmt": lines[name], "use_colors": False} if name in lines else formatter
        for name, formatter in LOGGING_CONFIG["formatters"].items()
    }
    return {**LOGGING_CONFIG, "formatters": formatters}
