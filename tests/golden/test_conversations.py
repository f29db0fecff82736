"""What a client and a server say to each other, message by message: one text file each, replayed on every revision
it names and on every channel. `conversation.py` says how the files are written.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import official
import plainmcp
from golden import namespace, seed003
from golden.channels import CHANNELS
from golden.conversation import Conversation, Event, Step
from golden.speaker import Speaker
from wire import REVISIONS

FOLDER = Path(__file__).parent / "conversations"
FILES = sorted(FOLDER.glob("*.txt"))
QUICK = ("asgi", "handle")  # the channels in `make test-fast`
MADE_UP = re.compile(rb'(?<="requestState":")[^"]*|(?<="elicitationId":")[^"]*|(?<=incident )[0-9a-f]{8}')
IDS = re.compile(r"\bR(?:\*|24|2503|2506|2511|26)-[A-Z0-9]+-\d{2}\b|\b(?:S\d{3}|B)-\d{2}\b")


def read(file: Path) -> Conversation:
    return Conversation.parse(file.read_text("utf-8"))


def runs() -> Iterator[Any]:
    for file in FILES:
        conversation = read(file)
        for revision in conversation.revisions:
            for name in CHANNELS:
                marks = () if name in QUICK else (pytest.mark.slow,)
                yield pytest.param(file, revision, name, id=f"{file.stem}-{revision}-{name}", marks=marks)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with the sample files."""
    for name, data in namespace.FILES.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)


# Replaying ------------------------------------------------------------------------------------------


class Replay:
    """One conversation, held on one channel in one revision."""

    def __init__(self, conversation: Conversation, revision: str, channel: str) -> None:
        self._conversation = conversation
        self._revision = revision
        self._names = {**vars(namespace), **{name: getattr(plainmcp, name) for name in plainmcp.__all__}}
        self._names["weather_of_003"] = seed003.server
        exec(conversation.given["server"], self._names)
        self._speaker = Speaker(revision, conversation.capabilities)
        self._events: list[Event] = []
        self._replies: list[str] = []
        self.answers: list[bytes | None] = []
        self._channel = self._names["line"] = CHANNELS[channel](self._names["server"], revision, self._hear)

    def outcome(self) -> list[list[Event]]:
        """What comes of each step."""
        if any(step.kind == "meanwhile" for step in self._conversation.steps):
            self._channel.attend()
        if self._conversation.shakes_hands and self._channel.lasts:
            for message in self._speaker.handshake():
                self._channel.send(message)
        found = [self._step(step) for step in self._conversation.steps]
        self._events = []  # what still comes when we hang up is not part of it
        self._channel.close()
        return found

    def _step(self, step: Step) -> list[Event]:
        self._events, self._replies = [], list(step.replies)
        if step.kind == "meanwhile":
            exec(step.body, self._names)
            self._channel.listen()
            self.answers.append(None)
            return self._events
        message = self._speaker.says(step)
        answer = self._channel.send(message)
        self.answers.append(answer and MADE_UP.sub(b"", answer))
        if answer is None:
            self._events.append(("silence", ""))
        else:
            official.check_answer(self._revision, answer, self._method(message, answer))
            self._events.append(("answer", self._shown(answer)))
        return self._events

    def _hear(self, raw: bytes) -> bytes | None:
        message = json.loads(raw)
        if "method" not in message:  # a listen that ended
            official.check_answer(self._revision, raw, "subscriptions/listen")
            self._events.append(("answer", self._shown(raw)))
            return None
        official.check_sent(self._revision, raw)
        asked = "id" in message
        self._events.append(("asked" if asked else "notification", self._shown(raw)))
        return self._speaker.replies(message, self._replies.pop(0)) if asked else None

    def _method(self, message: bytes, answer: bytes) -> str | None:
        """What was answered, as far as its result is something to judge by."""
        if "result" not in json.loads(answer):
            return None
        said = json.loads(message)
        return said.get("method") if isinstance(said, dict) else None

    def _shown(self, raw: bytes) -> str:
        return self._speaker.hears(raw).replace(Path.cwd().as_uri(), "file:///here")


@pytest.mark.parametrize("file, revision, channel", list(runs()))
def test_a_conversation_goes_exactly_like_this(file: Path, revision: str, channel: str, update_goldens: bool) -> None:
    conversation, family = read(file), CHANNELS[channel].family
    outcome = Replay(conversation, revision, channel).outcome()
    if update_goldens:
        for step, events in zip(conversation.steps, outcome, strict=True):
            if channel == next(iter(CHANNELS)):
                step.comes[revision] = events
            step.elsewhere.get(family, {}).pop(revision, None)
            if told(step, events) != told(step, carried(step, revision, channel)):
                step.elsewhere.setdefault(family, {})[revision] = events
        file.write_text(str(conversation), "utf-8")
    # Compared as text, so that the order of keys counts and a failure shows the lines that differ.
    for step, events in zip(conversation.steps, outcome, strict=True):
        assert told(step, events) == told(step, carried(step, revision, channel))


def carried(step: Step, revision: str, channel: str) -> list[Event]:
    """What comes of a step, as far as a channel can carry it."""
    line = CHANNELS[channel]
    events = step.expected(revision, line.family)
    return events if line.lasts else [event for event in events if event[0] != "notification"]


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_channel_answers_in_the_same_bytes(file: Path) -> None:
    conversation = read(file)
    for revision in conversation.revisions:
        heard: dict[tuple[int, str], dict[bytes | None, list[str]]] = {}
        for channel in CHANNELS:
            replay = Replay(conversation, revision, channel)
            replay.outcome()
            for number, (step, answer) in enumerate(zip(conversation.steps, replay.answers, strict=True)):
                # Where a family has rules of its own, the file says so; its channels still agree.
                same = number, told(step, step.expected(revision, CHANNELS[channel].family))
                heard.setdefault(same, {}).setdefault(answer, []).append(channel)
        assert [said for said in heard.values() if len(said) > 1] == []


def told(step: Step, events: list[Event]) -> str:
    return "\n".join([step.body, *(f"-- {kind} --\n{body}" for kind, body in events)])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_conversation_file_is_well_formed(file: Path) -> None:
    text = file.read_text("utf-8")
    conversation = Conversation.parse(text)
    assert IDS.search(conversation.sentence), "the sentence names nothing it pins"
    assert "\n" not in conversation.sentence and conversation.sentence.endswith("."), "it opens with one sentence"
    assert set(conversation.revisions) <= set(REVISIONS)
    for step in conversation.steps:
        assert set(step.comes) == set(conversation.revisions) or step.kind == "meanwhile", step.body
    others = {family for step in conversation.steps for family in step.elsewhere}
    assert bool(others) == ("elsewhere" in conversation.given), "it says why it goes otherwise, where it does"
    if "http" in others:
        assert IDS.search(conversation.given["elsewhere"]), "HTTP differs where the protocol says so"
    assert str(conversation) == text, "sections are set apart by one blank line"


def test_no_conversation_is_left_out() -> None:
    assert len(FILES) > 60
    assert {file.suffix for file in FOLDER.iterdir()} == {".txt"}
