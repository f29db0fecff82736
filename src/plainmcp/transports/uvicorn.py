"""Serving over HTTP: the address, the socket and the processes. http_server serves in each process."""

import errno
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from logging import WARNING
from typing import Any

from ..errors import AuthorError
from ..foreign.annotations import signature_of
from ..protocol.option_check import check_options
from .http.path import PATH, App
from .http.security import is_loopback
from .log_format import level_of
from .process_end import limit_exit
from .shutdown import GRACE, check_grace, make_deadline
from .workers import run_workers

__all__ = [
    "PATH",
    "address_of",
    "address_text",
    "check_uvicorn",
    "is_loopback_address",
    "open_socket",
    "print_login",
    "serve",
    "serve_async",
    "uvicorn_level",
    "warn_if_open",
]

MAX_WORKERS = 256
"""How many processes one server may start."""

_log = logging.getLogger("plainmcp")


def address_of(text: str) -> tuple[str, int]:
    """The host and port of "host:port"; raises AuthorError.

    >>> address_of("127.0.0.1:8000"), address_of("[::1]:0")
    (('127.0.0.1', 8000), ('::1', 0))
    """
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    digits = port.isascii() and port.isdigit() and len(port) <= 5
    if not colon or not bare or (":" in bare and bare == host) or "/" in bare or not digits or int(port) > 65535:
        raise AuthorError(
            f"{text!r} is not an address to serve at; write host:port, such as 127.0.0.1:8000 or [::1]:8000"
        )
    return bare, int(port)


_TRANSPORTS = {"stdio", "http", "sse", "streamable-http"}


def address_text(address: str | int) -> str:
    """An address as host:port; a number is a port of 127.0.0.1. Raises AuthorError for the name of a transport."""
    if isinstance(address, str) and address in _TRANSPORTS:
        raise AuthorError(
            f"{address!r} is not an address: server.run() serves on standard input and output, and "
            'server.run(http="127.0.0.1:8000") over HTTP'
        )
    return f"127.0.0.1:{address}" if isinstance(address, int) else address


def check_uvicorn(options: dict[str, Any]) -> dict[str, Any]:
    """Refuse options that neither uvicorn nor `serve` takes, or that set the address; raises OptionError."""
    if find_spec("uvicorn") is None or not options:
        return options
    from uvicorn import Config

    ours = {"app", "host", "port", "uds", "fd", "workers", "reload"}
    allowed = {name: Any for name in signature_of(Config).parameters if name not in ours}
    check_options({name: value for name, value in options.items() if name != "path"}, allowed, "uvicorn=")
    return options


def uvicorn_level(log_level: str | None) -> dict[str, Any]:
    """The option of uvicorn for a level of our log. Below warnings uvicorn logs requests: that is the access log."""
    return {} if log_level is None else {"log_level": max(level_of(log_level), WARNING)}


def is_loopback_address(address: str) -> bool:
    """Whether only programs on this machine can reach host:port; raises AuthorError."""
    return is_loopback(address_of(address)[0])


def warn_if_open(address: str, *, is_protected: bool) -> None:
    """Log a warning if other machines can reach an address and the server does not check who is calling."""
    if is_protected or is_loopback_address(address):
        return
    _log.warning(
        "other machines can reach %s, and the server does not check who is calling: anyone who can connect can use "
        "all of it. Check callers with auth= or principal=, or serve at 127.0.0.1 behind a proxy that does",
        address,
    )


def serve(
    app: App,
    address: str,
    *,
    path: str = PATH,
    workers: int = 1,
    grace: float = GRACE,
    has_page: bool = False,
    **options: Any,
) -> None:
    """Serve an ASGI application at host:port until a signal ends the process; also takes the options of uvicorn.

    `path` is the one at which the application answers, for the line that names its address; `has_page` says that
    there is a page for people at /. After the signal it ends within `grace` seconds. Raises AuthorError if the
    address does not exist, the port is in use, uvicorn is not installed, or the workers cannot start.
    """
    if not 1 <= workers <= MAX_WORKERS:
        raise AuthorError(f"workers is a number from 1 to {MAX_WORKERS}; not {workers}")
    if workers > 1 and not hasattr(os, "fork"):
        raise AuthorError("several workers need a system that can fork; run one, or several servers behind a proxy")
    if workers > 1 and threading.current_thread() is not threading.main_thread():
        raise AuthorError(
            "several workers are started in the main thread, where signals arrive; run one in this thread"
        )
    deadline = make_deadline(grace, owns_process=threading.current_thread() is threading.main_thread())
    from .http_server import serve_on  # loads asyncio only when it is needed

    # A signal before uvicorn serves raises KeyboardInterrupt, at any line; later ones uvicorn sends again at its end.
    try:
        with _interrupt_on(signal.SIGTERM), open_socket(address, path, has_page) as bound:
            print_login(app)
            if workers == 1:
                serve_on(bound, app, deadline, **options)
            else:
                work = partial(serve_on, bound, app, deadline, **options)
                run_workers(workers, lambda started: work(started=started), grace)
    except KeyboardInterrupt:
        limit_exit(deadline)


async def serve_async(
    app: App, address: str, *, path: str = PATH, grace: float = GRACE, has_page: bool = False, **options: Any
) -> None:
    """Serve an ASGI application at host:port in this event loop; takes what `serve` takes, and raises the same."""
    check_grace(grace)
    from .http_server import serve_on_async  # loads asyncio only when it is needed

    with open_socket(address, path, has_page) as bound:
        print_login(app)
        await serve_on_async(bound, app, grace=grace, **options)


def open_socket(address: str, path: str = PATH, has_page: bool = False) -> socket.socket:
    """A socket that listens at host:port; prints where it and its page are. Raises AuthorError like `serve`."""
    host, port = address_of(address)
    if find_spec("uvicorn") is None:
        raise AuthorError("serving HTTP takes uvicorn: pip install 'plainmcp[http]'")
    bound = _bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    origin = f"http://{shown}:{bound.getsockname()[1]}"
    print(f"serving MCP at {origin}{path}", file=sys.stderr, flush=True)
    if has_page:
        print(f"try it in a browser at {origin}/", file=sys.stderr, flush=True)
    return bound


def print_login(app: Any) -> None:
    """Print where clients of a protected server find out how to log in, if they can."""
    metadata = getattr(app, "metadata", None)
    if metadata is not None:
        print(f"clients log in by {metadata.url}", file=sys.stderr, flush=True)


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise AuthorError(f"{host!r} is not a host to serve at: {error.strerror}") from error
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(where)
        bound.listen(2048)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            reason = f"port {port} of {host} is taken; choose another, or 0 for any that is free"
        else:
            reason = f"cannot serve at {host}:{port}: {error.strerror}"
        raise AuthorError(reason) from error
    return bound


@contextmanager
def _interrupt_on(number: int) -> Generator[None, None, None]:
    """Let a signal raise KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, former)
