"""A JSON-RPC error with a code that a package chose, and not plainmcp: the class of plainmcp fixes the code."""

from typing import Any

from ..errors import ProtocolError, ResourceNotFound

__all__ = ["CodedError", "UnknownResource"]


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
