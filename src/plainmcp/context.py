"""The Context of a handler: facts about the request and its client, progress, log messages, questions to the user.

One handler serves every revision. In the handshake revisions a question is a request to the client, and the handler
waits for the answer. In the others the questions are part of the result: the handler ends, and runs again with the
answers so far. This module sends nothing itself: all messages go through the link of the request.
"""

import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, Unpack, overload
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from .errors import AuthorError, InvalidParams, MissingCapability, ParseError, ToolError
from .protocol import describe
from .protocol.failures import log_exception
from .protocol.forms import form_of
from .protocol.habits import CONTEXT_ATTRIBUTES, with_advice
from .protocol.request import CannotAsk, Link, PeerError, Request
from .protocol.session import describe_lack
from .questions import Elicit, ElicitUrl, InputRequired, ListRoots, Question, Sample, SampleOptions
from .revisions import Revision
from .wire import codec, jsonrpc

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    from .questions import AwaitedDict, AwaitedElicited, AwaitedList

    L = TypeVarWithDefault("L", default=Any)
else:
    L = TypeVar("L")

__all__ = ["LOG_LEVELS", "Context", "lacking"]

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

T = TypeVar("T")
_URGENT = frozenset(LOG_LEVELS[LOG_LEVELS.index("error") :])


AT_ONCE = 1_000
"""How many notifications of a kind one request may send in a burst."""
A_SECOND = 100
"""How many notifications of a kind it may send per second after the burst."""


class _RateLimit:
    """A limit on how often something is sent: a burst of AT_ONCE, then A_SECOND per second. The clock is a parameter.

    >>> limit = _RateLimit(lambda: 0.0)
    >>> [limit.allows() for _ in range(AT_ONCE + 1)].count(True)
    1000
    """

    __slots__ = ("_credit", "_now", "_since")

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: float | None = None
        self._credit = float(AT_ONCE)

    def allows(self) -> bool:
        """Whether one more may be sent now. If so, it is counted as sent."""
        now = self._now()
        if self._since is not None:
            self._credit = min(AT_ONCE, self._credit + max(0.0, now - self._since) * A_SECOND)
        self._since = now
        if self._credit < 1:
            return False
        self._credit -= 1
        return True


class _Done:
    """The awaitable of a call that does not wait: the caller may await it or ignore it."""

    def __await__(self) -> Generator[None, None, None]:
        yield from ()


_DONE = _Done()


async def _to_awaitable(value: Any) -> Any:
    return value


class Serving(Protocol):
    """The parts of a server that a Context uses."""

    lifespan: Any
    now: Callable[[], float]

    def resource_updated(self, uri: str) -> None:
        """Notify the subscribers of a resource that it changed."""


@with_advice(CONTEXT_ATTRIBUTES)
class Context(Generic[L]):
    """The object that a handler gets for a parameter with this type hint.

    In an `async def` handler, await the methods that ask the client something. In a plain function, just call them.
    `Context[Db]` is a Context whose `lifespan` is a Db.
    """

    __slots__ = (
        "_answers", "_asked", "_held_back", "_is_async", "_left_out", "_log_pace", "_pace", "_progress", "_request",
        "_server",
    )  # fmt: skip

    def __init__(
        self,
        request: Request,
        server: Serving,
        *,
        is_async: bool = False,
        answers: dict[str, Any] | None = None,
    ) -> None:
        self._request = request
        self._server = server
        self._is_async = is_async
        self._answers = answers or {}
        now = server.now
        self._asked: dict[str, int] = {}
        self._progress = float("-inf")
        self._pace, self._log_pace = _RateLimit(now), _RateLimit(now)
        self._held_back: dict[str, Any] | None = None  # the last progress report, if it came too fast to be sent
        self._left_out = 0  # how many log messages came too fast to be sent

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema  # pydantic asks: a function or a model of the user's takes a Context

        return core_schema.is_instance_schema(cls)

    # Facts ----------------------------------------------------------------------------------------

    @property
    def request_id(self) -> Any:
        """The id of the request, as the client chose it."""
        return msgspec.json.decode(self._request.id)

    @property
    def revision(self) -> str:
        """The name of the protocol revision of the request."""
        return self._request.revision.name

    @property
    def client_name(self) -> str | None:
        """The name that the client gives itself. Any client can send any name."""
        name = self._request.client.get("name")
        return name if isinstance(name, str) else None

    @property
    def client_version(self) -> str | None:
        """The version that the client gives itself."""
        version = self._request.client.get("version")
        return version if isinstance(version, str) else None

    @property
    def capabilities(self) -> dict[str, Any]:
        """The capabilities that the client declares."""
        return self._request.capabilities

    @property
    def principal(self) -> Any:
        """The authenticated caller; None if the transport does not authenticate callers."""
        return self._request.principal

    @property
    def meta(self) -> dict[str, Any]:
        """The `_meta` of the request."""
        return self._request.params.meta_as_dict() if self._request.meta else {}

    @property
    def cancelled(self) -> bool:
        """Whether the client cancelled the request, or does not wait for it any more."""
        link = self._request.link
        return link is not None and link.cancelled

    @property
    def lifespan(self) -> L:
        """The value that the server's lifespan yielded; None without one."""
        return self._server.lifespan  # type: ignore[no-any-return]

    @property
    def state(self) -> dict[str, Any]:
        """A dict for this request, shared by its middleware, its dependencies and its handler."""
        return self._request.state

    @property
    def session_state(self) -> dict[str, Any]:
        """A dict for the session of the client. In revisions without sessions it is a dict for this request.

        With a store, all processes share it. A value must be JSON when it is set, and is saved before the response is
        sent; a change inside a value counts only if the value is set again.
        """
        link = self._request.link
        shared = None if link is None else link.session_state
        return self._own_state if shared is None else shared

    @property
    def _own_state(self) -> dict[str, Any]:
        """The dict of this process for the session, or else for the request; for objects that are nowhere else."""
        session = self._request.session
        return self._request.state if session is None else session.state

    @property
    def session_id(self) -> str | None:
        """The id of the HTTP session; None without one."""
        session = self._request.session
        return None if session is None else session.id

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of the request, by lowercase name; empty on other transports."""
        return self._request.header_values

    def _for_function(self, is_async: bool) -> "Context[L]":
        """A Context of the same request for another function, which may be plain or `async def`."""
        other = copy(self)
        other._is_async = is_async
        return other

    # Sending --------------------------------------------------------------------------------------

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> Awaitable[None]:
        """Report progress to the client, if it asked for progress; `progress` must grow from call to call (PROG-02).

        Where reports come faster than a limit, some of them are not sent. The last one is always sent (PROG-04).
        """
        meta = self._request.meta
        token = meta.progress_token if meta else msgspec.UNSET
        if isinstance(token, (str, int)) and not isinstance(token, bool) and progress > self._progress:
            self._progress = progress
            params: dict[str, Any] = {"progressToken": token, "progress": progress}
            if total is not None:
                params["total"] = total
            if message is not None and self._request.revision.progress_message:
                params["message"] = message
            self._held_back = params
            if self._pace.allows():
                self._send_progress()
        return _DONE

    def _send_progress(self) -> None:
        params, self._held_back = self._held_back, None
        if params is not None:
            self._notify("notifications/progress", params)

    def log(self, level: str, data: Any, logger: str | None = None) -> Awaitable[None]:
        """Send a log message, if the client wants messages of this level (LOG-02, LOG-03).

        Where messages come faster than a limit, those below "error" are left out. Their number is sent before the
        next message, or at the end (LOG-06).
        """
        if level not in LOG_LEVELS:
            raise AuthorError(f"unknown log level {level!r}; the levels are {', '.join(LOG_LEVELS)}")
        if self._is_wanted(level):
            if self._log_pace.allows() or level in _URGENT:
                self._send_left_out(level)
                name = {} if logger is None else {"logger": logger}
                self._notify("notifications/message", {"level": level, **name, "data": data})
            else:
                self._left_out += 1
        return _DONE

    def _is_wanted(self, level: str) -> bool:
        lowest = self._request.log_level
        return lowest in LOG_LEVELS and LOG_LEVELS.index(level) >= LOG_LEVELS.index(lowest)

    def _send_left_out(self, level: str) -> None:
        count, self._left_out = self._left_out, 0
        if count and self._is_wanted(level):
            text = f"{count} log messages were left out here: there were more than {A_SECOND} a second"
            self._notify("notifications/message", {"level": level, "data": text})

    def finish(self) -> None:
        """Send what came too fast to be sent before. The server calls this when the handler has ended."""
        self._send_progress()
        self._send_left_out("warning")

    def debug(self, data: Any) -> Awaitable[None]:
        """Log at level debug."""
        return self.log("debug", data)

    def info(self, data: Any) -> Awaitable[None]:
        """Log at level info."""
        return self.log("info", data)

    def warning(self, data: Any) -> Awaitable[None]:
        """Log at level warning."""
        return self.log("warning", data)

    def error(self, data: Any) -> Awaitable[None]:
        """Log at level error."""
        return self.log("error", data)

    def resource_updated(self, uri: str) -> Awaitable[None]:
        """Notify the subscribers of a resource that it changed."""
        self._server.resource_updated(uri)
        return _DONE

    def close_stream(self) -> Awaitable[None]:
        """Close the stream early: the client reconnects for the answer, if its revision and transport can do that."""
        if self._request.link is not None:
            self._request.link.close_stream()
        return _DONE

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        link = self._request.link
        if link is None:
            return
        try:
            message = jsonrpc.encode_notification(method, params)
        except (TypeError, ValueError, RecursionError, ParseError) as error:
            log_exception(error, "a %s could not be written as JSON and was not sent", method, level=logging.WARNING)
        else:
            link.notify(message)

    # Asking ---------------------------------------------------------------------------------------

    @overload
    def elicit(self, message: str, form: type[T], *, key: str | None = None) -> "AwaitedElicited[T]": ...
    @overload
    def elicit(
        self, message: str, form: dict[str, Any], *, key: str | None = None
    ) -> "AwaitedElicited[dict[str, Any]]": ...
    @overload
    def elicit(self, message: str, form: Any, *, key: str | None = None) -> "AwaitedElicited[Any]": ...
    def elicit(self, message: str, form: Any, *, key: str | None = None) -> Any:
        """Ask the user to fill in a form; returns Elicited. A class or a flat JSON Schema describes the form.

        The type of a single value, such as `int`, an Enum or a Literal, is a form with one field.
        """
        return self._ask_one("elicit", key, Elicit(message=message, schema=form))

    def elicit_url(self, message: str, url: str, *, key: str | None = None) -> "AwaitedElicited[None]":
        """Ask the user to visit a web page, for data that the client must not see; returns Elicited."""
        return self._ask_one("elicit", key, ElicitUrl(message=message, url=url))  # type: ignore[no-any-return]

    def sample(
        self, messages: Any, *, max_tokens: int = 1000, key: str | None = None, **options: Unpack[SampleOptions]
    ) -> "AwaitedDict":
        """Ask the client's model to continue a text or a list of messages; returns its answer as a dict.

        The options have the names of the protocol, such as systemPrompt and temperature.
        """
        question = Sample(messages=messages, max_tokens=max_tokens, options={**options})
        return self._ask_one("sample", key, question)  # type: ignore[no-any-return]

    def roots(self, *, key: str | None = None) -> "AwaitedList":
        """Ask which folders of the user the server may access; returns a list of roots."""
        return self._ask_one("roots", key, ListRoots())  # type: ignore[no-any-return]

    def ask(self, **questions: Question) -> "AwaitedDict":
        """Ask several questions at once; returns a dict with the answers, under the names of the questions."""
        request = self._request
        questions = {key: _prepare(key, question, request.revision) for key, question in questions.items()}
        for question in questions.values():
            self._check(question)
        if request.revision.handshake:
            return self._ask_live(questions)  # type: ignore[no-any-return]
        answers = {}
        for key, question in questions.items():
            try:
                answers[key] = question.read(self._answers[key])
            except (KeyError, ToolError):  # no answer, or one that does not fit the form: ask again (MRTR-10)
                continue
        if len(answers) < len(questions):
            open_questions = {key: question for key, question in questions.items() if key not in answers}
            raise InputRequired(open_questions, self._answers)
        answer: Any = _to_awaitable(answers) if self._is_async else answers
        return answer  # type: ignore[no-any-return]

    def _ask_one(self, kind: str, key: str | None, question: Question) -> Any:
        # A question without a key is named by its position, which is the same each time the handler runs.
        self._asked[kind] = self._asked.get(kind, 0) + 1
        name = key or f"{kind}_{self._asked[kind]}"
        answers: Any = self.ask(**{name: question})
        return _await_answer(answers, name) if self._is_async else answers[name]

    def _ask_live(self, questions: dict[str, Question]) -> Any:
        return self._send_questions_async(questions) if self._is_async else self._send_questions(questions)

    def _send_questions(self, questions: dict[str, Question]) -> dict[str, Any]:
        link = self._link()
        try:
            return {key: _read_answer(link.ask(q.method, self._params(q)), q) for key, q in questions.items()}
        except PeerError as error:
            raise _without_answer(error) from error

    async def _send_questions_async(self, questions: dict[str, Question]) -> dict[str, Any]:
        link = self._link()
        try:
            return {
                key: _read_answer(await link.ask_async(q.method, self._params(q)), q) for key, q in questions.items()
            }
        except PeerError as error:
            raise _without_answer(error) from error

    def _params(self, question: Question) -> dict[str, Any]:
        return describe.question(question.params(), question.method, self._request.revision, uuid4().hex)

    def _link(self) -> Link:
        link: Link | None = self._request.link
        if link is None:
            raise ToolError("This needs a question answered, and this connection cannot carry questions.")
        return link

    def _check(self, question: Question) -> None:
        """Refuse a question that the client or its revision does not support (META-05, MRTR-05)."""
        request = self._request
        mode = next(iter(question.needs.get("elicitation", {})), None)
        is_in_revision = mode is None or mode in request.revision.elicitation
        missing = lacking(question.needs, request.capabilities)
        if not request.revision.handshake and missing:
            raise MissingCapability(f"this needs the client capability {_names_of(missing)}", missing)
        if missing or not is_in_revision:
            what = _names_of(missing or question.needs)
            where = f" Visit {question.url} and call again." if isinstance(question, ElicitUrl) else ""
            lack = describe_lack(request.session if is_in_revision else None)
            raise ToolError(f"This needs {what}, {lack}.{where}")


def _without_answer(error: PeerError) -> ToolError:
    """The error for a question that has no answer."""
    what = "cannot be asked" if isinstance(error, CannotAsk) else "did not answer"
    return ToolError(f"The client {what}: {error}")


def _prepare(key: str, question: Question, revision: Revision) -> Question:
    """A question in the form in which it is sent; raises AuthorError if it is nested too deeply."""
    try:
        question = _complete(question, revision)
        codec.check_depth(codec.encode(question.params()))
        return question
    except (RecursionError, ParseError):
        raise AuthorError(f"the question {key!r} nests more than {codec.MAX_DEPTH} levels deep") from None


async def _await_answer(answers: Any, name: str) -> Any:
    return (await answers)[name]


def _read_answer(result: Any, question: Question) -> Any:
    try:
        return question.read(result)
    except InvalidParams as error:
        raise ToolError(f"The client's answer made no sense: {error}") from error


def lacking(needs: dict[str, Any], declared: dict[str, Any]) -> dict[str, Any]:
    """The needed client capabilities that the client did not declare, in the shape of capabilities.

    >>> lacking({"sampling": {}, "elicitation": {"form": {}}}, {"elicitation": {}})
    {'sampling': {}}
    """
    missing: dict[str, Any] = {}
    for name, inner in needs.items():
        capability = declared.get(name)
        if not isinstance(capability, dict):
            missing[name] = inner
        elif name == "elicitation" and not capability and inner == {"form": {}}:
            continue  # an empty object means form mode (ELIC-02)
        elif inner and (deeper := lacking(inner, capability)):
            missing[name] = deeper
    return missing


def _names_of(needs: dict[str, Any]) -> str:
    return ", ".join(f"{name}.{next(iter(inner))}" if inner else name for name, inner in needs.items())


def _complete(question: Question, revision: Revision) -> Question:
    """A question with a schema as its form and messages as its texts, and with the parser for its answer."""
    if isinstance(question, Sample):
        messages = question.messages if isinstance(question.messages, list) else [question.messages]
        return replace(question, messages=[_to_message(item) for item in messages])
    if not isinstance(question, Elicit):
        return question
    schema, convert = form_of(question.schema)

    def parse(content: Any) -> Any:
        return question.parse(convert(describe.restore_form(content, schema, revision)))

    return replace(question, schema=schema, parse=parse)


def _to_message(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {"role": "user", "content": {"type": "text", "text": item}}
    data = msgspec.to_builtins(item)
    if not isinstance(data, dict) or "role" not in data or "content" not in data:
        raise AuthorError("a message to sample from is a text, or has a role and a content")
    return data
