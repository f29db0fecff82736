"""Every exception plainmcp raises, grouped by who should read it. Knows nothing else of the house.

PlainMCPError
├── AuthorError            read by the developer: a registration or a policy that cannot work
│   └── NormalizeError     a returned value has no wire form; says where: $.rows[3].when
└── ToolError              read by the model: becomes a result with isError
"""

__all__ = ["AuthorError", "NormalizeError", "PlainMCPError", "ToolError"]


class PlainMCPError(Exception):
    """The root of every exception of this package."""


class AuthorError(PlainMCPError):
    """What the developer wrote cannot work; raised loudly, with what to do instead."""


class NormalizeError(AuthorError):
    """A value has no form on the wire; `path` says which part of it, `problem` says why.

    >>> str(NormalizeError("$.rows[3].when", "a lone surrogate"))
    '$.rows[3].when: a lone surrogate'
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class ToolError(PlainMCPError):
    """A failure the model should read and can act on; becomes a result with `isError`."""
