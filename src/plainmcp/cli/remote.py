"""Reaches a server in another process: over HTTP, or on the standard input and output of a command."""

import http.client
import shlex
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from .client import Receive, Unreachable

__all__ = ["CommandTransport", "HttpTransport"]

_SECONDS = 10  # to connect; a call may take any time
_SECONDS_TO_CLOSE = 5
_PATH = "/mcp"
_NOT_HERE = {404, 405, 501}  # statuses of a web server that has no MCP server at a path
_NAME_KEYS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class _NotMcp(Unreachable):
    """Something else than an MCP server answers at a URL."""


class _MessageHead(msgspec.Struct):
    """The part of a message that tells whether it is a response, and to which request."""

    method: str | None = None
    id: Any = None
    params: dict[str, Any] | None = None


class HttpTransport:
    """Reaches a server at a URL: every message is an HTTP request. Without a server there, it tries `/mcp` below."""

    has_headers = True

    def __init__(self, url: str, receive: Receive, *, headers: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._receive = receive
        self._own_headers = dict(headers or {})
        self._session: str | None = None
        self._has_answered = False
        try:
            self._parts = urlsplit(url)
            valid = bool(self._parts.hostname) and self._parts.port != 0
        except ValueError:
            valid = False
        if not valid:
            raise Unreachable(f"{url} is not the address of a server; write one like http://127.0.0.1:8000/mcp")

    def request(self, message: bytes, revision: str, negotiated: bool, headers: Mapping[str, str]) -> bytes:
        """Send a request and return its response."""
        version = revision if negotiated else None
        try:
            response = self._post(message, version, headers)
        except _NotMcp as error:
            if self._has_answered or self._parts.path.rstrip("/").endswith(_PATH):
                raise
            response = self._post_below(message, version, error)
        if response is None:
            raise Unreachable(f"{self._url} accepted a request and did not answer it")
        self._has_answered = True
        return response

    def _post_below(self, message: bytes, revision: str | None, first: "_NotMcp") -> bytes | None:
        """Send the first request to /mcp, because there is no server at the URL itself; raises the first error."""
        parts, url = self._parts, self._url
        self._parts = parts._replace(path=parts.path.rstrip("/") + _PATH)
        self._url = urlunsplit(self._parts)
        try:
            return self._post(message, revision)
        except _NotMcp:
            self._parts, self._url = parts, url
            raise _NotMcp(f"{first}, and there is no MCP server at {_PATH} below it") from None

    def notify(self, message: bytes, revision: str) -> None:
        """Send a message that has no response."""
        self._post(message, revision)

    def close(self) -> None:
        """End the session, if there is one."""
        if self._session is not None:
            with suppress(Unreachable, OSError, http.client.HTTPException), closing(self._connect()) as connection:
                connection.sock.settimeout(_SECONDS_TO_CLOSE)
                headers = {"Mcp-Session-Id": self._session, **self._own_headers}
                connection.request("DELETE", self._path, headers=headers)
                connection.getresponse().read()

    @property
    def _path(self) -> str:
        return (self._parts.path or "/") + (f"?{self._parts.query}" if self._parts.query else "")

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        try:
            connection = kind(self._parts.hostname or "", self._parts.port, timeout=_SECONDS)
            connection.connect()
        except (OSError, ValueError) as error:
            raise Unreachable(f"there is no server at {self._url}: {error}") from None
        connection.sock.settimeout(None)
        return connection

    def _post(self, message: bytes, revision: str | None, more: Mapping[str, str] | None = None) -> bytes | None:
        head = msgspec.json.decode(message, type=_MessageHead)
        with closing(self._connect()) as connection:
            try:
                connection.request("POST", self._path, message, self._headers(head, revision, more or {}))
                response = connection.getresponse()
                self._session = response.getheader("Mcp-Session-Id") or self._session
                kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
                if kind == "text/event-stream" and response.status == 200:
                    what = f"{self._url} sent an event"
                    return _find_response(_events_of(response), head.id, self._receive, what)
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise Unreachable(f"{self._url} broke off: {error or type(error).__name__}") from None
        status = f"{self._url} answered {response.status} {response.reason}"
        if response.status == 401:
            raise self._unauthorized_error(status)
        if kind == "application/json" and b'"jsonrpc"' in body:
            return body
        if response.status >= 300:
            raise (_NotMcp if response.status in _NOT_HERE else Unreachable)(status)
        if body.strip():
            raise _NotMcp(f"{self._url} is not an MCP server: it answered with {kind or 'something'}")
        return None

    def _unauthorized_error(self, status: str) -> Unreachable:
        has_token = any(name.lower() == "authorization" for name in self._own_headers)
        advice = "it does not accept this token" if has_token else "pass a token with --bearer"
        return Unreachable(f"{status}: it wants to know who is calling; {advice}")

    def _headers(self, head: _MessageHead, revision: str | None, more: Mapping[str, str]) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers |= {name: _encode_header(value) for name, value in more.items()} | self._own_headers
        if revision is not None:
            headers["MCP-Protocol-Version"] = revision
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        if head.params is not None and head.params.get("_meta") and head.method:  # a revision without a handshake
            headers["Mcp-Method"] = head.method
            if head.method in _NAME_KEYS:
                headers["Mcp-Name"] = _encode_header(str(head.params[_NAME_KEYS[head.method]]))
        return headers


def _find_response(messages: Iterable[bytes], id: Any, receive: Receive, unreadable: str) -> bytes | None:
    """The response with an id among messages; those before it are received. `unreadable` is for what is none."""
    for message in messages:
        try:
            head = msgspec.json.decode(message, type=_MessageHead)
        except msgspec.MsgspecError:
            raise Unreachable(f"{unreadable} that is not a message: {message[:80]!r}") from None
        if head.method is None and head.id == id:
            return message
        receive(message)
    return None


def _encode_header(value: str) -> str:
    """A value in the form that an Mcp-Name header needs."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?"):
        return value
    return f"=?base64?{b64encode(value.encode()).decode()}?="


def _events_of(lines: Any) -> Iterator[bytes]:
    """The data of each event in a stream; an event without data only keeps the connection open."""
    data: list[bytes] = []
    for line in lines:
        line = line.rstrip(b"\r\n")
        if not line and data:
            event, data = b"\n".join(data), []
            if event:
                yield event
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))


class CommandTransport:
    """Reaches a server by starting a command: each message is a line."""

    has_headers = False

    def __init__(self, command: str, receive: Receive) -> None:
        self._command = command
        self._receive = receive
        try:
            self._process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1
            )
        except (OSError, ValueError, IndexError) as error:
            raise Unreachable(f"the command {command!r} cannot be started: {error}") from None

    def request(self, message: bytes, revision: str, negotiated: bool, headers: Mapping[str, str]) -> bytes:
        """Send a request and return its response."""
        self.notify(message, revision)
        id = msgspec.json.decode(message, type=_MessageHead).id
        assert self._process.stdout is not None
        response = _find_response(self._process.stdout, id, self._receive, "the command wrote a line")
        if response is not None:
            return response
        raise Unreachable(f"the command ended with code {self._process.wait()} and did not answer")

    def notify(self, message: bytes, revision: str) -> None:
        """Send a message that has no response."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # reading the response reports this
            self._process.stdin.write(message + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """Close the command's input and wait until it ends."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_SECONDS_TO_CLOSE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
