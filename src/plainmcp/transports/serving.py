"""HTTP by uvicorn: an address, a socket, the path /mcp, and processes. Knows nothing of messages."""

import errno
import inspect
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

from ..errors import AuthorError
from ..option_check import check_options
from .log_format import uvicorn_log_config

__all__ = ["PATH", "address_of", "address_text", "at_path", "check_uvicorn", "listening", "serve", "serve_on"]

PATH = "/mcp"
"""Where the server is found, unless told otherwise."""

_App = Callable[[Any, Any, Any], Awaitable[None]]


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
            f"{text!r} is no address to serve at; write host:port, such as 127.0.0.1:8000 or [::1]:8000"
        )
    return bare, int(port)


_TRANSPORTS = {"stdio", "http", "sse", "streamable-http"}


def address_text(given: str | int) -> str:
    """An address as host:port, also of a port of 127.0.0.1; raises AuthorError for the name of a transport."""
    if isinstance(given, str) and given in _TRANSPORTS:
        raise AuthorError(
            f"{given!r} is not an address: server.run() serves on standard input and output, and "
            'server.run(http="127.0.0.1:8000") over HTTP'
        )
    return f"127.0.0.1:{given}" if isinstance(given, int) else given


def check_uvicorn(options: dict[str, Any]) -> None:
    """Refuse what is not an option of uvicorn's, nor of `serve`, or says where to serve; raises OptionError."""
    if find_spec("uvicorn") is None or not options:
        return
    from uvicorn import Config

    ours = {"app", "host", "port", "uds", "fd", "workers", "reload"}
    known = {name: Any for name in inspect.signature(Config).parameters if name not in ours}
    check_options({name: value for name, value in options.items() if name != "path"}, known, "uvicorn=")


def at_path(app: _App, path: str = PATH) -> _App:
    """An ASGI application that is found at one path, and says so at every other."""
    path = path.rstrip("/")

    async def serve_path(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") == path:
            return await app(scope, receive, send)
        found = scope["path"] in ("", "/")
        text = f"This is an MCP server. Its address is {path}\n" if found else f"Not found. Try {path or '/'}\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    return serve_path


def serve(app: _App, address: str, *, path: str = PATH, workers: int = 1, **options: Any) -> None:
    """Serve an ASGI application at host:port until a signal ends us; takes uvicorn's options besides.

    Raises AuthorError when that cannot work: no such address, the port taken, uvicorn not installed, or a worker
    that ended by itself.
    """
    if workers < 1:
        raise AuthorError("workers is at least 1")
    if workers > 1 and not hasattr(os, "fork"):
        raise AuthorError("several workers need a system that can fork; run one, or several servers behind a proxy")
    with listening(address, path) as bound, _interrupted_by(signal.SIGTERM):
        _forked(workers, lambda: serve_on(bound, app, path=path, **options))


def listening(address: str, path: str = PATH) -> socket.socket:
    """A socket at host:port that clients can connect to from now on; says so, and raises AuthorError as `serve`."""
    host, port = address_of(address)
    if find_spec("uvicorn") is None:
        raise AuthorError("serving HTTP takes uvicorn: pip install 'plainmcp[http]'")
    bound = _bound(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"serving MCP at http://{shown}:{bound.getsockname()[1]}{path}", file=sys.stderr, flush=True)
    return bound


def serve_on(bound: socket.socket, app: _App, *, path: str = PATH, **options: Any) -> None:
    """Serve an ASGI application on a socket, in this process, until a signal ends us."""
    import uvicorn  # an extra: whoever mounts the server elsewhere does without

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: Any) -> None:
            # uvicorn waits for its answers, and streams that stay open never end by themselves. Not from here:
            # a signal comes at any moment, whatever lock is held.
            threading.Thread(target=getattr(app, "drain", lambda: None), daemon=True).start()
            super().handle_exit(sig, frame)

    given: dict[str, Any] = {
        "log_level": "warning",
        "log_config": uvicorn_log_config(),
        "lifespan": "auto",
        **options,
    }
    config = uvicorn.Config(at_path(app, path), **given)
    config.load()
    config.http_protocol_class = _sparing(config.http_protocol_class)
    Server(config).run(sockets=[bound])


def _sparing(protocol: Any) -> Any:
    """An HTTP protocol that reads less at a time: asyncio asks for 256 KiB and gives most of it back.

    Whatever is made meanwhile lies behind it, and the heap grows full of holes: a third more in a minute of load.
    """

    class Sparing(protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            with suppress(AttributeError):  # the transport of another loop has its own way
                transport.max_size = 8 * 2**10
            super().connection_made(transport)

    return Sparing


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise AuthorError(f"{host!r} is no host to serve at: {error.strerror}") from error
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
def _interrupted_by(number: int) -> Generator[None, None, None]:
    """Let a signal interrupt us, and no more: before uvicorn serves, and when it has ended by it and passes it on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    kept = signal.signal(number, interrupt)
    try:
        yield
    finally:
        signal.signal(number, kept)


def _forked(workers: int, work: Callable[[], None]) -> None:
    """Do the work in as many processes, and end them all when we are told to end, or when one ends by itself."""
    if workers == 1:
        with suppress(KeyboardInterrupt):  # uvicorn has ended by then
            work()
        return
    children: list[int] = []
    told = False

    def end(number: int, frame: Any) -> None:
        nonlocal told
        told = True
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    kept = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    lost: int | None = None
    try:
        while len(children) < workers and not told:
            children.append(_child(work))
        while children:
            child, status = os.wait()  # one that ends by itself is not replaced: whoever runs us sees to that
            if child in children:
                children.remove(child)
                lost = lost if told else os.waitstatus_to_exitcode(status)
                end(signal.SIGTERM, None)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    if lost is not None:
        raise AuthorError(f"a worker ended by itself with code {lost}, and the others were ended with it")


def _child(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # who is not yet serving has nothing to bring to an end
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            work()
        code = 0
    finally:
        os._exit(code)
