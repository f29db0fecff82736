"""The tools of a server of the official SDK as objects, which a program reads and changes, and their manager.

A `Tool` is made of a function, or stands for one that a server has. Either way it is a feature of a server, as
that server registers it: one that is not added anywhere is the only feature of a server of its own. So its schemas
are there at once, and what is changed is changed where it is listed and called.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import msgspec

from ...protocol.features import ToolFeature
from ...protocol.registry import Registry
from ...schema import signature
from ...schema.signature import Signature
from ..change_feature import change_feature, output_of, with_member
from .context import Context
from .exceptions import ToolError, UrlElicitationRequiredError
from .fn_metadata import ToolMetadata
from .loaded_types import to_loaded
from .types import CallToolResult
from .wire_model import to_wire

__all__ = ["Tool", "ToolManager"]

_IN_DEFINITION = {
    "name": "name",
    "title": "title",
    "description": "description",
    "parameters": "inputSchema",
    "output_schema": "outputSchema",
    "annotations": "annotations",
    "icons": "icons",
    "meta": "_meta",
}
"""The attributes of a tool that are listed, and their names in its definition."""


class ToolServer(Protocol):
    """What a tool needs of the server that it is registered in."""

    registry: Registry

    @property
    def add_tool(self) -> Callable[..., None]:
        """Offers a function as a tool."""
        ...

    settings: Any

    def is_duplicate(self, kind: str, key: str, *features: Any) -> bool:
        """Whether there is a feature of a name already; it is in the log."""
        ...

    def wrap_tool(self, function: Callable[..., Any], read: Signature, **options: Any) -> Any:
        """The function of a tool, in its context."""


class Tool:
    """A function as a tool; `parameters` and `output_schema` are the schemas that are listed."""

    server_class: ClassVar[Callable[[str], ToolServer]]
    """The server that registers a function as this class of tools is."""
    is_newer: ClassVar[bool] = False
    """Whether it is a tool of `mcp` 2."""

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, structured_output: bool | None = None, **fields: Any
    ) -> None:
        server = type(self).server_class("tool")
        server.add_tool(fn, name, structured_output=structured_output)
        self._structured_output = structured_output
        self._stand_for(server, next(iter(server.registry.tools)))
        for field, value in fields.items():
            if value is not None and field in (*_IN_DEFINITION, "context_kwarg", "fn_metadata"):
                setattr(self, field, value)

    @classmethod
    def from_function(cls, fn: Callable[..., Any], name: str | None = None, **fields: Any) -> Self:
        """The tool of a function: takes the options of `add_tool`."""
        return cls(fn, name, **fields)

    @classmethod
    def of_feature(cls, server: ToolServer, feature: ToolFeature) -> Self:
        """The tool that a server has registered."""
        tool = cls.__new__(cls)
        tool._structured_output = None
        tool._stand_for(server, feature)
        return tool

    def _stand_for(self, server: ToolServer, feature: ToolFeature) -> None:
        self._server, self.feature = server, feature
        self._original: Any = getattr(feature.function, "__wrapped__", feature.function)
        self._read = signature.read(self._original, context_type=Context)
        self._fn, self._context_kwarg = self._original, self._read.context
        self._metadata = ToolMetadata(self)

    # What is listed -------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name not in _IN_DEFINITION:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._server.registry.tools.forget_pages()  # a schema may be changed in its place
        value = getattr(self.feature.definition, _IN_DEFINITION[name])
        return value or "" if name == "description" else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _IN_DEFINITION:
            super().__setattr__(name, value)
            return
        if name == "output_schema" and value is None:
            plain = type(self)(self._original, self.name, structured_output=False)
            self._structured_output = False
            self.change(**output_of(plain.feature, self.feature))
            return
        self.change(definition=with_member(self.feature.definition, _IN_DEFINITION[name], to_wire(value)))

    def change(self, **fields: Any) -> None:
        """Change fields of the feature, where it is registered."""
        self.feature = change_feature(self._server.registry.tools, self.feature, **fields)

    # What is called -------------------------------------------------------------------------------

    @property
    def fn(self) -> Any:
        """The function: the one of its author, or one that was set here to be called instead."""
        return self._fn

    @fn.setter
    def fn(self, function: Any) -> None:
        """Call another function from now on, with the arguments of the first."""
        self._fn = function
        self._call_again()

    @property
    def context_kwarg(self) -> str | None:
        """The parameter that takes the context; None if there is none."""
        return self._context_kwarg

    @context_kwarg.setter
    def context_kwarg(self, name: str | None) -> None:
        """Pass the context to another parameter from now on."""
        self._context_kwarg = name
        self._call_again()

    def _call_again(self) -> None:
        defaults = {
            one.name: one.default for one in self._read.parameters if one.default is not inspect.Parameter.empty
        }

        @functools.wraps(self._original)
        def call(**arguments: Any) -> Any:
            return self._fn(**{**defaults, **arguments})

        self.change(function=self._server.wrap_tool(call, self._read, passed_as=self._context_kwarg))

    @property
    def fn_metadata(self) -> Any:
        """The models of the arguments and the output."""
        return self._metadata

    @fn_metadata.setter
    def fn_metadata(self, metadata: Any) -> None:
        """Read the arguments by other models from now on."""
        self._metadata = ToolMetadata(self, metadata)

    @property
    def is_async(self) -> bool:
        """Whether the function is `async def`."""
        return self.feature.is_async

    async def run(self, arguments: dict[str, Any], context: Any = None, convert_result: bool = False) -> Any:
        """What the function returns for arguments; with `convert_result` as content, and data if it has some.

        Raises ToolError.
        """
        try:
            bound = self.feature.bind(arguments)
            if self.context_kwarg is not None:
                bound[self.context_kwarg] = context
            value = self._fn(**bound)
            value = await value if inspect.isawaitable(value) else value
            return _converted(self.feature.normalize(value).result, self.is_newer) if convert_result else value
        except UrlElicitationRequiredError:
            raise
        except Exception as error:
            raise ToolError(f"Error executing tool {self.name}: {error}") from error

    def move_to(self, server: ToolServer, name: str) -> None:
        """Offer the tool in another server, as it is now."""
        former, was_changed = self.feature, (self._fn, self._context_kwarg)
        server.add_tool(self._original, name, structured_output=self._structured_output)
        self._stand_for(server, server.registry.tools.registered[name])
        definition = msgspec.structs.replace(former.definition, name=name)
        self.change(definition=definition, bind=former.bind)
        if was_changed != (self._fn, self._context_kwarg):
            self._fn, self._context_kwarg = was_changed
            self._call_again()


def _converted(result: Any, is_newer: bool) -> Any:
    plain = msgspec.json.decode(msgspec.json.encode(result))
    whole = to_loaded(CallToolResult(**plain))
    if is_newer:
        return whole
    return whole.content if whole.structuredContent is None else (whole.content, whole.structuredContent)


class ToolManager:
    """The tools of a server; its dict `_tools` can be changed, as some programs do.

    One that a program makes itself has a server of its own.
    """

    tool_class: ClassVar[type[Tool]]

    def __init__(
        self,
        warn_on_duplicate_tools: bool = True,
        *,
        tools: Sequence[Tool] | None = None,
        server: ToolServer | None = None,
    ) -> None:
        self._server = self.tool_class.server_class("tools") if server is None else server
        self._tools = _Tools(self._server, self.tool_class)
        if not warn_on_duplicate_tools:
            self.warn_on_duplicate_tools = False
        for tool in tools or ():
            if tool.name in self._tools:
                self._server.is_duplicate("tool", tool.name, self._tools)
            else:
                self._tools[tool.name] = tool

    @property
    def warn_on_duplicate_tools(self) -> bool:
        """Whether a second tool of a name is in the log."""
        return self._server.settings.warn_on_duplicate_tools  # type: ignore[no-any-return]

    @warn_on_duplicate_tools.setter
    def warn_on_duplicate_tools(self, is_on: bool) -> None:
        """Set whether a second tool of a name is in the log."""
        self._server.settings.warn_on_duplicate_tools = is_on

    def get_tool(self, name: str) -> Tool | None:
        """The tool of a name; None if there is none."""
        return self._tools.get(name)

    def list_tools(self) -> list[Tool]:
        """All tools."""
        return list(self._tools.values())

    def add_tool(self, fn: Any, name: str | None = None, **options: Any) -> Tool:
        """Offer a function as a tool."""
        self._server.add_tool(fn, name, **options)
        return self._tools[name or fn.__name__]

    def remove_tool(self, name: str) -> None:
        """No longer offer a tool."""
        if name not in self._tools:
            raise ToolError(f"Unknown tool: {name}")
        del self._tools[name]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None, convert_result: bool = False
    ) -> Any:
        """What a tool returns; raises ToolError."""
        tool = self.get_tool(name)
        if tool is None:
            raise ToolError(f"Unknown tool: {name}")
        return await tool.run(arguments, context, convert_result)


class _Tools(MutableMapping[str, Tool]):
    """The registered tools by name; each is one object as long as it is registered."""

    def __init__(self, server: ToolServer, kind: type[Tool]) -> None:
        self._server, self._kind = server, kind
        self._known: dict[str, Tool] = {}

    def __getitem__(self, name: str) -> Tool:
        feature, known = self._server.registry.tools.registered[name], self._known.get(name)
        if known is None or known.feature is not feature:
            known = self._known[name] = self._kind.of_feature(self._server, feature)
        return known

    def __setitem__(self, name: str, tool: Tool) -> None:
        if name in self:
            del self[name]
        tool.move_to(self._server, name)
        self._known[name] = tool

    def __delitem__(self, name: str) -> None:
        self._server.registry.tools.remove(name)
        self._known.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._server.registry.tools.features)

    def __len__(self) -> int:
        return len(self._server.registry.tools)
