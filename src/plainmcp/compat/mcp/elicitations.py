"""The answers to questions of the official SDK: the classes that a handler compares, and functions that ask."""

from typing import Any, Generic, TypeVar

from ...questions import Elicited

__all__ = [
    "AcceptedElicitation",
    "AcceptedUrlElicitation",
    "CancelledElicitation",
    "DeclinedElicitation",
    "ElicitationResult",
    "UrlElicitationResult",
    "elicit_url",
    "elicit_with_validation",
    "to_elicitation",
]

T = TypeVar("T")


class AcceptedElicitation(Elicited[T], Generic[T], frozen=True):
    """The user accepted; `data` is the content of the form."""


class AcceptedUrlElicitation(Elicited[Any], frozen=True):
    """The user agreed to visit the page."""


class DeclinedElicitation(Elicited[Any], frozen=True):
    """The user declined."""


class CancelledElicitation(Elicited[Any], frozen=True):
    """The user closed the form without an answer."""


ElicitationResult = AcceptedElicitation[T] | DeclinedElicitation | CancelledElicitation
"""Any answer to a form: as the hint of a parameter with Resolve, a user who declines does not end the call."""

UrlElicitationResult = AcceptedUrlElicitation | DeclinedElicitation | CancelledElicitation
"""Any answer to the question to visit a page."""

_ANSWERS = {"accept": AcceptedElicitation, "decline": DeclinedElicitation, "cancel": CancelledElicitation}


def to_elicitation(answer: Elicited[Any], is_url: bool = False) -> Elicited[Any]:
    """The class of an answer for an answer of plainmcp."""
    kind: Any = AcceptedUrlElicitation if is_url and answer.accepted else _ANSWERS[answer.action]
    return kind(answer.action, answer.data if answer.accepted else None)  # type: ignore[no-any-return]


async def elicit_with_validation(
    session: Any, message: str, schema: Any, related_request_id: Any = None
) -> Elicited[Any]:
    """Ask the user of a session to fill in the form of a model."""
    return await session.context.elicit(message, schema)  # type: ignore[no-any-return]


async def elicit_url(
    session: Any, message: str, url: str, elicitation_id: str | None = None, related_request_id: Any = None
) -> Elicited[Any]:
    """Ask the user of a session to visit a web page."""
    result = await session.elicit_url(message, url, elicitation_id)
    return to_elicitation(Elicited(result.action), is_url=True)
