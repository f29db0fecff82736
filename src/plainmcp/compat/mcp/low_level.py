"""The low-level `Server` of the official SDK: handlers of whole methods, by decorators (1) or arguments (2)."""

import logging
from collections.abc import Callable
from typing import Any

from ...errors import AuthorError, MethodNotFound, ProtocolError
from ...server import Server as PlainServer
from ..coded_error import has_code
from ..registration import RegistrationError
from . import types
from .caching import to_caches
from .context import current_context
from .decorators import Decorators
from .exceptions import McpError
from .handlers import REQUESTS, RequestHandlers
from .http_apps import HttpApps
from .initialization import InitializationOptions, NotificationOptions, initialization_options_of
from .input_required import answers_in, state_in
from .middleware import MiddlewareList, ServerRequestContext
from .notifications import NOTIFICATIONS, NotificationHandlers
from .request_context import RequestContext
from .server_info import ServerInfo, to_icons
from .settings import settings_of
from .stdio_streams import serve_streams

__all__ = ["Server", "request_ctx"]

_log = logging.getLogger("plainmcp")

_CAPABILITIES = {
    "tools": types.ListToolsRequest,
    "resources": types.ListResourcesRequest,
    "prompts": types.ListPromptsRequest,
    "completions": types.CompleteRequest,
}
_ON = {
    "on_list_tools": "tools/list",
    "on_call_tool": "tools/call",
    "on_list_resources": "resources/list",
    "on_list_resource_templates": "resources/templates/list",
    "on_read_resource": "resources/read",
    "on_subscribe_resource": "resources/subscribe",
    "on_unsubscribe_resource": "resources/unsubscribe",
    "on_list_prompts": "prompts/list",
    "on_get_prompt": "prompts/get",
    "on_completion": "completion/complete",
    "on_set_logging_level": "logging/setLevel",
}


_ON_NOTIFICATION = {"on_roots_list_changed": "notifications/roots/list_changed"}

_WITHOUT_A_HANDLER = ("completion/complete", "resources/subscribe", "resources/unsubscribe")
"""Methods that plainmcp answers by itself, and that exist here only with a handler."""


def _refuse(server: PlainServer, request: Any) -> Any:
    raise MethodNotFound("Method not found", request.method)


class Server(ServerInfo, HttpApps, Decorators, PlainServer):  # type: ignore[misc]
    """A server whose handlers answer whole methods; the handshake, revisions and transports are plainmcp's."""

    first_log_level = "debug"
    allows_new_handshake = True

    def __init__(
        self,
        name: str,
        version: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Any = None,
        lifespan: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> None:
        self.settings = settings_of(options)
        handlers = {name: options.pop(name) for name in (*_ON, *_ON_NOTIFICATION) if name in options}
        self.cache_hints = dict(options.pop("cache_hints", None) or {})
        self.caches = to_caches(self.cache_hints)
        texts = {name: options.pop(name) for name in ("title", "description") if name in options}
        super().__init__(
            name,
            version or "0.0.0",
            instructions=instructions,
            website_url=website_url,
            icons=to_icons(icons),
            lifespan=lifespan,
            **texts,
        )
        self.own_methods = dict.fromkeys(_WITHOUT_A_HANDLER, _refuse)
        self._compile_methods()
        self.request_handlers = RequestHandlers(self)
        self.notification_handlers = NotificationHandlers(self)
        self.middleware = MiddlewareList(self, ())  # type: ignore[method-assign,assignment]
        for option, handler in handlers.items():
            if handler is not None and option in _ON:
                self.add_request_handler(_ON[option], None, handler)
            elif handler is not None:
                self.add_notification_handler(_ON_NOTIFICATION[option], None, handler)

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    @property
    def request_context(self) -> RequestContext:
        """The request that is being answered; raises LookupError outside of a handler."""
        return request_ctx.get()  # type: ignore[no-any-return]

    def add_request_handler(self, method: str, params_type: Any, handler: Callable[[Any, Any], Any]) -> None:
        """Answer a method by a function of a context and the parameters, as in `mcp` 2."""
        if method == "initialize":
            raise RegistrationError("'initialize' is reserved: the handshake is plainmcp's; middleware sees it")
        if method not in REQUESTS:
            _log.warning("the method %r is not one that a handler can answer here; clients will not find it", method)
            return

        async def handle(request: Any) -> Any:
            try:
                return await handler(_context_of(request), _with_answers(request.params))
            except Exception as error:
                ctx = current_context()
                if has_code(error) or isinstance(error, ProtocolError) or ctx is None:
                    raise
                if ctx._request.revision.handshake:  # there `mcp` 2 sends the text as `mcp` 1 does
                    raise
                _log.error("the handler of %s failed", method, exc_info=error)
                raise McpError(types.INTERNAL_ERROR, "Internal server error") from error

        self.request_handlers[REQUESTS[method]] = handle

    def add_notification_handler(self, method: str, params_type: Any, handler: Callable[[Any, Any], Any]) -> None:
        """Handle a notification by a function of a context and the parameters, as in `mcp` 2."""
        if method not in NOTIFICATIONS:
            raise AuthorError(f"there is no notification {method!r} that a handler can get")

        async def handle(notification: Any) -> None:
            await handler(_context_of(notification), notification.params)

        self.notification_handlers[NOTIFICATIONS[method]] = handle

    def announced_capabilities(self) -> dict[str, Any]:
        """The capabilities of the server: those of the methods that have a handler."""
        offered: dict[str, Any] = {}
        for name, kind in _CAPABILITIES.items():
            if kind in self.request_handlers:
                offered[name] = {} if name == "completions" else {"listChanged": False}
        if types.SubscribeRequest in self.request_handlers and "resources" in offered:
            offered["resources"]["subscribe"] = True
        if types.SetLevelRequest in self.request_handlers:
            offered["logging"] = {}
        return offered

    def get_capabilities(
        self, notification_options: NotificationOptions | None = None, experimental_capabilities: Any = None
    ) -> types.ServerCapabilities:
        """The capabilities of the server, as the SDK's type."""
        return types.ServerCapabilities(**self.announced_capabilities())

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, experimental_capabilities: Any = None
    ) -> InitializationOptions:
        """The options of the handshake."""
        return initialization_options_of(self)

    async def run(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, read_stream: Any, write_stream: Any, initialization_options: Any = None, **options: Any
    ) -> None:
        """Serve the streams of `stdio_server()`, or others that carry messages, until the client disconnects."""
        if initialization_options is not None:
            self._take_options(initialization_options)
        await serve_streams(self, read_stream, write_stream)

    def _take_options(self, options: Any) -> None:
        """The name, the version and the instructions of the handshake are those of its options."""
        self.info.name = getattr(options, "server_name", None) or self.info.name
        self.info.version = getattr(options, "server_version", None) or self.info.version
        self.instructions = getattr(options, "instructions", None) or self.instructions


def _with_answers(params: Any) -> Any:
    """Parameters with the answers to questions that the handler has returned before."""
    ctx = current_context()
    if params is None or ctx is None:
        return params
    return params.model_copy(update={"input_responses": answers_in(ctx), "request_state": state_in(ctx)})


def _context_of(request: Any) -> ServerRequestContext:
    current = current_context()
    assert current is not None  # a handler runs inside of one
    context = current.request_context
    return ServerRequestContext(
        method=request.method,
        params=request.params if request.params is None else request.params.model_dump(exclude_none=True),
        session=context.session,
        lifespan_context=context.lifespan_context,
        protocol_version=context.protocol_version,
        request_id=context.request_id,
        meta=_meta_of(context.meta),
        request=context.request,
        close_sse_stream=context.close_sse_stream,
        close_standalone_sse_stream=context.close_standalone_sse_stream,
    )


def _meta_of(meta: Any) -> dict[str, Any] | None:
    """The `_meta` of a request as `mcp` 2 has it: a dict, with the token for progress under that package's name."""
    if meta is None:
        return None
    plain: dict[str, Any] = meta.to_plain()
    return {**plain, "progress_token": plain["progressToken"]} if "progressToken" in plain else plain


class _RequestVariable:
    """The request context of the handler that is running, with the methods of a ContextVar."""

    def get(self, *default: Any) -> Any:
        """The request context; raises LookupError outside of a handler."""
        current = current_context()
        if current is not None:
            return current.request_context
        if default:
            return default[0]
        raise LookupError("no handler is running, so there is no request context")


request_ctx = _RequestVariable()
