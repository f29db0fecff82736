"""What every system is asked, what its handlers do, and what its answer must contain. Knows no system.

A handler exists twice, as `def` and as `async def`, with the same body. All but `built` return a value that already
exists: its constructor is the author's, and costs every system the same.
"""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import payloads
from payloads import MODEL, NOTE, ORDINARY, PICTURE, READING, TEXT, Model, Reading, Table, TableModel

__all__ = [
    "BLOCKED",
    "CASES",
    "ECHOES",
    "HANDSHAKE",
    "LATEST",
    "URI",
    "Case",
    "case",
    "check",
    "handlers",
    "headers",
    "opening",
    "other",
    "request",
]

HANDSHAKE, LATEST = "2025-11-25", "2026-07-28"
BLOCKED = 0.02
"""Seconds that the tool `blocking` sleeps."""
URI = "bench://text"
Result = dict[str, Any]


def handlers(kind: str, rows: int) -> dict[str, Callable[..., Any]]:
    """The handlers by the names of their tools; `kind` is "def" or "async"."""
    dataclasses, models = payloads.table(rows), payloads.table_model(rows)

    def echo(text: str) -> str:
        return text

    def record() -> Reading:
        return READING

    def model() -> Model:
        return MODEL

    def built(station: str) -> Model:
        return Model(station=station, high=21.5, low=12.0, calm=True, note="dry")

    def dataclass_table() -> Table:
        return dataclasses

    def model_table() -> TableModel:
        return models

    def integer() -> int:
        return 42

    def blocking() -> str:
        time.sleep(BLOCKED)
        return NOTE

    if kind == "def":
        every = (echo, record, model, built, dataclass_table, model_table, integer)
        return {"blocking": blocking, **{one.__name__: one for one in every}}

    async def aecho(text: str) -> str:
        return text

    async def arecord() -> Reading:
        return READING

    async def amodel() -> Model:
        return MODEL

    async def abuilt(station: str) -> Model:
        return Model(station=station, high=21.5, low=12.0, calm=True, note="dry")

    async def adataclass_table() -> Table:
        return dataclasses

    async def amodel_table() -> TableModel:
        return models

    async def ainteger() -> int:
        return 42

    later = (aecho, arecord, amodel, abuilt, adataclass_table, amodel_table, ainteger)
    return {"blocking": blocking, **{one.__name__[1:]: one for one in later}}


def other(number: int) -> Callable[..., Any]:
    """One of many tools that are only there to be listed: a function of its own."""

    def tool(city: str, days: int = 3) -> str:
        """Something else.

        Args:
            city: The name of the city
            days: How many days ahead
        """
        return f"{number} {city} {days}"

    return tool


@dataclass(frozen=True)
class Case:
    """One request, and whether what came back is the answer to it."""

    name: str
    method: str
    params: dict[str, Any]
    answers: Callable[[Result], bool]
    tools: int = 0  # how many others are registered besides
    progress: bool = False


def _text(result: Result) -> str:
    return str(result["content"][0]["text"])


def _says(text: str) -> Callable[[Result], bool]:
    """Whether the text and the data say the same, so that all systems send as much."""
    return lambda result: _text(result) == text and result["structuredContent"] == {"result": text}


def _data(expected: Any) -> Callable[[Result], bool]:
    """Whether the data, and the text where there is one, say what they should; nulls may be left out."""
    value = json.loads(json.dumps(expected, default=str), object_hook=_without_nulls)

    def answers(result: Result) -> bool:
        texts = [block["text"] for block in result["content"]]
        said = [json.loads(text, object_hook=_without_nulls) for text in texts]
        data = json.loads(json.dumps(result["structuredContent"]), object_hook=_without_nulls)
        return bool(data == value and said in ([], [value]))

    return answers


def _without_nulls(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}


def _lists(count: int) -> Callable[[Result], bool]:
    wanted = {f"other_{number}" for number in range(count)}
    return lambda result: wanted <= {tool["name"] for tool in result["tools"]}


def _call(name: str, tool: str, answers: Callable[[Result], bool], **arguments: Any) -> Case:
    return Case(name, "tools/call", {"name": tool, "arguments": arguments}, answers, progress=tool == "progress")


def _cases(rows: int) -> list[Case]:
    table = _data(asdict(payloads.table(rows)))
    picture = base64.b64encode(PICTURE).decode()
    return [
        _call("echo", "echo", lambda result: _text(result) == NOTE, text=NOTE),
        _call("echo of 300 characters", "echo", _says(ORDINARY), text=ORDINARY),
        _call("model", "model", _data(asdict(READING))),
        _call("model, built in the call", "built", _data(asdict(READING)), station="Oslo"),
        _call("dataclass", "record", _data(asdict(READING))),
        _call("table of models", "model_table", table),
        _call("table of dataclasses", "dataclass_table", table),
        _call("image", "image", lambda result: bool(result["content"][0]["data"] == picture)),
        _call("echo with a Context", "context_echo", lambda result: _text(result) == NOTE, text=NOTE),
        Case("list of 100", "tools/list", {}, _lists(100), tools=100),
        Case("list of 1,000", "tools/list", {}, _lists(1_000), tools=1_000),
        _call("blocking", "blocking", lambda result: _text(result) == NOTE),
        Case("ping", "ping", {}, lambda result: True),
        _call("integer", "integer", lambda result: _text(result) == "42"),
        Case("read", "resources/read", {"uri": URI}, lambda result: bool(result["contents"][0]["text"] == TEXT)),
        _call("progress", "progress", lambda result: _text(result) == NOTE, text=NOTE),
    ]


ROWS = 1_000
CASES = {case.name: case for case in _cases(ROWS)}
ECHOES = ("echo of 300 characters", "echo")
"""The cases that are measured over HTTP: an ordinary message, and a short one."""


def case(name: str, *, tools: int | None = None, rows: int = ROWS) -> Case:
    """A case by name, in another size where one is given."""
    found = CASES[name] if rows == ROWS else next(one for one in _cases(rows) if one.name == name)
    return found if tools is None else Case(**{**vars(found), "tools": tools})


def request(case: Case, wire: str | None, id: int = 1) -> bytes:
    """The request as bytes: on the latest revision it says by itself what it speaks."""
    meta: dict[str, Any] = {"progressToken": "p"} if case.progress else {}
    if wire == LATEST:
        meta |= {
            "io.modelcontextprotocol/protocolVersion": LATEST,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        }
    params = {**case.params, "_meta": meta} if meta else case.params
    return _bytes({"jsonrpc": "2.0", "id": id, "method": case.method, "params": params})


def headers(case: Case, wire: str) -> dict[str, str]:
    """The headers such a request has over HTTP."""
    sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    sent |= {"host": "127.0.0.1:8000", "mcp-protocol-version": wire}
    if wire == LATEST:
        name = case.params.get("name", case.params.get("uri"))
        sent |= {"mcp-method": case.method, **({"mcp-name": name} if name else {})}
    return sent


def opening(wire: str = HANDSHAKE) -> tuple[bytes, bytes]:
    """The two messages that open a session."""
    info = {"protocolVersion": wire, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}
    return _bytes(first), _bytes({"jsonrpc": "2.0", "method": "notifications/initialized"})


def check(system: str, case: Case, body: bytes) -> None:
    """Raise when an answer, as JSON or as server-sent events, is not the one that was asked for."""
    said = _messages(body)
    told = [message for message in said if message.get("method") == "notifications/progress"]
    problem = "an error" if "result" not in said[-1] or said[-1]["result"].get("isError") else None
    if problem is None and not case.answers(said[-1]["result"]):
        problem = "something else"
    if problem is None and len(told) != (2 if case.progress else 0):
        problem = f"{len(told)} words of progress"
    if problem is not None:
        raise SystemExit(f"{system} answers {case.name!r} with {problem}: {body[:600]!r}")


def _messages(body: bytes) -> list[dict[str, Any]]:
    if body.startswith(b"{"):
        return [json.loads(body)]
    return [json.loads(line[5:]) for line in body.splitlines() if line.startswith(b"data:") and line[5:].strip()]


def _bytes(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()
