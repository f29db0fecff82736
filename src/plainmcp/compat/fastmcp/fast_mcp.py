"""The server of FastMCP: plainmcp's server with its constructor, its decorators and its composition."""

import inspect
import logging
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from os import urandom
from types import EllipsisType
from typing import Any, Literal, Self, TypeVar, get_args, get_origin, overload

from ... import context
from ...errors import AuthorError, OptionError
from ...policy import Policy
from ...protocol.option_check import with_checked_options
from ...protocol.prefix import HierarchicalPrefix
from ...schema import hints, signature
from ...server import Server
from ...types import Annotations
from ..cursors import LISTS
from ..refused_arguments import log_refused_arguments
from ..registration import as_value_errors, check_is_callable
from ..unknown import UnknownNames, answer_unknown
from ..wrap import collect, with_context
from . import missing
from .asking import Asking
from .checks import check_output_schema, check_page_size, check_thread, check_uri, check_variables
from .complete import complete_any, complete_with
from .components import Component, title_of
from .context import Context, enter_context
from .failures import describe_failures
from .joined_lifespan import only_shared, to_native_lifespan
from .middleware import Middleware, to_native_middleware
from .options import POLICY, decorate, function_of, to_cache_options, to_feature_options, to_options
from .pieces import to_prompt_result, to_resource_result
from .prompt_arguments import describe_arguments, ignore_others
from .resource_types import Resource
from .serving import Serving
from .settings import settings_of

__all__ = ["FastMCP"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_log = logging.getLogger("plainmcp")

Duplicates = Literal["warn", "replace", "error", "ignore"]

_IGNORED = (
    "cache_expiration_seconds",
    "dependencies",
    "dereference_schemas",
    "include_fastmcp_meta",
    "request_state_security",
    "resource_prefix_format",
    "resource_security",
)
"""Options that change nothing here: what they are for is always so, or not part of a server."""

_UNKNOWN = UnknownNames(
    "Unknown tool: {!r}", "Unknown prompt: {!r}", "Resource not found: {!r}", -32602, -32602, has_data=True
)


@missing.reject_attributes(missing.IN_THE_SERVER)
class FastMCP(Asking, Serving, Server):  # type: ignore[misc]  # its methods have other parameters
    """A server as FastMCP 4.1 has it; takes its arguments, those of FastMCP 2, and those of plainmcp.Server.

    >>> mcp = FastMCP("Demo", dependencies=["httpx"], port=9000)
    >>> @mcp.tool
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> mcp.settings.port, list(mcp.registry.tools.features)
    (9000, ['add'])
    """

    first_log_level = "debug"
    prefix_class = HierarchicalPrefix
    keep_shared: Callable[[Any], Any] | None = None
    """Keeps the values of shared dependencies while the lifespan lasts; None if there are none."""

    def __init__(
        self,
        name: str | None = None,
        instructions: str | None = None,
        *,
        version: str | float | None = None,
        middleware: Sequence[Middleware] | None = None,
        lifespan: Callable[[Any], Any] | None = None,
        tools: Sequence[Any] | None = None,
        on_duplicate: Duplicates | None = None,
        on_duplicate_tools: Duplicates | None = None,
        on_duplicate_resources: Duplicates | None = None,
        on_duplicate_prompts: Duplicates | None = None,
        mask_error_details: bool | None = None,
        strict_input_validation: bool | None = None,
        tool_serializer: Callable[[Any], str] | None = None,
        include_tags: Collection[str] | None = None,
        exclude_tags: Collection[str] | None = None,
        cache_ttl: int | None = None,
        cache_scope: str | None = None,
        client_log_level: str | None = None,
        policy: Policy | str = POLICY,
        **options: Any,
    ) -> None:
        check_page_size(options.get("list_page_size"))
        self.settings = settings_of(options)
        self.auth = _take_verifiers(options)
        self.dependencies = list(options.get("dependencies") or ())
        by_kind = {"tool": on_duplicate_tools, "resource": on_duplicate_resources, "prompt": on_duplicate_prompts}
        self._on_duplicate = _check_duplicates({kind: own or on_duplicate for kind, own in by_kind.items()})
        self._mask_error_details = bool(mask_error_details)
        self.strict_input_validation = bool(strict_input_validation)
        self._tool_serializer = tool_serializer
        self._completion_handler: Callable[..., Any] | None = None
        self._kept_components: dict[tuple[str, str], Component] = {}  # by kind and key
        options = to_options({name: value for name, value in options.items() if name not in _IGNORED})
        options |= to_cache_options(cache_ttl, cache_scope)
        options.setdefault("lenient_arguments", not strict_input_validation)
        if lifespan is not None:
            options["lifespan"] = to_native_lifespan(lifespan)
        shown = "0.0.0" if version is None else str(version)
        name = name or f"FastMCP-{urandom(2).hex()}"
        super().__init__(name, shown, instructions=instructions, policy=policy, **options)
        answer_unknown(self, _UNKNOWN)
        self.own_methods = {**LISTS, "completion/complete": complete_any}
        self._compile_methods()
        if client_log_level is not None:
            self.first_log_level = client_log_level
        self._add_all(middleware or (), tools or (), include_tags, exclude_tags)

    def _add_all(
        self,
        middleware: Sequence[Any],
        tools: Sequence[Any],
        include_tags: Collection[str] | None,
        exclude_tags: Collection[str] | None,
    ) -> None:
        for one in middleware:
            self.add_middleware(one)
        for tool in tools:
            self.add_tool(tool)
        if include_tags is not None:
            self.enable(tags=set(include_tags), only=True)
        if exclude_tags is not None:
            self.disable(tags=set(exclude_tags))

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        """The server's name."""
        return self.info.name

    @property
    def version(self) -> str:
        """The server's version."""
        return self.info.version

    @property
    def website_url(self) -> str | None:
        """The server's web page."""
        return self.info.websiteUrl

    @property
    def icons(self) -> list[Any]:
        """The server's icons."""
        return list(self.info.icons or ())

    @property
    def local_provider(self) -> Self:
        """The server itself, which has remove_tool, remove_resource and remove_prompt."""
        return self

    def add_middleware(self, middleware: Any) -> None:
        """Call the hooks of a middleware around each request; the first that is added is the outermost."""
        super().middleware(to_native_middleware(middleware, self))

    # Registering ----------------------------------------------------------------------------------

    @overload
    def tool(self, name_or_fn: F, /, **options: Any) -> F: ...
    @overload
    def tool(self, name_or_fn: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def tool(
        self,
        name_or_fn: Any = None,
        /,
        *,
        output_schema: dict[str, Any] | EllipsisType | None = ...,
        run_in_thread: bool | None = True,
        exclude_args: Collection[str] | None = None,
        serializer: Callable[[Any], str] | None = None,
        **options: Any,
    ) -> Any:
        """Offer a function as a tool: `@mcp.tool`, `@mcp.tool()`, `@mcp.tool("name")` or `@mcp.tool(name=…, …)`.

        `output_schema=None` announces no schema, and `enabled=False` hides the tool. Also takes the options of
        plainmcp.Server.tool.
        """
        check_output_schema(output_schema)
        converted: dict[str, Any] = to_feature_options(options) | ({"inline": True} if run_in_thread is False else {})
        if output_schema is not ...:
            converted["output_schema"] = False if output_schema is None else output_schema
        serializer = serializer or self._tool_serializer
        if serializer is not None:
            converted.setdefault("render", serializer)

        @as_value_errors()
        def register(function: F) -> F:
            check_is_callable(function, "mcp.tool")
            collected = collect(function)
            read = signature.read(collected, context_type=Context)
            self._add_shared(read)
            check_thread(run_in_thread, converted.get("timeout"), read.is_async)
            final: dict[str, Any] = {**converted, "name": converted.get("name") or read.name}
            name = final["name"]
            if self._is_kept(final, "tool", name, self.registry.tools):
                return function
            if _is_any_sequence(read.returns):
                final.setdefault("output_schema", False)  # may be content as well as data
            titled = (final.get("annotations") or {}).get("title")
            final.setdefault("title", titled or title_of(name))
            is_enabled = final.pop("enabled", True)
            run = with_context(
                collected,
                read,
                partial(self._enter, "tool", name),
                has_schema=output_schema is not None,
                hidden=exclude_args or (),
            )
            super(FastMCP, self).tool(**final)(run)
            refused = partial(_log.warning, "Invalid arguments for tool %r", name)
            log_refused_arguments(self.registry.tools.registered[name], lambda _: refused())
            if not is_enabled:
                self.disable(names={name}, components={"tool"})
            return function

        return decorate(name_or_fn, converted, register)

    @with_checked_options("@mcp.resource", 'write @mcp.resource("memo://notes")')
    def resource(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, uri: Any, **options: Any
    ) -> Callable[[F], F]:
        """Offer a function as the resource at a URI or a URI template; takes the options of Server.resource."""
        check_uri(uri)
        mime_type = options.get("mime_type") or "text/plain"
        converted = to_feature_options({**options, "mime_type": mime_type}, Annotations)
        convert = partial(to_resource_result, mime_type=mime_type, meta=options.get("meta"))

        @as_value_errors()
        def register(function: F) -> F:
            check_is_callable(function, "mcp.resource")
            read = signature.read(function, context_type=Context)
            self._add_shared(read)
            check_variables(uri, read)
            final: dict[str, Any] = {"cache": self.cache, **converted}
            if self._is_kept(final, "resource", uri, self.registry.resources, self.registry.templates):
                return function
            is_enabled = final.pop("enabled", True)
            final.setdefault("description", inspect.getdoc(function))
            run = with_context(
                function, read, partial(self._enter, "resource", uri), has_schema=False, convert=convert
            )
            super(FastMCP, self).resource(uri, **final)(run)
            if not is_enabled:
                self.disable(names={uri}, components={"resource", "template"})
            if uri in self.registry.templates.registered:
                self._complete(uri, self.registry.templates.registered[uri].template.names)
            return function

        return register

    @overload
    def prompt(self, name_or_fn: F, /, **options: Any) -> F: ...
    @overload
    def prompt(self, name_or_fn: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def prompt(self, name_or_fn: Any = None, /, **options: Any) -> Any:
        """Offer a function as a prompt: `@mcp.prompt`, `@mcp.prompt()`, `@mcp.prompt("name")` or with options."""
        converted = to_feature_options(options)
        convert = partial(to_prompt_result, meta=options.get("meta"))

        @as_value_errors()
        def register(function: F) -> F:
            check_is_callable(function, "mcp.prompt")
            read = signature.read(function, context_type=Context)
            self._add_shared(read)
            final: dict[str, Any] = {**converted, "name": converted.get("name") or read.name}
            name = final["name"]
            if self._is_kept(final, "prompt", name, self.registry.prompts):
                return function
            is_enabled = final.pop("enabled", True)
            run = with_context(function, read, partial(self._enter, "prompt", name), convert=convert)
            super(FastMCP, self).prompt(**final)(run)
            describe_arguments(self.registry.prompts, name, read)
            ignore_others(self.registry.prompts.registered[name], read)
            if not is_enabled:
                self.disable(names={name}, components={"prompt"})
            self._complete(name, [one.name for one in read.parameters])
            return function

        return decorate(name_or_fn, converted, register)

    def add_tool(self, tool: T, **options: Any) -> T:
        """Offer a function, or the value of Tool.from_function, as a tool; takes the options of `tool`."""
        function, own = function_of(tool)
        self.tool(function, **own, **options)
        return self._keep(tool)

    def add_prompt(self, prompt: T, **options: Any) -> T:
        """Offer a function, or the value of Prompt.from_function, as a prompt."""
        function, own = function_of(prompt)
        self.prompt(function, **own, **options)
        return self._keep(prompt)

    def add_resource(self, resource: T, **options: Any) -> T:
        """Offer a resource object, such as TextResource or the value of Resource.from_function."""
        function, own = function_of(resource)
        own |= options
        uri = own.pop("uri", None) or own.pop("uri_template", None)
        if uri is None:
            raise AuthorError(
                "a resource needs a URI: Resource.from_function(function, uri=…), or @mcp.resource(uri)"
            )
        if function is None and isinstance(resource, Resource):
            function = _reader_of(resource)
        self.resource(str(uri), **own)(function)
        return self._keep(resource)

    add_template = add_resource

    def add_resource_fn(self, fn: Callable[..., Any], uri: str, **options: Any) -> None:
        """Offer a function as the resource at a URI."""
        self.resource(uri, **options)(fn)

    def _add_shared(self, read: signature.Signature) -> None:
        """Have a lifespan for the shared dependencies of a handler."""
        marks = [getattr(one.function, "keep_shared", None) for one in read.dependencies.values()]
        keep = [mark for mark in marks if mark is not None]
        if not keep or self.keep_shared is not None:
            return
        self.keep_shared = keep[0]
        if self.life is None:
            from ...transports.lifespan import Lifespan  # as in the server

            self.life = Lifespan(self, to_native_lifespan(only_shared), self._set_lifespan)
            self._compile_methods()

    def _enter(self, kind: str, name: str, inner: context.Context[Any]) -> AbstractContextManager[Context]:
        return _enter_handler(kind, name, self._mask_error_details, inner)

    def _is_kept(self, final: dict[str, Any], kind: str, key: str, *features: Any) -> bool:
        """Whether a feature that is registered again is left as it is; otherwise sets the option `replace`."""
        behaviour = self._on_duplicate[kind]
        is_duplicate = any(key in one.registered for one in features)
        if is_duplicate and behaviour == "warn":
            _log.warning("the %s %r is registered again; the new one is used", kind, key)
        final.setdefault("replace", behaviour != "error")
        return is_duplicate and behaviour == "ignore"

    # Completions ----------------------------------------------------------------------------------

    def completion(self, ref: Any = None, argument: str | None = None, **options: Any) -> Any:
        """Register the handler of completions: a function of a reference, an argument and a context.

        With a prompt or template and the name of an argument, as plainmcp.Server.completion.
        """
        if argument is not None:
            return super().completion(ref, argument, **options)
        return self.add_completion_handler if ref is None else self.add_completion_handler(ref)

    def add_completion_handler(self, handler: F) -> F:
        """Complete every argument of every prompt and template, now and later, with one function."""
        self._completion_handler = handler
        for prompt in list(self.registry.prompts.registered.values()):
            self._complete(prompt.key, [one.name for one in prompt.definition.arguments or ()])
        for template in list(self.registry.templates.registered.values()):
            self._complete(template.key, template.template.names)
        return handler

    def _complete(self, ref: str, names: Collection[str]) -> None:
        if self._completion_handler is None:
            return
        for name in names:
            if f"{ref} {name}" not in self.registry.completions.registered:
                super().completion(ref, name)(complete_with(self._completion_handler, ref, name))

    # Composition ----------------------------------------------------------------------------------

    def mount(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        server: Server | str | None,
        namespace: Any = None,
        *,
        prefix: str | None = None,
        as_proxy: bool | None = None,
        tool_names: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Offer the features of another server, also later ones, with a namespace in their names and URIs."""
        if isinstance(server, str) or server is None:  # the order of FastMCP before 2.9
            server, namespace = namespace, server
        if not isinstance(server, Server):
            raise OptionError(f"mcp.mount takes another server, not {type(server).__name__}")
        if tool_names:
            raise AuthorError("there is no mount(tool_names=) here; name the tools where they are registered")
        if server is self:
            raise ValueError("Cannot mount a server onto itself")
        super().mount(server, prefix=namespace or prefix)
        self.take_routes(server)

    async def import_server(self, server: Server, prefix: Any = None, **options: Any) -> None:
        """Offer the features of another server; here this is the same as `mount`."""
        self.mount(server, prefix, **options)

    def enable(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        names: Collection[str] | None = None,
        keys: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        components: Collection[str] | None = None,
        version: Any = None,
        only: bool = False,
    ) -> Self:
        """Offer features again: those of the tags, names, keys and kinds, as far as given."""
        for selection in _selections(names, keys, tags, components):
            super().enable(**selection, only=only)
        return self

    def disable(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        names: Collection[str] | None = None,
        keys: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        components: Collection[str] | None = None,
        version: Any = None,
    ) -> Self:
        """Do not offer features until they are enabled: those of the tags, names, keys and kinds, as far as given."""
        for selection in _selections(names, keys, tags, components):
            super().disable(**selection)
        return self


def _is_any_sequence(hint: Any) -> bool:
    """Whether a hint is a list, a tuple or a Sequence of anything."""
    inner = hints.unwrap_all(hint)
    arguments = [one for one in get_args(inner) if one is not ...]
    return (get_origin(inner) or inner) in (list, tuple, Sequence) and all(one is Any for one in arguments[:1])


def _take_verifiers(options: dict[str, Any]) -> Any:
    """What verifies tokens: a provider of FastMCP, a verifier of plainmcp, or several; raises AuthorError."""
    auth = options.pop("auth", None)
    for one in auth if isinstance(auth, (list, tuple)) else (auth,):
        if one is not None and not (callable(one) or hasattr(one, "verify") or hasattr(one, "verify_token")):
            raise AuthorError(
                "auth= takes a TokenVerifier, a RemoteAuthProvider or a verifier of plainmcp.auth, which check "
                f"tokens; not {type(one).__name__}"
            )
    return auth


def _check_duplicates(chosen: dict[str, Any]) -> dict[str, str]:
    """What is done with a second registration, by kind; raises AuthorError."""
    for value in chosen.values():
        if value not in (None, "warn", "replace", "error", "ignore"):
            raise AuthorError(f"on_duplicate is warn, replace, error or ignore, not {value!r}")
    return {kind: value or "warn" for kind, value in chosen.items()}


@contextmanager
def _enter_handler(
    kind: str, name: str, is_masked: bool, inner: context.Context[Any]
) -> Generator[Context, None, None]:
    """The context of a handler, and what becomes of its exceptions."""
    with describe_failures(kind, name, is_masked), enter_context(inner) as current:
        yield current


def _selections(
    names: Collection[str] | None,
    keys: Collection[str] | None,
    tags: Collection[str] | None,
    components: Collection[str] | None,
) -> Generator[dict[str, Any], None, None]:
    """The options of enable and disable; a key such as "tool:name@" is a kind and a name."""
    if keys is None:
        kinds = ("tool", "resource", "template", "prompt") if not (names or tags or components) else components
        yield {"names": names, "tags": tags, "kinds": kinds}
    for key in keys or ():
        kind, _, rest = key.partition(":")
        yield {"names": {rest.rpartition("@")[0] or rest}, "tags": tags, "kinds": {kind}}


def _reader_of(resource: Resource) -> Callable[[], Any]:
    async def read() -> Any:
        return await resource.read()

    read.__name__ = resource.name or "read"
    return read


Component.server_class = FastMCP
