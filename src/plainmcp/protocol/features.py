"""One tool, resource or prompt. Everything expensive is computed at registration, not for each call.

Knows how a function becomes a feature. The registry knows which features there are, and who may see them.
"""

import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from inspect import Parameter
from typing import Any, Literal, Protocol

import msgspec

from ..context import Context
from ..errors import AuthorError
from ..foreign.classes import RESULTS, wire_type_of
from ..policy import Policy
from ..schema import arguments, generate, hint_schema, signature
from ..types import (
    CallToolResult,
    GetPromptResult,
    Prompt,
    PromptArgument,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    Tool,
)
from ..values import render
from ..values.encode import Rules
from ..values.payload import Normalized, Output
from ..values.prompt_result import prompt_result
from ..values.resource_result import resource_result
from ..values.tool_result import tool_result
from ..wire import codec, uri_template
from ..wire.uri_template import UriTemplate
from . import dependencies, header_params, outputs
from .dependencies import Dependency
from .prefix import Prefix

__all__ = [
    "Completion",
    "PromptFeature",
    "ResourceFeature",
    "TemplateFeature",
    "ToolFeature",
    "WholeResult",
    "check_cache",
    "check_name",
    "is_name",
]

Visible = Callable[[Any], bool]
Function = Callable[..., Any]


class Feature(msgspec.Struct, kw_only=True):
    """The fields of every feature: a function to run, its options, and who may see it."""

    function: Function
    bind: Callable[[Any], dict[str, Any]] = dict  # the arguments as the function gets them
    bind_known: Callable[[Any], dict[str, Any]] = dict  # those that are known while others are completed
    defaults: dict[str, Any] = {}  # of the parameters
    is_async: bool
    context: str | None = None  # the parameter that takes the Context
    dependencies: tuple[Dependency, ...] = ()
    visible: Visible | None = None
    requires: Any = None  # the scopes that it requires, or a function: see scopes
    inline: bool = False
    timeout: float | None = None
    choices: dict[str, tuple[str, ...]] = {}  # the texts that are suggested for its arguments, by their hints
    needs: dict[str, Any] = {}  # client capabilities, checked before it runs
    tags: frozenset[str] = frozenset()  # for the server only: see switches
    through: tuple[Any, ...] = ()  # the mounted servers that it comes through; the last one registered it
    prefixes: tuple[Prefix, ...] = ()  # of these servers, in the same order
    serial: int = 0  # counts all registrations
    plans: dict[str, Any] = {}  # by the name of a revision: see plan

    def is_seen(self, principal: Any) -> bool:
        """Whether this caller may see it, and so list and use it."""
        return self.visible is None or self.visible(principal)


class WholeResult(Protocol):
    """What looks at the whole result of a tool: before its value is normalized, and before it is projected."""

    def take_value(self, request: Any, value: Any) -> tuple[Any, Any]:
        """The value that is sent, and a note for `take_result`. Runs where the function ran: it may take long."""
        ...

    def take_result(self, request: Any, result: CallToolResult, note: Any) -> Generator[Any, Any, CallToolResult]:
        """The steps to the result that is sent: they may ask the store."""
        ...


class ToolFeature(Feature, kw_only=True):
    """A tool: its definition, and the function that normalizes its results."""

    definition: Tool
    returns: Any  # the hint of its return value
    output_schema: dict[str, Any] | bool | None = None  # the option of its author
    output: Output  # what it declares about its return value
    normalize: Callable[..., Normalized]
    headers: dict[str, tuple[str, ...]] = {}  # arguments that HTTP headers repeat
    policy: Policy
    rules: Rules
    render: Any
    whole: tuple[WholeResult, ...] = ()

    @property
    def key(self) -> str:
        """The key of the feature in the registry."""
        return self.definition.name


class ResourceFeature(Feature, kw_only=True):
    """A resource at one URI."""

    definition: Resource
    normalize: Callable[[str, Any], ReadResourceResult]
    ttl_ms: int = 0
    cache_scope: Literal["public", "private"] = "private"

    @property
    def key(self) -> str:
        """The key of the feature in the registry."""
        return self.definition.uri


class TemplateFeature(Feature, kw_only=True):
    """A resource template; the variables of its URI are the arguments of its function."""

    definition: ResourceTemplate
    template: UriTemplate
    normalize: Callable[[str, Any], ReadResourceResult]
    ttl_ms: int = 0
    cache_scope: Literal["public", "private"] = "private"

    @property
    def key(self) -> str:
        """The key of the feature in the registry."""
        return self.definition.uriTemplate


class PromptFeature(Feature, kw_only=True):
    """A prompt: its definition, and the function that normalizes its messages."""

    definition: Prompt
    normalize: Callable[[Any], GetPromptResult]

    @property
    def key(self) -> str:
        """The key of the feature in the registry."""
        return self.definition.name


class Completion(Feature, kw_only=True):
    """Suggestions for one argument of a prompt or one variable of a template."""

    ref: str
    argument: str
    names: tuple[str, ...]  # the parameters for the typed text and for the other arguments

    @property
    def key(self) -> str:
        """The key of the feature in the registry."""
        return f"{self.ref} {self.argument}"


# Tools --------------------------------------------------------------------------------------------


def tool(
    function: Function,
    policy: Policy,
    rules: Rules,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    input_schema: dict[str, Any] | None = None,
    output_schema: dict[str, Any] | bool | None = None,
    annotations: Any = None,
    icons: Any = None,
    meta: dict[str, Any] | None = None,
    render: Any = None,
    lenient: bool = True,
    any_name: bool = False,
    **common: Any,
) -> ToolFeature:
    """A function as a tool."""
    read = signature.read(function, context_type=Context, title_from=policy.title_from, docstring=policy.docstring)
    name = (name or read.name) if any_name else check_name(name or read.name)
    policy = _policy_for(policy, output_schema)
    output = outputs.declare(read.returns, output_schema, policy, rules, name)
    shown: dict[str, Any] = dict(
        show_defaults=policy.schema_default,
        as_pydantic=policy.schema_form == "pydantic",
        others=read.others,
        closed=policy.schema_closed,
    )
    written = None
    if input_schema is not None:
        written = generate.check_handwritten(input_schema, f"the input schema of {name!r}")
    with _naming(read):
        listed = written or generate.input_schema(read.parameters, **shown)
        binder = arguments.Binder(
            read.parameters,
            others=read.others,
            ignore=policy.extra_arguments == "ignore",
            lenient=lenient,
            reserved=read.reserved,
            schema=written,
        )
    definition = Tool(
        name=name,
        title=title or read.title,
        description=description or read.description,
        inputSchema=listed,
        outputSchema=output.schema,
        annotations=annotations,
        icons=icons,
        _meta=meta,
    )
    options: dict[str, Any] = {"policy": policy, "rules": rules, "render": _to_renderer(render), "output": output}
    return ToolFeature(
        definition=definition,
        returns=read.returns,
        output_schema=output_schema,
        headers=header_params.paths_of(definition.inputSchema, f"the input schema of {name!r}"),
        bind=binder.bind,
        normalize=partial(tool_result, **options),
        **options,
        **_call_of(function, read),
        **common,
    )


@contextmanager
def _naming(read: signature.Signature) -> Generator[None, None, None]:
    """Name a function in the errors about its parameters."""
    try:
        yield
    except AuthorError as error:
        raise AuthorError(f"{read.name or 'a lambda'}: {error}") from error


def _call_of(function: Function, read: signature.Signature) -> dict[str, Any]:
    """The fields of a feature that say how its function is called."""
    defaults = {one.name: one.default for one in read.parameters if one.fill is None}
    return {
        "function": function,
        "defaults": {name: value for name, value in defaults.items() if value is not Parameter.empty},
        "is_async": read.is_async,
        "context": read.context,
        "dependencies": dependencies.compile(read),
    }


def redeclare(tool: ToolFeature, policy: Policy) -> ToolFeature:
    """A tool with its output schema computed again: for another policy, or after a new serializer."""
    policy = _policy_for(policy, tool.output_schema)
    output = outputs.declare(tool.returns, tool.output_schema, policy, tool.rules, tool.key)
    options: dict[str, Any] = {"policy": policy, "rules": tool.rules, "render": tool.render, "output": output}
    return msgspec.structs.replace(
        tool,
        definition=msgspec.structs.replace(tool.definition, outputSchema=output.schema),
        normalize=partial(tool_result, **options),
        policy=policy,
        output=output,
        plans={},
    )


def _policy_for(policy: Policy, output_schema: Any) -> Policy:
    """The policy for a tool: with a handwritten output schema, fields that are None are kept."""
    return policy.replace(drop_none=False) if isinstance(output_schema, dict) else policy


def is_name(name: str) -> bool:
    """Whether a tool or prompt may have a name (TOOL-09).

    The rule is the stricter one of the conformance suite: names that every client accepts.
    """
    return 1 <= len(name) <= 128 and all(c.isascii() and (c.isalnum() or c in "_-.") for c in name)


def check_name(name: str) -> str:
    """The name of a tool or prompt; raises AuthorError if it is not allowed."""
    if not name:
        raise AuthorError("a lambda has no name; pass name=")
    if not is_name(name):
        raise AuthorError(f"the name {name!r} is not 1 to 128 letters, digits, underscores, dashes and dots")
    return name


def _to_renderer(how: Any) -> Callable[[Any, bytes], str] | None:
    """The function that renders a value as text: a named renderer takes its JSON, an author's function the value."""
    if how is None:
        return None
    if isinstance(how, str):
        renderer = render.renderer_of(how)
        return lambda value, raw: renderer(codec.decode(raw))
    if not callable(how):
        raise AuthorError(f"render takes a renderer's name or a function, not {type(how).__name__}")
    return lambda value, raw: str(how(value))


# Resources ----------------------------------------------------------------------------------------


def resource(
    uri: str,
    function: Function,
    policy: Policy,
    rules: Rules,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    size: int | None = None,
    annotations: Any = None,
    icons: Any = None,
    meta: dict[str, Any] | None = None,
    cache: Any = None,
    compile_uri: Callable[[str], UriTemplate] = uri_template.compile,
    **common: Any,
) -> ResourceFeature | TemplateFeature:
    """A function as a resource, or as a resource template if its URI has variables."""
    read = signature.read(function, context_type=Context, title_from=policy.title_from, docstring=policy.docstring)
    shared: dict[str, Any] = dict(
        name=name or read.name or uri,  # a lambda has no name
        title=title or read.title,
        description=description or read.description,
        mimeType=mime_type,
        annotations=annotations,
        icons=icons,
        _meta=meta,
    )
    ttl_ms, scope = check_cache(cache or (0, "private"))
    _check_scheme(uri)
    common |= _call_of(function, read) | {"ttl_ms": ttl_ms, "cache_scope": scope}
    normalize_value = partial(
        _normalize_contents, mime_type, policy, rules, outputs.declare_type(read.returns, policy, rules, read.name)
    )
    template = compile_uri(uri) if uri_template.is_template(uri) else None
    _check_variables(read, uri, () if template is None else template.names)
    if template is None:
        return ResourceFeature(definition=Resource(uri=uri, size=size, **shared), normalize=normalize_value, **common)
    with _naming(read):
        binder = arguments.Binder(read.parameters, others=read.others, lenient=True, reserved=read.reserved)
    return TemplateFeature(
        definition=ResourceTemplate(uriTemplate=uri, **shared),
        template=template,
        bind=binder.bind,
        bind_known=binder.bind_known,
        choices=_choices_of(read.parameters),
        normalize=normalize_value,
        **common,
    )


def _check_variables(read: signature.Signature, uri: str, variables: tuple[str, ...]) -> None:
    """Raise AuthorError unless a function takes the variables of its URI, and needs nothing else."""
    label, names = read.name or "a lambda", {parameter.name for parameter in read.parameters}
    for variable in variables:
        if variable not in names and not read.open:
            raise AuthorError(f"{label} has no parameter {variable!r}, which the URI {uri!r} gives it")
    for parameter in read.parameters:
        if parameter.required and parameter.name not in variables:
            raise AuthorError(f"{label} takes {parameter.name!r}, which the URI {uri!r} does not give it")


def check_cache(cache: Any) -> tuple[int, Any]:
    """The time to live in milliseconds and the scope of an option `cache`; raises AuthorError (CACHE-03)."""
    ttl, scope = cache
    if type(ttl) is not int or ttl < 0 or scope not in ("public", "private"):
        raise AuthorError(f'cache is (milliseconds, "public" or "private"), not {cache!r}')
    return ttl, scope


def _check_scheme(uri: str) -> None:
    # RES-11. A path without a scheme is allowed: some servers name their resources in this way. A scheme may be a
    # variable, or have one in it: {scheme}://{path}.
    if not re.match(r"([A-Za-z]|\{[^{}]*\})([A-Za-z0-9+.-]|\{[^{}]*\})*:|[^:]+$", uri):
        raise AuthorError(f"{uri!r} is not a URI; it starts with a scheme, such as weather://")


def _apply_type(output: Output, value: Any) -> tuple[Any, bytes | None]:
    """A value without what its declared type does not have; and its JSON, if its type was checked by that."""
    if output.conform is not None:
        value = output.conform(value)
    kind = type(value)
    if output.fit is None or kind in output.fitting or wire_type_of(kind) in RESULTS:
        return value, None
    return output.fit(value)


def _normalize_contents(
    mime_type: str | None, policy: Policy, rules: Rules, output: Output, uri: str, payload: Any
) -> ReadResourceResult:
    payload, encoded = _apply_type(output, payload)
    return resource_result(uri, mime_type, payload, policy, rules, encoded=encoded)


# Prompts and completion ---------------------------------------------------------------------------


def prompt(
    function: Function,
    policy: Policy,
    rules: Rules,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    icons: Any = None,
    meta: dict[str, Any] | None = None,
    **common: Any,
) -> PromptFeature:
    """A function as a prompt."""
    read = signature.read(function, context_type=Context, title_from=policy.title_from, docstring=policy.docstring)
    shown = description or read.description
    definition = Prompt(
        name=check_name(name or read.name),
        title=title or read.title,
        description=shown,
        arguments=[_to_argument(parameter) for parameter in read.parameters] or None,
        icons=icons,
        _meta=meta,
    )
    with _naming(read):
        binder = arguments.Binder(read.parameters, others=read.others, reserved=read.reserved, texts=True)
    return PromptFeature(
        definition=definition,
        bind=binder.bind,
        bind_known=binder.bind_known,
        choices=_choices_of(read.parameters),
        normalize=partial(
            _normalize_messages, shown, policy, rules, outputs.declare_type(read.returns, policy, rules, read.name)
        ),
        **_call_of(function, read),
        **common,
    )


def _to_argument(parameter: signature.Parameter) -> PromptArgument:
    return PromptArgument(name=parameter.name, description=parameter.description, required=parameter.required)


def _choices_of(parameters: Iterable[signature.Parameter]) -> dict[str, tuple[str, ...]]:
    """The texts of the choices that the hint of a parameter gives, by its name."""
    choices = {one.name: hint_schema.suggestions_for(one.annotation) for one in parameters}
    return {name: texts for name, texts in choices.items() if texts}


def _normalize_messages(
    description: str | None, policy: Policy, rules: Rules, output: Output, value: Any
) -> GetPromptResult:
    value, encoded = _apply_type(output, value)
    if encoded is not None and rules.encode(value, policy) != encoded:  # an iterator in it can be read only once
        value = codec.decode(encoded)
    result = prompt_result(value, policy, rules)
    if result.description is None:
        result.description = description
    return result


def completion(function: Function, ref: str, argument: str, **common: Any) -> Completion:
    """A function as a completion: it gets the typed text, and the other arguments that are known."""
    read = signature.read(function, context_type=Context)
    if not 1 <= len(read.parameters) <= 2:
        raise AuthorError(f"{read.name or 'a lambda'} takes the typed value and, if it likes, the other arguments")
    common |= _call_of(function, read)
    names = tuple(parameter.name for parameter in read.parameters)
    return Completion(ref=ref, argument=argument, names=names, **common)
