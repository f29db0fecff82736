"""Runs handlers of notifications from clients, as the official SDK's low-level servers have them.

Only a change of the client's roots has a handler: plainmcp itself uses the others, or asks for none.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Raw

from ...context import Context
from ...protocol.core import Core
from ...protocol.exchange import Exchange, Run
from ...protocol.failures import log_exception
from ...protocol.features import Feature
from ...protocol.request import Caller, Request
from ...server import Server
from ...wire.jsonrpc import Envelope, Params
from . import types
from .context import enter_context

__all__ = ["NOTIFICATIONS", "NotificationHandlers"]


Handler = Callable[[Any], Awaitable[None]]
"""Takes a notification of the SDK."""

NOTIFICATIONS: dict[str, Any] = {"notifications/roots/list_changed": types.RootsListChangedNotification}
"""The class of each notification that a handler can get."""

_METHODS = {kind: method for method, kind in NOTIFICATIONS.items()}


class NotificationHandlers(dict[Any, Handler]):
    """The handlers of a server, by the class of their notifications; those of other classes are never called."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server

    def __setitem__(self, kind: Any, handler: Handler) -> None:
        super().__setitem__(kind, handler)
        method = _METHODS.get(kind)
        if method is not None:
            feature = Feature(function=self._runner_of(handler, kind), is_async=True)
            own = {**self._server.own_notifications, method: _starter_of(feature)}
            self._server.own_notifications = own

    def _runner_of(self, handler: Handler, kind: Any) -> Callable[..., Any]:
        async def run(ctx: Any) -> None:
            with enter_context(ctx, self._server):
                await handler(kind(params=types.NotificationParams()))

        return run


def _starter_of(feature: Feature) -> Callable[[Core, Envelope, Caller], Exchange]:
    def start(server: Core, envelope: Envelope, caller: Caller) -> Exchange:
        link = caller.link if caller.headers is None else None  # the response of a notification carries no questions
        request = Request(
            Raw(b"null"),
            str(envelope.method),
            envelope.params or Params(),
            None,
            caller.assumed_revision,
            caller.session,
            link,
            caller.principal,
            caller.headers,
        )
        context = Context(request, server, is_async=True, answers={})
        return _Notified(step=Run(feature, {"ctx": context}, _forget, link))

    return start


def _forget(value: Any) -> Any:
    return None


class _Notified(Exchange):
    """A handler of a notification: it has no response."""

    def send(self, value: Any) -> None:
        """End."""
        self.step = None

    def throw(self, error: BaseException) -> None:
        """End; the error is in the log only."""
        self.step = None
        log_exception(error, "the handler of a notification failed")
