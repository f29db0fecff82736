"""The server that users create: the registration of the core, and every way to serve it."""

import logging
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from inspect import isroutine
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

from msgspec.structs import replace

from . import revisions
from .client import ClientMessages, RpcError, list_all, parse_result, raise_failure, read_result, to_error
from .errors import AuthorError, OptionError
from .protocol.core import Core, check_seconds
from .protocol.dispatch import dispatch, dispatch_observed, receive
from .protocol.exchange import Exchange
from .protocol.habits import SERVER_ATTRIBUTES, with_advice
from .protocol.methods import METHODS, Method
from .protocol.methods.own import compile as compile_method
from .protocol.middleware import Middleware, wrap_methods
from .protocol.middleware import compile as compile_middleware
from .protocol.observation import check_observer
from .protocol.option_check import with_checked_options
from .protocol.options import HttpOptions, MethodOptions, RunOptions
from .protocol.request import Caller
from .revisions import Revision
from .transports import run as runner
from .transports.connection import Connection
from .transports.health import HEALTH
from .transports.log_format import formatted_logs, shown_access_log
from .transports.shutdown import GRACE, STDIO_GRACE
from .transports.threads import threads_of
from .types import CallToolResult, GetPromptResult, Prompt, ReadResourceResult, Resource, ResourceTemplate, Tool
from .wire import codec

if TYPE_CHECKING:
    from .transports.applications import AppOptions
    from .transports.http.routes import Routes

__all__ = ["Server"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


@with_advice(SERVER_ATTRIBUTES)
class Server(Core):
    """An MCP server: register plain functions, then pass it messages or mount it.

    >>> server = Server("greeter", "1.0")
    >>> @server.tool
    ... def greet(name: str) -> str:
    ...     return f"Hello, {name}!"
    >>> server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    b'{"jsonrpc":"2.0","id":1,"result":{}}'
    """

    methods: Mapping[str, Method] = METHODS

    def _set_up(
        self,
        lifespan: Callable[..., Any] | None,
        middleware: Sequence[Callable[..., Any]],
        observers: Sequence[Callable[..., Any]],
    ) -> None:
        self._middleware: list[Middleware] = [compile_middleware(function) for function in middleware]
        self._has_started = False
        self._has_app = False  # whether asgi() or wsgi() was called
        if lifespan is not None:
            from .transports.lifespan import Lifespan  # loads asyncio, for those who need it

            self.life = Lifespan(self, lifespan, self._set_lifespan)
        if self.store is not None:
            from .replicas.presence import presence_of  # loaded for those who share

            self.presence = presence_of(self, self.store)
        self._compile_methods()
        self.dispatch = dispatch
        for observer in observers:
            self.observe(observer)

    @overload
    def middleware(self, function: F, /) -> F: ...
    @overload
    def middleware(self, /, *, methods: Sequence[str] | None = None) -> Callable[[F], F]: ...
    def middleware(self, function: Any = None, /, *, methods: Sequence[str] | None = None) -> Any:
        """Call a function around each request: `@server.middleware`, or `@server.middleware(methods=[…])` for some.

        The function takes a MiddlewareRequest and `call_next`, and returns what `call_next(request)` returns, or
        another value. It may be `async def`. The first that is registered is the outermost.
        """

        def register(function: F) -> F:
            self._middleware.append(compile_middleware(function, methods, self.methods))
            self._compile_methods()
            return function

        return register if function is None else register(function)

    def observe(self, observer: F) -> F:
        """Call a function when each request begins: `@server.observe`. It sees the request, and changes nothing.

        It takes the RequestFacts of a request or notification. It may return a function, which is called with these
        facts when the request has ended. What it sets in context variables is set for the handler, too. Exceptions
        are logged. Both functions run in the event loop or in the thread of the request, so they must not wait.
        """
        if self._has_app and not self.observers:
            raise AuthorError("server.observe comes before server.asgi() and server.wsgi(), which prepare for it")
        self.observers = (*self.observers, check_observer(observer, "server.observe"))
        self.dispatch = dispatch_observed
        return observer

    def observe_sessions(self, observer: F) -> F:
        """Call a function when each session begins: `@server.observe_sessions`.

        It takes the SessionFacts, and may return a function, which is called with them when the session has ended.
        """
        self.session_observers = (*self.session_observers, check_observer(observer, "server.observe_sessions"))
        return observer

    def tools_changed(self) -> None:
        """Notify the clients that the list of tools changed: for what the server itself cannot see.

        A tool that is added, removed, enabled or disabled here is noticed without it. With a store, the clients of
        all processes are notified, as by `resource_updated`.
        """
        self.registry.publish("tools/list_changed")

    def resources_changed(self) -> None:
        """Notify the clients that the list of resources or templates changed; see `tools_changed`."""
        self.registry.publish("resources/list_changed")

    def prompts_changed(self) -> None:
        """Notify the clients that the list of prompts changed; see `tools_changed`."""
        self.registry.publish("prompts/list_changed")

    def _set_lifespan(self, has_started: bool, value: Any) -> None:
        self.lifespan, self._has_started = value, has_started
        self._compile_methods()

    def _compile_methods(self) -> None:
        """Put the middleware around the methods, with the start of the lifespan as the outermost."""
        start = [] if self.life is None or self._has_started else [self.life.middleware]
        self.chain = (*start, *self._middleware)
        inner = any(server.chain for server in self._mounted_servers())
        self.methods = wrap_methods(self.methods_without_middleware(), self.chain, inner)
        for parent in self._parents:
            parent._compile_methods()

    @with_checked_options("@server.method", 'write @server.method("books/list")')
    def method(self, name: str, **options: Unpack[MethodOptions]) -> Callable[[F], F]:
        """Answer a method of your own: `@server.method("books/list", extension="com.example/books")`.

        The function takes the parameters of a request as one object, of the type of its hint or of `params`, and the
        Context if it wants to; its value is the result, an object. `revisions` are those that have the method: all,
        or with an extension those without a handshake. With `extension`, the server announces it, and a client that
        does not declare it is refused. `mcp_name` is the parameter that the header Mcp-Name repeats over HTTP.
        """

        def register(function: F) -> F:
            details: dict[str, Any] = {"timeout": self.timeout, **options}
            check_seconds("timeout", details["timeout"])
            method = compile_method(name, function, self.rules, self.added_methods, **details)
            self.added_methods = {**self.added_methods, name: method}
            self._compile_methods()
            return function

        return register

    def methods_without_middleware(self) -> Mapping[str, Method]:
        """The methods that it answers, by name, without its middleware."""
        own = {name: replace(METHODS[name], answer=answer, find=None) for name, answer in self.own_methods.items()}
        return {**METHODS, **own, **self.added_methods} if own or self.added_methods else METHODS

    def start(self) -> None:
        """Start the lifespan, also of mounted servers, unless it has started; raises what it raises.

        Every transport does this. In a running event loop, use start_async.
        """
        for life in self.lives():
            life.start()

    async def start_async(self) -> None:
        """Start the lifespan in this event loop, for a program that does not wait for the first request."""
        for life in self.lives():
            await life.start_async()

    def close(self) -> None:
        """End the lifespan, also of mounted servers. In the event loop of an async one, use close_async."""
        for life in self.lives():
            life.close()

    async def close_async(self) -> None:
        """End the lifespan, also of mounted servers, and wait for its end."""
        for life in self.lives():
            await life.close_async()

    def handle(self, message: Any, *, revision: str | Revision | None = None, principal: Any = None) -> bytes | None:
        """Answer one message, in bytes, text or data; no loop, no socket.

        `revision` is used when the message does not name one.
        """
        return runner.run(receive(self, message, _caller_of(revision, principal)))

    async def handle_async(
        self, message: Any, *, revision: str | Revision | None = None, principal: Any = None
    ) -> bytes | None:
        """Answer one message in an event loop; takes what `handle` takes."""
        from .transports.run_async import run_async  # an event loop is loaded for those who need one

        return await run_async(receive(self, message, _caller_of(revision, principal)), threads_of(self))

    def receive(self, message: Any, *, revision: str | Revision | None = None, principal: Any = None) -> Exchange:
        """Start to answer one message; returns the exchange, for a program that runs its steps itself."""
        return receive(self, message, _caller_of(revision, principal))

    @with_checked_options("server.connect", "write server.connect(send)")
    def connect(self, send: Callable[[bytes], None] | None = None, *, principal: Any = None) -> Connection:
        """A connection that stores the handshake of one client; `send` gets notifications and questions."""
        connection = Connection(self, send, principal=principal)
        connection.begin_session()
        return connection

    # Use inside a program ---------------------------------------------------------------------------

    def list_tools(self, *, revision: str | Revision = revisions.LATEST.name, principal: Any = None) -> list[Tool]:
        """The tools that a client of a revision is listed, all pages."""
        return self._list("tools/list", "tools", Tool, revision, principal)

    def list_resources(
        self, *, revision: str | Revision = revisions.LATEST.name, principal: Any = None
    ) -> list[Resource]:
        """The resources that a client of a revision is listed, all pages."""
        return self._list("resources/list", "resources", Resource, revision, principal)

    def list_resource_templates(
        self, *, revision: str | Revision = revisions.LATEST.name, principal: Any = None
    ) -> list[ResourceTemplate]:
        """The resource templates that a client of a revision is listed, all pages."""
        return self._list("resources/templates/list", "resourceTemplates", ResourceTemplate, revision, principal)

    def list_prompts(
        self, *, revision: str | Revision = revisions.LATEST.name, principal: Any = None
    ) -> list[Prompt]:
        """The prompts that a client of a revision is listed, all pages."""
        return self._list("prompts/list", "prompts", Prompt, revision, principal)

    def _list(self, method: str, field: str, kind: type[T], revision: str | Revision, principal: Any) -> list[T]:
        row = revisions.revision_of(revision)
        messages = ClientMessages(row)

        def request(method: str, params: dict[str, Any]) -> Any:
            raw = self.handle(messages.build_request(method, params), revision=row, principal=principal)
            return codec.decode(read_result(raw or b""))

        try:
            return [codec.convert(entry, kind) for entry in list_all(request, method, field)]
        except RpcError as error:
            raise to_error(error, row) from None

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        revision: str | Revision = revisions.LATEST.name,
        principal: Any = None,
        raise_on_error: bool = True,
    ) -> CallToolResult:
        """Call a tool as a client would; returns the result that a client of the revision is sent.

        A result with isError is raised as ToolError, unless `raise_on_error` is False. Raises InvalidParams if there
        is no such tool, or another ProtocolError that a client would be sent.
        """
        params = {"name": name, "arguments": arguments or {}}
        result: CallToolResult = await self._request("tools/call", params, revision, principal)
        if raise_on_error:
            raise_failure(result)
        return result

    async def read_resource(
        self, uri: str, *, revision: str | Revision = revisions.LATEST.name, principal: Any = None
    ) -> ReadResourceResult:
        """Read a resource as a client would; raises ResourceNotFound, or another ProtocolError if it fails."""
        result: ReadResourceResult = await self._request("resources/read", {"uri": uri}, revision, principal)
        return result

    async def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] | None = None,
        *,
        revision: str | Revision = revisions.LATEST.name,
        principal: Any = None,
    ) -> GetPromptResult:
        """Get the messages of a prompt as a client would; raises InvalidParams, or InternalError if it fails."""
        params = {"name": name, "arguments": arguments or {}}
        result: GetPromptResult = await self._request("prompts/get", params, revision, principal)
        return result

    async def _request(self, method: str, params: dict[str, Any], revision: str | Revision, principal: Any) -> Any:
        row = revisions.revision_of(revision)
        message = ClientMessages(row).build_request(method, params)
        raw = await self.handle_async(message, revision=row, principal=principal)
        try:
            return parse_result(codec.decode(read_result(raw or b"")), method)
        except RpcError as error:
            raise to_error(error, row) from None

    # Serving --------------------------------------------------------------------------------------

    @with_checked_options("@server.route", 'write @server.route("/health")')
    def route(self, path: str, *, methods: Collection[str] = ("GET",)) -> Callable[[F], F]:
        """Answer plain HTTP requests at a path beside the endpoint, under `run(http=)`, `asgi(path=)`, `wsgi(path=)`.

        The function takes a `plainmcp.web.HttpRequest`, or nothing, and returns text, bytes, data for JSON, an
        HttpResponse or a response of Starlette. An ASGI application may take its place. The path may have parameters,
        such as `/items/{id:int}`. There are no checks of who is calling: that is up to the function.
        """

        def register(function: F) -> F:
            self.routes.add(path, methods, function)
            return function

        return register

    @cached_property
    def routes(self) -> "Routes":
        """The routes beside the endpoint."""
        from .transports.http.routes import Routes  # loaded for those who serve over HTTP

        return Routes()

    @with_checked_options("server.asgi", "write server.asgi(principal=…)")
    def asgi(
        self,
        *,
        path: str | None = None,
        health: str | None = None,
        principal: Callable[[Any], Any] | None = None,
        auth: Any = None,
        anonymous: bool = False,
        **settings: Unpack[HttpOptions],
    ) -> Any:
        """An ASGI application: give it to uvicorn, or mount it in Starlette, FastAPI or Litestar.

        Without a path it answers at any path, so mount it at one. With a path it answers there, and at those of
        `route`; other paths are a 404. With `health`, such as "/health", it also tells load balancers at that path
        whether it is ready, unless there is a route. `auth` takes verifiers of tokens or keys (see plainmcp.auth);
        with `anonymous`, callers may come without one. Or `principal` is called with the scope of each request, and
        returns who is calling. The other options are the limits and rules of HTTP.
        """
        from .transports.applications import build_asgi  # loaded for those who mount the server

        options = self._app_options("server.asgi", path, health, principal, auth, anonymous)
        return build_asgi(self, options, **settings)

    def _asgi_with_page(
        self,
        address: str,
        *,
        path: str,
        health: str | None,
        principal: Callable[[Any], Any] | None = None,
        auth: Any = None,
        anonymous: bool = False,
        **settings: Unpack[HttpOptions],
    ) -> Any:
        """The application of `asgi`, with the page for people beside it, to be served at an address."""
        from .transports.applications import build_asgi  # as in asgi
        from .transports.uvicorn import is_loopback_address
        from .ui.page_app import page_beside  # loaded for those who serve the page

        beside = page_beside(self, path, on_loopback=is_loopback_address(address))
        options = self._app_options("server.run", path, health, principal, auth, anonymous, beside)
        return build_asgi(self, options, **settings)

    @with_checked_options("server.wsgi", "write server.wsgi(principal=…)")
    def wsgi(
        self,
        *,
        path: str | None = None,
        health: str | None = None,
        principal: Callable[[Any], Any] | None = None,
        auth: Any = None,
        anonymous: bool = False,
        **settings: Unpack[HttpOptions],
    ) -> Any:
        """A WSGI application: give it to gunicorn, or mount it in Django or Flask.

        `path`, `health`, `auth` and `anonymous` have the meaning that they have in `asgi`; `principal` gets the
        environ. An open stream occupies a thread of the server, so no stream stays open unless `max_standing` allows
        some.
        """
        from .transports.applications import build_wsgi  # loaded for those who mount the server

        settings.setdefault("max_standing", 0)
        options = self._app_options("server.wsgi", path, health, principal, auth, anonymous)
        return build_wsgi(self, options, **settings)

    def _app_options(self, where: str, *options: Any) -> "AppOptions":
        from .transports.applications import AppOptions  # as in asgi

        self._has_app = True
        return AppOptions(where, lambda: self.routes, *options)

    @contextmanager
    def _logs(
        self, access_log: Literal["plain", "json"] | None, log_level: str | None
    ) -> Generator[None, None, None]:
        """While it is open, the log has its format and level, and requests are logged."""
        with formatted_logs(log_level):
            if access_log is None:
                yield
                return
            from .observe import ACCESS_LOGGER, log_access  # loaded for those who need it

            before = self.observers, self.dispatch, self._has_app
            self._has_app = False  # the application is built for this run
            self.observe(log_access(access_log))
            try:
                with shown_access_log(ACCESS_LOGGER, access_log):
                    yield
            finally:
                self.observers, self.dispatch, self._has_app = before

    @with_checked_options("server.run", 'write server.run(), or server.run(http="127.0.0.1:8000")')
    def run(
        self,
        http: str | int | None = None,
        *,
        path: str | None = None,
        health: str | None = HEALTH,
        workers: int = 1,
        grace: float | None = None,
        access_log: Literal["plain", "json"] | None = None,
        log_level: Literal["debug", "info", "warning", "error", "critical"] | None = None,
        uvicorn: dict[str, Any] | None = None,
        ui: bool = False,
        **options: Unpack[RunOptions],
    ) -> None:
        """Serve until the client disconnects or a signal comes: on standard input and output, or over HTTP.

        `http` is a host and port, such as "127.0.0.1:8000", or a port of 127.0.0.1. The server is then at `path`, by
        default /mcp, and its routes beside it, in as many processes as `workers` says; with several, sessions are
        signed ids (see sessions). Load balancers can ask at `health` whether it is ready. After a signal
        it ends within `grace` seconds, by default 10 over HTTP and 2 otherwise: requests that take longer are
        cancelled, and answered with an error; a second Ctrl-C cancels them at once. `access_log` logs a line for
        each request, and `log_level` is the lowest level that is logged. With `ui`, there is a page at / for people
        to try the server. For HTTP it also takes the options of `asgi` and, in `uvicorn`, those of uvicorn; for
        standard input and output, `max_line`, the bytes of a message, and `principal`, the client: see authorization.
        Raises AuthorError if it cannot serve there.
        """
        more = _options_for_http(path, health, uvicorn, ui) | ({"workers": workers} if workers != 1 else {})
        if http is None:
            from .transports import stdio  # loaded for those who run the server

            stdio_options = _stdio_options_of("server.run", {**options}, more)
            with self._logs(access_log, log_level):
                stdio.run(self, grace=_grace_of(grace, http), **stdio_options)
        else:
            from .transports import uvicorn as serving  # loaded for those who serve over HTTP

            http_options = _http_options_of("server.run", {**options})
            if workers > 1:
                _check_sharing(http_options, self.store)
            with self._logs(access_log, log_level):
                if workers > 1 and not self.is_key_shared:
                    _log.warning("there is no Server(key=…), so all sessions end when this server is started again")
                    self.is_key_shared = True  # they are forked
                app, address, details = self._prepare_http(http, path, health, log_level, uvicorn, ui, http_options)
                serving.serve(app, address, workers=workers, grace=_grace_of(grace, http), **details)

    @with_checked_options("server.run_async", 'write await server.run_async(), or run_async(http="127.0.0.1:8000")')
    async def run_async(
        self,
        http: str | int | None = None,
        *,
        path: str | None = None,
        health: str | None = HEALTH,
        grace: float | None = None,
        access_log: Literal["plain", "json"] | None = None,
        log_level: Literal["debug", "info", "warning", "error", "critical"] | None = None,
        uvicorn: dict[str, Any] | None = None,
        ui: bool = False,
        **options: Unpack[RunOptions],
    ) -> None:
        """Serve in this event loop, until the client disconnects, a signal comes or the task is cancelled.

        Takes the options of `run`, except workers. A signal ends it as it ends `run`, and is then sent again for the
        rest of the program.
        """
        if http is None:
            from .transports import stdio_async  # loaded for those who run the server in a loop

            more = _options_for_http(path, health, uvicorn, ui)
            stdio_options = _stdio_options_of("server.run_async", {**options}, more)
            with self._logs(access_log, log_level):
                await stdio_async.run_async(self, grace=_grace_of(grace, http), **stdio_options)
        else:
            from .transports import uvicorn as serving  # loaded for those who serve over HTTP

            http_options = _http_options_of("server.run_async", {**options})
            with self._logs(access_log, log_level):
                app, address, details = self._prepare_http(http, path, health, log_level, uvicorn, ui, http_options)
                await serving.serve_async(app, address, grace=_grace_of(grace, http), **details)

    def _prepare_http(
        self,
        http: str | int,
        path: str | None,
        health: str | None,
        log_level: str | None,
        uvicorn: dict[str, Any] | None,
        ui: bool,
        options: dict[str, Any],
    ) -> tuple[Any, str, dict[str, Any]]:
        """The application to serve over HTTP, its address, and the details for uvicorn; raises AuthorError."""
        from .transports import uvicorn as serving  # as in run

        details = serving.check_uvicorn(
            {"path": path or serving.PATH, **serving.uvicorn_level(log_level), **(uvicorn or {})}
        )
        address = serving.address_text(http)
        build = partial(self._asgi_with_page, address) if ui else self.asgi
        app = build(path=details["path"], health=health, **options)
        serving.warn_if_open(address, is_protected=_is_protected(options))
        return app, address, {**details, "has_page": ui}


_log = logging.getLogger("plainmcp")
_FOR_STDIO = ("max_line", "streams")
_FOR_BOTH = ("principal",)


def _grace_of(grace: float | None, http: str | int | None) -> float:
    """The number of seconds for the shutdown of `run`, which has another default for each way to serve."""
    return grace if grace is not None else STDIO_GRACE if http is None else GRACE


def _options_for_http(
    path: str | None, health: str | None, uvicorn: dict[str, Any] | None, ui: bool
) -> dict[str, Any]:
    """The options of `run` that go with http=; None for those that are not given."""
    given_health = None if health == HEALTH else health or ""
    return {"path": path, "uvicorn": uvicorn, "health": given_health, "ui": ui or None}


def _stdio_options_of(where: str, options: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """The options for standard input and output; raises OptionError if there are others."""
    named = [name for name in options if name not in (*_FOR_STDIO, *_FOR_BOTH)]
    for_http = [*named, *(name for name, value in more.items() if value is not None)]
    if for_http:
        raise OptionError(f'{where}: {for_http[0]}= goes with http=, such as http="127.0.0.1:8000"')
    if isroutine(options.get("principal")):
        raise OptionError(
            f"{where}: principal= must be the caller, such as a Principal; a function that finds it goes with http="
        )
    return options


def _check_sharing(options: dict[str, Any], own: Any) -> None:
    """Let the sessions of several workers be signed, unless there is a store; raises AuthorError."""
    store = options.get("store") or own
    if store is not None and not getattr(store, "is_shared", True):
        raise AuthorError(
            "this store belongs to one process: with several workers, use a SQLiteStore or a RedisStore"
        )
    is_signed = store is None and not options.get("stateless")
    if is_signed and options.setdefault("sessions", "signed") == "memory":
        problem = "a session in memory belongs to one process"
        raise AuthorError(f'{problem}: with several workers, sessions="signed", or a store=')


def _http_options_of(where: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options for HTTP; raises OptionError if there are others."""
    for name in _FOR_STDIO:
        if name in options:
            raise OptionError(f"{where}: {name}= is for standard input and output, without http=")
    principal = options.get("principal")
    if principal is not None and not callable(principal):
        raise OptionError(
            f"{where}: with http=, principal= must be a function of the scope that returns the caller, not "
            f"{type(principal).__name__}; see also auth="
        )
    return options


def _is_protected(options: dict[str, Any]) -> bool:
    """Whether it is known who is calling."""
    return options.get("principal") is not None or (options.get("auth") is not None and not options.get("anonymous"))


def _caller_of(revision: str | Revision | None, principal: Any) -> Caller:
    return Caller(None, principal, None if revision is None else revisions.revision_of(revision))
