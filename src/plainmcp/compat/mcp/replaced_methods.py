"""Methods of a server that a program has replaced: in the SDK they answer the requests of clients.

A subclass may have its own `call_tool`, and with `mcp` 2 so may one server, by an attribute. Such a method usually
calls the first one, which then runs the tool as a part of the client's request: see Serving.
"""

from typing import Any

from .low_level_view import LowLevelView

__all__ = ["REPLACEABLE", "answer_by", "replaced_in"]

REPLACEABLE = (
    "call_tool",
    "get_prompt",
    "list_prompts",
    "list_resource_templates",
    "list_resources",
    "list_tools",
    "read_resource",
)
"""The methods that answer requests; the decorators of a low-level server have the same names."""


def replaced_in(kind: type) -> list[str]:
    """The methods that a subclass of a program has instead of those of the facade."""
    return [name for name in REPLACEABLE if not _owner_of(kind, name).__module__.startswith("plainmcp.")]


def answer_by(view: LowLevelView, name: str, method: Any) -> None:
    """Answer the requests of clients by a method from now on."""
    options = {"validate_input": False} if name == "call_tool" else {}

    async def answer(*arguments: Any) -> Any:
        return await method(*arguments)

    async def answer_list() -> Any:
        return await method()

    getattr(view, name)(**options)(answer_list if name.startswith("list_") else answer)


def _owner_of(kind: type, name: str) -> type:
    return next(one for one in kind.__mro__ if name in vars(one))
