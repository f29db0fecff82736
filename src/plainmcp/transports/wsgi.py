"""The WSGI application: passes requests to the endpoint, and its responses and streams to the WSGI server.

Runs in the threads of the server. Knows WSGI, but no rule of MCP.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from functools import partial
from http import HTTPStatus
from typing import Any

from ..protocol.core import Core
from ..protocol.failures import internal_error
from .http.challenges import PLAIN, Challenges
from .http.checks import HeaderFacts, length_of
from .http.cors import Pairs, with_cors
from .http.endpoint import Endpoint
from .http.headers import Headers
from .http.new_endpoint import make_endpoint
from .http.pending import PendingResponse, Phase
from .http.response import EVENT_STREAM, Refused, Response, without_body
from .http.settings import Settings
from .http.stream import COMMENT, Reader
from .run import run

__all__ = [
    "Environ",
    "Identify",
    "Settings",
    "StartResponse",
    "WSGIApp",
    "headers_of",
    "read_body",
    "send_response",
    "status_line",
]

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Identify = Callable[[Environ, Headers], Any]
"""Returns the caller of a request, by its environ and its headers; raises Refused."""


class WSGIApp:
    """A server as a WSGI application; it answers at any path at which it is mounted.

    `identify` returns who is calling: any value. The values for one user must compare equal, because a session
    belongs to the user who opened it. `challenges` are the answers to callers who may not pass.
    """

    def __init__(
        self,
        core: Core,
        settings: Settings | None = None,
        *,
        identify: Identify | None = None,
        challenges: Challenges = PLAIN,
    ) -> None:
        self.endpoint = make_endpoint(core, settings or Settings(max_standing=0), challenges)
        self._identify = identify

    def drain(self) -> None:
        """End every stream that stays open, with its result where it has one; running requests go on.

        A server that shuts down waits for its responses, so call this first. It may be called from any thread, but
        not from a signal handler.
        """
        self.endpoint.responses.drain()

    def close(self) -> None:
        """End every stream that stays open, every request that runs and every session. From any thread."""
        self.endpoint.close()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Handle one request."""
        endpoint, headers = self.endpoint, headers_of(environ)
        # The environ has no address of the server. But only clients on this machine have a loopback address.
        local, scheme = environ.get("REMOTE_ADDR"), environ.get("wsgi.url_scheme", "http")
        facts = endpoint.preflight.check(environ["REQUEST_METHOD"], headers, local, scheme)
        if isinstance(facts, Response):
            return self._send(self._refuse(facts, environ, headers), start_response)
        answer = self._receive(environ, headers, facts)
        response = self._answer(answer) if isinstance(answer, PendingResponse) else answer
        if isinstance(response, Response):
            return self._send(with_cors(response, facts.cors), start_response)
        start_response(status_line(200), [*_to_texts(EVENT_STREAM), *_to_texts(facts.cors)])
        return response

    def _send(self, response: Response, start_response: StartResponse) -> Iterable[bytes]:
        return send_response(response, start_response)

    def _refuse(self, refusal: Response, environ: Environ, headers: Headers) -> Response:
        """The response to a request that is refused by its headers; callers who may not pass learn nothing of it."""
        if self._identify is None or refusal.status in (204, 403):
            return refusal
        try:
            self._identify(environ, headers)
        except Refused as refused:
            response = with_cors(refused.response, self.endpoint.preflight.cors_of(headers))
            return without_body(response) if environ["REQUEST_METHOD"] == "HEAD" else response
        return refusal

    def _receive(self, environ: Environ, headers: Headers, facts: HeaderFacts) -> Response | PendingResponse:
        endpoint, method = self.endpoint, environ["REQUEST_METHOD"]
        try:
            principal = None if self._identify is None else self._identify(environ, headers)
        except Refused as refused:
            return refused.response
        if not endpoint.sessions.is_started:
            endpoint.start()
        body = read_body(environ, endpoint.settings.max_body)
        if body is None:
            return endpoint.preflight.refuse_large_body()
        return endpoint.receive(method, headers, facts, body, principal)

    # Pending responses ----------------------------------------------------------------------------

    def _answer(self, pending: PendingResponse) -> "Response | EventLines":
        """The response, if nothing is sent before it; otherwise a stream of events that ends with it."""
        stream, wake = pending.stream, threading.Event()
        reader = stream.attach(wake.set, pending.after)
        if pending.phase is not Phase.STANDING:
            self.endpoint.responses.add_running(pending)
            if pending.can_speak:
                work = partial(copy_context().run, self._run, pending)
                threading.Thread(target=work, name="plainmcp-answer", daemon=True).start()
            else:
                self._run(pending)
        while pending.phase is not Phase.STANDING and not stream.speaks:
            if pending.is_alone:
                reader.leave()
                self.endpoint.responses.leave(pending)
                return pending.to_response(stream.answer)
            if stream.finished:
                break
            if not wake.wait(self.endpoint.settings.keep_alive_seconds if pending.facts.events else None):
                break
            wake.clear()
        pending.keep_stream()
        return EventLines(self.endpoint, pending, reader, wake)

    def _run(self, pending: PendingResponse) -> None:
        """Run the exchange, and put its response into the stream."""
        exchange, pending.exchange = pending.exchange, None
        assert exchange is not None
        response = None
        try:
            response = run(exchange, partial(self.endpoint.listen, pending))
        except BaseException as error:
            response = pending.refuse(internal_error(error, "The request", self.endpoint.core.mask_errors))
        finally:
            self.endpoint.responses.finish(pending, response)


class EventLines:
    """The body of a streaming response; the WSGI server closes it early when the client disconnects."""

    def __init__(self, endpoint: Endpoint, pending: PendingResponse, reader: Reader, wake: threading.Event) -> None:
        self._endpoint = endpoint
        self._pending = pending
        self._reader = reader
        self._wake = wake
        self._started = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._started:
            self._started = True
            return self._reader.opening()
        while not self._reader.over:
            self._wake.clear()
            self._endpoint.responses.end_if_expired(self._pending, self._reader)
            chunk = self._reader.take()
            if chunk:
                return chunk
            if not self._reader.over and not self._wake.wait(self._endpoint.responses.wait_seconds(self._pending)):
                return COMMENT
        raise StopIteration

    def close(self) -> None:
        """Stop reading. The WSGI server calls this at the end, also when the client disconnected."""
        self._reader.leave()
        self._endpoint.responses.leave(self._pending)


def send_response(response: Response, start_response: StartResponse, *, is_head: bool = False) -> list[bytes]:
    """Start a whole response; returns its body, to a HEAD none."""
    headers = _to_texts(response.headers)
    if response.status != 204:
        headers.append(("Content-Length", str(len(response.body))))
    start_response(status_line(response.status), headers)
    # Some servers refuse subclasses of bytes, such as a Failure (PEP 3333).
    return [bytes(response.body)] if response.body and not is_head else []


def _to_texts(pairs: Pairs) -> list[tuple[str, str]]:
    return [(name.decode().title(), value.decode("latin-1")) for name, value in pairs]


def headers_of(environ: Environ) -> Headers:
    """The headers of a request."""
    pairs = [(key[5:], value) for key, value in environ.items() if key.startswith("HTTP_")]
    for key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(key):
            pairs.append((key, environ[key]))
    named = [(_to_bytes(key.lower().replace("_", "-")), _to_bytes(value)) for key, value in pairs]
    return Headers(named, environ.get("REMOTE_ADDR"), _Scope(environ), folded=True)


class _Scope:
    """An environ with the keys of an ASGI scope, which few requests read."""

    __slots__ = ("_environ",)

    def __init__(self, environ: Environ) -> None:
        self._environ = environ

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key of an ASGI scope, or a default."""
        environ = self._environ
        match key:
            case "method":
                return environ.get("REQUEST_METHOD", default)
            case "scheme":
                return environ.get("wsgi.url_scheme", default)
            case "path":
                return f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
            case "query_string":
                return environ.get("QUERY_STRING", "").encode("latin-1")
            case "client":
                return (environ["REMOTE_ADDR"], 0) if environ.get("REMOTE_ADDR") else default
        return default


def _to_bytes(text: str) -> bytes:
    return text.encode("latin-1", "backslashreplace")  # middleware may add other characters


def read_body(environ: Environ, limit: int) -> bytes | None:
    """The whole body; None if it is too large."""
    length = length_of(environ.get("CONTENT_LENGTH"))
    if length is None and not environ.get("wsgi.input_terminated"):
        return b""
    body: bytes = environ["wsgi.input"].read(limit + 1 if length is None else min(length, limit + 1))
    return None if len(body) > limit else body


def status_line(status: int) -> str:
    """A status with its phrase."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:  # a status without a name
        return f"{status} Status"
