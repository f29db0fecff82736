"""The responses to requests that are refused, and the status of a response with an error.

Functions of errors and limits, without I/O. Knows neither headers nor sessions.
"""

from ...errors import HTTP_STATUSES, InternalError, InvalidRequest, ProtocolError
from ...limits.shares import Limit
from ...protocol.failures import error_response
from ...protocol.interrupts import tame
from ...revisions import LATEST
from ...wire.jsonrpc import Failure
from .response import JSON, Response

__all__ = [
    "over_limit", "refusal", "refuse_by", "refuse_caller", "refuse_method", "status_of", "status_unread",
    "unknown_session",
]  # fmt: skip

_STATUS_UNREAD = {-32700: 400, -32600: 400}


def refusal(status: int, error: ProtocolError, id: bytes | None = None, allow: bytes | None = None) -> Response:
    """The response to a refused request, with an error; `allow` names the allowed methods."""
    headers = JSON if allow is None else (*JSON, (b"allow", allow))
    return Response(status, error_response(error, LATEST, id), headers)


def refuse_by(limit: Limit) -> Response:
    """The response to a request over a limit, if nothing of its message is known."""
    return over_limit(limit, error_response(InternalError(limit.text), LATEST))


def over_limit(limit: Limit, body: bytes | None) -> Response:
    """The response to a request over a limit: 429 if it is the caller's own, or 503 if it is that of all callers."""
    return Response(429 if limit.is_own else 503, body or b"", (*JSON, (b"retry-after", b"%d" % limit.seconds)))


def refuse_caller(error: BaseException) -> Response:
    """The response when the function that identifies the caller raised: PermissionError is a 401."""
    error = tame(error)
    if isinstance(error, PermissionError):
        body = error_response(InvalidRequest("this server does not know who is calling"), LATEST)
        return Response(401, body, (*JSON, (b"www-authenticate", b"Bearer")))
    body = error_response(error, LATEST, what="Identifying the caller")
    return Response(HTTP_STATUSES.get(body.code, 500), body, JSON)


def unknown_session(id: bytes | None = None) -> Response:
    """The response to a request that names a session which is unknown, or has ended (R2511-SESS-05)."""
    return refusal(404, InvalidRequest("there is no such session; send initialize"), id)


def refuse_method(method: str, reason: str | None = None) -> Response:
    """The response to a GET or a DELETE where only POST is served (R26-HTTP-27)."""
    text = f"{method} is not served; send POST" if reason is None else f"{method} is not served here: {reason}"
    return refusal(405, InvalidRequest(text), allow=b"POST")


def status_of(response: bytes, modern: bool) -> int:
    """The status of a response; only the modern revisions have error statuses (R26-HTTP-28).

    In the handshake revisions a 404 means that the session has ended, so an unknown method must not cause one.
    """
    return HTTP_STATUSES.get(response.code, 200) if modern and isinstance(response, Failure) else 200


def status_unread(code: int, modern: bool) -> int:
    """The status for a message that could not be decoded."""
    return (HTTP_STATUSES if modern else _STATUS_UNREAD).get(code, 200)
