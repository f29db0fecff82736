"""The ways to a server that is not in a file of ours: over HTTP, and on the pipes of a command."""

import http.client
import shlex
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec

from .client import Unreachable

__all__ = ["Http", "Pipes"]

Hear = Callable[[bytes], None]

_SECONDS = 10  # to connect, and to leave; a call may take as long as it likes
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class _Head(msgspec.Struct):
    """As much of a message as it takes to know an answer."""

    method: str | None = None
    id: Any = None
    params: dict[str, Any] | None = None


class Http:
    """The way to a URL: every message is a request of its own."""

    def __init__(self, url: str, hear: Hear) -> None:
        self._url = url
        self._hear = hear
        self._session: str | None = None
        try:
            self._parts = urlsplit(url)
            whole = bool(self._parts.hostname) and self._parts.port != 0
        except ValueError:
            whole = False
        if not whole:
            raise Unreachable(f"{url} is no address of a server; one looks like http://127.0.0.1:8000/mcp")

    def ask(self, message: bytes, revision: str, shaken: bool) -> bytes:
        """Send a request; gives its answer."""
        answer = self._post(message, revision if shaken else None)
        if answer is None:
            raise Unreachable(f"{self._url} took a request and did not answer it")
        return answer

    def tell(self, message: bytes, revision: str) -> None:
        """Send what has no answer."""
        self._post(message, revision)

    def close(self) -> None:
        """Leave the session, if there is one."""
        if self._session is not None:
            with suppress(Unreachable, OSError, http.client.HTTPException), closing(self._connected()) as connection:
                connection.request("DELETE", self._path, headers={"Mcp-Session-Id": self._session})
                connection.getresponse().read()

    @property
    def _path(self) -> str:
        return (self._parts.path or "/") + (f"?{self._parts.query}" if self._parts.query else "")

    def _connected(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        try:
            connection = kind(self._parts.hostname or "", self._parts.port, timeout=_SECONDS)
            connection.connect()
        except (OSError, ValueError) as error:
            raise Unreachable(f"there is no server at {self._url}: {error}") from None
        connection.sock.settimeout(None)
        return connection

    def _post(self, message: bytes, revision: str | None) -> bytes | None:
        head = msgspec.json.decode(message, type=_Head)
        with closing(self._connected()) as connection:
            try:
                connection.request("POST", self._path, message, self._headers(head, revision))
                response = connection.getresponse()
                self._session = response.getheader("Mcp-Session-Id") or self._session
                kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
                if kind == "text/event-stream" and response.status == 200:
                    return self._answer_in(response, head.id)
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise Unreachable(f"{self._url} broke off: {error or type(error).__name__}") from None
        if kind == "application/json" and b'"jsonrpc"' in body:
            return body
        if response.status >= 300:
            raise Unreachable(f"{self._url} answered {response.status} {response.reason}")
        return None

    def _headers(self, head: _Head, revision: str | None) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if revision is not None:
            headers["MCP-Protocol-Version"] = revision
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        if head.params is not None and head.params.get("_meta") and head.method:  # says itself what it speaks
            headers["Mcp-Method"] = head.method
            if head.method in _NAMED:
                headers["Mcp-Name"] = _plain(str(head.params[_NAMED[head.method]]))
        return headers

    def _answer_in(self, stream: http.client.HTTPResponse, id: Any) -> bytes | None:
        for data in _events(stream):
            try:
                head = msgspec.json.decode(data, type=_Head)
            except msgspec.MsgspecError:
                raise Unreachable(f"{self._url} sent an event that is no message: {data[:80]!r}") from None
            if head.method is None and head.id == id:
                return data
            self._hear(data)
        return None


def _plain(value: str) -> str:
    """A value as a header carries it."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?"):
        return value
    return f"=?base64?{b64encode(value.encode()).decode()}?="


def _events(lines: Any) -> Iterator[bytes]:
    """The data of each event in a stream; an event without any only keeps the line open."""
    data: list[bytes] = []
    for line in lines:
        line = line.rstrip(b"\r\n")
        if not line and data:
            whole, data = b"\n".join(data), []
            if whole:
                yield whole
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))


class Pipes:
    """The way to a command: it is started, and a message is a line."""

    def __init__(self, command: str, hear: Hear) -> None:
        self._command = command
        self._hear = hear
        try:
            self._process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1
            )
        except (OSError, ValueError, IndexError) as error:
            raise Unreachable(f"the command {command!r} cannot be started: {error}") from None

    def ask(self, message: bytes, revision: str, shaken: bool) -> bytes:
        """Send a request; gives its answer."""
        self.tell(message, revision)
        wanted = msgspec.json.decode(message, type=_Head).id
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                head = msgspec.json.decode(line, type=_Head)
            except msgspec.MsgspecError:
                raise Unreachable(f"the command wrote a line that is no message: {line[:80]!r}") from None
            if head.method is None and head.id == wanted:
                return line
            self._hear(line)
        raise Unreachable(f"the command ended with code {self._process.wait()} and did not answer")

    def tell(self, message: bytes, revision: str) -> None:
        """Send what has no answer."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # its end is met where the answer is read
            self._process.stdin.write(message + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """Close its input, and wait for it to end."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
