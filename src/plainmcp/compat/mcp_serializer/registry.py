"""The registry of mcp-serializer, on top of a plainmcp server, and the results that returned values become."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import Parameter as Inspected
from inspect import isclass
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw

from ... import types
from ...foreign import classes
from ...policy import Policy
from ...protocol.features import Feature
from ...protocol.option_check import with_checked_options
from ...schema import generate
from ...schema.parameters import Parameter
from ...schema.signature import Signature
from ...server import Server
from ...values.encode import Rules
from ...values.payload import Normalized
from .blocks import AnnotationsLike, Data, Model, TextContent, to_annotations, to_block
from .calls import PROMPTS, TOOLS, UnsupportedResultTypeError, bind_all, compile_call, internal_error, read_function
from .files import FileParser, Openable
from .resources import ResourceContainer, ResourceEntry, with_uri
from .results import PromptsResult, ResourceResult, ToolsResult
from .tool_result import WEB

__all__ = ["POLICY", "MCPRegistry"]

F = TypeVar("F", bound=Callable[..., Any])
D = TypeVar("D", bound=msgspec.Struct)

POLICY = Policy.serializer.replace(schema_default=True, validate_output=False)
"""The policy: that of mcp-serializer's document, with what the package does."""


class MCPRegistry:
    """Registers tools, prompts and resources; of two with the same name, the later one counts."""

    def __init__(self) -> None:
        self.server = Server("mcp-serializer", policy=POLICY)
        self.resource_container: ResourceContainer | None = None

    def tool(
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
    ) -> Callable[[F], F]:
        """Offer a function as a tool."""
        options: Any = {"name": name, "title": title, "description": description, "annotations": annotations}

        def register(function: F) -> F:
            read, server = read_function(function), self.server
            schemas: Any = {"input_schema": _to_schema(read.parameters, is_open=read.open)}
            schemas["output_schema"] = _output_schema_of(read.returns)
            server.tool(replace=True, **options, **schemas)(function)
            tool = server.registry.tools.registered[name or read.name]
            call = compile_call(function, read, TOOLS, tool.key, partial(to_tool_result, rules=server.rules))
            definition = _describe(tool.definition, read, options)
            changes: Any = {"definition": definition, "bind": bind_all, "normalize": _ready_tool}
            _replace(server.registry.tools, tool, call, **changes)
            return function

        return register

    @with_checked_options("@registry.resource", 'write @registry.resource("memo://notes")')
    def resource(self, uri: str, annotations: AnnotationsLike = None, **extra: Any) -> Callable[[F], F]:
        """Offer a function as a resource; parameters are added to the end of the URI as a template (S003-12).

        Also takes name, title, description, mime_type and size.
        """

        def register(function: F) -> F:
            self._get_resource_container().register(function, uri, annotations=to_annotations(annotations), **extra)
            return function

        return register

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> ResourceEntry:
        """Offer a file as a resource, as it is now; takes a path or an open file."""
        parsed = FileParser(file).file_metadata
        if not (uri or parsed.uri):
            raise ValueError("Could not determine URI for file. Provide uri as parameter.")
        result = ResourceResult()
        result.add_parsed_file(parsed, uri)
        return self._get_resource_container().add_resource(
            uri or str(parsed.uri),
            result,
            name=parsed.name,
            mime_type=parsed.mime_type,
            size=parsed.size,
            title=title,
            description=description,
            annotations=to_annotations(annotations),
        )

    def add_http_resource(
        self,
        uri: str,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: AnnotationsLike = None,
    ) -> ResourceEntry:
        """List a web address, which the client fetches itself."""
        if not uri.startswith(WEB):
            raise ValueError("URI must start with http:// or https://")
        options: Any = {"name": name, "title": title, "description": description, "size": size}
        options["mime_type"] = mime_type
        return self._get_resource_container().add_resource(uri, annotations=to_annotations(annotations), **options)

    def prompt(
        self, name: str | None = None, title: str | None = None, description: str | None = None
    ) -> Callable[[F], F]:
        """Offer a function as a prompt."""

        def register(function: F) -> F:
            read, server = read_function(function), self.server
            server.prompt(replace=True, name=name, title=title, description=description)(function)
            prompt = server.registry.prompts.registered[name or read.name]
            definition = _describe(prompt.definition, read, {"title": title, "description": description})
            convert = partial(to_prompt_result, shown=definition.description)
            call = compile_call(function, read, PROMPTS, prompt.key, convert)
            changes: Any = {"definition": definition, "bind": bind_all, "normalize": _ready_messages}
            _replace(server.registry.prompts, prompt, call, **changes)
            return function

        return register

    def add_text_prompt(
        self,
        name: str,
        text: str,
        role: PromptsResult.Roles | str | None = None,
        mime_type: str | None = None,
        title: str | None = None,
        description: str | None = None,
    ) -> PromptsResult:
        """Offer a fixed text as a prompt."""
        result = PromptsResult(role)
        result.add_text(text, mime_type=mime_type)
        self.prompt(name, title, description)(lambda: result)
        return result

    def add_file_prompt(
        self,
        name: str,
        file: Openable,
        role: PromptsResult.Roles | str | None = None,
        title: str | None = None,
        description: str | None = None,
    ) -> PromptsResult:
        """Offer the content of a file, as it is now, as a prompt."""
        result = PromptsResult(role)
        result.add_file_message(file)
        self.prompt(name, title, description)(lambda: result)
        return result

    def _get_resource_container(self) -> ResourceContainer:
        if self.resource_container is None:
            self.resource_container = ResourceContainer(self._offer)
        return self.resource_container

    def _offer(self, entry: ResourceEntry) -> None:
        """Offer a resource of the container on the server."""
        read, server = entry.metadata, self.server
        given = {key: value for key, value in entry.extra.items() if value is not None}
        named = entry.uri if read is None else read.name  # the serializer leaves out a name that was not given
        options: Any = {"name": named, **given}
        server.resource(entry.full_uri, replace=True, **options)(entry.function)
        if entry.call is None:
            return
        features: Any = server.registry.resources if entry.template is None else server.registry.templates
        feature = features.registered[entry.full_uri]
        changes: Any = {"definition": _describe(feature.definition, read, given), "normalize": with_uri}
        if entry.template is None:
            _replace(features, feature, partial(entry.call, **bind_all(None)), **changes)
        else:
            _replace(features, feature, entry.call, bind=bind_all, **changes)


def _replace(features: Any, feature: Feature, call: Callable[..., Any], **changes: Any) -> None:
    """Register a feature again, with another function."""
    features.add(msgspec.structs.replace(feature, function=call, plans={}, **changes), True)


def _describe(definition: D, read: Signature | None, given: Mapping[str, Any]) -> D:
    """A definition with the title and the description that were given, or those in the docstring."""
    fields = {name: given.get(name) or getattr(read, name, None) for name in ("title", "description")}
    return msgspec.structs.replace(definition, **fields)


def _ready_tool(result: types.CallToolResult, **_: Any) -> Normalized:
    return Normalized(result, mirrored=False)


def _ready_messages(result: types.GetPromptResult) -> types.GetPromptResult:
    return result


def _to_schema(parameters: Iterable[Parameter], is_open: bool = False) -> Data:
    """The schema of parameters or fields; as there, it has a list of required ones even if it is empty."""
    schema = generate.input_schema(parameters, others=Parameter("others", Any, False) if is_open else None)
    return schema | {"required": schema.get("required", [])} if schema["properties"] else schema


def _output_schema_of(returns: Any) -> Any:
    """The output schema of a return hint: for a pydantic model only, with the names of its fields (S003-22)."""
    if not (isclass(returns) and classes.is_pydantic(returns)):
        return False
    fields: dict[str, Any] = returns.model_fields  # type: ignore[attr-defined]
    return _to_schema(
        Parameter(
            name,
            field.annotation,
            field.is_required(),
            field.get_default() if field.default_factory is None and not field.is_required() else Inspected.empty,
            field.description,
        )
        for name, field in fields.items()
    )


# Values -------------------------------------------------------------------------------------------


def to_tool_result(value: Any, rules: Rules) -> types.CallToolResult:
    """The value of a tool as its result; raises CallError for a value that mcp-serializer does not send."""
    blocks: list[Any] = []
    structured, is_error = None, None
    if isinstance(value, ToolsResult):
        blocks, structured, is_error = value.content_list, value.structured_content, value.is_error or None
    elif isinstance(value, Model) or classes.is_pydantic(type(value)):
        structured = value.model_dump()
    elif isinstance(value, dict):
        structured = value
    elif isinstance(value, str):
        blocks = [TextContent(text=value)]
    else:
        raise internal_error(UnsupportedResultTypeError(value))
    try:
        return types.CallToolResult(
            content=[to_block(one.model_dump() if hasattr(one, "model_dump") else one) for one in blocks],
            structuredContent=UNSET if structured is None else Raw(rules.encode(structured, POLICY)),
            isError=is_error,
        )
    except Exception as error:
        raise internal_error(error) from error


def to_prompt_result(value: Any, shown: str | None) -> types.GetPromptResult:
    """The value of a prompt as its messages; raises CallError for a value that mcp-serializer does not send."""
    try:
        result = _prompts_result_of(value)
        messages = [
            types.PromptMessage(role=one["role"], content=to_block(one["content"])) for one in result.messages
        ]
    except Exception as error:
        raise internal_error(error) from error
    return types.GetPromptResult(description=result.description or shown, messages=messages)


def _prompts_result_of(value: Any) -> PromptsResult:
    if isinstance(value, PromptsResult):
        return value
    result, role = PromptsResult(), None
    if isinstance(value, list | tuple) and len(value) == 2:
        value, role = value
    if not isinstance(value, str):
        raise UnsupportedResultTypeError(value)
    result.add_text(value, role)
    return result
