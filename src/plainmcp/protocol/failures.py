"""Error responses for clients, and the log entries for them. Knows codes and incidents, not methods."""

import logging
from collections.abc import Iterable
from os import urandom
from typing import Any

from ..errors import InsufficientScope, InternalError, ProtocolError, ResourceNotFound, ToolError
from ..revisions import Revision
from ..wire import jsonrpc
from ..wire.jsonrpc import Failure
from .interrupts import raise_interrupt
from .tracebacks import cut_own_frames

__all__ = ["error_response", "error_responses", "internal_error", "log_incident"]

_log = logging.getLogger("plainmcp")


def error_response(
    error: BaseException, revision: Revision, id: Any = None, what: str = "The request", mask: bool = True
) -> Failure:
    """The response for an error, with the code of the revision; any error but a ProtocolError is logged."""
    if not isinstance(error, ProtocolError):
        return jsonrpc.encode_error(id, ProtocolError.code, log_incident(what, error, mask))
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
    if isinstance(error, ProtocolError):
        return error
    return InternalError(str(error) if isinstance(error, ToolError) else log_incident(what, error, mask))


def log_incident(what: str, error: BaseException, mask: bool = True) -> str:
    """Log an exception in full; returns a text about it that may be sent. Raises it again if it is Ctrl-C.

    Only without `mask` the text has what the exception says.
    """
    raise_interrupt(error)
    number = urandom(4).hex()
    _log.error("%s failed (incident %s)", what, number, exc_info=cut_own_frames(error))
    if mask:
        return f"{what} failed unexpectedly (incident {number})."
    return f"{what} failed (incident {number}): {_describe(error)}"


def _describe(error: BaseException) -> str:
    try:
        text = str(error).encode(errors="replace").decode()  # it may have lone surrogates
    except Exception:  # its __str__ is the user's code
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
