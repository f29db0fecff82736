"""All exceptions of plainmcp, grouped by reader: the developer, the model or the client.

PlainMCPError
├── AuthorError            read by the developer: a registration or a policy that cannot work
│   ├── OptionError        an option that does not exist, or a value it does not take; also a TypeError
│   ├── NormalizeError     a returned value cannot be sent; says where: $.rows[3].when
│   └── OutputError        a returned value does not fit the announced schema
├── ToolError              read by the model: becomes a result with isError
│   └── ArgumentsError     the arguments do not fit; a line for each problem
└── ProtocolError          read by the client: becomes a JSON-RPC error; the class fixes the code
    ├── ParseError -32700 · InvalidRequest -32600 · MethodNotFound -32601
    ├── InvalidParams -32602 · InternalError -32603
    ├── InsufficientScope -32600, and 403 over HTTP
    ├── ResourceNotFound   the one code that changed between revisions: see revisions
    └── HeaderMismatch -32020 · MissingCapability -32021 · UnsupportedRevision -32022
"""

from typing import Any, ClassVar

__all__ = [
    "ArgumentsError",
    "AuthorError",
    "HeaderMismatch",
    "InsufficientScope",
    "InternalError",
    "InvalidParams",
    "InvalidRequest",
    "MethodNotFound",
    "MissingCapability",
    "NormalizeError",
    "OptionError",
    "OutputError",
    "ParseError",
    "PlainMCPError",
    "ProtocolError",
    "ResourceNotFound",
    "ToolError",
    "UnsupportedRevision",
]


HTTP_STATUSES = {-32601: 404, -32700: 400, -32600: 400, -32602: 400, -32020: 400, -32021: 400, -32022: 400}
"""The HTTP status of a response by its error code, on revisions without a handshake; other codes have 200."""


class PlainMCPError(Exception):
    """The root of every exception of this package."""


class AuthorError(PlainMCPError):
    """Code that cannot work, with what to write instead."""


class OptionError(AuthorError, TypeError):
    """An option that does not exist, or a value it does not take; the text says what to write instead."""


class NormalizeError(AuthorError):
    """A value that cannot be sent; `path` says which part of it, `problem` says why.

    >>> str(NormalizeError("$.rows[3].when", "a lone surrogate"))
    '$.rows[3].when: a lone surrogate'
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


class OutputError(AuthorError):
    """A value that does not fit the announced output schema; the text has the kind of the value, never the value.

    >>> str(OutputError("$.rows[3].high", "a number", "null"))
    '$.rows[3].high: expected a number, got null'
    """

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


class ToolError(PlainMCPError):
    """A failure that the model should read and can act on; becomes a result with `isError`."""

    is_final: ClassVar[bool] = False
    """Whether the text is sent as it is, without the words that a policy adds."""


class ArgumentsError(ToolError):
    """Arguments that do not fit; the text has one line for each problem, and never the values.

    >>> print(ArgumentsError(["city: missing; it takes a string", "dayz: no such parameter; did you mean days?"]))
    city: missing; it takes a string
    dayz: no such parameter; did you mean days?
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ProtocolError(PlainMCPError):
    """A request that cannot be answered; becomes a JSON-RPC error. Raise one of its subclasses."""

    code: ClassVar[int] = -32603

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.data = data
        self.id: bytes | None = None  # the raw id of the request, if only the decoder could read it


class ParseError(ProtocolError):
    """A message that is not JSON."""

    code = -32700


class InvalidRequest(ProtocolError):
    """A message that is JSON but not a valid request, or not one that is allowed here."""

    code = -32600


class InsufficientScope(InvalidRequest):
    """A request for which its caller lacks a scope. Over HTTP it is a 403 that names all scopes it requires."""

    def __init__(self, scopes: tuple[str, ...], *, is_anonymous: bool = False) -> None:
        super().__init__(f"this requires the scopes {' '.join(scopes)}", {"requiredScopes": list(scopes)})
        self.scopes = scopes
        self.is_anonymous = is_anonymous  # then it is a 401: the client has not sent a token


class MethodNotFound(ProtocolError):
    """A method that does not exist, or not in this revision, or for which nothing is registered."""

    code = -32601


class InvalidParams(ProtocolError):
    """Parameters that do not fit the method."""

    code = -32602


class InternalError(ProtocolError):
    """A failure in the server that the client can do nothing about."""

    code = -32603


class ResourceNotFound(ProtocolError):
    """A URI without a resource; the revision sets the code."""

    def __init__(self, uri: str) -> None:
        super().__init__("Resource not found", {"uri": uri})


class HeaderMismatch(ProtocolError):
    """An HTTP header that does not match the message."""

    code = -32020


class MissingCapability(ProtocolError):
    """A capability that the handler needs and the client did not declare."""

    code = -32021

    def __init__(self, message: str, required: dict[str, Any]) -> None:
        super().__init__(message, {"requiredCapabilities": required})


class UnsupportedRevision(ProtocolError):
    """A request with a protocol revision that is not supported."""

    code = -32022

    def __init__(self, requested: str, supported: list[str]) -> None:
        super().__init__("Unsupported protocol version", {"supported": supported, "requested": requested})
