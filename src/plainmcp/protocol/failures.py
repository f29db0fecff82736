"""Error responses for clients, and the log entries for them. Knows codes and incidents, not methods."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from os import urandom
from traceback import format_tb
from typing import Any

from ..errors import InsufficientScope, InternalError, ProtocolError, ResourceNotFound, ToolError
from ..revisions import Revision
from ..wire import jsonrpc
from ..wire.jsonrpc import Failure
from .interrupts import name_of, raise_interrupt, tame, traceback_of
from .tracebacks import cut_own_frames

__all__ = [
    "describe",
    "error_response",
    "error_responses",
    "internal_error",
    "log_exception",
    "log_incident",
    "text_of",
]

_log = logging.getLogger("plainmcp")


def error_response(
    error: BaseException, revision: Revision, id: Any = None, what: str = "The request", mask: bool = True
) -> Failure:
    """The response for an error, with the code of the revision; any error but a ProtocolError is logged."""
    error = tame(error)
    if isinstance(error, ProtocolError):
        try:
            return _encode_error(error, revision, id)
        except BaseException as problem:  # of its class, or of the data in it
            error = tame(problem)
    return jsonrpc.encode_error(id, ProtocolError.code, log_incident(what, error, mask))


def _encode_error(error: ProtocolError, revision: Revision, id: Any) -> Failure:
    code = revision.resource_not_found if type(error) is ResourceNotFound else error.code
    failure = jsonrpc.encode_error(id or error.id, code, error.message, error.data, null_id=revision.null_id)
    if isinstance(error, InsufficientScope):
        failure.cause = error  # HTTP has a status and a header for it
    return failure


def error_responses(error: ProtocolError, revision: Revision, ids: Iterable[bytes]) -> Failure | None:
    """The responses for an error to all requests of a batch, by their ids; None if it has no request."""
    failures = [error_response(error, revision, id) for id in ids]
    if not failures:
        return None
    whole = Failure(b"[" + b",".join(failures) + b"]")
    whole.code = failures[0].code
    return whole


def internal_error(error: BaseException, what: str, mask: bool = True) -> ProtocolError:
    """An exception as an error for the client: with the text of a ToolError, or else as an incident."""
    error = tame(error)
    if isinstance(error, ProtocolError):
        return error
    if isinstance(error, ToolError):
        try:
            return InternalError(str(error))
        except BaseException as problem:  # its __str__ is the user's code
            error = tame(problem)
    return InternalError(log_incident(what, error, mask))


def log_incident(what: str, error: BaseException, mask: bool = True) -> str:
    """Log an exception in full; returns a text about it that may be sent. Raises it again if it is Ctrl-C.

    Only without `mask` the text has what the exception says.
    """
    raise_interrupt(error)
    number = urandom(4).hex()
    log_exception(error, "%s failed (incident %s)", what, number)
    if mask:
        return f"{what} failed unexpectedly (incident {number})."
    return f"{what} failed (incident {number}): {describe(error)}"


def log_exception(error: BaseException, text: str, *values: object, level: int = logging.ERROR) -> None:
    """Log an exception in full; without what it says, if code of its class, or of its causes, fails in that."""
    error = cut_own_frames(tame(error))
    try:
        _log.log(level, text, *values, exc_info=(type(error), error, traceback_of(error)))
    except BaseException as problem:
        raise_interrupt(problem)
        place = "".join(format_tb(traceback_of(error)))
        with suppress(BaseException):  # of a handler
            _log.log(level, f"{text}; %s was raised, and cannot be shown:\n%s", *values, name_of(type(error)), place)


def describe(error: BaseException) -> str:
    """The class of an exception, and what it says."""
    name, text = name_of(type(error)), text_of(error)
    return f"{name}: {text}" if text else name


def text_of(error: BaseException) -> str:
    """What an exception says; nothing, if code of its class fails in that."""
    try:
        return str(error).encode(errors="replace").decode()  # it may have lone surrogates
    except BaseException as problem:
        raise_interrupt(problem)
        return ""
