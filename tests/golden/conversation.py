"""Conversations as text: how a file is read and written.

A file starts with a sentence and the ids it checks (`R*-TOOL-01` means: on every revision it is replayed on). Then

    -- server --         Python code that creates `server`; it can use `namespace.py` and all names of plainmcp
    -- revisions --      the revisions it is replayed on; by default all
    -- capabilities --   the capabilities of the client, if the revision has them
    -- handshake --      `none`: without a handshake
    -- elsewhere --      why some channels differ, with the ids that allow it

and steps, each followed by its result:

    -- client --         a message; without "jsonrpc" it is completed with that, an id and, if the revision needs it,
                         _meta; with it, it is sent exactly as written. A list is a batch.
    -- bytes --          a bytes literal, sent as it is
    -- reply --          the client's answer to the next question, without its envelope
    -- meanwhile --      Python code to run where `server` was created
    -- notification --, -- asked --, -- answer --, -- silence --   what the client receives, exactly and in this order

The result may differ by revision: `-- answer 2024-11-05, 2025-03-26 --`; and by the family of channels, if that has
rules of its own: `-- answer on http --`, `-- silence 2025-11-25 on handle, stdio --`. Then it is the complete
result.

`line` is the channel of the conversation: a handler may call `line.say({...})` while it runs, and `line.end()`
makes the server disconnect. `«revision»` is the revision it is replayed on, `«state»` and `«cursor»` are the last
ones from the server, `«tampered»` is that state with another first letter; `«incident»` and `«id»` are different
each time.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from wire import REVISIONS

__all__ = ["COMES", "FAMILIES", "Conversation", "Event", "Hear", "Step"]

HEADING = re.compile(r"^-- (.+) --$", re.MULTILINE)
GIVEN = ("server", "revisions", "capabilities", "handshake", "elsewhere")
STARTS = ("client", "bytes", "meanwhile")
COMES = ("notification", "asked", "answer", "silence")
COMING = re.compile(r"(\w+)(?: ([\d, -]+?))?(?: on ([a-z, ]+))?")
FAMILIES = ("handle", "connection", "stdio", "http")

Event = tuple[str, str]
"""What came: of which kind, and its text."""

Hear = Callable[[bytes], bytes | None]
"""Called with whatever is not an answer; gives the reply to a question."""


@dataclass
class Step:
    """Something that is done, and for each revision what comes of it: everywhere, or in one family of channels."""

    kind: str
    body: str
    replies: list[str] = field(default_factory=list)
    comes: dict[str, list[Event]] = field(default_factory=dict)
    elsewhere: dict[str, dict[str, list[Event]]] = field(default_factory=dict)

    def expected(self, revision: str, family: str) -> list[Event]:
        """What comes of it there."""
        own = self.elsewhere.get(family, {})
        return own[revision] if revision in own else self.comes.get(revision, [])

    def read(self, kind: str, body: str, revisions: list[str], families: list[str]) -> None:
        """Take in one thing that comes of it."""
        assert kind in COMES, f"unknown section {kind!r}"
        assert set(families) <= set(FAMILIES), f"unknown family in {families}"
        for place in [self.elsewhere.setdefault(family, {}) for family in families] or [self.comes]:
            for revision in revisions:
                coming = place.setdefault(revision, [])
                if kind != "silence" or self.kind != "meanwhile":  # nothing comes of most of those
                    coming.append((kind, body))


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
            found = COMING.fullmatch(heading)
            assert found, f"unknown section {heading!r}"
            kind, named, families = found[1], found[2], found[3]
            if kind in GIVEN:
                assert kind not in given, f"{kind} stands there twice"
                given[kind] = body
            elif kind in STARTS:
                conversation.steps.append(Step(kind, body))
            elif kind == "reply":
                conversation.steps[-1].replies.append(body)
            else:
                revisions = named.split(", ") if named else conversation.revisions
                conversation.steps[-1].read(kind, body, revisions, families.split(", ") if families else [])
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
            for suffix, events in _told(step.comes, self.revisions):
                yield from ((f"{kind}{suffix}", body) for kind, body in events)
            for families, comes in _merged(step.elsewhere):
                for suffix, events in _told(comes, self.revisions, whole=False):
                    for kind, body in events or [("silence", "")]:
                        yield f"{kind}{suffix} on {', '.join(families)}", body


def _told(
    comes: dict[str, list[Event]], revisions: list[str], whole: bool = True
) -> Iterator[tuple[str, list[Event]]]:
    """What comes, each with the revisions it comes on; those are not named when it is all of them."""
    groups: list[tuple[list[str], list[Event]]] = []
    for revision in revisions:
        if not whole and revision not in comes:
            continue
        events = comes.get(revision, [])
        same = next((group for group in groups if group[1] == events), None)
        if same is None:
            groups.append(([revision], events))
        else:
            same[0].append(revision)
    for named, events in groups:
        yield "" if named == revisions else f" {', '.join(named)}", events


def _merged(elsewhere: dict[str, dict[str, list[Event]]]) -> Iterator[tuple[list[str], dict[str, list[Event]]]]:
    """Families side by side where the same comes."""
    merged: list[tuple[list[str], dict[str, list[Event]]]] = []
    for family in FAMILIES:
        comes = elsewhere.get(family)
        same = next((group for group in merged if group[1] == comes), None)
        if same is not None:
            same[0].append(family)
        elif comes:
            merged.append(([family], comes))
    yield from merged
