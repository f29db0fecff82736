"""The tools, resources and prompts of FastMCP as objects: to be registered, or as a server lists them.

An object has the options of its decorator as attributes, and can be changed before it is registered or listed.
"""

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import msgspec

from ...errors import AuthorError
from ...foreign import classes
from ...server import Server

__all__ = [
    "SHARED",
    "Component",
    "FunctionPrompt",
    "FunctionTool",
    "Prompt",
    "ResourceTemplate",
    "Tool",
    "to_plain",
    "to_snake",
]

SHARED = {"name": "name", "title": "title", "description": "description", "icons": "icons", "meta": "_meta"}


def to_snake(name: str) -> str:
    """A name of the wire as FastMCP writes it.

    >>> to_snake("readOnlyHint")
    'read_only_hint'
    """
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def to_plain(value: Any) -> Any:
    """An object of the protocol's types, ours or those of another package, as data without members that are None."""
    if hasattr(value, "to_plain"):  # a type of the facade of mcp
        value = value.to_plain()
    elif classes.is_pydantic(type(value)):
        value = classes.dump_model(value)
    elif isinstance(value, list):
        return [to_plain(one) for one in value]
    plain = msgspec.to_builtins(value)
    return {name: one for name, one in plain.items() if one is not None} if isinstance(plain, dict) else plain


class Component:
    """A function with the options of its decorator, or the definition of a registered feature."""

    wire_names: ClassVar[dict[str, str]] = SHARED
    """The attributes, and their names in a definition."""
    kind: ClassVar[str] = ""
    name: Any
    title: Any
    description: Any
    icons: Any
    meta: Any
    annotations: Any

    def __init__(self, fn: Callable[..., Any] | None = None, /, **options: Any) -> None:
        self.fn: Any = fn
        self.options = options
        self.server: Any = None  # where it is registered
        self.definition: dict[str, Any] | None = None
        for name in (*self.wire_names, "annotations"):
            setattr(self, name, options.get(name))
        self.tags: set[str] = set(options.get("tags") or ())
        self.enabled: bool = options.get("enabled", True)
        self.version: str | None = options.get("version")
        if fn is not None:
            self.name = self.name or getattr(fn, "__name__", type(fn).__name__)
            self.description = self.description or inspect.getdoc(fn)

    @classmethod
    def from_function(cls, fn: Callable[..., Any], *args: Any, **options: Any) -> Self:
        """Keep a function and the options of its decorator until it is added to a server."""
        names = ("uri",) if cls.kind == "resource" else ("uri_template",)
        return cls(
            fn, **{**getattr(fn, "__fastmcp__", ("", {}))[1], **dict(zip(names, args, strict=False)), **options}
        )

    @classmethod
    def from_definition(cls, definition: dict[str, Any], server: Server | None = None) -> Self:
        """A registered feature, from its definition in a list."""
        here = cls.__new__(cls)
        Component.__init__(here, **{name: definition.get(wire) for name, wire in cls.wire_names.items()})
        here.definition, here.server = definition, server
        here.annotations = definition.get("annotations")
        own = (definition.get("_meta") or {}).get("fastmcp") or {}
        here.tags, here.version = set(own.get("tags") or ()), own.get("version")
        here.enabled = True
        return here

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    @property
    def key(self) -> str:
        """The name or the URI."""
        return str(getattr(self, "uri", None) or getattr(self, "uri_template", None) or self.name)

    def to_options(self) -> dict[str, Any]:
        """The options of the decorator, with the attributes as they are now."""
        given = {name: getattr(self, name) for name in (*self.wire_names, "annotations", "tags", "version")}
        derived = {"parameters", "output_schema", "arguments"}
        if self.fn is not None and self.description == inspect.getdoc(self.fn):
            derived.add("description")  # it is parsed when the function is registered
        changed = {name: value for name, value in given.items() if value is not None and name not in derived}
        return {**self.options, **changed, **({} if self.enabled else {"enabled": False})}

    def to_definition(self) -> dict[str, Any]:
        """The definition in a list, with the attributes as they are now."""
        former = self.definition or {}
        current = {wire: getattr(self, name) for name, wire in self.wire_names.items()}
        if self.annotations is not None:
            current["annotations"] = self.annotations
        return {
            **former,
            **{name: to_plain(value) for name, value in current.items() if value is not None},
        }

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, with other values for some attributes."""
        other = copy.copy(self)
        for name, value in (update or {}).items():
            setattr(other, name, value)
        return other

    def copy(self) -> Self:
        """A copy."""
        return self.model_copy()

    def enable(self) -> None:
        """Offer it, if it was disabled."""
        self._switch(True)

    def disable(self) -> None:
        """Do not offer it until it is enabled again."""
        self._switch(False)

    def _switch(self, is_on: bool) -> None:
        self.enabled = is_on
        if self.server is not None:
            switch = self.server.enable if is_on else self.server.disable
            switch(names={self.key}, components={self.kind})

    def _owner(self) -> Any:
        if self.server is None:
            raise AuthorError(f"{self!r} is not registered; add it to a server first")
        return self.server


class Tool(Component):
    """A tool: a function for FastMCP.add_tool, or a tool that a server lists."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "parameters": "inputSchema", "output_schema": "outputSchema"}
    kind = "tool"

    async def run(self, arguments: dict[str, Any]) -> Any:
        """Call the tool; returns ToolResult."""
        return await self._owner().call_tool(self.name, arguments)

    def to_mcp_tool(self, **changes: Any) -> Any:
        """The definition, as a client is sent it."""
        return {**self.to_definition(), **changes}

    @classmethod
    def from_tool(cls, tool: Any, **options: Any) -> "Tool":
        """Tools that change other tools are not supported."""
        raise AuthorError("there is no Tool.from_tool here; write a function that calls the other, and register it")


class FunctionTool(Tool):
    """The tool of a function."""


class Prompt(Component):
    """A prompt: a function for FastMCP.add_prompt, or a prompt that a server lists."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "arguments": "arguments"}
    kind = "prompt"

    async def render(self, arguments: dict[str, Any] | None = None) -> Any:
        """The messages of the prompt; returns PromptResult."""
        return await self._owner().render_prompt(self.name, arguments)


class FunctionPrompt(Prompt):
    """The prompt of a function."""


class ResourceTemplate(Component):
    """A resource template: a function for FastMCP.add_template, or a template that a server lists."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "uri_template": "uriTemplate", "mime_type": "mimeType"}
    kind = "template"
