"""The context of the official SDK: plainmcp's context under its names, with its request context and its session.

The same for `mcp` 1 and `mcp` 2. Methods that are `async def` there return something that can be awaited.
"""

import inspect
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import msgspec

from ... import context
from ...errors import AuthorError, OptionError
from ...questions import ElicitUrl
from ...revisions import LATEST_HANDSHAKE
from ...server import Server
from ..titles import TitledForm
from .elicitations import elicit_with_validation, to_elicitation
from .helper_types import ReadResourceContents, contents_of
from .input_required import answers_in, state_in
from .loaded_types import to_loaded
from .request_context import RequestContext
from .session import ServerSession
from .types import ClientCapabilities

__all__ = [
    "Context",
    "current_context",
    "enter_context",
]

_current: ContextVar["Context"] = ContextVar("mcp_context")


def current_context() -> "Context | None":
    """The context of the handler that is running; None outside of one."""
    return _current.get(None)


@contextmanager
def enter_context(inner: context.Context[Any], server: Server) -> Generator["Context", None, None]:
    """Create a handler's context, which current_context() returns inside the `with` block."""
    current = Context(inner, server)
    token = _current.set(current)
    try:
        yield current
    finally:
        _current.reset(token)


class Context(context.Context[Any]):
    """The context of a request: plainmcp's context under the names of the SDK."""

    __slots__ = ("_app", "_request_context")

    def __new__(
        cls, inner: context.Context[Any] | None = None, server: Server | None = None, **options: Any
    ) -> "Context":
        """A context; one that a program makes has no request of ours behind it."""
        kind: Any = MadeContext if cls is Context and inner is None else cls
        return super().__new__(kind)  # type: ignore[no-any-return]

    def __init__(
        self, inner: context.Context[Any] | None = None, server: Server | None = None, **options: Any
    ) -> None:
        if inner is None:
            return  # see __new__
        for name in context.Context.__slots__:
            setattr(self, name, getattr(inner, name))
        self._app: Any = server
        self._request_context: Any = RequestContext(self, current_context)

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    @property
    def fastmcp(self) -> Any:
        """The server, as `mcp` 1 names it."""
        return self.mcp_server

    @property
    def mcp_server(self) -> Any:
        """The server, as `mcp` 2 names it."""
        if self._app is None:
            raise ValueError("Context is not available outside of a request")
        return self._app

    @property
    def request_context(self) -> Any:
        """The request: its id, its session, what the lifespan yielded, and the HTTP request."""
        if self._request_context is None:
            raise ValueError("Context is not available outside of a request")
        return self._request_context

    @property
    def session(self) -> ServerSession:
        """The session of the client."""
        return self.request_context.session  # type: ignore[no-any-return]

    @property
    def request_id(self) -> str:
        """The id of the request, as text."""
        return str(super().request_id)

    @property
    def client_id(self) -> str | None:
        """The client_id in the request's `_meta`; clients can write anything there."""
        client_id = self.meta.get("client_id")
        return client_id if isinstance(client_id, str) else None

    @property
    def protocol_version(self) -> str:
        """The name of the protocol revision of the request."""
        return self.revision

    @property
    def client_capabilities(self) -> ClientCapabilities:
        """The capabilities that the client declares."""
        return to_loaded(ClientCapabilities(**self.capabilities))  # type: ignore[no-any-return]

    @property
    def input_responses(self) -> dict[str, Any] | None:
        """The answers to the questions of an InputRequiredResult, by key; None in the first round."""
        return answers_in(self)

    @property
    def request_state(self) -> str | None:
        """The state of the InputRequiredResult that is answered; None in the first round."""
        return state_in(self)

    # Sending --------------------------------------------------------------------------------------

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> Any:
        """Report progress, if the client asked for it."""
        return self.progress(progress, total, message)

    def log(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, level: str, message: Any, *, logger_name: str | None = None, **extra: Any
    ) -> Any:
        """Send a log message, if the client wants messages of this level."""
        return super().log(level, message, logger_name)

    def debug(self, message: Any, **extra: Any) -> Any:  # type: ignore[override]  # pyright: ignore
        """Log at level debug."""
        return self.log("debug", message, **extra)

    def info(self, message: Any, **extra: Any) -> Any:  # type: ignore[override]  # pyright: ignore
        """Log at level info."""
        return self.log("info", message, **extra)

    def warning(self, message: Any, **extra: Any) -> Any:  # type: ignore[override]  # pyright: ignore
        """Log at level warning."""
        return self.log("warning", message, **extra)

    def error(self, message: Any, **extra: Any) -> Any:  # type: ignore[override]  # pyright: ignore
        """Log at level error."""
        return self.log("error", message, **extra)

    def notify_resource_updated(self, uri: object) -> Any:
        """Notify the subscribers of a resource that it changed."""
        return self.resource_updated(str(uri))

    def notify_tools_changed(self) -> Any:
        """Notify the clients that the list of tools changed."""
        return self.session.send_tool_list_changed()

    def notify_prompts_changed(self) -> Any:
        """Notify the clients that the list of prompts changed."""
        return self.session.send_prompt_list_changed()

    def notify_resources_changed(self) -> Any:
        """Notify the clients that the list of resources changed."""
        return self.session.send_resource_list_changed()

    def close_sse_stream(self) -> Any:
        """Close the stream early: the client reconnects for the answer."""
        return self.close_stream()

    def close_standalone_sse_stream(self) -> Any:
        """Take the wish to close the stream of the session, which stays open: its messages arrive anyway."""
        return self.then(context._DONE, lambda _: None)

    # Asking ---------------------------------------------------------------------------------------

    def read_resource(self, uri: object) -> Any:
        """Read a resource of this server; returns a list of ReadResourceContents."""
        message = {"jsonrpc": "2.0", "id": 0, "method": "resources/read", "params": {"uri": str(uri)}}
        handle: Any = self._app.handle_async if self._is_async else self._app.handle
        return self.then(handle(message, revision=LATEST_HANDSHAKE, principal=self.principal), _read_contents)

    def elicit(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, message: str, schema: Any, *, key: str | None = None
    ) -> Any:
        """Ask the user to fill in the form of a model; returns one of the three elicitations."""
        try:
            answer = self._ask_one("elicit", key, TitledForm(message=message, schema=schema, kind=schema))
        except OptionError:
            raise
        except AuthorError as error:
            raise OptionError(str(error)) from error  # a TypeError, as there
        return self.then(answer, to_elicitation)

    def elicit_url(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, message: str, url: str, elicitation_id: str | None = None, *, key: str | None = None
    ) -> Any:
        """Ask the user to visit a web page; the id of the elicitation is sent where a revision has one."""
        question = ElicitUrl(message=message, url=url, id=elicitation_id)
        return self.then(self._ask_one("elicit", key, question), partial(to_elicitation, is_url=True))

    def then(self, answer: Any, read: Callable[[Any], Any]) -> Any:
        """What a function makes of an answer: at once, or for `async def` handlers when it is awaited."""
        return _await_and_read(answer, read) if self._is_async else read(answer)


async def _await_and_read(answer: Any, read: Callable[[Any], Any]) -> Any:
    return read(await answer)


def _read_contents(raw: bytes) -> Iterable[ReadResourceContents]:
    return contents_of(msgspec.json.decode(raw))


# Contexts that a program makes ---------------------------------------------------------------------


class MadeContext(Context):
    """A context whose session is that of the request context which it is given."""

    __slots__ = ()

    def __init__(self, inner: Any = None, server: Server | None = None, **options: Any) -> None:
        self._app = server or options.get("mcp_server") or options.get("fastmcp")
        self._request_context = options.get("request_context")

    @property
    def request_id(self) -> str:
        """The id of the request, as text."""
        return str(self.request_context.request_id)

    @property
    def meta(self) -> Any:
        """The `_meta` of the request."""
        return self.request_context.meta

    @property
    def client_id(self) -> str | None:
        """The client_id in the request's `_meta`."""
        return _in_meta(self.request_context.meta, "client_id")  # type: ignore[no-any-return]

    @property
    def protocol_version(self) -> str:
        """The name of the protocol revision of the request."""
        return self.request_context.protocol_version  # type: ignore[no-any-return]

    @property
    def client_capabilities(self) -> Any:
        """The capabilities that the client declares."""
        return self.session.client_capabilities

    @property
    def headers(self) -> Any:
        """The headers of the HTTP request; None without one."""
        return getattr(self.request_context.request, "headers", None)

    @property
    def input_responses(self) -> Any:
        """The answers that the client has brought."""
        return None

    @property
    def request_state(self) -> Any:
        """The state that the client has brought."""
        return None

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress by the session, if the client asked for it."""
        report = getattr(type(self.session), "report_progress", None)
        if report is not None and not hasattr(self.session, "send_progress_notification"):
            await self.session.report_progress(progress, total, message)
            return
        meta = self.request_context.meta
        token = _in_meta(meta, "progressToken", _in_meta(meta, "progress_token"))
        if token is not None:
            await self.session.send_progress_notification(
                progress_token=token,
                progress=progress,
                total=total,
                message=message,
                related_request_id=self.request_id,
            )

    async def log(  # type: ignore[override]
        self, level: str, message: Any, *, logger_name: str | None = None, **extra: Any
    ) -> None:
        """Send a log message by the session."""
        await self.session.send_log_message(
            level=level, data=message, logger=logger_name, related_request_id=self.request_id
        )

    async def elicit(  # type: ignore[override]
        self, message: str, schema: Any, *, key: str | None = None
    ) -> Any:
        """Ask the user by the session."""
        return await elicit_with_validation(self.session, message, schema, self.request_id)

    async def elicit_url(  # type: ignore[override]
        self, message: str, url: str, elicitation_id: str | None = None, *, key: str | None = None
    ) -> Any:
        """Ask the user to visit a page, by the session."""
        session: Any = self.session
        answer = session.elicit_url(message, url, elicitation_id, self.request_id)
        return to_elicitation(await answer if inspect.isawaitable(answer) else answer, is_url=True)

    async def read_resource(self, uri: object) -> Any:
        """Read a resource of the server."""
        return await self.mcp_server.read_resource(uri, self)

    async def close_sse_stream(self) -> None:
        """Close the stream of the request, if the request context can."""
        close = self.request_context.close_sse_stream
        if close is not None:
            await close()

    async def close_standalone_sse_stream(self) -> None:
        """Close the stream of the session, if the request context can."""
        close = self.request_context.close_standalone_sse_stream
        if close is not None:
            await close()


def _in_meta(meta: Any, name: str, default: Any = None) -> Any:
    return meta.get(name, default) if isinstance(meta, dict) else getattr(meta, name, default)
