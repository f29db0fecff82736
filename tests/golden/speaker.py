"""A client of one revision: completes the short messages of a file, and formats the messages it receives."""

import json
import re
from ast import literal_eval
from typing import Any

from golden.conversation import Step
from wire import WITHOUT_HANDSHAKE, meta_of

__all__ = ["Speaker", "shown"]


class Speaker:
    """A client of one revision: completes what a file leaves out, and remembers what it must say again."""

    def __init__(self, revision: str, capabilities: dict[str, Any]) -> None:
        self.revision = revision
        self._capabilities = capabilities
        self._ids = 0
        self._known: dict[str, str] = {}

    def says(self, step: Step) -> bytes:
        """The bytes of a step."""
        if step.kind == "bytes":
            found: bytes = literal_eval(step.body)
            return found
        text = self.recall(step.body)
        message = json.loads(text)
        if isinstance(message, dict) and "jsonrpc" in message:
            return text.encode()
        parts = [self._completed(one) for one in (message if isinstance(message, list) else [message])]
        return json.dumps(parts if isinstance(message, list) else parts[0]).encode()

    def replies(self, question: dict[str, Any], text: str) -> bytes:
        """The bytes of an answer to a question."""
        return json.dumps({"jsonrpc": "2.0", "id": question["id"], **json.loads(text)}).encode()

    def handshake(self) -> list[bytes]:
        """What comes before everything else, where the revision has a handshake."""
        if self.revision in WITHOUT_HANDSHAKE:
            return []
        params = {
            "protocolVersion": self.revision,
            "capabilities": self._capabilities,
            "clientInfo": {"name": "golden", "version": "1"},
        }
        initialize = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        return [
            json.dumps(one).encode() for one in (initialize, self._completed({"method": "notifications/initialized"}))
        ]

    def hears(self, raw: bytes) -> str:
        """A message as the files show it; what must be said again is remembered."""
        message = json.loads(raw)
        for one in message if isinstance(message, list) else [message]:
            result = one.get("result") if isinstance(one, dict) else None
            if isinstance(result, dict):
                for name, placeholder in (("requestState", "«state»"), ("nextCursor", "«cursor»")):
                    if name in result:
                        self._known[placeholder] = result[name]
                if "requestState" in result:
                    result["requestState"] = "«state»"
            params = one.get("params") if isinstance(one, dict) else None
            if isinstance(params, dict) and "elicitationId" in params:
                params["elicitationId"] = "«id»"
        return re.sub(r"incident [0-9a-f]{8}", "incident «incident»", shown(message))

    def _completed(self, message: dict[str, Any]) -> dict[str, Any]:
        whole: dict[str, Any] = {"jsonrpc": "2.0"}
        if "id" not in message and not message.get("method", "").startswith("notifications/"):
            self._ids += 1
            whole["id"] = self._ids
        whole |= message
        if self.revision in WITHOUT_HANDSHAKE and "id" in whole:
            params = whole.get("params", {})
            own = meta_of(self.revision, self._capabilities)
            whole["params"] = {**params, "_meta": {**own, **params.get("_meta", {})}}
        return whole

    def recall(self, text: str) -> str:
        """Text of a file with what the server gave before put in."""
        text = text.replace("«revision»", self.revision)
        for placeholder, value in self._known.items():
            text = text.replace(placeholder, value)
            if placeholder == "«state»":
                text = text.replace("«tampered»", ("B" if value[0] == "A" else "A") + value[1:])
        return text


def shown(data: Any, indent: str = "", *, width: int = 110) -> str:
    """JSON for people, its keys in the order they came in: what fits on a line stands on a line."""
    line = json.dumps(data, ensure_ascii=False)
    if len(indent) + len(line) <= width or not data or not isinstance(data, dict | list):
        return line
    inner = indent + "  "
    if isinstance(data, dict):
        items = [f"{json.dumps(key, ensure_ascii=False)}: {shown(data[key], inner, width=width)}" for key in data]
    else:
        items = [shown(item, inner, width=width) for item in data]
    body = ",\n".join(inner + item for item in items)
    opened, closed = "{}" if isinstance(data, dict) else "[]"
    return f"{opened}\n{body}\n{indent}{closed}"
