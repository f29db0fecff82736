"""What a server can ask of a client, and what comes back. Knows the questions, not how they travel."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from .errors import InvalidParams

__all__ = ["Elicit", "ElicitUrl", "Elicited", "InputRequired", "ListRoots", "Question", "Sample"]


T = TypeVar("T")


class Elicited(msgspec.Struct, Generic[T], frozen=True):
    """What a user did with a form or a URL: accept, decline or cancel; `data` is the form where it was accepted."""

    action: Literal["accept", "decline", "cancel"]
    data: T = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

    @property
    def accepted(self) -> bool:
        """Whether the user said yes."""
        return self.action == "accept"


if TYPE_CHECKING:
    # What type checkers are told that a question gives. A plain handler has the answer at once and an `async def`
    # handler awaits it, and nothing in the type of a Context tells which of the two it was given to.

    class AwaitedElicited(Elicited[T], frozen=True):
        """An Elicited, or what gives one when it is awaited."""

        def __await__(self) -> Generator[Any, Any, Elicited[T]]: ...

    class AwaitedDict(dict[str, Any]):
        """A dict, or what gives one when it is awaited."""

        def __await__(self) -> Generator[Any, Any, dict[str, Any]]: ...

    class AwaitedList(list[dict[str, Any]]):
        """A list of dicts, or what gives one when it is awaited."""

        def __await__(self) -> Generator[Any, Any, list[dict[str, Any]]]: ...


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Something to ask of the client; its subclasses say what."""

    method: ClassVar[str] = ""

    @property
    def needs(self) -> dict[str, Any]:
        """The client capabilities without which it cannot be asked, as the client would declare them."""
        return {}

    def params(self) -> dict[str, Any]:
        """Its parameters in the newest revision's words."""
        return {}

    def read(self, answer: Any) -> Any:
        """What an answer means to the handler; raises InvalidParams for an answer that is none."""
        return answer


class Elicit(Question, frozen=True, kw_only=True):
    """A form for the user to fill in, described by a class, the type of a single value or a flat JSON Schema."""

    method: ClassVar[str] = "elicitation/create"
    message: str
    schema: Any
    parse: Callable[[Any], Any] = lambda content: content

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability it takes."""
        return {"elicitation": {"form": {}}}

    def params(self) -> dict[str, Any]:
        """What is asked, in the newest words."""
        return {"mode": "form", "message": self.message, "requestedSchema": self.schema}

    def read(self, answer: Any) -> Elicited[Any]:
        """What the answer means; raises InvalidParams."""
        action = _action(answer)
        return Elicited(action, self.parse(answer.get("content") or {}) if action == "accept" else None)


class ElicitUrl(Question, frozen=True, kw_only=True):
    """A page for the user to visit, for what must not pass through the client."""

    method: ClassVar[str] = "elicitation/create"
    message: str
    url: str

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability it takes."""
        return {"elicitation": {"url": {}}}

    def params(self) -> dict[str, Any]:
        """What is asked, in the newest words."""
        return {"mode": "url", "message": self.message, "url": self.url}

    def read(self, answer: Any) -> Elicited[None]:
        """What the answer means; raises InvalidParams."""
        return Elicited(_action(answer))


class Sample(Question, frozen=True, kw_only=True):
    """A text or a list of messages for the client's model to continue."""

    method: ClassVar[str] = "sampling/createMessage"
    messages: Any
    max_tokens: int = 1000
    options: dict[str, Any] = {}

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability it takes."""
        return {"sampling": {"tools": {}} if "tools" in self.options or "toolChoice" in self.options else {}}

    def params(self) -> dict[str, Any]:
        """What is asked, in the newest words."""
        return {"messages": self.messages, "maxTokens": self.max_tokens, **self.options}

    def read(self, answer: Any) -> Any:
        """What the answer means; raises InvalidParams."""
        if not isinstance(answer, dict) or not isinstance(answer.get("content"), (dict, list)):
            raise InvalidParams("an answer to sampling/createMessage has a content")
        return answer


class ListRoots(Question, frozen=True, kw_only=True):
    """Which places of the user's the server may look at."""

    method: ClassVar[str] = "roots/list"

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability it takes."""
        return {"roots": {}}

    def read(self, answer: Any) -> Any:
        """What the answer means; raises InvalidParams."""
        roots = answer.get("roots") if isinstance(answer, dict) else None
        if not isinstance(roots, list) or not all(isinstance(root, dict) for root in roots):
            raise InvalidParams("an answer to roots/list has a list of roots")
        return roots


class InputRequired(BaseException):
    """Ends a handler whose questions travel with the answer; not an Exception, so that handlers let it pass."""

    def __init__(self, questions: dict[str, Question], answers: dict[str, Any] | None = None) -> None:
        super().__init__(f"waiting for {', '.join(questions)}")
        self.questions = questions
        self.answers = answers or {}  # those that the handler has so far


def _action(answer: Any) -> Any:
    action = answer.get("action") if isinstance(answer, dict) else None
    if action not in ("accept", "decline", "cancel"):
        raise InvalidParams("an answer to elicitation/create says accept, decline or cancel")
    return action
