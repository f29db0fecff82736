"""The exceptions of FastMCP. The text of those that a handler raises is sent; see errors for what others become."""

import logging

from ... import errors

__all__ = [
    "AuthorizationError",
    "ClientError",
    "DisabledError",
    "FastMCPDeprecationWarning",
    "FastMCPError",
    "InsufficientScopeError",
    "InvalidSignature",
    "NotFoundError",
    "PromptError",
    "ResourceError",
    "ResourceSecurityError",
    "ToolError",
    "ValidationError",
]


class FastMCPDeprecationWarning(DeprecationWarning):
    """A warning of FastMCP about what it will remove."""


class FastMCPError(errors.PlainMCPError):
    """The base of FastMCP's errors; `log_level` is the level at which it logs them."""

    def __init__(self, *args: object, log_level: int = logging.ERROR) -> None:
        super().__init__(*args)
        self.log_level = log_level


class ToolError(FastMCPError, errors.ToolError):
    """A failure of a tool; the model reads the text."""


class ResourceError(FastMCPError, errors.ToolError):
    """A resource that cannot be read; the client sees the text."""


class PromptError(FastMCPError, errors.ToolError):
    """A prompt that cannot be rendered; the client sees the text."""


class ValidationError(FastMCPError, errors.ToolError):
    """Arguments or a return value that do not fit; the client sees the text."""


class AuthorizationError(FastMCPError, errors.ToolError):
    """A caller who may not do this; the client sees the text."""


class InsufficientScopeError(AuthorizationError):
    """A caller whose token lacks scopes."""

    def __init__(self, required_scopes: list[str], *, message: str | None = None) -> None:
        self.required_scopes = list(required_scopes)
        named = ", ".join(self.required_scopes) or "(unknown)"
        super().__init__(message or f"Insufficient scope. Required: {named}")


class InvalidSignature(Exception):
    """A function that cannot be a tool."""


class ClientError(Exception):
    """A failure of a client."""


class NotFoundError(Exception):
    """There is no such tool, resource or prompt."""


class ResourceSecurityError(NotFoundError):
    """A URI that leads out of its folder: for clients there is no such resource."""


class DisabledError(Exception):
    """The tool, resource or prompt is disabled."""
