"""Runs the handlers of routes under ASGI: plain functions in threads, `async def` functions in the loop.

An exception of a handler is logged and becomes a 500; it never ends the server. Knows ASGI, but no MCP.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from inspect import isawaitable
from typing import Any
from urllib.parse import parse_qsl

from ..errors import HTTP_STATUSES, AuthorError, ProtocolError
from ..policy import Policy
from ..protocol.core import Core
from ..protocol.failures import log_incident
from ..protocol.interrupts import raise_interrupt, tame
from ..web import HttpRequest
from .asgi import ASGIApp
from .asgi_body import BodyTooLarge, BodyTooSlow, ClientGone, read_body
from .health import HEALTH, HealthApp
from .http.endpoint import Endpoint
from .http.path import PATH, App, NotFound, PathApp, at_path, path_of, send_whole
from .http.routes import Route, Routes, to_response
from .http.settings import Settings
from .run_async import run_in_thread
from .threads import threads_of

__all__ = ["Beside", "RouteApp", "routes_beside", "with_routes"]

Beside = Callable[[ASGIApp, App], App]
"""Takes the application of a server, and one for the paths that are left; returns one that serves some of these."""

_TEXT = [(b"content-type", b"text/plain; charset=utf-8")]


def with_routes(
    app: ASGIApp,
    core: Core,
    routes: Routes,
    settings: Settings,
    path: str,
    health: str | None,
    beside: Beside | None = None,
) -> PathApp:
    """An application at a path, with the routes of its server at other paths; raises AuthorError.

    `beside` puts an application behind these routes, such as a page for people.
    """
    last: App = NotFound(path)
    others = last if beside is None else beside(app, last)
    return at_path(app, path, routes_beside(app.endpoint, core, routes, settings, path, health, others))


def routes_beside(
    endpoint: Endpoint,
    core: Core,
    routes: Routes,
    settings: Settings,
    path: str,
    health: str | None,
    others: App | None = None,
) -> "RouteApp":
    """The routes beside the path of a server, behind them the one for load balancers, and then `others`.

    Raises AuthorError if a route is at the path of the server.
    """
    if not path.startswith("/"):
        raise AuthorError(f"path= starts with a slash, such as {PATH}; not {path!r}")
    if routes.has_path(path):
        raise AuthorError(f"there is a route at {path}, where the server itself answers; choose another path=")
    others = others or NotFound(path)
    if health is not None:
        if not health.startswith("/"):
            raise AuthorError(f"health= starts with a slash, such as {HEALTH}; not {health!r}")
        others = HealthApp(health, lambda: not endpoint.responses.draining, others)
    return RouteApp(core, routes, settings, others)


class RouteApp:
    """An ASGI application for the routes of a server; `others` answers at paths without a route."""

    def __init__(self, core: Core, routes: Routes, settings: Settings, others: App) -> None:
        self._core = core
        self._routes = routes
        self._settings = settings
        self._others = others
        self._encode = partial(_encode, core)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        match = self._routes.find(path_of(scope), scope["method"])
        if match is None:
            return await self._others(scope, receive, send)
        if match.route is None:
            allow = ", ".join(sorted(match.allowed))
            return await _refuse(send, 405, f"This path takes {allow}.", (b"allow", allow.encode()))
        sender = _Sender(send)
        try:
            await self._answer(match.route, {**scope, "path_params": match.path_params}, receive, sender.send)
        except GeneratorExit:
            raise
        except ClientGone:
            return None
        except BodyTooLarge:
            await _refuse(send, 413, f"The body is larger than {self._settings.max_body} bytes.")
        except BodyTooSlow:
            await _refuse(send, 408, f"The body took longer than {self._settings.body_seconds:g} s.")
        except BaseException as error:
            task = asyncio.current_task()
            if issubclass(type(error), asyncio.CancelledError) and task is not None and task.cancelling():
                raise  # the whole request is cancelled
            await self._fail(match.route, scope, sender, error)
        return None

    async def _answer(self, route: Route, scope: Any, receive: Any, send: Any) -> None:
        if route.is_app:
            return await route.handler(scope, receive, send)  # type: ignore[no-any-return]
        arguments = []
        if route.takes_request and route.request_type is not None:
            arguments = [route.request_type(scope, receive, send)]
        elif route.takes_request:
            arguments = [_request_of(scope, await read_body(receive, self._settings))]
        call = partial(route.handler, *arguments)
        value = call() if route.is_async else await run_in_thread(call, threads_of(self._core))
        value = await value if isawaitable(value) else value
        if callable(value):  # a response of Starlette, or another ASGI application
            return await value(scope, receive, send)  # type: ignore[no-any-return]
        response = to_response(value, self._encode)
        is_head = scope["method"] == "HEAD"
        await send_whole(send, response.status, list(response.headers), response.body, is_head=is_head)

    async def _fail(self, route: Route, scope: Any, sender: "_Sender", error: BaseException) -> None:
        """Log an exception, and answer with the status that fits it, unless the response has started."""
        try:
            status, text = _read_refusal(tame(error))
        except BaseException as problem:  # its class is the author's
            raise_interrupt(problem)
            status, text = 500, ""
        if not text:
            text = log_incident(f"{scope['method']} {route.path}", error, self._core.mask_errors)
        if not sender.has_started:
            await _refuse(sender.send, status, text)


def _read_refusal(error: BaseException) -> tuple[int, str]:
    """The status and the text of an exception that refuses a request; 500 without a text for any other one."""
    if isinstance(error, ProtocolError):
        return HTTP_STATUSES.get(error.code, 500), error.message
    status: Any = getattr(error, "status_code", None)  # an HTTPException of Starlette
    if isinstance(status, int) and 400 <= status <= 599:
        return status, str(getattr(error, "detail", "")) or "Refused"
    return 500, ""


class _Sender:
    """Sends messages, and knows whether the response has started."""

    def __init__(self, send: Callable[[Any], Any]) -> None:
        self._send = send
        self.has_started = False

    async def send(self, message: Any) -> None:
        """Send a message."""
        self.has_started = True
        try:
            await self._send(message)
        except OSError:  # servers raise it when the client has disconnected
            raise ClientGone from None


async def _refuse(send: Any, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
    await send_whole(send, status, [*_TEXT, *headers], f"{text}\n".encode(errors="replace"))


def _encode(core: Core, value: Any) -> bytes:
    return core.rules.encode(value, Policy.standard)


def _request_of(scope: Any, body: bytes) -> HttpRequest:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    query = scope.get("query_string", b"").decode("latin-1")
    client = scope.get("client")
    return HttpRequest(
        method=scope["method"],
        path=path_of(scope),
        path_params=scope["path_params"],
        query=dict(parse_qsl(query, keep_blank_values=True)),
        headers=headers,
        body=body,
        client=client[0] if client else None,
    )
