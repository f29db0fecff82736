"""`InputRequiredResult` of `mcp` 2: a handler returns questions, and is called again with the answers.

The state of the handler is part of the signed state that the client sends back: a client can read it, but not change
it. On revisions without such results it is an error, as there.
"""

import typing
from typing import Any, ClassVar, NoReturn

from ...questions import InputRequired, Question
from ..coded_error import CodedError
from .loaded_types import to_loaded
from .types import INTERNAL_ERROR, CreateMessageResult, ElicitResult, ListRootsResult
from .wire_model import to_wire

__all__ = ["answers_in", "ask_for_input", "is_input_required", "mentions_input", "state_in"]

_NAME = "InputRequiredResult"
_STATE = "\0state"  # among the answers; a client is never asked for it


class RawQuestion(Question, frozen=True, kw_only=True):
    """A request of the SDK, as it is sent."""

    method: str  # type: ignore[misc]
    data: dict[str, Any]
    answer_types: ClassVar[dict[str, Any]] = {
        "action": ElicitResult,
        "roots": ListRootsResult,
        "content": CreateMessageResult,
    }
    """The class of an answer, by a field that only it has."""

    def params(self) -> dict[str, Any]:
        """The request's parameters."""
        return self.data


def is_input_required(value: Any) -> bool:
    """Whether a value is an InputRequiredResult, ours or the real one."""
    return type(value).__name__ == _NAME


def ask_for_input(value: Any, ctx: Any) -> NoReturn:
    """Ask the questions of an InputRequiredResult; raises InputRequired, or an error if the revision has no such."""
    if ctx._request.revision.handshake:
        raise CodedError(INTERNAL_ERROR, "Handler returned an invalid result")
    wire = to_wire(value)
    questions: dict[str, Question] = {
        key: RawQuestion(method=one["method"], data=one.get("params") or {})
        for key, one in (wire.get("inputRequests") or {}).items()
    }
    state = wire.get("requestState")
    raise InputRequired(questions, {} if state is None else {_STATE: {"text": state}})


def mentions_input(hint: Any) -> bool:
    """Whether a return hint has an InputRequiredResult among its choices."""
    return any(getattr(one, "__name__", "") == _NAME for one in (hint, *typing.get_args(hint)))


def answers_in(ctx: Any) -> dict[str, Any] | None:
    """The answers that a request brings to the questions of the handler, as the SDK's results; None without any."""
    answers = {key: _to_result(one) for key, one in ctx._answers.items() if key != _STATE}
    return answers or None


def _to_result(answer: Any) -> Any:
    kinds = RawQuestion.answer_types
    return next((to_loaded(kind(**answer)) for field, kind in kinds.items() if field in answer), answer)


def state_in(ctx: Any) -> str | None:
    """The state that the handler returned with its questions; None in the first round.

    Without a sealed state in the request, an answer under its name is the client's own.
    """
    state = ctx._answers.get(_STATE) if ctx._request.params.requestState else None
    return None if state is None else state["text"]
