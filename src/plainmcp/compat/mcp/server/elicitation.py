"""`mcp.server.elicitation`."""

from typing import Any

from ....questions import Elicited
from ..context import (
    AcceptedElicitation,
    AcceptedUrlElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    ElicitationResult,
    UrlElicitationResult,
    to_elicitation,
)

__all__ = [
    "AcceptedElicitation",
    "AcceptedUrlElicitation",
    "CancelledElicitation",
    "DeclinedElicitation",
    "ElicitationResult",
    "UrlElicitationResult",
    "elicit_url",
    "elicit_with_validation",
]


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
