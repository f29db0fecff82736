"""HTTP exchanges as text: how a file is read and written.

A file starts with a sentence and the ids it checks. Then

    -- server --         Python code that creates `server`; it can use `namespace.py`, all names of plainmcp,
                         `clock` for `Server(now=clock)`, `header_of(request, name)` for a principal, and
                         `until(condition)`
    -- settings --       the keyword arguments of `server.asgi()` and `server.wsgi()`
    -- on --             `asgi` or `wsgi`, if a file is for one of them only; otherwise both have the same responses
    -- revisions --      the revisions it is replayed on, if there are several; `«revision»` is each of them
    -- address --        the address of the server; by default 127.0.0.1
    -- headers --        the headers of every request, except those with values that are not known yet;
                         Content-Length is added if there is a body

and steps:

    -- request --        a method and perhaps a path; its own headers, which replace those above (`name:` alone leaves
                         one out, `name: "..."` is a value with blanks around it, or an empty one); after a blank line
                         the body, sent as it is written, or a bytes literal: b"..."
    -- again --          how many more times the last request is sent; the responses are not checked
    -- request a --      a request whose response stays open; `a` is its name
    -- more a --         what it has received since then
    -- hang up a --      its client disconnects
    -- meanwhile --      Python code to run where `server` was created; `app` is the mounted application

A request is followed by its exact response: `-- response --` is a status, the headers sorted by name, and after a
blank line the body. JSON is indented. In a stream each event is shown by itself; the last line of a response with a
name says whether it is still `(open)` or at its `(end)`. Content-Length is not shown, but checked. So are the
comments that keep a stream alive, except for one at the start of the response to a GET.

Generated ids are numbered as they come: `«session 1»`, `«event 1»`; a request may use them. `«session»` is the last
one. `«meta»` is the _meta of a request of 2026-07-28. `«state»`, `«cursor»`, `«incident»` and `«id»` are the same
as in `conversation.py`.
"""

import json
import re
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from golden.mounting import Flow, Request, fields_of
from golden.speaker import Speaker
from wire import REVISIONS, meta_of

__all__ = ["APPS", "NOTHING", "OPEN", "Exchange", "Reader", "Step"]

HEADING = re.compile(r"^-- (.+) --$", re.MULTILINE)
GIVEN = ("server", "settings", "on", "revisions", "address", "headers")
STEP = re.compile(r"(request|response|again|more|hang up|meanwhile)(?: (\w+))?")
APPS = ("asgi", "wsgi")
OPEN, END, NOTHING = "(open)", "(end)", "(nothing yet)"


@dataclass
class Step:
    """Something that is done, and what comes of it."""

    kind: str
    name: str | None
    body: str
    comes: str = ""

    @property
    def hears(self) -> bool:
        """Whether something comes of it."""
        return self.kind in ("request", "more")

    @property
    def events(self) -> int:
        """How many events are expected."""
        return len(re.findall(r"^data:", self.comes, re.MULTILINE))


@dataclass
class Exchange:
    """A file, taken apart."""

    sentence: str
    given: dict[str, str]
    steps: list[Step]

    @classmethod
    def parse(cls, text: str) -> "Exchange":
        sentence, *rest = HEADING.split(text)
        exchange = cls(sentence.strip(), {}, [])
        for heading, body in zip(rest[::2], map(str.strip, rest[1::2]), strict=True):
            step = STEP.fullmatch(heading)
            if heading in GIVEN:
                assert heading not in exchange.given, f"{heading} stands there twice"
                exchange.given[heading] = body
            elif step is None:
                raise AssertionError(f"unknown section {heading!r}")
            elif step[1] == "response":
                last = exchange.steps[-1]
                assert last.kind == "request" and last.name == step[2], f"{heading} does not follow its request"
                last.comes = body
            elif step[1] == "more":
                exchange.steps.append(Step("more", step[2], "", body))
            else:
                exchange.steps.append(Step(step[1], step[2], body))
        return exchange

    def __str__(self) -> str:
        return "\n".join([f"{self.sentence}\n", *(f"-- {name} --\n{body}\n" for name, body in self._sections())])

    def _sections(self) -> Iterator[tuple[str, str]]:
        yield from self.given.items()
        for step in self.steps:
            name = "" if step.name is None else f" {step.name}"
            yield f"{step.kind}{name}", step.comes if step.kind == "more" else step.body
            if step.kind == "request":
                yield f"response{name}", step.comes

    @property
    def apps(self) -> tuple[str, ...]:
        """Where it is replayed."""
        return (self.given["on"],) if "on" in self.given else APPS

    @property
    def revisions(self) -> list[str]:
        """The revisions it is replayed on; one that nobody asks about, where it names none."""
        return self.given["revisions"].split(", ") if "revisions" in self.given else [REVISIONS[-1]]

    def request(self, step: Step, reader: "Reader") -> Request:
        """What a step sends."""
        head, _, body = reader.recall(step.body).partition("\n\n")
        line, *own = head.split("\n")
        method, _, path = line.partition(" ")
        raw: bytes = literal_eval(body) if body.startswith(("b'", 'b"')) else body.encode()
        known = [one for one in reader.recall(self.given.get("headers", "")).splitlines() if "«" not in one]
        headers = _headers(known)
        replaced = _headers(own)
        names = {name.lower() for name, _ in replaced}
        if raw and "content-length" not in names:
            headers.append(("Content-Length", str(len(raw))))
        headers = [pair for pair in headers if pair[0].lower() not in names]
        headers += [(name, value) for name, value in replaced if value is not None]
        address = self.given.get("address", "127.0.0.1")
        return Request(method, headers, raw, path or "/mcp", None if address == "none" else address)


def _headers(lines: list[str]) -> list[tuple[str, Any]]:
    """Headers by name; None for one that is to be left out, and "" for one that is `""`."""
    found: list[tuple[str, Any]] = []
    for line in lines:
        name, _, value = line.partition(":")
        found.append((name, literal_eval(value.strip()) if value.strip()[:1] == '"' else value.strip() or None))
    return found


class Reader:
    """Shows what comes as the files show it, and remembers what may be named again."""

    def __init__(self, exchange: Exchange, revision: str) -> None:
        self._speaker = Speaker(revision, {})
        self._revision = revision if "revisions" in exchange.given else None
        self._begun: list[Flow] = []
        # Values, and whose they are, with what they are called.
        self._known: dict[str, dict[tuple[str, str], str]] = {"session": {}, "event": {}}

    def recall(self, text: str) -> str:
        """Text of a file with what it names put in."""
        for kind, known in self._known.items():
            for (value, _), called in known.items():
                text = text.replace(called, value)
            if known:
                text = text.replace(f"«{kind}»", list(known)[-1][0])
        text = text.replace("«meta»", json.dumps(meta_of("2026-07-28")))
        return self._speaker.recall(text)

    def show(self, flow: Flow, marked: bool) -> str:
        """What has come of a request that was not shown before; `marked` says at its end whether more can come."""
        if not flow.status:
            return NOTHING if not flow.ended else END
        blocks = [] if flow in self._begun else ["\n".join([str(flow.status), *self._headers(flow)])]
        self._begun.append(flow)
        if flow.is_stream:
            if blocks and flow.request.method == "GET" and flow.body.startswith(b":"):
                blocks.append(":")
            blocks += [self._event(flow, event) for event in flow.take_all()]
        elif flow.body:
            blocks.append(self._lay_out(flow.body.decode()))
        if marked and (flow.is_stream or not blocks):
            blocks.append(END if flow.ended else OPEN)
        return "\n\n".join(blocks)

    def _headers(self, flow: Flow) -> Iterator[str]:
        for name, value in sorted(flow.headers.items()):
            if name == "content-length":
                assert flow.ended and value == str(len(flow.body)), f"{value} is not the length of {flow.body!r}"
            elif name == "mcp-session-id":
                yield f"{name}: {self._number('session', value, '')}"
            else:
                yield f"{name}: {value}"
        has_length = flow.is_stream or flow.status == 204
        assert ("content-length" in flow.headers) != has_length, f"{flow.status} {flow.headers}"

    def _event(self, flow: Flow, event: bytes) -> str:
        session = {name.lower(): value for name, value in flow.request.headers}.get("mcp-session-id", "")
        lines = []
        for name, value in fields_of(event):
            if name == "id":
                value = self._number("event", value, session)
            elif name == "data" and value:
                value = self._lay_out(value)
            lines.append(f"{name}: {value}".rstrip())
        return "\n".join(lines)

    def _number(self, kind: str, value: str, within: str) -> str:
        """The number of what was made up; sessions may give their events the same ids."""
        known = self._known[kind]
        return known.setdefault((value, within), f"«{kind} {len(known) + 1}»")

    def _lay_out(self, text: str) -> str:
        shown = self._speaker.hears(text.encode()) if text[:1] in "{[" else text
        return shown if self._revision is None else shown.replace(self._revision, "«revision»")
