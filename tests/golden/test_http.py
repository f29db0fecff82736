"""What a client sends and gets over HTTP, to the header: one text file each, replayed on ASGI and on WSGI.
`exchanges.py` says how the files are written.
"""

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import plainmcp
from golden import namespace
from golden.exchanges import NOTHING, OPEN, Exchange, Reader, Step
from golden.mounting import SECONDS, AsgiServer, Flow, WebServer, WsgiServer
from wire import REVISIONS

FOLDER = Path(__file__).parent / "http"
FILES = sorted(FOLDER.glob("*.txt"))
SERVERS: dict[str, type[WebServer]] = {"asgi": AsgiServer, "wsgi": WsgiServer}
PATIENCE = 20  # comments, when nobody knows yet what is to come
IDS = re.compile(r"\bR(?:\*|24|2503|2506|2511|26)-[A-Z0-9]+-\d{2}\b|\b(?:S\d{3}|B)-\d{2}\b")


def read(file: Path) -> Exchange:
    return Exchange.parse(file.read_text("utf-8"))


def runs() -> Iterator[Any]:
    for file in FILES:
        exchange = read(file)
        for app in exchange.apps:
            for revision in exchange.revisions:
                of = f"-{revision}" if "revisions" in exchange.given else ""
                yield pytest.param(file, app, revision, id=f"{file.stem}-{app}{of}")


# What a file may name -------------------------------------------------------------------------------


class Clock:
    """A clock that stands still until it is set: `clock.now += 60`."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def header_of(request: dict[str, Any], name: str) -> str | None:
    """A header of a request, as the scope of ASGI or the environ of WSGI has it."""
    if "headers" in request:
        found = dict(request["headers"]).get(name.lower().encode())
        return None if found is None else found.decode()
    return request.get(f"HTTP_{name.upper().replace('-', '_')}")


def until(condition: Callable[[], Any]) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(0.001)


# Replaying ------------------------------------------------------------------------------------------


class Replay:
    """One file, replayed on one application."""

    def __init__(self, exchange: Exchange, app: str, revision: str, learning: bool) -> None:
        self._exchange = exchange
        self._learning = learning
        self._reader = Reader(exchange, revision)
        self._names: dict[str, Any] = {**vars(namespace), "clock": Clock(), "header_of": header_of, "until": until}
        self._names |= {"asyncio": asyncio, "threading": threading, "revision": revision}
        self._names |= {name: getattr(plainmcp, name) for name in plainmcp.__all__}
        exec(exchange.given["server"], self._names)
        settings = eval(f"dict({exchange.given.get('settings', '')})", self._names)
        if app == "wsgi" and "on" not in exchange.given:  # its default is to serve no GET
            settings.setdefault("max_standing", 1_000)
        self._names["app"] = getattr(self._names["server"], app)(**settings)
        self._web = SERVERS[app](self._names["app"])
        self._flows: dict[str | None, Flow] = {}

    def outcome(self) -> list[str]:
        """What comes of each step."""
        try:
            return [self._step(step) for step in self._exchange.steps]
        finally:
            self._web.close()

    def _step(self, step: Step) -> str:
        if step.kind == "meanwhile":
            exec(step.body, self._names)
        elif step.kind == "hang up":
            self._flows[step.name].hang_up()
            self._flows[step.name].wait_for_end()
        elif step.kind == "again":
            for _ in range(int(step.body)):
                self._web.start(self._last).wait_for_end()
        elif step.kind == "more":
            return self._hear(step)
        else:
            self._last = self._exchange.request(step, self._reader)
            self._flows[step.name] = self._web.start(self._last)
            return self._hear(step)
        return ""

    def _hear(self, step: Step) -> str:
        """What comes of a step, once as many events have come as are expected, and no more come."""
        flow = self._flows[step.name]
        if step.name is None:
            flow.wait_for_end()
        elif self._learning:
            flow.wait(lambda: flow.status, 1.0)
            if flow.is_stream:
                flow.wait_for_quiet(PATIENCE)
            elif flow.status:
                flow.wait_for_end()
        elif step.comes != NOTHING:
            flow.wait(lambda: flow.status)
            if flow.is_stream:
                flow.wait(lambda: flow.count >= step.events)
            if step.comes.endswith(OPEN) and flow.is_stream:
                flow.wait_for_quiet()
            else:
                flow.wait(lambda: False)
        return self._reader.show(flow, marked=step.name is not None)


@pytest.mark.parametrize("file, app, revision", list(runs()))
def test_a_request_gets_exactly_this(file: Path, app: str, revision: str, update_goldens: bool) -> None:
    exchange = read(file)
    learning = update_goldens and (app, revision) == (exchange.apps[0], exchange.revisions[0])
    outcome = Replay(exchange, app, revision, learning).outcome()
    if learning:
        for step, shown in zip(exchange.steps, outcome, strict=True):
            step.comes = shown
        file.write_text(str(exchange), "utf-8")
    # Compared as text, so that a failure shows the lines that differ.
    for step, shown in zip(exchange.steps, outcome, strict=True):
        assert f"{step.body}\n\n{shown}" == f"{step.body}\n\n{step.comes}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_exchanges_is_well_formed(file: Path) -> None:
    text = file.read_text("utf-8")
    exchange = Exchange.parse(text)
    assert IDS.search(exchange.sentence), "the sentence names nothing it pins"
    assert "\n" not in exchange.sentence and exchange.sentence.endswith("."), "it opens with one sentence"
    assert set(exchange.revisions) <= set(REVISIONS) and set(exchange.apps) <= set(SERVERS)
    for step in exchange.steps:
        assert bool(step.comes) == step.hears, f"{step.kind}: {step.body}"
    if any(step.name for step in exchange.steps):
        assert "keep_alive_seconds" in exchange.given.get("settings", ""), (
            "quiet is known by what keeps a stream alive"
        )
    assert str(exchange) == text, "sections are set apart by one blank line"


def test_no_exchange_is_left_out() -> None:
    assert len(FILES) > 30
    assert {file.suffix for file in FOLDER.iterdir()} == {".txt"}
