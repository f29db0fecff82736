"""The questions a server can ask a client, and the answers. Sends nothing itself."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypedDict, TypeVar

import msgspec

from .errors import InvalidParams

__all__ = ["Elicit", "ElicitUrl", "Elicited", "InputRequired", "ListRoots", "Question", "Sample", "SampleOptions"]


T = TypeVar("T")


class Elicited(msgspec.Struct, Generic[T], frozen=True):
    """A user's answer to a form or a URL: accept, decline or cancel; `data` is the accepted form."""

    action: Literal["accept", "decline", "cancel"]
    data: T = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

    @property
    def accepted(self) -> bool:
        """Whether the user accepted."""
        return self.action == "accept"


if TYPE_CHECKING:
    # The types of answers for type checkers. A `def` handler has the answer at once and an `async def` handler
    # awaits it, and the type of a Context does not tell which of the two it belongs to.

    class AwaitedElicited(Elicited[T], frozen=True):
        """An Elicited, or an awaitable of one."""

        def __await__(self) -> Generator[Any, Any, Elicited[T]]: ...

    class AwaitedDict(dict[str, Any]):
        """A dict, or an awaitable of one."""

        def __await__(self) -> Generator[Any, Any, dict[str, Any]]: ...

    class AwaitedList(list[dict[str, Any]]):
        """A list of dicts, or an awaitable of one."""

        def __await__(self) -> Generator[Any, Any, list[dict[str, Any]]]: ...


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the client; see its subclasses."""

    method: ClassVar[str] = ""

    @property
    def needs(self) -> dict[str, Any]:
        """The client capabilities that the question needs, as a client declares them."""
        return {}

    def params(self) -> dict[str, Any]:
        """The request's parameters, as in the newest revision."""
        return {}

    def read(self, answer: Any) -> Any:
        """The value for the handler; raises InvalidParams for an answer that is not valid."""
        return answer


class Elicit(Question, frozen=True, kw_only=True):
    """A form for the user to fill in, described by a class, the type of a single value or a flat JSON Schema."""

    method: ClassVar[str] = "elicitation/create"
    message: str
    schema: Any
    parse: Callable[[Any], Any] = lambda content: content

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability that the question needs."""
        return {"elicitation": {"form": {}}}

    def params(self) -> dict[str, Any]:
        """The request's parameters, as in the newest revision."""
        return {"mode": "form", "message": self.message, "requestedSchema": self.schema}

    def read(self, answer: Any) -> Elicited[Any]:
        """The value for the handler; raises InvalidParams."""
        action = _action(answer)
        return Elicited(action, self.parse(answer.get("content") or {}) if action == "accept" else None)


class ElicitUrl(Question, frozen=True, kw_only=True):
    """A page for the user to visit, for data that must not pass through the client."""

    method: ClassVar[str] = "elicitation/create"
    message: str
    url: str
    id: str | None = None  # for the handshake revisions, if it is not to be a random one

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability that the question needs."""
        return {"elicitation": {"url": {}}}

    def params(self) -> dict[str, Any]:
        """The request's parameters, as in the newest revision; and the id, which only older ones have."""
        own = {} if self.id is None else {"elicitationId": self.id}
        return {"mode": "url", "message": self.message, "url": self.url, **own}

    def read(self, answer: Any) -> Elicited[None]:
        """The value for the handler; raises InvalidParams."""
        return Elicited(_action(answer))


class SampleOptions(TypedDict, total=False):
    """Further fields of sampling/createMessage, by the names of the protocol."""

    systemPrompt: str
    temperature: float
    stopSequences: list[str]
    modelPreferences: dict[str, Any]
    includeContext: Literal["none", "thisServer", "allServers"]
    metadata: dict[str, Any]
    tools: list[dict[str, Any]]
    toolChoice: dict[str, Any]


class Sample(Question, frozen=True, kw_only=True):
    """A text or a list of messages for the client's model to continue."""

    method: ClassVar[str] = "sampling/createMessage"
    messages: Any
    max_tokens: int = 1000
    options: dict[str, Any] = {}

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability that the question needs."""
        return {"sampling": {"tools": {}} if "tools" in self.options or "toolChoice" in self.options else {}}

    def params(self) -> dict[str, Any]:
        """The request's parameters, as in the newest revision."""
        return {"messages": self.messages, "maxTokens": self.max_tokens, **self.options}

    def read(self, answer: Any) -> Any:
        """The value for the handler; raises InvalidParams."""
        if not isinstance(answer, dict) or not isinstance(answer.get("content"), (dict, list)):
            raise InvalidParams("an answer to sampling/createMessage has a content")
        return answer


class ListRoots(Question, frozen=True, kw_only=True):
    """A question for the folders that the server may use."""

    method: ClassVar[str] = "roots/list"

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability that the question needs."""
        return {"roots": {}}

    def read(self, answer: Any) -> Any:
        """The value for the handler; raises InvalidParams."""
        roots = answer.get("roots") if isinstance(answer, dict) else None
        if not isinstance(roots, list) or not all(isinstance(root, dict) for root in roots):
            raise InvalidParams("an answer to roots/list has a list of roots")
        return roots


class InputRequired(BaseException):
    """Ends a handler whose questions are sent in the response; not an Exception, so that handlers do not catch it."""

    def __init__(self, questions: dict[str, Question], answers: dict[str, Any] | None = None) -> None:
        super().__init__(f"waiting for {', '.join(questions)}")
        self.questions = questions
        self.answers = answers or {}  # those that the handler has so far


def _action(answer: Any) -> Any:
    action = answer.get("action") if isinstance(answer, dict) else None
    if action not in ("accept", "decline", "cancel"):
        raise InvalidParams("an answer to elicitation/create says accept, decline or cancel")
    return action
