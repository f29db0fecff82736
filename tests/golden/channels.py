"""The ways a conversation can be held with a server. A new transport adds its channel to CHANNELS, and every file
is replayed on it.
"""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from select import select
from typing import Any, ClassVar, Protocol

from golden.conversation import Hear
from golden.web import Asgi, Wsgi, is_sent
from plainmcp import Server
from plainmcp.observe import RequestFacts

__all__ = ["CHANNELS", "Channel"]

SECONDS = 20.0  # for anything at all


class Channel(Protocol):
    """One client's line to a server."""

    lasts: ClassVar[bool]
    """Whether it remembers a handshake and can carry what is no answer."""

    family: ClassVar[str]
    """What a file calls this kind of channel, where it has rules of its own."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None: ...

    def attend(self) -> None:
        """Be ready to hear what comes while nothing is asked, where that takes something."""

    def send(self, message: bytes) -> bytes | None:
        """Send a message and give its answer; what comes before it goes to `hear`, and so do later notifications."""

    def say(self, message: dict[str, Any]) -> bytes | None:
        """Send another while a request runs, from inside its handler."""

    def listen(self) -> None:
        """Hear what came while nothing was asked, where that takes listening."""

    def end(self) -> None:
        """Let the server hang up, and hear its last words."""

    def close(self) -> None:
        """Hang up."""


class Handle:
    """`server.handle`: every message stands alone."""

    lasts = False
    family = "handle"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._server = server
        self._revision = revision

    def attend(self) -> None:
        pass

    def send(self, message: bytes) -> bytes | None:
        return self._server.handle(message, revision=self._revision)

    def say(self, message: dict[str, Any]) -> bytes | None:
        return self._server.handle(message, revision=self._revision)

    def listen(self) -> None:
        pass

    def end(self) -> None:
        pass

    def close(self) -> None:
        pass


class HandleAsync(Handle):
    """`server.handle_async`, in an event loop of its own."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._runner = asyncio.Runner()

    def send(self, message: bytes) -> bytes | None:
        return self._runner.run(self._server.handle_async(message, revision=self._revision))

    def close(self) -> None:
        self._runner.close()


class Connect:
    """`server.connect()`: a connection in memory."""

    lasts = True
    family = "connection"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._hear = hear
        self._connection = server.connect(self._heard)

    def attend(self) -> None:
        pass

    def send(self, message: bytes) -> bytes | None:
        return self._connection.handle(message)

    def say(self, message: dict[str, Any]) -> bytes | None:
        return self._connection.handle(message)

    def listen(self) -> None:
        pass

    def end(self) -> None:
        self._connection.close()

    def close(self) -> None:
        self._connection.close()

    def _heard(self, message: bytes) -> None:
        reply = self._hear(message)
        if reply is not None:
            assert self._connection.handle(reply) is None


class ConnectAsync(Connect):
    """`server.connect()`, in an event loop of its own."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._runner = asyncio.Runner()

    def send(self, message: bytes) -> bytes | None:
        return self._runner.run(self._connection.handle_async(message))

    def close(self) -> None:
        super().close()
        self._runner.close()


class Aside:
    """What a handler says on its own line, and what it is told there before the ping that follows is answered."""

    def __init__(self, fence: str) -> None:
        self.fence = fence
        self.answer: bytes | None = None
        self.done = threading.Event()


class Stdio:
    """`server.run()` in a thread, with pipes of ours for standard input and output."""

    lasts = True
    family = "stdio"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._hear = hear
        self._read = b""
        self._fences = 0
        self._aside: Aside | None = None
        self._due: Any = None  # the id of the request whose answer is waited for
        source, to = os.pipe()
        self._from, sink = os.pipe()
        self._to: int | None = to
        self._kept = [os.dup(file) for file in (0, 1)]
        self._server = threading.Thread(target=server.run, daemon=True)
        _put_in_place(source, sink)
        ours = os.fstat(1).st_ino
        self._server.start()
        end = time.monotonic() + SECONDS
        while os.fstat(1).st_ino == ours:  # it takes them for itself, and leaves others there for whoever prints
            assert self._server.is_alive() and time.monotonic() < end, "it does not serve"
            time.sleep(0.0001)

    def attend(self) -> None:
        pass

    def send(self, message: bytes) -> bytes | None:
        # Silence is known by what is sent next: once that is answered, only what runs may still be.
        self._due = _running(message)
        fence, fenced, answer = self._fenced(message), False, None
        while not fenced or (self._due is not None and answer is None):
            raw = self._line()
            if is_sent(raw):
                self._heard(raw)
            elif _id(raw) == fence:
                fenced = True
            elif self._aside is not None:
                self._told(self._aside, raw)
            else:
                assert answer is None, "it was answered twice"
                answer = raw
        return answer

    def say(self, message: dict[str, Any]) -> bytes | None:
        if message["method"] == "notifications/cancelled" and message["params"]["requestId"] == self._due:
            self._due = None
        self._aside = aside = Aside(f"fence {self._fences + 1}")
        self._fenced(json.dumps(message).encode())
        assert aside.done.wait(SECONDS), "nobody answered in time"
        return aside.answer

    def _told(self, aside: Aside, raw: bytes) -> None:
        if _id(raw) != aside.fence:
            aside.answer = raw
            return
        self._aside = None
        aside.done.set()

    def listen(self) -> None:
        while self._to is not None and (self._read or select([self._from], [], [], 0)[0]):
            self._heard(self._line())

    def end(self) -> None:
        self.close()
        while self._read:
            self._heard(self._line())

    def close(self) -> None:
        if self._to is None:
            return
        os.close(self._to)
        self._to = None
        self._server.join(SECONDS)
        assert not self._server.is_alive(), "it goes on without its client"
        _put_in_place(*self._kept)  # and ours, which it left there again, are closed by that
        while more := os.read(self._from, 65536):
            self._read += more
        os.close(self._from)

    def _heard(self, message: bytes) -> None:
        reply = self._hear(message)
        if reply is not None:
            self._write(reply)

    def _fenced(self, message: bytes) -> str:
        """Write a message and a ping after it; gives the id of that."""
        self._fences += 1
        fence = f"fence {self._fences}"
        self._write(message)
        self._write(json.dumps({"jsonrpc": "2.0", "id": fence, "method": "ping"}).encode())
        return fence

    def _write(self, message: bytes) -> None:
        assert self._to is not None
        os.write(self._to, message.replace(b"\n", b" ") + b"\n")

    def _line(self) -> bytes:
        while b"\n" not in self._read:
            assert select([self._from], [], [], SECONDS)[0], "nothing was written in time"
            self._read += os.read(self._from, 65536)
        line, _, self._read = self._read.partition(b"\n")
        return line


def _put_in_place(*files: int) -> None:
    """Make these standard input and output."""
    for standard, file in enumerate(files):
        os.dup2(file, standard)
        os.close(file)


def _id(raw: bytes) -> Any:
    return json.loads(raw).get("id") if raw.startswith(b"{") else None


def _running(message: bytes) -> Any:
    """The id of a request in it that is answered once it has run."""
    try:
        said = json.loads(message)
    except ValueError:
        return None
    parts = said if isinstance(said, list) else [said]
    ids = [part["id"] for part in parts if isinstance(part, dict) and "id" in part and _is_due(part)]
    return ids[0] if ids else None


def _is_due(request: dict[str, Any]) -> bool:
    return request.get("method") not in (None, "subscriptions/listen")


class Observed(Asgi):
    """`server.asgi()` of a server with an observer that sets a context variable: not one byte may differ."""

    _current: ClassVar[ContextVar[object]] = ContextVar("observed")

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        server.observe(self._begin)
        super().__init__(server, revision, hear)

    def _begin(self, facts: RequestFacts) -> Callable[[RequestFacts], object]:
        self._current.set(facts)
        return lambda facts: facts.result


CHANNELS: dict[str, Any] = {  # the first is what the others are compared with
    "connect": Connect,
    "connect_async": ConnectAsync,
    "handle": Handle,
    "handle_async": HandleAsync,
    "stdio": Stdio,
    "wsgi": Wsgi,
    "asgi": Asgi,
    "asgi observed": Observed,
}
