"""The context of FastMCP: plainmcp's context under its names, with its questions and answers."""

import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import make_dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

import msgspec

from ... import context
from ...protocol.forms import form_schema
from ...questions import Elicit, Elicited
from ...revisions import LATEST_HANDSHAKE
from ...schema import hints
from ..http_request import http_request_of
from ..titles import TitledForm
from .exceptions import ResourceError, ToolError
from .missing import IN_THE_CONTEXT, reject_attributes
from .pieces import ResourceResult, contents_of

__all__ = [
    "AcceptedElicitation",
    "CancelledElicitation",
    "Context",
    "DeclinedElicitation",
    "SamplingResult",
    "enter_context",
    "get_context",
    "reset_transport",
    "set_transport",
]


T = TypeVar("T")
_STATE = "fastmcp_state."
_REQUEST = "_fastmcp_request_context"
_current: ContextVar["Context"] = ContextVar("fastmcp_context")


_transport: ContextVar[str | None] = ContextVar("fastmcp_transport", default=None)


def set_transport(transport: str) -> Token[str | None]:
    """Set what `ctx.transport` returns, for a program that passes messages itself; returns a token to undo it."""
    return _transport.set(transport)


def reset_transport(token: Token[str | None]) -> None:
    """Undo what set_transport did."""
    _transport.reset(token)


class _Value:
    """A value that can be awaited."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[None, None, Any]:
        yield from ()
        return self._value


def _keep(value: Any) -> Any:
    return value


def get_context() -> "Context":
    """The context of the handler that is running."""
    try:
        return _current.get()
    except LookupError:
        raise RuntimeError("No active context found: no handler is running") from None


@contextmanager
def enter_context(inner: context.Context[Any]) -> Generator["Context", None, None]:
    """Create a handler's context, which get_context() returns inside the `with` block."""
    current = Context(inner)
    token = _current.set(current)
    try:
        yield current
    finally:
        _current.reset(token)


@reject_attributes(IN_THE_CONTEXT)
class Context(context.Context[Any]):
    """The context of a request: plainmcp's context under the names of FastMCP."""

    __slots__ = ()

    def __init__(self, inner: context.Context[Any]) -> None:
        for name in context.Context.__slots__:
            setattr(self, name, getattr(inner, name))

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    @property
    def fastmcp(self) -> Any:
        """The server that the handler is registered in."""
        return self._server

    @property
    def lifespan_context(self) -> Any:
        """What the lifespan of the server yielded; an empty dict without one."""
        return {} if self.lifespan is None else self.lifespan

    @property
    def request_context(self) -> Any:
        """The request: its id, its session, its `_meta`, what the lifespan yielded, and the HTTP request."""
        from ..mcp.request_context import (
            RequestContext,  # the types of the protocol are loaded for those who need them
        )

        if _REQUEST not in self.state:
            self.state[_REQUEST] = RequestContext(self, lambda: _current.get(None))
        return self.state[_REQUEST]

    @property
    def session(self) -> Any:
        """The session of the client, as far as the request that is being answered can use it."""
        return self.request_context.session

    @property
    def session_id(self) -> str:
        """The id of the session: that of HTTP, or one that is made for the session."""
        return super().session_id or str(self.session_state.setdefault("_fastmcp_session_id", uuid4().hex))

    @property
    def transport(self) -> str | None:
        """How the request came: "streamable-http" or "stdio"; None if the program passes messages itself."""
        chosen = _transport.get()
        if chosen is not None:
            return chosen
        if self.headers:
            return "streamable-http"
        link = self._request.link
        return "stdio" if link is not None and link.transport == "pipe" else None

    @property
    def is_background_task(self) -> bool:
        """Whether the handler runs as a background task: it never does."""
        return False

    def get_http_request(self) -> Any:
        """The HTTP request; raises RuntimeError if there is none."""
        return http_request_of(self)

    # State ----------------------------------------------------------------------------------------

    def set_state(self, key: str, value: Any, *, serializable: bool = True) -> Any:
        """Keep a value for the session, or, if it is not serializable, for this request."""
        self.state.pop(_STATE + key, None)
        (self.session_state if serializable else self.state)[_STATE + key] = value
        return self.then(context._DONE, _keep)

    def get_state(self, key: str) -> Any:
        """The value that was kept; None if there is none."""
        kept = self.state.get(_STATE + key, self.session_state.get(_STATE + key))
        return self.then(_Value(kept) if self._is_async else kept, _keep)

    def delete_state(self, key: str) -> Any:
        """Forget a value."""
        for state in (self.session_state, self.state):
            state.pop(_STATE + key, None)
        return self.then(context._DONE, _keep)

    # Asking the server ----------------------------------------------------------------------------

    def list_resources(self) -> Any:
        """The resources of this server."""
        return self.fastmcp.list_resources()

    def list_prompts(self) -> Any:
        """The prompts of this server."""
        return self.fastmcp.list_prompts()

    def list_tools(self) -> Any:
        """The tools of this server."""
        return self.fastmcp.list_tools()

    def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """The messages of a prompt of this server."""
        return self.fastmcp.render_prompt(name, arguments)

    @property
    def request_id(self) -> str:
        """The id of the request, as text."""
        return str(super().request_id)

    @property
    def origin_request_id(self) -> str:
        """The id of the request, as text: no handler runs after its request."""
        return self.request_id

    @property
    def client_id(self) -> str | None:
        """The client_id in the request's `_meta`; clients can write anything there."""
        client_id = self.meta.get("client_id")
        return client_id if isinstance(client_id, str) else None

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> Any:
        """Report progress, if the client asked for it."""
        return self.progress(progress, total, message)

    def log(  # type: ignore[override]
        self, message: str, level: str | None = None, logger_name: str | None = None, extra: Any = None
    ) -> Any:
        """Send a log message as {"msg": …, "extra": …}, if the client wants messages of this level."""
        return super().log(level or "info", {"msg": message, "extra": extra}, logger_name)

    def send_notification(self, notification: Any) -> Any:
        """Send a notification of `mcp.types` to the client; changes of lists go to all clients, as always."""
        return self.session.send_notification(notification)

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
        """Ask the user for a record, a single value, one of several choices, or, with None, for a confirmation.

        A list of strings, or a dict from strings to titles, offers one choice; inside another list, several.
        """
        if self._request.revision.handshake and "elicitation" not in self.capabilities:
            raise ToolError("Elicitation not supported")
        is_record = isinstance(response_type, type) and hints.is_record(response_type)
        if is_record and (response_title is not None or response_description is not None):
            raise TypeError("response_title and response_description are for single values; a record has its own")
        form, parse = _form(response_type, {"title": response_title, "description": response_description})
        question = Elicit(message=message, schema=form)
        if is_record:
            question = TitledForm(message=message, schema=form, kind=response_type)
        answer = self._ask_one("elicit", key, question)
        return self.then(answer, functools.partial(_to_elicitation, parse))

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
        """Ask the client's model to continue; returns SamplingResult."""
        if isinstance(model_preferences, str):
            model_preferences = [model_preferences]
        if model_preferences is not None and not isinstance(model_preferences, Mapping):
            model_preferences = {"hints": [{"name": name} for name in model_preferences]}
        wire = {"systemPrompt": system_prompt, "temperature": temperature, "modelPreferences": model_preferences}
        set_options: dict[str, Any] = {name: value for name, value in wire.items() if value is not None}
        answer = super().sample(messages, max_tokens=max_tokens, key=key, **set_options, **options)
        return self.then(answer, SamplingResult)

    def list_roots(self) -> Any:
        """Ask for the folders that the server may use; returns a list of roots."""
        return self.roots()

    def read_resource(self, uri: object) -> Any:
        """Read a resource of this server; returns ResourceResult with contents of class ResourceContent."""
        message = {"jsonrpc": "2.0", "id": 0, "method": "resources/read", "params": {"uri": str(uri)}}
        handle: Any = self.fastmcp.handle_async if self._is_async else self.fastmcp.handle
        return self.then(handle(message, revision=LATEST_HANDSHAKE, principal=self.principal), _read_contents)

    def then(self, answer: Any, read: Callable[[Any], Any]) -> Any:
        """What a function makes of an answer: at once, or for `async def` handlers when it is awaited."""
        return _await_and_read(answer, read) if self._is_async else read(answer)


async def _await_and_read(answer: Any, read: Callable[[Any], Any]) -> Any:
    return read(await answer)


# Questions and answers ----------------------------------------------------------------------------


class AcceptedElicitation(Elicited[T], Generic[T], frozen=True):
    """The user accepted; `data` is the content of the form."""


class DeclinedElicitation(Elicited[T], Generic[T], frozen=True):
    """The user declined."""


class CancelledElicitation(Elicited[T], Generic[T], frozen=True):
    """The user closed the form without an answer."""


_ANSWERS = {"accept": AcceptedElicitation, "decline": DeclinedElicitation, "cancel": CancelledElicitation}


def _to_elicitation(parse: Callable[[Any], Any], answer: Elicited[Any]) -> Elicited[Any]:
    return _ANSWERS[answer.action](answer.action, parse(answer.data) if answer.accepted else None)


def _form(hint: Any, labels: dict[str, str | None]) -> tuple[Any, Callable[[Any], Any]]:
    """A form for a hint, and a function that reads its content; all but records have one field, "value"."""
    if hint is None:  # as in FastMCP 2
        return {"type": "object", "properties": {}}, lambda content: content
    field: dict[str, Any]
    kind: Any = str
    match hint:
        case [dict(choices)]:
            field, kind = {"type": "array", "items": {"anyOf": _titles_of(choices)}}, list[str]
        case [list(choices)]:
            field, kind = {"type": "array", "items": {"type": "string", "enum": choices}}, list[str]
        case dict():
            field = {"type": "string", "oneOf": _titles_of(hint)}
        case list():
            field = {"type": "string", "enum": hint}
        case type() if hints.is_record(hint):
            return hint, lambda content: content
        case _:
            answer = make_dataclass("Answer", [("value", hint)])
            field, kind = {"title": "Value", **form_schema(answer)["properties"]["value"]}, hint
    field |= {name: label for name, label in labels.items() if label is not None}
    form = {"type": "object", "properties": {"value": field}, "required": ["value"]}
    return form, lambda content: msgspec.convert(content["value"], kind)


def _titles_of(choices: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"const": choice, "title": options.get("title", choice)} for choice, options in choices.items()]


class SamplingResult:
    """A model's answer: `text`, also called `result`, and the wire form in `answer`."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        content = answer["content"]
        blocks = content if isinstance(content, list) else [content]
        self.text: str = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
        self.result = self.text


def _read_contents(raw: bytes) -> ResourceResult:
    """The contents in a response to resources/read; raises ResourceError."""
    answer: dict[str, Any] = msgspec.json.decode(raw)
    if "error" in answer:
        raise ResourceError(answer["error"]["message"])
    return contents_of(answer["result"])
