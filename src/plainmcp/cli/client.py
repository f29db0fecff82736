"""The client of the command line: handshake, requests, and the messages that come meanwhile. Does no I/O itself."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from ..client import ClientMessages, RpcError, list_all, params_of_next_round, read_result
from ..errors import MethodNotFound
from ..protocol import header_params
from ..protocol.core import Core
from ..revisions import Revision
from ..transports.connection import Connection

__all__ = [
    "InProcessTransport",
    "McpClient",
    "OnNotification",
    "Receive",
    "Responder",
    "Transport",
    "Unreachable",
    "text_of",
]

Receive = Callable[[bytes], None]
OnNotification = Callable[[str, dict[str, Any]], None]

_META_SERVER = "io.modelcontextprotocol/serverInfo"
_INFO = {"name": "plainmcp", "version": "1"}
_ROUNDS = 20  # of questions in one request


class Unreachable(Exception):
    """There is no server at this address, or it does not speak MCP; the text says why."""


def text_of(error: Exception) -> str:
    """What a command prints for an exception: an error of the server is named as one."""
    return f"the server answered with error {error}" if isinstance(error, RpcError) else str(error)


class Transport(Protocol):
    """A way to reach a server. Messages other than the response go to the function it was created with."""

    has_headers: bool
    """Whether a request has headers, which repeat some of its arguments."""

    def request(self, message: bytes, revision: str, negotiated: bool, headers: Mapping[str, str]) -> bytes:
        """Send a request and return its response. `negotiated`: whether both sides have agreed on the revision."""
        ...

    def notify(self, message: bytes, revision: str) -> None:
        """Send a message that has no response."""
        ...

    def close(self) -> None:
        """End the conversation."""
        ...


class InProcessTransport:
    """Reaches a server in this process."""

    has_headers = False

    def __init__(self, server: Core, receive: Receive, *, principal: Any = None) -> None:
        self._connection = Connection(server, receive, principal=principal)

    def request(self, message: bytes, revision: str, negotiated: bool, headers: Mapping[str, str]) -> bytes:
        """Send a request and return its response."""
        return self._connection.handle(message) or b""

    def notify(self, message: bytes, revision: str) -> None:
        """Send a message that has no response."""
        self._connection.handle(message)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Responder(Protocol):
    """Answers the questions of a server."""

    @property
    def capabilities(self) -> dict[str, Any]:
        """The capabilities of a client that answers them."""
        ...

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The result for a question; None if it cannot be answered."""
        ...


class McpClient:
    """The client of one server: `on_notification` is called with each notification's method and parameters."""

    def __init__(
        self,
        connect: Callable[[Receive], Transport],
        revision: Revision,
        on_notification: OnNotification | None = None,
        answers: Responder | None = None,
    ) -> None:
        self.revision = revision.name
        self.last_response = b""
        self._on_notification = on_notification
        self._answers = answers
        self._has_handshake = revision.handshake
        log_level = None if on_notification is None else "info"
        self._messages = ClientMessages(revision, answers.capabilities if answers else None, _INFO, log_level)
        self._negotiated = not revision.handshake
        self._transport = connect(self._receive)
        try:
            self.info = self._initialize()
        except BaseException:
            self.close()
            raise

    def _initialize(self) -> dict[str, Any]:
        """Do the handshake, if the revision has one; returns the server's info."""
        if not self._has_handshake:
            meta: dict[str, Any] = self.request("server/discover").get("_meta", {})
            discovered: dict[str, Any] = meta.get(_META_SERVER, {})
            return discovered
        result = msgspec.json.decode(self._exchange(self._messages.build_handshake(self.revision)))
        self.revision = str(result.get("protocolVersion"))
        self._negotiated = True
        self._notify({"method": "notifications/initialized"})
        if self._on_notification is not None and "logging" in result.get("capabilities", {}):
            with suppress(RpcError):  # what is asked for is worth more than its log messages
                self.request("logging/setLevel", {"level": "info"})
        info: dict[str, Any] = result.get("serverInfo", {})
        return info

    @property
    def needs_schema(self) -> bool:
        """Whether the call of a tool needs its input schema: on revisions without a handshake headers repeat it."""
        return self._transport.has_headers and not self._has_handshake

    def request_raw(
        self, method: str, params: dict[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        """Send a request and return its result as JSON. Raises RpcError."""
        return self._exchange(self._messages.build_request(method, params or {}), headers)

    def _exchange(self, message: dict[str, Any], headers: Mapping[str, str] | None = None) -> bytes:
        raw = msgspec.json.encode(message)
        self.last_response = self._transport.request(raw, self.revision, self._negotiated, headers or {})
        try:
            return read_result(self.last_response)
        except msgspec.MsgspecError:
            start = self.last_response[:80]
            raise Unreachable(f"the server's answer to {message['method']} is not a message: {start!r}") from None

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its result. Raises RpcError."""
        result: dict[str, Any] = msgspec.json.decode(self.request_raw(method, params))
        return result

    def run(self, method: str, params: dict[str, Any], headers: Mapping[str, str] | None = None) -> bytes:
        """Send a request that runs a function of the server; returns its result as JSON, after all questions."""
        if self._on_notification is not None:
            params = {**params, "_meta": {"progressToken": "call"}}
        for _ in range(_ROUNDS):
            raw = self.request_raw(method, params, headers)
            following = None if self._answers is None else params_of_next_round(raw, params, self._answer)
            if following is None:
                return raw
            params = following
            if None in params["inputResponses"].values():
                raise Unreachable("the server asks a question that is not answered")
        raise Unreachable(f"the server still asks after {_ROUNDS} rounds of questions")

    def call(self, tool: str, arguments: dict[str, Any], schema: dict[str, Any] | None = None) -> bytes:
        """Call a tool and return its result as JSON; `schema` is its input schema, if it is needed."""
        headers = header_params.texts_of(schema or {}, arguments, tool) if self.needs_schema else {}
        return self.run("tools/call", {"name": tool, "arguments": arguments}, headers)

    def list(self, method: str, key: str) -> list[dict[str, Any]]:
        """All pages of a list; empty if the server does not know the method."""
        return [*list_all(self.request, method, key)]

    def close(self) -> None:
        """End the conversation."""
        self._transport.close()

    def _notify(self, message: dict[str, Any]) -> None:
        self._transport.notify(msgspec.json.encode({"jsonrpc": "2.0", **message}), self.revision)

    def _receive(self, raw: bytes) -> None:
        """Pass a notification on; answer a request, or decline it."""
        message = msgspec.json.decode(raw)
        method = message.get("method", "")
        if method and "id" in message:
            result = {} if method == "ping" else self._answer(message)
            refusal = {"error": {"code": MethodNotFound.code, "message": "Method not found"}}
            self._notify({"id": message["id"], **(refusal if result is None else {"result": result})})
        elif method and self._on_notification is not None:
            self._on_notification(method, message.get("params") or {})

    def _answer(self, question: dict[str, Any]) -> dict[str, Any] | None:
        if self._answers is None:
            return None
        return self._answers.answer(str(question.get("method")), question.get("params") or {})
