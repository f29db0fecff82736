"""Conversations over HTTP: what a client sends and receives, in order, with any application server.

A stream that stays open is read up to the next keep-alive comment: by then all earlier messages have arrived.
"""

import json
from typing import Any

from golden.conversation import Hear
from golden.mounting import AsgiServer, Flow, Request, WebServer, WsgiServer, fields_of
from plainmcp import Server
from wire import META

__all__ = ["Asgi", "Wsgi", "is_sent"]

SETTINGS: dict[str, Any] = {"max_standing": 8, "keep_alive_seconds": 0.01}


class Http:
    """What a client says and hears over HTTP."""

    lasts = True
    family = "http"

    def __init__(self, app: Any, web: WebServer, revision: str, hear: Hear) -> None:
        self._app = app
        self._web = web
        self._revision = revision
        self._hear = hear
        self._session: dict[str, str] = {}
        self._attends = False
        self._open: list[Flow] = []

    def attend(self) -> None:
        self._attends = True

    def send(self, message: bytes) -> bytes | None:
        answer = self._answer(self._start(message), stays=b'"subscriptions/listen"' in message)
        if self._attends:
            if self._session and not self._open:
                self._open.append(self._start(None))
            self.listen()
        return answer

    def say(self, message: dict[str, Any]) -> bytes | None:
        return self._answer(self._start(json.dumps(message).encode()))

    def listen(self) -> None:
        for flow in list(self._open):
            flow.wait_for_quiet()
            for event in flow.take_all():
                if data := _data(event):
                    self._hear(data)
            if flow.ended:
                self._open.remove(flow)

    def end(self) -> None:
        self._app.close()
        self.listen()

    def close(self) -> None:
        self._web.close()

    def _start(self, message: bytes | None) -> Flow:
        method = "GET" if message is None else "POST"
        return self._web.start(Request(method, list(self._headers(message).items()), message or b"", address=None))

    def _answer(self, flow: Flow, stays: bool = False) -> bytes | None:
        """The answer; what comes before it is heard. One that `stays` is left open once something has come."""
        flow.wait(lambda: flow.status)
        if "mcp-session-id" in flow.headers:
            self._session = {"mcp-session-id": flow.headers["mcp-session-id"]}
        if not flow.is_stream:
            flow.wait_for_end()
            return flow.body or None
        answer = None
        while (event := flow.next()) is not None:
            data = _data(event)
            if data and is_sent(data):
                self._reply(data)
                if stays:
                    self._open.append(flow)
                    return None
            else:
                answer = data or answer
        return answer

    def _reply(self, message: bytes) -> None:
        reply = self._hear(message)
        if reply is not None:
            self._start(reply).wait_for_end()

    def _headers(self, message: bytes | None) -> dict[str, str]:
        headers = {
            "host": "127.0.0.1:8000",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self._revision,
            **self._session,
        }
        if message is None:
            return headers
        headers |= {"content-type": "application/json", "content-length": str(len(message))}
        try:  # what a client says in headers as well
            said = json.loads(message)
            params = said.get("params") or {}
            version = params.get("_meta", {}).get(f"{META}protocolVersion")
            name = params.get("uri" if said["method"] == "resources/read" else "name")
            repeated = {"mcp-protocol-version": version, "mcp-method": said["method"], "mcp-name": name}
            headers |= {header: value for header, value in repeated.items() if isinstance(value, str)}
        except (ValueError, AttributeError, KeyError):
            pass
        return headers


class Wsgi(Http):
    """`server.wsgi()`, called as a WSGI server calls it."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        app = server.wsgi(**SETTINGS)
        super().__init__(app, WsgiServer(app), revision, hear)


class Asgi(Http):
    """`server.asgi()`, called as an ASGI server calls it."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        app = server.asgi(**SETTINGS)
        super().__init__(app, AsgiServer(app), revision, hear)


def _data(event: bytes) -> bytes:
    return dict(fields_of(event)).get("data", "").encode()


def is_sent(raw: bytes) -> bool:
    """Whether it is a notification or a question, and no answer."""
    return raw.startswith(b"{") and "method" in json.loads(raw)
