"""The server that `FastMCP` of `mcp` 1 and `MCPServer` of `mcp` 2 share: their decorators, on plainmcp's server."""

import functools
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from ... import context
from ...errors import ProtocolError, ToolError
from ...protocol.features import is_name
from ...schema import hints, returns, signature
from ...server import Server
from ...wire.uri_template import is_template
from ..coded_error import has_code, to_protocol_error
from ..cursors import LISTS
from ..refused_arguments import log_refused_arguments
from ..registration import as_value_errors, check_is_callable, check_same_variables
from ..titles import add_titles
from ..unknown import UnknownNames, answer_unknown
from ..wrap import with_context
from .class_records import record_of, to_record
from .context import Context, current_context, enter_context
from .exceptions import InvalidSignature
from .helper_types import ResourceContent, ResourceNotFoundError
from .input_required import ask_for_input, is_input_required, mentions_input
from .low_level_view import LowLevelView
from .output import POLICY, has_output_schema, promised_by
from .prompt_arguments import require_arguments
from .prompts import Prompt, PromptManager
from .replaced_methods import answer_by, replaced_in
from .resource_templates import ResourceManager
from .resources import Resource
from .server_info import ServerInfo, to_icons
from .serving import Serving
from .text_arguments import read_texts
from .tools import ToolManager
from .types import URL_ELICITATION_REQUIRED
from .wire_model import to_wire

__all__ = ["HighLevelServer"]

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("plainmcp")
_NAME_WARNING = "Tool name validation warning: some clients refuse %r; use letters, digits, _, - and ."


class HighLevelServer(ServerInfo, Serving, Server):  # type: ignore[misc]  # as in the SDK, not as in plainmcp
    """A server with the decorators of the SDK; the classes of `mcp` 1 and `mcp` 2 add their constructors."""

    first_log_level = "debug"
    allows_new_handshake = True
    allows_any_name = True
    tool_policy = POLICY
    hides_problems = False
    """Whether what is wrong with the arguments of a prompt is not sent."""
    unknown_names = UnknownNames()
    tool_manager_class: type[ToolManager]
    """The class of the object that has its tools as objects."""

    def __init__(
        self,
        name: str,
        version: str | None = None,
        *,
        tools: Sequence[Any] | None = None,
        lifespan: Callable[[Any], Any] | None = None,
        icons: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(
            name,
            "0.0.0" if version is None else version,
            policy=self.tool_policy,
            icons=to_icons(icons),
            lifespan=lifespan,
            **options,
        )
        answer_unknown(self, self.unknown_names)
        self.own_methods = LISTS
        self._compile_methods()
        self._tool_manager = self.tool_manager_class(server=self)
        self._resource_manager = ResourceManager(server=self)
        self._prompt_manager = PromptManager(server=self)
        self.low_level = LowLevelView(self)
        for method in replaced_in(type(self)):
            answer_by(self.low_level, method, getattr(self, method))
        for tool in tools or ():
            if tool.name in self._tool_manager._tools:
                _log.warning("Tool already exists: %s; the last one is kept", tool.name)
            self._tool_manager._tools[tool.name] = tool

    def get_context(self) -> Context:
        """The context of the handler that is running; outside of one it is of little use."""
        return current_context() or Context(None, self)

    # Tools ----------------------------------------------------------------------------------------

    def tool(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
        icons: Any = None,
        meta: dict[str, Any] | None = None,
        structured_output: bool | None = None,
    ) -> Callable[[F], F]:
        """Offer a function as a tool: `@mcp.tool()`, with the options of the SDK."""
        _check_called(name, "tool")

        def register(function: F) -> F:
            self.add_tool(function, name, title, description, annotations, icons, meta, structured_output)
            return function

        return register

    @as_value_errors()
    def add_tool(
        self,
        fn: Callable[..., Any],
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
        icons: Any = None,
        meta: dict[str, Any] | None = None,
        structured_output: bool | None = None,
    ) -> None:
        """Offer a function as a tool; if there is one of this name already, the first stays."""
        check_is_callable(fn, "tool")
        fn = self.prepare_tool(fn)
        read = signature.read(fn, context_type=Context)
        name = name or read.name
        if not name:
            raise ValueError("You must provide a name for lambda functions")
        if self.is_duplicate("tool", name, self.registry.tools):
            return
        if not is_name(name):
            _log.warning(_NAME_WARNING, name)
        has_schema = has_output_schema(read.returns, structured_output) and not mentions_input(read.returns)
        if structured_output and not has_schema and promised_by(read.returns) is None:
            raise InvalidSignature(f"{name}: its return hint is not serializable for structured output")
        options = _to_options(title=title, description=description, annotations=annotations, icons=icons, meta=meta)
        run = self.wrap_tool(fn, read, has_schema=has_schema)
        promised = promised_by(read.returns)
        schema = None if promised is None else returns.output_schema(promised, which="every", show_defaults=True)
        super().tool(name=name, output_schema=schema or (None if has_schema else False), **options)(run)
        tool = self.registry.tools.registered[name]
        read_texts(tool, read)
        add_titles(tool, read, promised or record_of(read.returns) or read.returns, getattr(fn, "__name__", name))
        log_refused_arguments(tool, lambda error: self.log_refused(error.problems, name))

    def wrap_tool(self, function: Callable[..., Any], read: signature.Signature, **options: Any) -> Any:
        """The function of a tool, in its context; takes options of with_context."""
        record = record_of(read.returns)
        convert = _to_value if record is None else to_record(record, hints.unwrap_all(read.returns))
        options |= {"convert": convert, "returns": record if options.get("has_schema", True) else None}
        return with_context(function, read, self._enter_tool, is_whole=True, **options)

    def prepare_tool(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function that a tool runs; `mcp` 2 fills in some of its parameters."""
        return function

    def remove_tool(self, name: str) -> None:
        """No longer offer a tool; raises ToolError if there is none."""
        self._tool_manager.remove_tool(name)

    def is_duplicate(self, kind: str, key: str, *features: Any) -> bool:
        """Whether there is a feature of a name already; it is in the log."""
        if not any(key in one for one in features):
            return False
        if getattr(self.settings, f"warn_on_duplicate_{kind}s", True):
            _log.warning("%s already exists: %s; the first one is kept", kind.capitalize(), key)
        return True

    # Resources ------------------------------------------------------------------------------------

    def resource(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        uri: str,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        icons: Any = None,
        annotations: Any = None,
        meta: dict[str, Any] | None = None,
        **others: Any,
    ) -> Callable[[F], F]:
        """Offer a function as the resource at a URI or a URI template, with the options of the SDK."""
        _check_called(uri, "resource")
        options = _to_options(title=title, description=description, annotations=annotations, icons=icons, meta=meta)
        options |= {"mime_type": mime_type or "text/plain", **({} if name is None else {"name": name})}

        @as_value_errors()
        def register(function: F) -> F:
            check_is_callable(function, "resource")
            if not self.is_duplicate("resource", uri, self.registry.resources, self.registry.templates):
                read = signature.read(function, context_type=Context)
                check_same_variables(uri, read, self.compile_uri)
                run = self._wrap(function, read, self._problem_of(uri))
                run = run if meta is None else _with_meta(run, read.is_async, meta)
                cache = self.cache_of("resources/read")
                super(HighLevelServer, self).resource(uri, cache=cache, **options)(run)
            return function

        return register

    def _problem_of(self, uri: str) -> str:
        """The beginning of the text about a resource that cannot be read."""
        return "Error creating resource from template" if is_template(uri) else f"Error reading resource {uri}"

    def add_resource(self, resource: Resource) -> None:
        """Offer an object of one of the resource classes."""
        self.resource(
            str(resource.uri),
            name=resource.name,
            title=resource.title,
            description=resource.description,
            mime_type=resource.mime_type,
            icons=resource.icons,
            annotations=resource.annotations,
            meta=resource.meta,
        )(_reader_of(resource))

    # Prompts and completions ----------------------------------------------------------------------

    def prompt(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Any = None,
    ) -> Callable[[F], F]:
        """Offer a function as a prompt: `@mcp.prompt()`, with the options of the SDK."""
        _check_called(name, "prompt")

        def register(function: F) -> F:
            self._add_prompt(function, name, title, description, icons)
            return function

        return register

    def add_prompt(self, prompt: Any, **options: Any) -> None:
        """Offer the value of Prompt.from_function, or a function, as a prompt."""
        if isinstance(prompt, Prompt):
            self._add_prompt(prompt.fn, **{"name": prompt.name, **prompt.options})
        else:
            self._add_prompt(prompt, **options)

    @as_value_errors()
    def _add_prompt(
        self,
        fn: Callable[..., Any],
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Any = None,
        **others: Any,
    ) -> None:
        check_is_callable(fn, "prompt")
        read = signature.read(fn, context_type=Context)
        name = name or read.name
        if not self.is_duplicate("prompt", name, self.registry.prompts):
            options = _to_options(title=title, description=description, icons=icons)
            run = self._wrap(fn, read, f"Error rendering prompt {name}")
            super().prompt(name=name, **options)(run)
            text = f"Error rendering prompt {name}" if self.hides_problems else None
            require_arguments(self.registry.prompts.registered[name], text)

    def remove_prompt(self, name: str) -> None:
        """No longer offer a prompt; raises ValueError if there is none."""
        if name not in self.registry.prompts:
            raise ValueError(f"Unknown prompt: {name}")
        self.registry.prompts.remove(name)

    def completion(self) -> Callable[[F], F]:  # type: ignore[override]  # pyright: ignore
        """Answer completions by a function of the reference, the argument and the context: `@mcp.completion()`."""
        return self.low_level.completion()

    def announced_capabilities(self) -> dict[str, Any]:
        """The capabilities of the server: those of its features, and of the methods that it answers by handlers."""
        offered = super().announced_capabilities()
        if "completion/complete" in self.own_methods:
            offered["completions"] = {}
        return offered

    # Running handlers -----------------------------------------------------------------------------

    @contextmanager
    def _enter_tool(self, inner: context.Context[Any]) -> Generator[Context, None, None]:
        """The context of a tool; an exception in it becomes the text of a failed call."""
        with enter_context(inner, self) as current:
            try:
                yield current
            except ProtocolError:
                raise
            except ToolError as error:
                self.log_tool_error(str(error), inner._request.params.name)
                raise
            except Exception as error:
                raise self.to_tool_error(error, inner._request.params.name) from error

    def log_refused(self, problems: Sequence[str], tool: str) -> None:
        """Log the problems of arguments; `mcp` 1 does not."""

    def log_tool_error(self, text: str, tool: Any) -> None:
        """Log a failure whose text is sent; `mcp` 1 does not."""

    def to_tool_error(self, error: Exception, tool: Any) -> Exception:
        """The exception that is raised for an exception of a tool: its text is sent, as in `mcp` 1."""
        if has_code(error) and error.error.code == URL_ELICITATION_REQUIRED:  # type: ignore[attr-defined]
            return to_protocol_error(error)  # the client acts on the error, not the model
        _log.info("the tool %s failed", tool, exc_info=error)
        return ToolError(str(error))

    def _wrap(self, function: Any, read: signature.Signature, problem: str) -> Callable[..., Any]:
        """A function of a resource or a prompt, in its context."""
        has_schema = not mentions_input(read.returns)
        enter = partial(self._enter, problem)
        return with_context(function, read, enter, has_schema=has_schema, is_whole=True, convert=_to_value)

    @contextmanager
    def _enter(self, problem: str, inner: context.Context[Any]) -> Generator[Context, None, None]:
        """The context of a resource or a prompt; an exception in it becomes an error with its text."""
        with enter_context(inner, self) as current:
            try:
                yield current
            except ProtocolError:
                raise
            except Exception as error:
                if isinstance(error, ToolError) and not isinstance(error, ResourceNotFoundError):
                    raise
                raise (
                    to_protocol_error(error) if has_code(error) else self.to_read_error(error, problem, inner)
                ) from error

    def to_read_error(self, error: Exception, problem: str, ctx: context.Context[Any]) -> Exception:
        """The exception that is raised for one of a resource or a prompt: its text is sent, as in `mcp` 1."""
        return ToolError(f"{problem}: {error}")


def _check_called(first: Any, name: str) -> None:
    if callable(first):
        raise TypeError(
            f"The @{name} decorator was used incorrectly. Did you forget to call it? Use @{name}() instead of @{name}"
        )


def _to_value(value: Any) -> Any:
    """What a function returned; questions to the client are asked."""
    return ask_for_input(value, current_context()) if is_input_required(value) else value


def _with_meta(function: Callable[..., Any], is_async: bool, meta: dict[str, Any]) -> Callable[..., Any]:
    """A function whose contents have the `_meta` of their resource."""
    if is_async:

        @functools.wraps(function)
        async def read_async(**arguments: Any) -> Any:
            return ResourceContent(await function(**arguments), meta=meta)

        return read_async

    @functools.wraps(function)
    def read(**arguments: Any) -> Any:
        return ResourceContent(function(**arguments), meta=meta)

    return read


def _reader_of(resource: Resource) -> Callable[[], Any]:
    async def read() -> Any:
        return await resource.read()

    read.__name__ = "read"
    return read


def _to_options(**options: Any) -> dict[str, Any]:
    """Options under the names used here, without those that are None; the SDK's objects become plain data."""
    converted = {name: to_wire(value) for name, value in options.items() if value is not None}
    if "icons" in converted:
        converted["icons"] = to_icons(converted["icons"])
    return converted
