"""FastMCP's names: the server, the context, and what handlers return, of the package of that name.

Names and quirks only; every rule is plainmcp's own, under the policy "fastmcp". What that package spreads over
several modules is all here: `from plainmcp.compat.fastmcp import FastMCP, Context, Image, ToolError`.

>>> mcp = FastMCP("Demo")
>>> @mcp.tool
... def add(a: int, b: int) -> int:
...     return a + b
>>> "add" in mcp.registry.tools
True
"""

import functools
import logging
from binascii import a2b_base64
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, make_dataclass
from types import EllipsisType
from typing import Any, Literal, TypeVar, overload

import msgspec

from .. import context, features, foreign, hints, schema, signature
from ..app import Server
from ..errors import AuthorError, ToolError
from ..media import Audio, File, Image
from ..policy import Policy
from ..questions import Elicited
from ..results import PromptResult, ResourceResult, ToolResult
from ..revisions import LATEST_HANDSHAKE
from ..transports import serving
from ..types import Icon

__all__ = [
    "AcceptedElicitation",
    "Audio",
    "CancelledElicitation",
    "Context",
    "DeclinedElicitation",
    "FastMCP",
    "File",
    "Image",
    "Message",
    "PromptResult",
    "ResourceContent",
    "ResourceError",
    "ResourceResult",
    "SamplingResult",
    "ToolError",
    "ToolResult",
]

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("plainmcp")

# That package's settings under our names.
_RENAMED = {
    "allowed_hosts": "hosts",
    "allowed_origins": "origins",
    "list_page_size": "page_size",
    "stateless_http": "stateless",
}
# What it builds in and we leave to others.
_ELSEWHERE = {
    "auth": "say who is calling with http_app(principal=…), and who sees a feature with visible=",
    "lifespan": "open what the handlers need before the server runs",
    "middleware": "wrap what http_app() gives in ASGI middleware",
    "providers": "register functions",
    "transforms": "register functions",
}


class FastMCP(Server):
    """A server under the policy "fastmcp"; takes that package's arguments, and what plainmcp.Server takes."""

    def __init__(
        self,
        name: str | None = None,
        instructions: str | None = None,
        *,
        version: str | float | None = None,
        tools: Sequence[Callable[..., Any]] = (),
        on_duplicate: Literal["warn", "replace", "error"] = "warn",
        mask_error_details: bool = True,
        strict_input_validation: bool = False,
        policy: Policy | str = "fastmcp",
        **options: Any,
    ) -> None:
        options = _ours(options)
        for word in _ELSEWHERE.keys() & options.keys():
            raise AuthorError(f"there is no {word}= here; {_ELSEWHERE[word]}")
        if not mask_error_details:
            raise AuthorError("error details are always masked; raise a ToolError with what the model may read")
        if on_duplicate not in ("warn", "replace", "error"):
            raise AuthorError(f"on_duplicate is warn, replace or error, not {on_duplicate!r}")
        options.setdefault("lenient_arguments", not strict_input_validation)
        shown = "0.0.0" if version is None else str(version)
        super().__init__(name or "FastMCP", shown, instructions=instructions, policy=policy, **options)
        self._on_duplicate = on_duplicate
        for function in tools:
            self.tool(function)

    @property
    def name(self) -> str:
        """What the server calls itself."""
        return self.info.name

    @property
    def version(self) -> str:
        """The version it says it is."""
        return self.info.version

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
        run_in_thread: bool = True,
        tags: object = None,
        **options: Any,
    ) -> Any:
        """Offer a function as a tool: `@mcp.tool`, `@mcp.tool()`, `@mcp.tool("name")` or `@mcp.tool(name=…, …)`.

        `output_schema=None` promises nothing. Tags are taken and not used: they choose among features before a
        client sees any, and here `visible` does that. Takes besides what plainmcp's own `tool` takes.
        """
        del tags
        given: dict[str, Any] = _ours(options) | ({} if run_in_thread else {"inline": True})
        if output_schema is not ...:
            given["output_schema"] = False if output_schema is None else output_schema

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            name = given.get("name") or read.name
            placed = self._placed(given, "tool", name, self.registry.tools)
            if read.returns in (list, list[Any]):
                placed.setdefault("output_schema", False)  # as likely content as data
            super(FastMCP, self).tool(**placed)(self._taken(function, read))
            if "output_schema" not in given:
                self._mark_wrapped(name, read.returns)
            return function

        return _decorating(name_or_fn, given, register)

    def resource(self, uri: str, *, tags: object = None, **options: Any) -> Callable[[F], F]:
        """Offer a function as the resource at a URI, or as a family of them; tags as for `tool`."""
        del tags
        given = _ours(options)

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            placed = self._placed(given, "resource", uri, self.registry.resources, self.registry.templates)
            super(FastMCP, self).resource(uri, **placed)(self._taken(function, read))
            return function

        return register

    @overload
    def prompt(self, name_or_fn: F, /, **options: Any) -> F: ...
    @overload
    def prompt(self, name_or_fn: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def prompt(self, name_or_fn: Any = None, /, *, tags: object = None, **options: Any) -> Any:
        """Offer a function as a prompt, in the same ways as a tool; tags as for `tool`."""
        del tags
        given = _ours(options)

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            placed = self._placed(given, "prompt", given.get("name") or read.name, self.registry.prompts)
            super(FastMCP, self).prompt(**placed)(self._taken(function, read))
            return function

        return _decorating(name_or_fn, given, register)

    def add_tool(self, tool: F) -> F:
        """Offer a function as a tool."""
        return self.tool(tool)

    def add_prompt(self, prompt: F) -> F:
        """Offer a function as a prompt."""
        return self.prompt(prompt)

    def _placed(self, given: dict[str, Any], kind: str, key: str, *shelves: Any) -> dict[str, Any]:
        """What was said about a feature; it takes the place of one of the same key, as in that package."""
        if self._on_duplicate == "warn" and any(key in shelf for shelf in shelves):
            _log.warning("the %s %r is registered again; the new one is used", kind, key)
        return {"replace": self._on_duplicate != "error", **given}

    def _taken(self, function: Callable[..., Any], read: signature.Signature) -> Callable[..., Any]:
        """The function, given this module's Context where it asks for that."""
        name = read.context
        if name is None:
            return function
        if read.is_async:

            @functools.wraps(function)
            async def run_async(**arguments: Any) -> Any:
                return await function(**{**arguments, name: Context(arguments[name], self)})

            return run_async

        @functools.wraps(function)
        def run(**arguments: Any) -> Any:
            return function(**{**arguments, name: Context(arguments[name], self)})

        return run

    def _mark_wrapped(self, name: str, returns: Any) -> None:
        """Tell that package's client to unwrap a result, by the keyword it looks for."""
        tool: features.ToolFeature | None = self.registry.tools.find(name, None)
        if tool is None or tool.definition.outputSchema is None or tool.object_schema is None:
            return
        natural = schema.of_output(returns, which=tool.policy.output_schema, opaque=self.rules.opaque)
        if natural is not None and not schema.is_object(natural):
            mark = {"x-fastmcp-wrap-result": True}
            tool.definition.outputSchema = tool.definition.outputSchema | mark
            tool.object_schema = tool.object_schema | mark

    # Serving --------------------------------------------------------------------------------------

    def run(  # type: ignore[override]
        self,
        transport: str | None = None,
        *,
        http: str | None = None,
        host: str = "127.0.0.1",
        port: int = 8000,
        path: str = serving.PATH,
        show_banner: object = None,
        log_level: str | None = None,
        uvicorn_config: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Serve on standard input and output, or with transport "http" at a host and port, at /mcp.

        Takes besides what plainmcp's own `run` takes, `http` included; there is no banner to show.
        """
        del show_banner
        if transport in ("http", "streamable-http"):
            http = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        elif transport not in (None, "stdio"):
            raise AuthorError(f"there is no transport {transport!r}; there are stdio, http and streamable-http")
        if path.rstrip("/") != serving.PATH:
            raise AuthorError(f"run serves at {serving.PATH}; for {path} give http_app({path!r}) to an ASGI server")
        if http is not None:
            level = {} if log_level is None else {"log_level": log_level.lower()}
            options["uvicorn"] = {**level, **(uvicorn_config or {}), **(options.get("uvicorn") or {})}
        super().run(http, **_ours(options))

    def http_app(self, path: str = serving.PATH, *, transport: str = "http", **settings: Any) -> Any:
        """An ASGI application that answers at a path; its `lifespan` is for the application it is mounted in.

        Takes stateless_http, allowed_hosts and allowed_origins, and what plainmcp's own `asgi` takes.
        """
        if transport not in ("http", "streamable-http"):
            raise AuthorError(f"there is no transport {transport!r} over HTTP; there are http and streamable-http")
        return _HttpApp(self.asgi(**_ours(settings)), path.rstrip("/"))


def _ours(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under our names, without those left open, and other packages' words as plain data."""
    given = {_RENAMED.get(name, name): value for name, value in options.items() if value is not None}
    if "annotations" in given:
        given["annotations"] = _plain(given["annotations"])
    if "icons" in given:
        given["icons"] = [msgspec.convert(_plain(icon), Icon) for icon in given["icons"]]
    return given


def _plain(word: Any) -> Any:
    if not foreign.is_pydantic(type(word)):
        return word
    return {name: value for name, value in foreign.dump_model(word).items() if value is not None}


def _decorating(name_or_fn: Any, given: dict[str, Any], register: Callable[[Any], Any]) -> Any:
    """Register a function at once, or give what registers one; a text in its place is its name."""
    if isinstance(name_or_fn, str):
        if given.setdefault("name", name_or_fn) != name_or_fn:
            raise AuthorError(f"two names for one function: {name_or_fn!r} and {given['name']!r}")
        return register
    return register if name_or_fn is None else register(name_or_fn)


class _HttpApp:
    """An application at a path, below whatever path it is mounted at itself."""

    def __init__(self, app: Any, path: str) -> None:
        self._app = app
        self._at_path = serving.at_path(app, path) if path else app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        root = scope.get("root_path", "")
        if root and scope.get("path", "").startswith(root):
            scope = {**scope, "path": scope["path"][len(root) :]}
        await self._at_path(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncGenerator[None, None]:
        """The life of the application: its sessions end with it."""
        self._app.endpoint.draining = False
        try:
            yield
        finally:
            self._app.close()


# The context --------------------------------------------------------------------------------------


class Context(context.Context):
    """What a handler is given for a parameter of this type: plainmcp's context under that package's names."""

    __slots__ = ("fastmcp",)

    def __init__(self, inner: context.Context, server: FastMCP) -> None:
        for name in context.Context.__slots__:
            setattr(self, name, getattr(inner, name))
        self.fastmcp = server

    @property
    def request_id(self) -> str:
        """The id of the request, as text."""
        return str(super().request_id)

    @property
    def client_id(self) -> str | None:
        """What the client put into `_meta` as client_id; nothing to rely on."""
        found = self.meta.get("client_id")
        return found if isinstance(found, str) else None

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> Any:
        """Tell the client how far the work is, if it asked to be told."""
        return self.progress(progress, total, message)

    def log(  # type: ignore[override]
        self, message: str, level: str = "info", logger_name: str | None = None, extra: Any = None
    ) -> Any:
        """Send a log message, as {"msg": …, "extra": …}, if the client wants those of this level."""
        return super().log(level, {"msg": message, "extra": extra}, logger_name)

    def debug(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, message: str, logger_name: str | None = None, extra: Any = None
    ) -> Any:
        """Log at level debug."""
        return self.log(message, "debug", logger_name, extra)

    def info(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, message: str, logger_name: str | None = None, extra: Any = None
    ) -> Any:
        """Log at level info."""
        return self.log(message, "info", logger_name, extra)

    def warning(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, message: str, logger_name: str | None = None, extra: Any = None
    ) -> Any:
        """Log at level warning."""
        return self.log(message, "warning", logger_name, extra)

    def error(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, message: str, logger_name: str | None = None, extra: Any = None
    ) -> Any:
        """Log at level error."""
        return self.log(message, "error", logger_name, extra)

    def elicit(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        message: str,
        response_type: Any = None,
        *,
        response_title: str | None = None,
        response_description: str | None = None,
        key: str | None = None,
    ) -> Any:
        """Ask the user: for a record, a single value, one of several texts, or, with None, for a yes.

        A list of texts, or a dict from texts to titles, offers a choice; the same in a list of its own, several.
        """
        form, opened = _form(response_type, {"title": response_title, "description": response_description})
        asked = super().elicit(message, form, key=key)
        return self._then(asked, functools.partial(_elicited, opened))

    def sample(
        self,
        messages: Any,
        system_prompt: str | None = None,
        temperature: float | None = None,
        max_tokens: int = 512,
        model_preferences: str | Sequence[str] | Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        **options: Any,
    ) -> Any:
        """Ask the client's model to continue; gives SamplingResult."""
        if isinstance(model_preferences, str):
            model_preferences = [model_preferences]
        if model_preferences is not None and not isinstance(model_preferences, Mapping):
            model_preferences = {"hints": [{"name": name} for name in model_preferences]}
        wire = {"systemPrompt": system_prompt, "temperature": temperature, "modelPreferences": model_preferences}
        given = {name: value for name, value in wire.items() if value is not None}
        asked = super().sample(messages, max_tokens=max_tokens, key=key, **given, **options)
        return self._then(asked, SamplingResult)

    def read_resource(self, uri: object) -> Any:
        """Read a resource of this server; gives ResourceResult, its contents ResourceContent."""
        message = {"jsonrpc": "2.0", "id": 0, "method": "resources/read", "params": {"uri": str(uri)}}
        handle: Any = self.fastmcp.handle_async if self._is_async else self.fastmcp.handle
        return self._then(handle(message, revision=LATEST_HANDSHAKE, principal=self.principal), _contents)

    def _then(self, answer: Any, read: Callable[[Any], Any]) -> Any:
        return _later(answer, read) if self._is_async else read(answer)


async def _later(answer: Any, read: Callable[[Any], Any]) -> Any:
    return read(await answer)


# What is asked and answered -----------------------------------------------------------------------


class AcceptedElicitation(Elicited):
    """The user said yes; `data` is what they filled in."""


class DeclinedElicitation(Elicited):
    """The user said no."""


class CancelledElicitation(Elicited):
    """The user said neither."""


_ANSWERS = {"accept": AcceptedElicitation, "decline": DeclinedElicitation, "cancel": CancelledElicitation}


def _elicited(opened: Callable[[Any], Any], answer: Elicited) -> Elicited:
    return _ANSWERS[answer.action](answer.action, opened(answer.data) if answer.accepted else None)


def _form(wanted: Any, labels: dict[str, str | None]) -> tuple[Any, Callable[[Any], Any]]:
    """A form for what is wanted, and how its content is read: what is no record goes under "value"."""
    if wanted is None:
        return {"type": "object", "properties": {}}, lambda content: content
    field: dict[str, Any]
    kind: Any = str
    match wanted:
        case [dict(choices)]:
            field, kind = {"type": "array", "items": {"anyOf": _titled(choices)}}, list[str]
        case [list(choices)]:
            field, kind = {"type": "array", "items": {"type": "string", "enum": choices}}, list[str]
        case dict():
            field = {"type": "string", "oneOf": _titled(wanted)}
        case list():
            field = {"type": "string", "enum": wanted}
        case type() if hints.is_record(wanted):
            return wanted, lambda content: content
        case _:
            answer = make_dataclass("Answer", [("value", wanted)])
            field, kind = schema.of_form(answer)["properties"]["value"], wanted
    field |= {name: label for name, label in labels.items() if label is not None}
    form = {"type": "object", "properties": {"value": field}, "required": ["value"]}
    return form, lambda content: msgspec.convert(content["value"], kind)


def _titled(choices: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"const": choice, "title": said.get("title", choice)} for choice, said in choices.items()]


class SamplingResult:
    """What a model answered: `text`, also called `result`, and the wire form in `answer`."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        content = answer["content"]
        blocks = content if isinstance(content, list) else [content]
        self.text: str = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
        self.result = self.text


# What handlers return -----------------------------------------------------------------------------


class ResourceError(ToolError):
    """A resource that cannot be read; its text reaches the client."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt: a text or content, and who says it."""

    content: Any
    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """One piece of a resource: text or bytes, and their type."""

    content: Any
    mime_type: str | None = None


def _contents(raw: bytes) -> ResourceResult:
    answer: dict[str, Any] = msgspec.json.decode(raw)
    if "error" in answer:
        raise ResourceError(answer["error"]["message"])
    return ResourceResult([_piece(one) for one in answer["result"]["contents"]])


def _piece(one: dict[str, Any]) -> ResourceContent:
    return ResourceContent(one["text"] if "text" in one else a2b_base64(one["blob"]), one.get("mimeType"))
