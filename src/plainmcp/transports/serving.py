"""HTTP by uvicorn: an address, a socket, the path /mcp, and processes. Knows nothing of messages."""

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import AuthorError

__all__ = ["address_of", "at_path", "serve"]

PATH = "/mcp"
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


def at_path(app: _App, path: str = PATH) -> _App:
    """An ASGI application that is found at one path, and says so at every other."""

    async def serve_path(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") == path:
            return await app(scope, receive, send)
        found = scope["path"] == "/"
        text = f"This is an MCP server. Its address is {path}\n" if found else f"Not found. Try {path}\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    return serve_path


def serve(app: _App, address: str, *, workers: int = 1, **options: Any) -> None:
    """Serve an ASGI application at host:port until a signal ends us; takes uvicorn's options besides.

    Raises AuthorError when that cannot work: no such address, the port taken, uvicorn not installed.
    """
    host, port = address_of(address)
    if workers < 1:
        raise AuthorError("workers is at least 1")
    if workers > 1 and not hasattr(os, "fork"):
        raise AuthorError("several workers need a system that can fork; run one, or several servers behind a proxy")
    try:
        import uvicorn  # an extra: whoever mounts the server elsewhere does without
    except ImportError:
        raise AuthorError("serving HTTP takes uvicorn: pip install 'plainmcp[http]'") from None
    listening = _bound(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"serving MCP at http://{shown}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
    with listening:
        given: dict[str, Any] = {"log_level": "warning", "lifespan": "auto", **options}

        class Server(uvicorn.Server):
            def handle_exit(self, sig: int, frame: Any) -> None:
                # uvicorn waits for its answers, and streams that stay open never end by themselves. Not from here:
                # a signal comes at any moment, whatever lock is held.
                threading.Thread(target=getattr(app, "drain", lambda: None), daemon=True).start()
                super().handle_exit(sig, frame)

        server = Server(uvicorn.Config(at_path(app), **given))
        with _outliving(signal.SIGTERM):
            _forked(workers, lambda: server.run(sockets=[listening]))


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
def _outliving(number: int) -> Generator[None, None, None]:
    """Live on after a signal: uvicorn ends by it, and then sends it to us once more."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(number, kept)


def _forked(workers: int, work: Callable[[], None]) -> None:
    """Do the work in as many processes, and end them all when we are told to end."""
    if workers == 1:
        with suppress(KeyboardInterrupt):  # uvicorn has ended by then
            work()
        return
    children = [_child(work) for _ in range(workers)]

    def end(number: int, frame: Any) -> None:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    kept = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        while children:
            child, _ = os.wait()  # one that ends by itself is not replaced: whoever runs us sees to that
            if child in children:
                children.remove(child)
                end(signal.SIGTERM, None)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _child(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        with suppress(KeyboardInterrupt):
            work()
        code = 0
    finally:
        os._exit(code)
