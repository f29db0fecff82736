"""The tools, resources and prompts of FastMCP as objects: to be registered, or as a server lists them.

An object has the options of its decorator as attributes. What is changed before it is registered is registered so.
An object that stands for a feature of a server changes that feature, and so what is listed.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import msgspec

from ...errors import AuthorError
from ...foreign import classes
from ...protocol.registry import Registry
from ...server import Server
from ...types import PromptArgument
from ..change_feature import change_feature, output_of, with_member
from .protocol_types import to_annotations, to_feature_type
from .uri_matching import match_uri_template

__all__ = [
    "SHARED",
    "Component",
    "FunctionPrompt",
    "FunctionResourceTemplate",
    "FunctionTool",
    "Prompt",
    "PromptArgument",
    "ResourceTemplate",
    "Tool",
    "list_of",
    "title_of",
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


def title_of(name: str) -> str:
    """The title of a tool without one.

    >>> title_of("get_URL-list")
    'Get Url List'
    """
    return name.replace("_", " ").replace("-", " ").title()


def list_of(registry: Registry, kind: str) -> Any:
    """The features of a kind that a server has."""
    return getattr(registry, f"{kind}s")


class Component:
    """A function with the options of its decorator, or the definition of a registered feature."""

    wire_names: ClassVar[dict[str, str]] = SHARED
    """The attributes, and their names in a definition."""
    derived: ClassVar[tuple[str, ...]] = ()
    """Those of them that follow from the function, and are computed when they are asked for."""
    kind: ClassVar[str] = ""
    function_class: ClassVar[type["Component"]]
    """The class of those that have a function."""
    server_class: ClassVar[Callable[[str], Any]]
    """The server of those that are not registered in any."""
    feature: Any = None
    """The feature that it stands for; None if it is not registered, or only describes one."""
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
            if fn is None or name not in self.derived or name in options:
                setattr(self, name, options.get(name))
        if isinstance(self.annotations, dict):
            self.annotations = to_annotations(self.kind, self.annotations)
        self.tags: set[str] = set(options.get("tags") or ())
        self.enabled: bool = options.get("enabled", True)
        self.version: str | None = options.get("version")
        if fn is not None:
            self.name = self.name or getattr(fn, "__name__", type(fn).__name__)
            if "description" not in self.derived:
                self.description = self.description or inspect.getdoc(fn)

    @classmethod
    def from_function(cls, fn: Callable[..., Any], *args: Any, **options: Any) -> Self:
        """Keep a function and the options of its decorator until it is added to a server."""
        names = ("uri",) if cls.kind == "resource" else ("uri_template",)
        given = {**getattr(fn, "__fastmcp__", ("", {}))[1], **dict(zip(names, args, strict=False)), **options}
        kind: Any = cls.function_class if issubclass(cls.function_class, cls) else cls
        return kind(fn, **given)  # type: ignore[no-any-return]

    @classmethod
    def from_definition(cls, definition: dict[str, Any], server: Server | None = None) -> Self:
        """A registered feature, from its definition in a list."""
        here = cls.__new__(cls)
        Component.__init__(here, **{name: definition.get(wire) for name, wire in cls.wire_names.items()})
        here.options, here.definition, here.server = {}, definition, server
        if cls.kind == "tool" and here.title == title_of(here.name):
            here.title = None  # it is not the author's
        here.annotations = to_annotations(cls.kind, definition.get("annotations"))
        own, here.meta = _split_meta(definition.get("_meta"))
        here.tags, here.version = set(own.get("tags") or ()), own.get("version")
        return here

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    @property
    def key(self) -> str:
        """The name or the URI."""
        return str(getattr(self, "uri", None) or getattr(self, "uri_template", None) or self.name)

    # Features -------------------------------------------------------------------------------------

    def stand_for(self, server: Server, feature: Any) -> None:
        """Stand for a feature of a server from now on; what was changed before is changed in it."""
        changed = {name: vars(self)[name] for name in self.derived if vars(self).get(name) is not None}
        vars(self).update(server=server, feature=feature)
        vars(self)["fn"] = self.fn or getattr(feature.function, "__wrapped__", None)
        for name in self.derived:
            listed = vars(self)[name] = getattr(feature.definition, self.wire_names[name])
            if name in changed and to_plain(changed[name]) != to_plain(listed):
                setattr(self, name, changed[name])

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if self.feature is not None and name in (*self.wire_names, "annotations", "tags"):
            features = list_of(self.server.registry, self.kind)
            vars(self)["feature"] = change_feature(features, self.feature, **self._fields_for(name, value))
            if name in self.derived:  # the same object, which may be changed in its place
                vars(self)[name] = getattr(self.feature.definition, self.wire_names[name])

    def _fields_for(self, name: str, value: Any) -> dict[str, Any]:
        """The fields of the feature that an attribute stands for, with a new value."""
        definition, member = self.feature.definition, self.wire_names.get(name, name)
        if name == "output_schema":
            other = type(self)(self.fn, name=self.name, output_schema=value)
            return output_of(other._alone, self.feature)
        if name in ("meta", "tags"):
            own, _ = _split_meta(definition._meta)
            member, value = "_meta", {**(self.meta or {}), "fastmcp": {**own, "tags": sorted(self.tags)}}
        return {"definition": with_member(definition, member, to_plain(value)), "tags": frozenset(self.tags)}

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).derived or vars(self).get("fn") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = vars(self)[name] = getattr(self._alone.definition, self.wire_names[name])
        return value

    @property
    def _alone(self) -> Any:
        """The feature that it is in a server with nothing else."""
        (feature,) = list_of(self._home.registry, self.kind)
        return feature

    @functools.cached_property
    def _home(self) -> Any:
        """A server with nothing else, for an object that is not registered in any."""
        server = type(self).server_class(self.kind)
        getattr(server, f"add_{self.kind}")(copy.copy(self))
        return server

    def _owner(self) -> Any:
        """The server that has it; one of its own, if it is not registered or no longer."""
        if self.server is not None:
            registered = list_of(self.server.registry, self.kind).registered
            if self.feature is None or registered.get(self.key) is self.feature:
                return self.server
        if self.fn is None:
            raise AuthorError(f"{self!r} is not registered; add it to a server first")
        return self._home

    def describes(self, other: "Component") -> bool:
        """Whether another object has the same attributes."""
        names = (*self.wire_names, "annotations", "tags")
        return all(to_plain(getattr(self, name)) == to_plain(getattr(other, name)) for name in names)

    def to_options(self) -> dict[str, Any]:
        """The options of the decorator, with the attributes as they are now."""
        names = [*self.wire_names, "annotations", "tags", "version"]
        given = {name: vars(self).get(name) for name in names if name == "description" or name not in self.derived}
        changed = {name: value for name, value in given.items() if value is not None}
        return {**self.options, **changed, **({} if self.enabled else {"enabled": False})}

    def to_definition(self) -> dict[str, Any]:
        """The definition in a list, with the attributes as they are now."""
        former = self.definition or {}
        current = {wire: getattr(self, name) for name, wire in self.wire_names.items()}
        current["annotations"] = self.annotations
        own, _ = _split_meta(former.get("_meta"))
        if own:
            current["_meta"] = {**(self.meta or {}), "fastmcp": {**own, "tags": sorted(self.tags)}}
        return {**former, **{name: to_plain(value) for name, value in current.items() if value is not None}}

    def to_protocol(self, **changes: Any) -> Any:
        """The definition in a list as an object of `mcp.types`, with other values for some of its members."""
        return to_feature_type(self.kind, {**self.to_definition(), **changes})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, with other values for some attributes; it can be registered, too."""
        other = copy.copy(self)
        vars(other)["feature"] = None
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


def _split_meta(meta: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What FastMCP writes into `_meta`, and what the author has written."""
    given = dict(meta or {})
    own = given.pop("fastmcp", None) or {}
    return own, given or None


class Tool(Component):
    """A tool: a function for FastMCP.add_tool, or a tool that a server lists."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "parameters": "inputSchema", "output_schema": "outputSchema"}
    derived = ("description", "parameters", "output_schema")
    kind = "tool"

    async def run(self, arguments: dict[str, Any]) -> Any:
        """Call the tool; returns ToolResult."""
        return await self._owner().call_tool(self.name, arguments)

    def to_mcp_tool(self, **changes: Any) -> Any:
        """The definition, as a client is sent it."""
        title = self.title or getattr(self.annotations, "title", None) or title_of(changes.get("name", self.name))
        return self.to_protocol(**{"title": title, **changes})

    @classmethod
    def from_tool(cls, tool: Any, **options: Any) -> "Tool":
        """Tools that change other tools are not supported."""
        raise AuthorError("there is no Tool.from_tool here; write a function that calls the other, and register it")


class FunctionTool(Tool):
    """The tool of a function."""


class Prompt(Component):
    """A prompt: a function for FastMCP.add_prompt, or a prompt that a server lists."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "arguments": "arguments"}
    derived = ("description", "arguments")
    kind = "prompt"

    async def render(self, arguments: dict[str, Any] | None = None) -> Any:
        """The messages of the prompt; returns PromptResult."""
        return await self._owner().render_prompt(self.name, arguments)

    def to_mcp_prompt(self, **changes: Any) -> Any:
        """The definition, as a client is sent it."""
        return self.to_protocol(**changes)


class FunctionPrompt(Prompt):
    """The prompt of a function."""


class ResourceTemplate(Component):
    """A resource template: a function for FastMCP.add_template, or a template that a server lists."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "uri_template": "uriTemplate", "mime_type": "mimeType"}
    kind = "template"
    resource_class: ClassVar[type[Component]]
    """The class of the resources that it creates."""

    def matches(self, uri: str) -> dict[str, Any] | None:
        """The values of a URI; None if it does not fit."""
        return match_uri_template(uri, self.uri_template)

    async def read(self, arguments: dict[str, Any]) -> Any:
        """What the function returns for some values."""
        value = self.fn(**self._alone.bind(msgspec.json.encode(arguments)))
        return await value if inspect.isawaitable(value) else value

    async def create_resource(self, uri: str, params: dict[str, Any]) -> Any:
        """The resource of some values."""
        names = ("name", "title", "description", "mime_type", "icons", "meta", "annotations", "tags")
        options = {name: getattr(self, name) for name in names}
        return self.resource_class(functools.partial(self.read, params), uri=uri, **options)

    def to_mcp_template(self, **changes: Any) -> Any:
        """The definition, as a client is sent it."""
        return self.to_protocol(**changes)


class FunctionResourceTemplate(ResourceTemplate):
    """The resource template of a function."""


Tool.function_class, Prompt.function_class = FunctionTool, FunctionPrompt
ResourceTemplate.function_class = FunctionResourceTemplate
