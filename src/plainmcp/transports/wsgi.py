"""WSGI: moves requests to the endpoint and what comes back to the client, in the threads of the server.

Knows the protocol between server and application; every rule of MCP is somebody else's.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from functools import partial
from http import HTTPStatus
from inspect import iscoroutinefunction
from typing import Any

from ..errors import AuthorError
from ..interrupts import raise_interrupt
from ..protocol.core import Core
from . import run
from .http import rules, sse
from .http.endpoint import Endpoint
from .http.headers import Headers
from .http.pending import Open, answered
from .http.rules import Reply, Settings
from .http.stream import Reader
from .invoke import unexpected

__all__ = ["Settings", "WSGIApp"]

Environ = dict[str, Any]
StartResponse = Callable[..., Any]

_STREAM = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"), ("X-Accel-Buffering", "no")]


class WSGIApp:
    """A server as a WSGI application; it answers at whatever path it is mounted.

    `principal` says who is calling, given the environ. What it gives for one user must compare equal from request to
    request, for sessions belong to who opened them. PermissionError is a 401.
    """

    def __init__(
        self, core: Core, settings: Settings | None = None, *, principal: Callable[[Any], Any] | None = None
    ) -> None:
        if iscoroutinefunction(principal):
            raise AuthorError("principal= is an async function, and WSGI has no event loop; give a plain one")
        self.endpoint = Endpoint(core, settings or Settings(max_standing=0))
        self._principal = principal

    def drain(self) -> None:
        """End every stream that stays open, with its result where it has one; running requests go on.

        A server that is told to end waits for its answers: call this then, from any thread but no signal handler.
        """
        self.endpoint.drain()

    def close(self) -> None:
        """End every stream that stays open, every request that runs and every session. From any thread."""
        self.endpoint.close()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """One request."""
        received = self._received(environ)
        answer = self._answer(received) if isinstance(received, Open) else received
        if isinstance(answer, Reply):
            headers = [(name.decode().title(), value.decode()) for name, value in answer.headers]
            if answer.status != 204:
                headers.append(("Content-Length", str(len(answer.body))))
            start_response(_line(answer.status), headers)
            return [answer.body] if answer.body else []
        start_response(_line(200), list(_STREAM))
        return answer

    def _received(self, environ: Environ) -> Reply | Open:
        endpoint, method = self.endpoint, environ["REQUEST_METHOD"]
        headers = _headers(environ)
        # Where we are bound is not told; but only this machine itself comes from a loopback address.
        fit = endpoint.door.check(method, headers, environ.get("REMOTE_ADDR"))
        if isinstance(fit, Reply):
            return fit
        try:
            principal = self._principal(environ) if self._principal is not None else None
        except BaseException as error:
            raise_interrupt(error)
            return rules.refuse_caller(error)
        body = _body(environ, endpoint.settings.max_body)
        if body is None:
            return endpoint.door.too_large()
        return endpoint.receive(method, headers, fit, body, principal)

    # Answers under way ----------------------------------------------------------------------------

    def _answer(self, opened: Open) -> "Reply | Lines":
        """The answer, if it comes alone; otherwise the lines that lead up to it."""
        stream, wake = opened.stream, threading.Event()
        reader = stream.attach(wake.set, opened.after)
        if not opened.standing:
            self.endpoint.runs(opened)
        if opened.silent:
            self._work(opened)
        elif not opened.standing:
            work = partial(copy_context().run, self._work, opened)
            threading.Thread(target=work, name="plainmcp-answer", daemon=True).start()
        while not opened.standing and not stream.speaks:
            if stream.unopened and (opened.fit.json or stream.answer is None):
                reader.leave()
                self.endpoint.left(opened)
                return answered(stream.answer, opened.modern)
            if stream.finished:
                break
            if not wake.wait(self.endpoint.settings.keep_alive_seconds if opened.fit.events else None):
                break
            wake.clear()
        if opened.held is not None:
            opened.held.keep(stream)
        return Lines(self.endpoint, opened, reader, wake)

    def _work(self, opened: Open) -> None:
        """Drive the steps to the answer; whoever reads the stream finds it there."""
        answer = None
        try:
            answer = run.resume(*opened.taken(), partial(self.endpoint.stay, opened))
        except BaseException as error:
            answer = opened.refusal(unexpected(error))
        finally:
            self.endpoint.ended(opened, answer)


class Lines:
    """The body of a streaming answer; closing it early is how a client that is gone is known."""

    def __init__(self, endpoint: Endpoint, opened: Open, reader: Reader, wake: threading.Event) -> None:
        self._endpoint = endpoint
        self._opened = opened
        self._reader = reader
        self._wake = wake
        self._begun = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._begun:
            self._begun = True
            return self._reader.opening()
        while not self._reader.over:
            self._wake.clear()
            chunk = self._reader.take()
            if chunk:
                return chunk
            if not self._reader.over and not self._wake.wait(self._endpoint.settings.keep_alive_seconds):
                return sse.COMMENT
        raise StopIteration

    def close(self) -> None:
        """Called by the server when all is sent, or cannot be."""
        self._reader.leave()
        self._endpoint.left(self._opened)


def _headers(environ: Environ) -> Headers:
    pairs = [(key[5:], value) for key, value in environ.items() if key.startswith("HTTP_")]
    for key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(key):
            pairs.append((key, environ[key]))
    return Headers([(_bytes(key.lower().replace("_", "-")), _bytes(value)) for key, value in pairs], folded=True)


def _bytes(text: str) -> bytes:
    return text.encode("latin-1", "backslashreplace")  # what comes between may put in other text


def _body(environ: Environ, limit: int) -> bytes | None:
    """The whole body; None when it is too large."""
    length = rules.length(environ.get("CONTENT_LENGTH"))
    if length is None and not environ.get("wsgi.input_terminated"):
        return b""
    body: bytes = environ["wsgi.input"].read(limit + 1 if length is None else min(length, limit + 1))
    return None if len(body) > limit else body


def _line(status: int) -> str:
    return f"{status} {HTTPStatus(status).phrase}"
