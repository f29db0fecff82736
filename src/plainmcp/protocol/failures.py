"""Error responses for clients, and the log entries for them. Knows codes and incidents, not methods."""

import logging
from os import urandom
from typing import Any

from ..errors import InternalError, ProtocolError, ResourceNotFound, ToolError
from ..interrupts import raise_interrupt
from ..revisions import Revision
from ..wire import jsonrpc
from ..wire.jsonrpc import Failure
from .tracebacks import cut_own_frames

__all__ = ["error_response", "internal_error", "log_incident"]

_log = logging.getLogger("plainmcp")


def error_response(error: BaseException, revision: Revision, id: Any = None, what: str = "The request") -> Failure:
    """The response for an error, with the code of the revision; any error but a ProtocolError is logged."""
    if not isinstance(error, ProtocolError):
        return jsonrpc.encode_error(id, ProtocolError.code, log_incident(what, error))
    code = revision.resource_not_found if isinstance(error, ResourceNotFound) else error.code
    return jsonrpc.encode_error(id or error.id, code, error.message, error.data, null_id=revision.null_id)


def internal_error(error: BaseException, what: str) -> ProtocolError:
    """An exception as an error for the client: with the text of a ToolError, or else as an incident."""
    if isinstance(error, ProtocolError):
        return error
    return InternalError(str(error) if isinstance(error, ToolError) else log_incident(what, error))


def log_incident(what: str, error: BaseException) -> str:
    """Log an exception in full; returns one line about it that may be sent. Raises it again if it is Ctrl-C."""
    raise_interrupt(error)
    number = urandom(4).hex()
    _log.error("%s failed (incident %s)", what, number, exc_info=cut_own_frames(error))
    return f"{what} failed unexpectedly (incident {number})."
