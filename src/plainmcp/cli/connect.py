"""Opens the client that a command asks for: of a file or a module, of a URL, or of a command to start."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .. import revisions
from ..client import RpcError
from ..revisions import LATEST, LATEST_HANDSHAKE, Revision
from ..server import Server
from .arguments import UsageError, read_text
from .caller_option import principal_of
from .client import (
    InProcessTransport,
    McpClient,
    OnNotification,
    Receive,
    Responder,
    Transport,
    Unreachable,
)
from .load import load
from .timeout import TimedTransport

__all__ = ["connect_remote", "headers_of", "is_remote", "open_client", "open_server"]


def is_remote(options: Any, target: str) -> bool:
    """Whether the server is in another process."""
    return options.command is not None or target.startswith(("http://", "https://"))


@contextmanager
def open_server(options: Any, target: str) -> Generator[Server | None, None, None]:
    """The server in a file or a module, whose lifespan ends with this; None if it is in another process."""
    if is_remote(options, target):
        yield None
        return
    if options.bearer is not None or options.header:
        raise UsageError("--bearer and --header need a URL; --principal says who calls the server in a file")
    server = load(target, is_module=options.module is not None)
    try:
        yield server
    finally:
        server.close()


def open_client(
    options: Any,
    target: str,
    server: Server | None,
    on_notification: OnNotification | None = None,
    answers: Responder | None = None,
) -> McpClient:
    """A client of a server in this process, or else of the one that the target names, after the handshake."""
    more = on_notification, answers
    if server is not None:
        connect = partial(InProcessTransport, server, principal=principal_of(options.principal))
        revision = revisions.revision_of(options.revision or LATEST.name)
        return McpClient(_with_timeout(options, connect), revision, *more)
    if options.revision is not None:
        return connect_remote(options, target, revisions.revision_of(options.revision), *more)
    try:
        return connect_remote(options, target, LATEST_HANDSHAKE, *more)
    except RpcError as error:
        try:
            return connect_remote(options, target, LATEST, *more)  # it may not have a handshake
        except (RpcError, Unreachable):
            raise error from None


def connect_remote(
    options: Any,
    target: str,
    revision: Revision,
    on_notification: OnNotification | None = None,
    answers: Responder | None = None,
) -> McpClient:
    """A client of a server at a URL or behind a command, after the handshake."""
    from . import remote  # http.client takes long to load, and a file does not need it

    if options.principal is not None:
        raise UsageError("--principal needs a file: a remote server finds out who is calling, see --bearer")
    connect: Callable[[Receive], Transport]
    if options.command is not None:
        if options.bearer is not None or options.header:
            raise UsageError("--bearer and --header need a URL: a command has no HTTP headers")
        connect = partial(remote.CommandTransport, options.command)
    else:
        connect = partial(remote.HttpTransport, target, headers=headers_of(options))
    return McpClient(_with_timeout(options, connect), revision, on_notification, answers)


def headers_of(options: Any) -> dict[str, str]:
    """The headers of --header and --bearer; a bearer token may be in a file, because others see a command line."""
    headers: dict[str, str] = dict(options.header)
    bearer = options.bearer
    if bearer is not None:
        token = read_text(bearer[1:]).strip() if bearer.startswith("@") else bearer
        headers["Authorization"] = f"Bearer {token}"
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable()):
            raise UsageError(f"the value of the header {name} has characters that a header cannot have")
    return headers


def _with_timeout(options: Any, connect: Callable[[Receive], Transport]) -> Callable[[Receive], Transport]:
    return connect if options.timeout is None else partial(TimedTransport, connect, options.timeout)
