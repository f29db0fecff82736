"""The exceptions of the official SDK."""

from typing import Any

from ... import errors
from ..coded_error import ErrorWithCode
from .helper_types import FastMCPError, ResourceError, ResourceNotFoundError
from .types import URL_ELICITATION_REQUIRED, ElicitRequestURLParams, ErrorData

__all__ = [
    "FastMCPError",
    "InvalidSignature",
    "MCPDeprecationWarning",
    "MCPError",
    "McpError",
    "ResourceError",
    "ResourceNotFoundError",
    "ToolError",
    "UnexpectedResourceError",
    "UnexpectedToolError",
    "UrlElicitationRequiredError",
    "ValidationError",
]


class ToolError(FastMCPError, errors.ToolError):
    """A failure of a tool; the model reads the text."""


class ValidationError(FastMCPError):
    """Parameters or a return value that do not fit."""


class InvalidSignature(Exception):
    """A function that cannot be a tool."""


class UnexpectedToolError(ToolError):
    """A crash of a tool; its own text stays on the server."""

    is_final = True


class UnexpectedResourceError(ResourceError):
    """A crash of a resource; its own text stays on the server."""


class MCPDeprecationWarning(UserWarning):
    """A warning of `mcp` 2 about what it will remove."""


class McpError(ErrorWithCode):
    """An error with a JSON-RPC code: `McpError(ErrorData(…))` in `mcp` 1, `MCPError(code, message, data)` in 2."""

    def __init__(self, error: Any = None, message: str = "", data: Any = None, *, code: int | None = None) -> None:
        if code is not None or isinstance(error, int):
            error = ErrorData(code=error if code is None else code, message=message, data=data)
        Exception.__init__(self, error.message)  # not that of the real class, which it may have beside this one
        self.error = error

    @classmethod
    def from_error_data(cls, error: Any) -> "McpError":
        """An exception with the error of a response."""
        return cls(error)

    @classmethod
    def from_jsonrpc_error(cls, error: Any) -> "McpError":
        """An exception with the error of a response."""
        return cls(error.error)

    @property
    def code(self) -> int:
        """The JSON-RPC code."""
        return self.error.code  # type: ignore[no-any-return]

    @property
    def message(self) -> str:
        """The text for the client."""
        return self.error.message  # type: ignore[no-any-return]

    @property
    def data(self) -> Any:
        """Data for the client."""
        return self.error.data


MCPError = McpError


class UrlElicitationRequiredError(McpError):
    """A tool needs the user to visit web pages before it can run."""

    def __init__(self, elicitations: list[Any], message: str | None = None) -> None:
        self.elicitations = elicitations
        text = message or f"URL elicitation{'s' if len(elicitations) > 1 else ''} required"
        pages = [one.model_dump(by_alias=True, exclude_none=True) for one in elicitations]
        super().__init__(ErrorData(code=URL_ELICITATION_REQUIRED, message=text, data={"elicitations": pages}))

    @classmethod
    def from_error(cls, error: Any) -> "UrlElicitationRequiredError":
        """The exception of an error with its code; raises ValueError for another code."""
        if error.code != URL_ELICITATION_REQUIRED:
            raise ValueError(f"Expected error code {URL_ELICITATION_REQUIRED}, not {error.code}")
        pages = (error.data or {}).get("elicitations", [])
        return cls([ElicitRequestURLParams.model_validate(page) for page in pages], error.message)
