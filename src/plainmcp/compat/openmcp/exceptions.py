"""`dedalus_mcp.exceptions`: errors with a code that models read."""

from enum import StrEnum

from ... import errors

__all__ = ["ConnectionResolutionError", "ToolError", "ToolErrorCode", "to_native_error"]


class ToolErrorCode(StrEnum):
    """The codes of OpenMCP's tool errors."""

    NO_CONNECTIONS = "NO_CONNECTIONS"
    CONNECTION_NOT_FOUND = "CONNECTION_NOT_FOUND"
    CONNECTION_AMBIGUOUS = "CONNECTION_AMBIGUOUS"
    RATE_LIMITED = "RATE_LIMITED"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    TIMEOUT = "TIMEOUT"
    NOT_FOUND = "NOT_FOUND"
    INVALID_INPUT = "INVALID_INPUT"
    CONFLICT = "CONFLICT"
    INTERNAL = "INTERNAL"
    ERROR = "ERROR"


class ToolError(Exception):
    """A failure of a tool that models read: its text, after its code in brackets."""

    def __init__(self, message: str, *, code: str = "ERROR") -> None:
        super().__init__(message)
        self.code = code


class ConnectionResolutionError(ToolError):
    """A connection that is not there; OpenMCP's connections are not here, so this is never raised by plainmcp."""

    def __init__(
        self, message: str, *, code: str, available: list[str] | None = None, requested: str | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.available = available or []
        self.requested = requested


def to_native_error(error: ToolError) -> errors.ToolError:
    """An error of OpenMCP as the one that is sent."""
    code = error.code.value if isinstance(error.code, ToolErrorCode) else error.code
    return errors.ToolError(f"[{code}] {error}")
