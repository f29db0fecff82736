"""What an unexpected exception in a handler becomes: an error with its text, or with a text that hides it."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from ...errors import ProtocolError
from ...errors import ToolError as NativeToolError
from ...protocol.interrupts import raise_interrupt
from ...protocol.tracebacks import cut_own_frames
from .exceptions import FastMCPError, PromptError, ResourceError, ToolError

__all__ = ["describe_failures"]

_log = logging.getLogger("fastmcp.server.server")
"""The log of the package, which programs configure."""

_HTTP_CLIENTS = ("httpx", "httpx2")

_KINDS: dict[str, tuple[str, type[FastMCPError]]] = {
    "tool": ("Error calling tool", ToolError),
    "resource": ("Error reading resource", ResourceError),
    "prompt": ("Error rendering prompt", PromptError),
}


@contextmanager
def describe_failures(kind: str, name: str, is_masked: bool) -> Generator[None, None, None]:
    """Raise the error of a kind of feature instead of an unexpected exception, with its text unless it is masked."""
    what, error_type = _KINDS[kind]
    try:
        yield
    except ProtocolError:
        raise
    except NativeToolError as error:
        _log.log(getattr(error, "log_level", logging.ERROR), "%s %r", what, name)
        raise
    except FastMCPError as error:
        _log.log(error.log_level, "%s %r", what, name)
        raise ToolError(str(error)) from error
    except Exception as error:
        raise_interrupt(error)
        is_upstream = type(error).__module__.partition(".")[0] in _HTTP_CLIENTS
        _log.error("%s %r", what, name, exc_info=None if is_upstream else cut_own_frames(error))
        text = _upstream_text_of(error) or (f"{what} {name!r}" if is_masked else f"{what} {name!r}: {error}")
        raise error_type(text) from error


def _upstream_text_of(error: Exception) -> str | None:
    """The text for a failure of another service that the model can act on: it is never masked."""
    response: Any = getattr(error, "response", None)
    if type(error).__module__.partition(".")[0] not in _HTTP_CLIENTS:
        return None
    if getattr(response, "status_code", None) == 429:
        return "Rate limited by upstream API, please retry later"
    is_timeout = any(kind.__name__ == "TimeoutException" for kind in type(error).__mro__)
    return "Upstream request timed out, please retry" if is_timeout else None
