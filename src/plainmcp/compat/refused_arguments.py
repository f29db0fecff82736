"""A line in the log for arguments that do not fit a tool, as the packages write it."""

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentsError
from ..protocol.features import ToolFeature

__all__ = ["log_refused_arguments"]


def log_refused_arguments(tool: ToolFeature, log: Callable[[ArgumentsError], None]) -> None:
    """Call a function with the problems of each call of a tool whose arguments do not fit."""
    bind = tool.bind

    def bind_or_log(arguments: Any) -> dict[str, Any]:
        try:
            return bind(arguments)
        except ArgumentsError as error:
            log(error)
            raise

    tool.bind = bind_or_log
