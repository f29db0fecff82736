"""Every exception plainmcp raises, grouped by who should read it. Knows nothing else of the house.

PlainMCPError
├── AuthorError            read by the developer: a registration or a policy that cannot work
│   ├── OptionError        an option that does not exist, or a value it does not take; also a TypeError
│   ├── NormalizeError     a returned value has no wire form; says where: $.rows[3].when
│   └── OutputError        a returned value breaks the schema that was promised
├── ToolError              read by the model: becomes a result with isError
│   └── ArgumentsError     the arguments do not fit; a line for each problem
└── ProtocolError          read by the peer: becomes a JSON-RPC error; the class fixes the code
    ├── ParseError -32700 · InvalidRequest -32600 · MethodNotFound -32601
    ├── InvalidParams -32602 · InternalError -32603
    ├── ResourceNotFound   the one code that changed between revisions: see revisions
    └── HeaderMismatch -32020 · MissingCapability -32021 · UnsupportedRevision -32022
"""

from typing import Any, ClassVar

__all__ = [
    "ArgumentsError",
    "AuthorError",
    "HeaderMismatch",
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


class PlainMCPError(Exception):
    """The root of every exception of this package."""


class AuthorError(PlainMCPError):
    """What the developer wrote cannot work; raised loudly, with what to do instead."""


class OptionError(AuthorError, TypeError):
    """There is no such option, or it does not take such a value; says which there are, and what to write."""


class NormalizeError(AuthorError):
    """A value has no form on the wire; `path` says which part of it, `problem` says why.

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
    """A value breaks the output schema that was promised; tells the kind of what is there, never the value.

    >>> str(OutputError("$.rows[3].high", "a number", "null"))
    '$.rows[3].high: expected a number, got null'
    """

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


class ToolError(PlainMCPError):
    """A failure the model should read and can act on; becomes a result with `isError`."""


class ArgumentsError(ToolError):
    """The arguments a model gave do not fit; one line a problem, and never what was given.

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
        self.id: bytes | None = None  # the raw id of the request it is about, where only the reader knew it


class ParseError(ProtocolError):
    """What arrived is not JSON."""

    code = -32700


class InvalidRequest(ProtocolError):
    """What arrived is JSON but not a request, or not one that may come here."""

    code = -32600


class MethodNotFound(ProtocolError):
    """There is no such method, or not in this revision, or nothing behind it."""

    code = -32601


class InvalidParams(ProtocolError):
    """The parameters do not fit the method."""

    code = -32602


class InternalError(ProtocolError):
    """Something failed here, and the peer can do nothing about it."""

    code = -32603


class ResourceNotFound(ProtocolError):
    """There is no resource at a URI; the code comes from the revision."""

    def __init__(self, uri: str) -> None:
        super().__init__("Resource not found", {"uri": uri})


class HeaderMismatch(ProtocolError):
    """An HTTP header says something else than the message."""

    code = -32020


class MissingCapability(ProtocolError):
    """The client did not declare a capability that the work needs."""

    code = -32021

    def __init__(self, message: str, required: dict[str, Any]) -> None:
        super().__init__(message, {"requiredCapabilities": required})


class UnsupportedRevision(ProtocolError):
    """The request names a protocol revision that is not served."""

    code = -32022

    def __init__(self, requested: str, supported: list[str]) -> None:
        super().__init__("Unsupported protocol version", {"supported": supported, "requested": requested})
