"""What is known of a request, of the HTTP request that brought it, and of a session: plain facts for observers.

Everything that costs something is worked out when it is read. Does not know who reads it.
"""

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct

from ..errors import InvalidParams, ResourceNotFound
from ..revisions import REVISIONS
from ..wire.jsonrpc import ABSENT, Envelope, Failure, Meta, Params
from .core import Core
from .request import Caller
from .session import Session

__all__ = ["NOTIFICATIONS", "HttpFacts", "Outcome", "RequestFacts", "SessionFacts", "current_http"]

Outcome = Literal["ok", "tool_error", "error", "cancelled"]

NOTIFICATIONS = frozenset(
    {
        "notifications/cancelled",
        "notifications/initialized",
        "notifications/progress",
        "notifications/roots/list_changed",
    }
)
"""The notifications that a client can send."""

_WITH_FEATURE = ("tools/call", "prompts/get", "resources/read")
_IS_ERROR = b'"isError":true'
_TRACE_FIELDS = ("traceparent", "tracestate", "baggage")
_NO_PARAMS = Params()


class _Result(Struct):
    isError: bool = False


class _ToolResponse(Struct):
    result: _Result = msgspec.field(default_factory=_Result)


class _Outcome(Struct):
    result: Raw = ABSENT
    error: Raw = ABSENT


_UNREADABLE = (msgspec.MsgspecError, RecursionError, ValueError)
_decode_outcome = msgspec.json.Decoder(_Outcome).decode
_decode_response = msgspec.json.Decoder(_ToolResponse).decode


class HttpFacts(Struct):
    """One HTTP request. It may bring one message, a batch of them, or none."""

    method: str
    version: str | None  # such as "1.1"
    read_headers: Callable[[], dict[str, str]]
    address: str | None  # of the client, or of the proxy in front of the server
    port: int | None
    transport: str = "tcp"
    started: float = msgspec.field(default_factory=perf_counter)
    has_message: bool = False
    """Whether a message was read from it, so that observers know of it already."""
    body: bytes = b""
    """The body of its response, if it has one under WSGI."""


current_http: ContextVar[HttpFacts | None] = ContextVar("plainmcp_http", default=None)
"""The HTTP request that is being answered, on a server with observers."""


class RequestFacts:
    """One request or notification: what was asked, by whom, and, once it has ended, how it ended.

    What the client sent is as it sent it: do not trust it, and do not log it without a limit.
    """

    def __init__(
        self, server: Core, envelope: Envelope | None, caller: Caller | None, http: HttpFacts | None
    ) -> None:
        self._server = server
        self._envelope = envelope
        self._caller = caller or Caller()
        self._http = http
        self._params = (envelope.params if envelope is not None else None) or _NO_PARAMS
        self._started = perf_counter()
        self._ended: float | None = None
        self._response: bytes | None = None
        self.method: str | None = None if envelope is None or envelope.method is UNSET else envelope.method
        """The method, such as "tools/call"; None if no message could be read."""
        self.outcome: Outcome | None = None
        """How it ended: "ok", "tool_error", "error" or "cancelled"; None until then."""
        self.error_code: int | None = None
        """The code of the JSON-RPC error with which it ended."""
        self.http_status: int | None = None
        """The HTTP status of a request that brought no message; other statuses follow from the outcome."""

    # What was asked -------------------------------------------------------------------------------

    @property
    def is_notification(self) -> bool:
        """Whether it is a notification, which is never answered."""
        return self._envelope is not None and self._envelope.id is ABSENT

    @property
    def request_id(self) -> Any:
        """The id of the request, as the client chose it; None without one."""
        return None if self._envelope is None else _decode(self._envelope.id)

    @property
    def name(self) -> str | None:
        """The name of the tool or the prompt, or the URI of the resource; None for other methods."""
        name = self._params.uri if self._params.name is UNSET else self._params.name
        return name if isinstance(name, str) else None

    @property
    def feature(self) -> str | None:
        """The tool, the prompt, or the URI or URI template of the resource, as the server registered it.

        None for other methods, and if the server has no such feature for this caller.
        """
        registry, name, principal = self._server.registry, self.name, self.principal
        if name is None:
            return None
        if self.method == "resources/read":
            try:
                return registry.resource(name, principal)[0].key
            except ResourceNotFound:
                return None
        lists = {"tools/call": registry.tools, "prompts/get": registry.prompts}
        features: Any = lists.get(self.method or "")
        return None if features is None or features.find(name, principal) is None else name

    @property
    def is_known(self) -> bool:
        """Whether the server has this method and, for this caller, the tool, prompt or resource that is named.

        Only the names that it has are few: count or label by `method` and `feature` only if this is True.
        """
        if self.method in _WITH_FEATURE:
            return self.feature is not None
        return self.method in self._server.methods or self.method in NOTIFICATIONS

    @property
    def arguments(self) -> Any:
        """The arguments of a tool or a prompt, as they were sent: they may hold secrets. None without any."""
        return _decode(self._params.arguments)

    @property
    def meta(self) -> dict[str, Any]:
        """The `_meta` of the request."""
        try:
            return {} if self._meta is None else self._params.meta_as_dict()
        except InvalidParams:
            return {}

    @property
    def trace_context(self) -> dict[str, str]:
        """The fields `traceparent`, `tracestate` and `baggage` of `_meta`, those that are there."""
        meta = self._meta
        values = {} if meta is None else {name: getattr(meta, name) for name in _TRACE_FIELDS}
        return {name: value for name, value in values.items() if isinstance(value, str)}

    @property
    def _meta(self) -> Meta | None:
        return None if self._params._meta is UNSET else self._params._meta

    @property
    def revision(self) -> str | None:
        """The name of the protocol revision; None if it is not known, or not before the end of `initialize`."""
        version = None if self._meta is None else self._meta.version
        if isinstance(version, str):
            return version if version in REVISIONS else None
        session = self._caller.session
        if session is not None and session.revision is None and self._caller.revision is None:
            return None
        return self._caller.assumed_revision.name

    # Who asked ------------------------------------------------------------------------------------

    @property
    def principal(self) -> Any:
        """The authenticated caller; None if the transport does not authenticate callers."""
        return self._caller.principal

    @property
    def session_id(self) -> str | None:
        """The id of the HTTP session, which is a secret of its client; None without one."""
        return None if self._caller.session is None else self._caller.session.id

    @property
    def client(self) -> dict[str, Any]:
        """The name and version that the client gives itself, and its other facts."""
        client = None if self._meta is None else self._meta.client
        if not isinstance(client, dict) and self._caller.session is not None:
            client = self._caller.session.client
        return client if isinstance(client, dict) else {}

    @property
    def transport(self) -> str | None:
        """How the message came: "pipe", "tcp" or "unix"; None if the program passed it to the server itself."""
        if self._http is not None:
            return self._http.transport
        return None if self._caller.link is None else self._caller.link.transport

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers by lowercase name, which may hold secrets; empty on other transports."""
        return {} if self._http is None else self._http.read_headers()

    @property
    def http_method(self) -> str | None:
        """The HTTP method; None on other transports."""
        return None if self._http is None else self._http.method

    @property
    def http_version(self) -> str | None:
        """The version of HTTP, such as "1.1"; None on other transports."""
        return None if self._http is None else self._http.version

    @property
    def address(self) -> str | None:
        """The address of the client, as the HTTP server knows it: of a proxy, if it does not trust the proxy."""
        return None if self._http is None else self._http.address

    @property
    def port(self) -> int | None:
        """The port of the client, where `address` is known."""
        return None if self._http is None else self._http.port

    # How it ended ---------------------------------------------------------------------------------

    @property
    def duration(self) -> float:
        """How many seconds it took or, before its end, has taken so far."""
        return (perf_counter() if self._ended is None else self._ended) - self._started

    @property
    def result(self) -> Any:
        """The result that the client is sent, as data; None if there is none."""
        return _decode(_decode_outcome(self._response).result) if self._response else None

    @property
    def error(self) -> Any:
        """The error that the client is sent, as data: `code`, `message` and perhaps `data`; None if there is none."""
        return _decode(_decode_outcome(self._response).error) if self._response else None

    def end(self, response: bytes | None) -> None:
        """Record the end of the request, with its response; None if none is sent."""
        self._ended, self._response = perf_counter(), response
        if isinstance(response, Failure):
            self.outcome, self.error_code = "error", response.code
        elif response is None:
            self.outcome = "ok" if self.is_notification else "cancelled"
        else:
            self.outcome = "tool_error" if self.method == "tools/call" and _is_tool_error(response) else "ok"

    def end_http(self, status: int | None, body: bytes) -> None:
        """Record the end of an HTTP request that brought no message; without a status the client disconnected."""
        assert self._http is not None
        self._started, self._ended, self.http_status = self._http.started, perf_counter(), status
        self.outcome = "cancelled" if status is None else "ok" if status < 400 else "error"
        if isinstance(body, Failure):
            self._response, self.error_code = body, body.code


class SessionFacts:
    """One session: a client that stays connected, or an HTTP session of a handshake revision."""

    def __init__(self, session: Session, principal: Any, transport: str | None) -> None:
        self._session = session
        self._started = perf_counter()
        self._ended: float | None = None
        self.principal = principal
        """The authenticated caller who opened it; None if the transport does not authenticate callers."""
        self.transport = transport
        """How its messages come: "pipe" or "tcp"; None if the program passes them itself."""

    @property
    def session_id(self) -> str | None:
        """The id of the HTTP session, which is a secret of its client; None without one."""
        return self._session.id

    @property
    def revision(self) -> str | None:
        """The name of the protocol revision of its handshake; None without a handshake."""
        return None if self._session.revision is None else self._session.revision.name

    @property
    def client(self) -> dict[str, Any]:
        """The name and version that the client gave itself in the handshake."""
        return self._session.client

    @property
    def duration(self) -> float:
        """How many seconds it lasted or, before its end, has lasted so far."""
        return (perf_counter() if self._ended is None else self._ended) - self._started

    def end(self) -> None:
        """Record the end of the session."""
        self._ended = perf_counter()


def _decode(raw: Raw) -> Any:
    try:
        return msgspec.json.decode(raw) if raw else None
    except _UNREADABLE:
        return None


def _is_tool_error(response: bytes) -> bool:
    return _IS_ERROR in response and _decode_response(response).result.isError
