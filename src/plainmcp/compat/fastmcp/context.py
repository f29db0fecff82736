"""The context there: plainmcp's own under that package's names, and how that package asks and reads answers."""

import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import make_dataclass
from typing import Any

import msgspec

from ... import context
from ...questions import Elicited
from ...revisions import LATEST_HANDSHAKE
from ...schema import generate, hints
from .elsewhere import IN_THE_CONTEXT, without
from .pieces import contents_of

__all__ = [
    "AcceptedElicitation",
    "CancelledElicitation",
    "Context",
    "DeclinedElicitation",
    "SamplingResult",
    "get_context",
    "running",
]


_running: ContextVar["Context"] = ContextVar("fastmcp_context")


def get_context() -> "Context":
    """The context of the handler that is running."""
    try:
        return _running.get()
    except LookupError:
        raise RuntimeError("no handler is running, so there is no context") from None


@contextmanager
def running(inner: context.Context, server: Any) -> Generator["Context", None, None]:
    """What a handler is given for its context, and what get_context() gives meanwhile."""
    made = Context(inner, server)
    token = _running.set(made)
    try:
        yield made
    finally:
        _running.reset(token)


@without(IN_THE_CONTEXT)
class Context(context.Context):
    """What a handler is given for a parameter of this type: plainmcp's context under that package's names."""

    __slots__ = ("fastmcp",)

    def __init__(self, inner: context.Context, server: Any) -> None:
        for name in context.Context.__slots__:
            setattr(self, name, getattr(inner, name))
        self.fastmcp = server  # a FastMCP, which this room does not know

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

    def list_roots(self) -> Any:
        """Ask which places of the user's the server may look at; gives a list of roots."""
        return self.roots()

    def read_resource(self, uri: object) -> Any:
        """Read a resource of this server; gives ResourceResult, its contents ResourceContent."""
        message = {"jsonrpc": "2.0", "id": 0, "method": "resources/read", "params": {"uri": str(uri)}}
        handle: Any = self.fastmcp.handle_async if self._is_async else self.fastmcp.handle
        return self._then(handle(message, revision=LATEST_HANDSHAKE, principal=self.principal), contents_of)

    def _then(self, answer: Any, read: Callable[[Any], Any]) -> Any:
        return _later(answer, read) if self._is_async else read(answer)


async def _later(answer: Any, read: Callable[[Any], Any]) -> Any:
    return read(await answer)


# What is asked and answered -----------------------------------------------------------------------


class AcceptedElicitation(Elicited[Any], frozen=True):
    """The user said yes; `data` is what they filled in."""


class DeclinedElicitation(Elicited[Any], frozen=True):
    """The user said no."""


class CancelledElicitation(Elicited[Any], frozen=True):
    """The user said neither."""


_ANSWERS = {"accept": AcceptedElicitation, "decline": DeclinedElicitation, "cancel": CancelledElicitation}


def _elicited(opened: Callable[[Any], Any], answer: Elicited[Any]) -> Elicited[Any]:
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
            field, kind = generate.form_schema(answer)["properties"]["value"], wanted
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
