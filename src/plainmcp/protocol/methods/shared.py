"""What every method shares: running a feature, asking for input and being called again, closing lists, failing."""

import logging
from collections.abc import Callable, Generator
from functools import lru_cache
from os import urandom
from typing import Any, TypeVar

from msgspec import UNSET

from ...context import Context, lacking
from ...errors import (
    InternalError,
    InvalidParams,
    MissingCapability,
    NormalizeError,
    ProtocolError,
    ResourceNotFound,
    ToolError,
)
from ...interrupts import raise_interrupt
from ...policy import Policy
from ...questions import InputRequired
from ...revisions import Revision
from ...types import CallToolResult, GetPromptResult, ReadResourceResult
from ...values.payload import strict_policy_of
from ...wire import codec, jsonrpc, signing
from .. import describe
from ..features import Feature
from ..registry import Shelf
from ..request import Request
from ..steps import FAILURES, RunAndMake
from ..tracebacks import cut_own_frames

__all__ = [
    "Steps",
    "failure",
    "finished",
    "incident",
    "internal",
    "listed",
    "made",
    "running",
    "stamped",
    "unanswerable",
]

Steps = Generator[Any, Any, Any]
"""What stops where user code has to run, and ends in an answer."""

W = TypeVar("W", CallToolResult, ReadResourceResult, GetPromptResult)
_log = logging.getLogger("plainmcp")
_SERVER = "io.modelcontextprotocol/serverInfo"


# Running ------------------------------------------------------------------------------------------


def running(
    server: Any, request: Request, feature: Feature, kwargs: dict[str, Any], make: Callable[[Any], Any]
) -> Steps:
    """Run a feature's function; gives what is made of its value, or the result that asks the client for input.

    Raises MissingCapability before anything runs when the client cannot do what the feature needs (META-06).
    """
    if feature.needs:
        _check_needs(feature.needs, request)
    if feature.context is None:
        result = yield RunAndMake(feature, kwargs, request.link, make)
        return result
    answers = {} if request.revision.handshake else _answers(server, request)
    context = Context(
        request, is_async=feature.is_async, answers=answers, publish=server.registry.publish, now=server.now
    )
    kwargs[feature.context] = context
    try:
        result = yield RunAndMake(feature, kwargs, request.link, make)
        context.finish()
        return result
    except InputRequired as asked:
        context.finish()
        return Unfinished(_input_required(server, request, asked, answers))
    except FAILURES:
        context.finish()
        raise


def made(
    server: Any, request: Request, feature: Feature, kwargs: dict[str, Any], make: Callable[[Any], Any], what: str
) -> Steps:
    """What a resource or a prompt gives; what goes wrong inside is an error for the peer (RES-06, PROM-04)."""
    try:
        result = yield from running(server, request, feature, kwargs, make)
        return result.result if isinstance(result, Unfinished) else result
    except ProtocolError:
        raise
    except FAILURES as error:
        raise internal(error, what) from error


def internal(error: BaseException, what: str) -> InternalError:
    """What the peer is told of an exception: the words its author chose for others to read, or a line about it."""
    return InternalError(str(error) if isinstance(error, ToolError) else incident(what, error))


class Unfinished:
    """In the place of a value: the result that asks for input."""

    __slots__ = ("result",)

    def __init__(self, result: dict[str, Any]) -> None:
        self.result = result


def _check_needs(needs: dict[str, Any], request: Request) -> None:
    missing = lacking(needs, request.capabilities)
    if not missing:
        return
    if request.revision.handshake:  # there is no code for it
        raise ToolError(f"This needs {', '.join(missing)}, which the client does not offer.")
    raise MissingCapability(f"this needs the client capability {', '.join(missing)}", missing)


# Input that travels with the result (MRTR) --------------------------------------------------------


def _answers(server: Any, request: Request) -> dict[str, Any]:
    """Every answer so far: those sealed in the state the client brought back, and those it just gave."""
    answers: dict[str, Any] = {}
    state = request.params.get("requestState", str, None)
    if state is not None:
        answers.update(_opened(server, request, state))
    given: dict[str, Any] = request.params.get("inputResponses", dict[str, dict[str, Any]], {})
    return answers | given


def _opened(server: Any, request: Request, text: str) -> dict[str, Any]:
    state = signing.unseal(text, server.key)
    if state["for"] != _bound(server, request):
        raise InvalidParams("requestState belongs to another request")
    if state["until"] < server.now():
        raise InvalidParams("requestState has expired; call again without it")
    answers: dict[str, Any] = state["answers"]
    return answers


def _bound(server: Any, request: Request) -> str:
    """What a sealed state belongs to: this method, these parameters, this caller (MRTR-07)."""
    params = request.params
    arguments = codec.decode(bytes(params.arguments)) if params.arguments else None
    parts = [None if part is UNSET else part for part in (params.name, params.uri, arguments)]
    return signing.digest(request.method, parts, _caller(server, request.principal), request.revision.name)


def _caller(server: Any, principal: Any) -> str:
    """Who is calling, in words that are the same next time: as JSON where that can be had."""
    try:
        return str(server.rules.encode(principal, strict_policy_of(Policy.standard)), "utf-8")
    except NormalizeError:
        kind: Any = type(principal)
        if kind.__repr__ is object.__repr__:
            _warn_of_identity(kind)
        return repr(principal)


@lru_cache(maxsize=64)  # said once for a class
def _warn_of_identity(kind: Any) -> None:
    _log.warning(
        "the answers of this caller will be refused: what principal= gives (%s) has no text that is the same on its "
        "next request. Let it give a user id, or a dataclass",
        kind.__name__,
    )


def _input_required(server: Any, request: Request, asked: InputRequired, answers: dict[str, Any]) -> dict[str, Any]:
    requests: dict[str, Any] = {}
    for key, question in asked.questions.items():
        params = describe.question(question.params(), question.method, request.revision, "")
        requests[key] = {"method": question.method, "params": params}
    kept = {key: value for key, value in answers.items() if key not in requests}
    until = int(server.now() + server.state_seconds)
    state = {"answers": kept, "for": _bound(server, request), "until": until, "nonce": urandom(8).hex()}
    result = {
        "resultType": "input_required",
        "inputRequests": requests,
        "requestState": signing.seal(state, server.key),
    }
    return stamped(result, server, request)


# Closing ------------------------------------------------------------------------------------------


def stamped(result: dict[str, Any], server: Any, request: Request) -> dict[str, Any]:
    """A result with what the revision wants on every one: its type, and who answered (META-07)."""
    if not request.revision.result_type:
        return result
    meta = {**(result.get("_meta") or {}), _SERVER: server.info_for(request.revision)}
    return {"resultType": "complete", **result, "_meta": meta}


def finished(result: W, server: Any, revision: Revision) -> W:
    """The same for a result that is a wire object."""
    if revision.result_type:
        result._meta = {**(result._meta or {}), _SERVER: server.info_for(revision)}
    return result


def listed(server: Any, request: Request, shelf: Shelf[Any], name: str, show: Callable[[Any], Any]) -> bytes:
    """The response with one page of a list, whose bytes are kept until the list changes."""
    revision = request.revision
    cursor = request.params.get("cursor", str | None, None)

    def write(features: list[Any], next_cursor: str | None) -> bytes:
        result: dict[str, Any] = {name: [show(feature) for feature in features]}
        if next_cursor is not None:
            result["nextCursor"] = next_cursor
        if revision.cache_hints:
            ttl, scope = server.cache
            # What not everyone may see must not be kept for everyone (CACHE-05).
            result |= {"ttlMs": ttl, "cacheScope": "private" if shelf.guarded else scope}
        return jsonrpc.tail(codec.encode(stamped(result, server, request)))

    page = shelf.page(cursor, server.page_size, revision, request.principal, write)
    return b"".join((jsonrpc.HEAD, request.id, page))


# Failing ------------------------------------------------------------------------------------------


def unanswerable(error: BaseException, id: Any, method: Any, revision: Revision) -> bytes:
    """The response to a request that a method gave up on."""
    if isinstance(error, ProtocolError):
        return failure(error, revision, id)
    return jsonrpc.fail(id, ProtocolError.code, incident(f"Method {method}", error))


def failure(error: ProtocolError, revision: Revision, id: Any = None) -> bytes:
    """The response for an error, with the code the revision has for it."""
    code = revision.resource_not_found if isinstance(error, ResourceNotFound) else error.code
    return jsonrpc.fail(id or error.id, code, error.message, error.data, null_id=revision.null_id)


def incident(what: str, error: BaseException) -> str:
    """Log an exception in full, and give the one line about it that may be sent; raises it again if it is Ctrl-C."""
    raise_interrupt(error)
    number = urandom(4).hex()
    _log.error("%s failed (incident %s)", what, number, exc_info=cut_own_frames(error))
    return f"{what} failed unexpectedly (incident {number})."
