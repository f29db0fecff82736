"""Conversations as text: how a file is read and written, and what each revision makes of its shorthand.

A file opens with a sentence and the ids it pins (`R*-TOOL-01` means: on every revision it is replayed on). Then

    -- server --         Python that makes `server`; `namespace.py` and all of plainmcp's names are there
    -- revisions --      the revisions it is replayed on; without it, all
    -- needs --          present when it takes a channel that lasts; without it, any channel will do
    -- except --         `http`, where HTTP has rules of its own for this; `stdio`, where a line cannot say it, or
                         the connection itself is taken in hand
    -- capabilities --   what the client declares, where the revision has it say so
    -- handshake --      `none`: do not shake hands first

and steps, each followed by what comes of it:

    -- client --         a message; one without "jsonrpc" is completed with that, an id and, where the revision wants
                         it, _meta; one with it is sent to the letter. A list is a batch.
    -- bytes --          a bytes literal, sent as it is
    -- reply --          what the client says to the next question it is asked, without its envelope
    -- meanwhile --      Python to run where `server` was made
    -- notification --, -- asked --, -- answer --, -- silence --   what comes, in that order, exactly

What comes may differ by revision: `-- answer 2024-11-05, 2025-03-26 --`. `«revision»` is the one it is replayed on,
`«state»` and `«cursor»` are the last ones the server gave, `«tampered»` is that state with another first letter;
`«incident»` and `«id»` are made up anew each time.
"""

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from plainmcp.revisions import REVISIONS

__all__ = ["Conversation", "Event", "Hear", "Speaker", "Step", "shown"]

HEADING = re.compile(r"^-- (.+) --$", re.MULTILINE)
GIVEN = ("server", "revisions", "needs", "except", "capabilities", "handshake")
STARTS = ("client", "bytes", "meanwhile")
COMES = ("notification", "asked", "answer", "silence")
META = "io.modelcontextprotocol/"

Event = tuple[str, str]
"""What came: of which kind, and its text."""


@dataclass
class Step:
    """Something that is done, and for each revision what comes of it."""

    kind: str
    body: str
    replies: list[str] = field(default_factory=list)
    comes: dict[str, list[Event]] = field(default_factory=dict)


@dataclass
class Conversation:
    """A file, taken apart."""

    sentence: str
    given: dict[str, str]
    steps: list[Step]

    @classmethod
    def parse(cls, text: str) -> "Conversation":
        sentence, *rest = HEADING.split(text)
        given: dict[str, str] = {}
        conversation = cls(sentence.strip(), given, [])
        for heading, body in zip(rest[::2], map(str.strip, rest[1::2]), strict=True):
            kind, _, named = heading.partition(" ")
            if kind in GIVEN:
                assert kind not in given, f"{kind} stands there twice"
                given[kind] = body
            elif kind in STARTS:
                conversation.steps.append(Step(kind, body))
            elif kind == "reply":
                conversation.steps[-1].replies.append(body)
            else:
                assert kind in COMES, f"unknown section {heading!r}"
                for revision in named.split(", ") if named else conversation.revisions:
                    conversation.steps[-1].comes.setdefault(revision, []).append((kind, body))
        return conversation

    @property
    def revisions(self) -> list[str]:
        """The revisions it is replayed on."""
        return self.given["revisions"].split(", ") if "revisions" in self.given else list(REVISIONS)

    @property
    def capabilities(self) -> dict[str, Any]:
        """What its client declares."""
        found: dict[str, Any] = json.loads(self.given.get("capabilities", "{}"))
        return found

    @property
    def shakes_hands(self) -> bool:
        """Whether a handshake comes before its first step."""
        first = self.steps[0]
        said = json.loads(first.body) if first.kind == "client" else None
        opens = isinstance(said, dict) and said.get("method") == "initialize"
        return "handshake" not in self.given and not opens

    def __str__(self) -> str:
        return "\n".join([f"{self.sentence}\n", *(f"-- {name} --\n{body}\n" for name, body in self._sections())])

    def _sections(self) -> Iterator[tuple[str, str]]:
        yield from self.given.items()
        for step in self.steps:
            yield step.kind, step.body
            yield from (("reply", reply) for reply in step.replies)
            groups: list[tuple[list[str], list[Event]]] = []
            for revision in self.revisions:
                events = step.comes.get(revision, [])
                same = next((group for group in groups if group[1] == events), None)
                if same is None:
                    groups.append(([revision], events))
                else:
                    same[0].append(revision)
            for revisions, events in groups:
                suffix = f" {', '.join(revisions)}" if len(groups) > 1 else ""
                yield from ((f"{kind}{suffix}", body) for kind, body in events)


# Shorthand ----------------------------------------------------------------------------------------


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
        text = self._recalled(step.body)
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
        if not REVISIONS[self.revision].handshake:
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
        if not REVISIONS[self.revision].handshake and "id" in whole:
            params = whole.get("params", {})
            own = {f"{META}protocolVersion": self.revision, f"{META}clientCapabilities": self._capabilities}
            whole["params"] = {**params, "_meta": {**own, **params.get("_meta", {})}}
        return whole

    def _recalled(self, text: str) -> str:
        text = text.replace("«revision»", self.revision)
        for placeholder, value in self._known.items():
            text = text.replace(placeholder, value)
            if placeholder == "«state»":
                text = text.replace("«tampered»", ("B" if value[0] == "A" else "A") + value[1:])
        return text


def shown(data: Any, indent: str = "") -> str:
    """JSON for people, its keys in the order they came in: what fits on a line stands on a line."""
    line = json.dumps(data, ensure_ascii=False)
    if len(indent) + len(line) <= 110 or not data or not isinstance(data, dict | list):
        return line
    inner = indent + "  "
    if isinstance(data, dict):
        items = [f"{json.dumps(key, ensure_ascii=False)}: {shown(data[key], inner)}" for key in data]
    else:
        items = [shown(item, inner) for item in data]
    body = ",\n".join(inner + item for item in items)
    opened, closed = "{}" if isinstance(data, dict) else "[]"
    return f"{opened}\n{body}\n{indent}{closed}"


Hear = Callable[[bytes], bytes | None]
"""Called with whatever is not an answer; gives the reply to a question."""
