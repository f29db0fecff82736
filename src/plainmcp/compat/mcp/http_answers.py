"""How the official SDK writes the answers of its HTTP endpoint: a result as a stream, and errors with its texts.

plainmcp answers with JSON where nothing is streamed, and says more in its errors; programs, and the tests that they
have, read the lines of the stream and compare the texts.
"""

import json
from typing import Any

from ...transports.http.response import EVENT_STREAM

__all__ = ["AnswerWriter", "error_of", "send_text"]

_HEADER_MISMATCH = -32020


def error_of(text: str) -> str:
    """An error in the form of the SDK."""
    return json.dumps({"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": text}})


async def send_text(send: Any, status: int, text: str) -> None:
    """Answer with a text, or with JSON if the text is that."""
    body = text.encode()
    kind = b"application/json" if text.startswith("{") else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"GET, POST, DELETE"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class AnswerWriter:
    """Sends the answer to a request of a handshake revision as the SDK would; what is a stream already passes."""

    def __init__(self, send: Any, *, as_events: bool, has_session: bool) -> None:
        self._send, self._as_events, self._has_session = send, as_events, has_session
        self._start: Any = None

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = dict(message["headers"])
            if headers.get(b"content-type") == b"application/json" and message["status"] in (200, 400, 404):
                self._start = message  # it waits for its body, which comes in one piece
                return
        elif self._start is not None:
            start, self._start = self._start, None
            await self._answer(start, message)
            return
        await self._send(message)

    async def _answer(self, start: Any, message: Any) -> None:
        status, body = start["status"], message.get("body", b"")
        if status == 404 and self._has_session:
            await send_text(self._send, 404, error_of("Session not found"))
        elif status == 400 and not self._has_session and _code_of(body) == _HEADER_MISMATCH:
            await send_text(self._send, 400, error_of("Bad Request: Missing session ID"))
        elif status == 200 and self._as_events:
            headers = [one for one in start["headers"] if one[0] not in (b"content-type", b"content-length")]
            await self._send({**start, "headers": [*EVENT_STREAM, *headers]})
            await self._send({**message, "body": b"event: message\r\ndata: %s\r\n\r\n" % body})
        else:
            await self._send(start)
            await self._send(message)


def _code_of(body: bytes) -> Any:
    try:
        return json.loads(body)["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return None
