"""The command line as a client: a handshake, requests, and what is heard meanwhile. Knows no sockets and no pipes."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from ..protocol.core import Core
from ..revisions import Revision
from ..transports.connection import Connection

__all__ = ["Inside", "Peer", "PeerError", "Unreachable", "Wire"]

Hear = Callable[[bytes], None]

_META = "io.modelcontextprotocol/"
_CLIENT = {"name": "plainmcp", "version": "1"}
_NO_SUCH_METHOD = -32601


class Unreachable(Exception):
    """There is no server there, or it does not speak as servers do; the text says why."""


class PeerError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"the server answered with error {code}: {message}")
        self.code = code


class Wire(Protocol):
    """A way to a server: what is neither an answer nor asked for goes to the `hear` it was made with."""

    def ask(self, message: bytes, revision: str, shaken: bool) -> bytes:
        """Send a request; gives its answer. `shaken` is whether the revision is agreed upon already."""
        ...

    def tell(self, message: bytes, revision: str) -> None:
        """Send what has no answer."""
        ...

    def close(self) -> None:
        """Leave."""
        ...


class Inside:
    """The way to a server in this process."""

    def __init__(self, server: Core, hear: Hear) -> None:
        self._connection = Connection(server, hear)

    def ask(self, message: bytes, revision: str, shaken: bool) -> bytes:
        """Send a request; gives its answer."""
        return self._connection.handle(message) or b""

    def tell(self, message: bytes, revision: str) -> None:
        """Send what has no answer."""
        self._connection.handle(message)

    def close(self) -> None:
        """Leave."""
        self._connection.close()


class _Answer(msgspec.Struct):
    """An answer, opened as far as it is looked at."""

    result: msgspec.Raw = msgspec.Raw()
    error: dict[str, Any] | None = None


class Peer:
    """A server, seen from here. `wire` is given where to send what is heard; `told` is called with notifications."""

    def __init__(
        self,
        wire: Callable[[Hear], Wire],
        revision: Revision,
        told: Callable[[str, dict[str, Any]], None] | None = None,
    ) -> None:
        self.revision = revision.name
        self.last = b""  # the last answer, as it came
        self._told = told
        self._modern = not revision.handshake
        self._ids = 0
        self._shaken = self._modern
        self._wire = wire(self._hear)
        try:
            self.info = self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> dict[str, Any]:
        """Shake hands, where the revision has that; gives who the server is."""
        if self._modern:
            found: dict[str, Any] = self.request("server/discover").get("_meta", {}).get(f"{_META}serverInfo", {})
            return found
        hello = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": _CLIENT}
        answer = self.request("initialize", hello)
        self.revision = str(answer.get("protocolVersion"))
        self._shaken = True
        self._tell({"method": "notifications/initialized"})
        if self._told is not None and "logging" in answer.get("capabilities", {}):
            self.request("logging/setLevel", {"level": "info"})
        info: dict[str, Any] = answer.get("serverInfo", {})
        return info

    def raw(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        """Send a request; gives its result as it came. Raises PeerError."""
        self._ids += 1
        message = {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": self._dressed(params or {})}
        self.last = self._wire.ask(msgspec.json.encode(message), self.revision, self._shaken)
        try:
            answer = msgspec.json.decode(self.last, type=_Answer)
        except msgspec.MsgspecError:
            raise Unreachable(f"the server's answer to {method} is no message: {self.last[:80]!r}") from None
        if answer.error is not None:
            raise PeerError(answer.error.get("code", 0), answer.error.get("message", ""))
        return bytes(answer.result)

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The same, opened."""
        result: dict[str, Any] = msgspec.json.decode(self.raw(method, params))
        return result

    def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool; gives its result as it came."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        if self._told is not None:
            params["_meta"] = {"progressToken": "call"}
        return self.raw("tools/call", params)

    def list(self, method: str, name: str) -> list[dict[str, Any]]:
        """All pages of a list; a server without any of these has none."""
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        while True:
            try:
                page = self.request(method, params)
            except PeerError as error:
                if error.code == _NO_SUCH_METHOD:
                    return found
                raise
            found += page.get(name, [])
            if not page.get("nextCursor"):
                return found
            params = {"cursor": page["nextCursor"]}

    def close(self) -> None:
        """Leave."""
        self._wire.close()

    def _dressed(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters with what a request says about itself, where the revision wants that."""
        if not self._modern:
            return params
        meta: dict[str, Any] = {
            f"{_META}protocolVersion": self.revision,
            f"{_META}clientCapabilities": {},
            f"{_META}clientInfo": _CLIENT,
        }
        if self._told is not None:
            meta[f"{_META}logLevel"] = "info"
        return {**params, "_meta": {**meta, **params.get("_meta", {})}}

    def _tell(self, message: dict[str, Any]) -> None:
        self._wire.tell(msgspec.json.encode({"jsonrpc": "2.0", **message}), self.revision)

    def _hear(self, raw: bytes) -> None:
        """A notification is passed on; a question is declined, as nobody here can answer it."""
        message = msgspec.json.decode(raw)
        method = message.get("method", "")
        if method and "id" in message:
            declined = {"error": {"code": _NO_SUCH_METHOD, "message": "Method not found"}}
            self._tell({"id": message["id"], **({"result": {}} if method == "ping" else declined)})
        elif method and self._told is not None:
            self._told(method, message.get("params") or {})
