"""Questions in a result (MRTR): the result that asks them, and the signed state that the client sends back.

Knows which state belongs to which request. The context knows how a handler asks.
"""

import logging
from functools import lru_cache
from os import urandom
from typing import Any

from msgspec import UNSET

from ..errors import InvalidParams
from ..questions import InputRequired
from ..wire import codec, signing
from . import describe
from .core import Core
from .identity import lasting_text_of
from .request import Request

__all__ = ["input_required", "read_answers"]

_log = logging.getLogger("plainmcp")


def read_answers(server: Core, request: Request) -> dict[str, Any]:
    """All answers so far: those in the state that the client sent back, and the new ones to what it was asked.

    A client may leave out the state; then it has to send all answers.
    """
    new: dict[str, Any] = request.params.get("inputResponses", dict[str, dict[str, Any]], {})
    text = request.params.get("requestState", str, None)
    if text is None:
        return new
    try:
        state = signing.unseal(text, server.key)
    except InvalidParams:
        _warn_of_key()
        raise
    if state["for"] != _digest(server, request):
        raise InvalidParams("requestState belongs to another request")
    if state["until"] < server.now():
        raise InvalidParams("requestState has expired; call again without it")
    answers: dict[str, Any] = state["answers"]
    return answers | {key: answer for key, answer in new.items() if key in state["asked"]}


@lru_cache(maxsize=1)  # once
def _warn_of_key() -> None:
    _log.warning(
        "a client sent a requestState that was not signed with the key of this process: several processes need the "
        "same Server(key=…). This is logged once."
    )


def input_required(server: Core, request: Request, required: InputRequired) -> dict[str, Any]:
    """The result that asks for input."""
    requests: dict[str, Any] = {}
    for key, question in required.questions.items():
        params = describe.question(question.params(), question.method, request.revision, "")
        requests[key] = {"method": question.method, "params": params}
    state = {
        "answers": {key: value for key, value in required.answers.items() if key not in requests},
        "asked": list(requests),
        "for": _digest(server, request),
        "until": int(server.now() + server.state_seconds),
        "nonce": urandom(8).hex(),
    }
    return {
        "resultType": "input_required",
        "inputRequests": requests,
        "requestState": signing.seal(state, server.key),
    }


def _digest(server: Core, request: Request) -> str:
    """The digest of a request: its server, method, parameters and caller. A state belongs to one (MRTR-07)."""
    params = request.params
    arguments = codec.decode(bytes(params.arguments)) if params.arguments else None
    parts = [None if part is UNSET else part for part in (params.name, params.uri, arguments)]
    caller = lasting_text_of(server, request.principal, "the answers of this caller will be refused")
    return signing.digest(server.info.name, request.method, parts, caller, request.revision.name)
