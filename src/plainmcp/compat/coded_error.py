"""JSON-RPC errors with a code that another package chose; the class of an error of plainmcp fixes its code."""

from typing import Any

from ..errors import ProtocolError, ResourceNotFound

__all__ = ["CodedError", "ErrorWithCode", "UnknownResource", "has_code", "to_protocol_error"]


class CodedError(ProtocolError):
    """A JSON-RPC error with a code of its own.

    >>> CodedError(0, "Unknown prompt: x").code
    0
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        ProtocolError.__init__(self, message, data)
        self.code = code  # type: ignore[misc]


class UnknownResource(CodedError, ResourceNotFound):
    """A URI without a resource, with a code and a text of its own."""


class ErrorWithCode(Exception):
    """The base of `McpError`, which is in a module with many types: an exception with code, message and data."""

    error: Any


def to_protocol_error(error: Any) -> ProtocolError:
    """An error with a code as the error that is sent."""
    return CodedError(error.error.code, error.error.message, error.error.data)


def has_code(error: Exception) -> bool:
    """Whether an exception has a JSON-RPC code: McpError, ours or that of the real package."""
    if isinstance(error, ErrorWithCode):
        return True
    return any(kind.__module__ == "mcp.shared.exceptions" for kind in type(error).__mro__) and hasattr(error, "error")
