"""What a client sees of facade_library.py, as plain data: the official client and FastMCP's own, on any transport."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import fastmcp
import mcp
import mcp_types as types
from fastmcp.client.transports import StdioTransport
from pydantic_core import to_jsonable_python

__all__ = ["CLIENTS", "Seen", "seen"]

Seen = dict[str, Any]
SECONDS = 60

BOOK = {"isbn": "9780000000001", "title": "Plain", "year": 2001}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("add", {"a": 1}),
    ("add", {"a": "1", "b": "3"}),
    ("add", {"a": "x"}),
    ("add", {}),
    ("add", {"a": 1, "c": 1}),
    ("find", {"query": {"words": ["a", "b"]}}),
    ("find", {"query": {"words": []}, "genre": "essay", "order": "year"}),
    ("find", {"query": '{"words": []}'}),
    ("find", {"query": {"words": ["a"]}, "genre": "poem"}),
    ("lend", {"book": BOOK, "reader": "Ann"}),
    ("lend", {"book": BOOK, "reader": "A", "days": 100}),
    ("shelf", {"number": 1}),
    ("reading", {}),
    ("report", {}),
    ("catalogue", {}),
    ("inventory", {}),
    ("is_open", {}),
    ("renew", {}),
    ("whoami", {}),
    ("close", {}),
    ("join", {"words": ["a", "b"]}),
    ("untyped", {"x": [1]}),
    ("nickname", {}),
    ("nickname", {"name": None}),
    ("nickname", {"name": "a"}),
    ("pair", {}),
    ("when", {"at": "2026-01-02T03:04:05Z", "on": "2026-01-02"}),
    ("mark", {"done": True, "labels": ["a"]}),
    ("mark", {"done": "true"}),
    ("stamp", {}),
    ("complete", {}),
    ("unpromised", {}),
    ("fail", {}),
    ("fail", {"kindly": False}),
    ("weigh", {"grams": 2.5}),
    ("scales", {"grams": 2}),
    ("missing", {}),
]
READS = [
    "library://config",
    "library://hours",
    "library://cover",
    "library://books/123",
    "library://shelves/1/books/2",
    "library://shelves/x/books/2",
    "library://search/a/b/c",
    "library://none",
]
GETS: list[tuple[str, dict[str, str]]] = [
    ("summarize", {"title": "Plain"}),
    ("summarize", {}),
    ("talk", {"title": "Plain", "pages": "[1, 2]"}),
    ("talk", {"title": "Plain", "pages": "z"}),
    ("ask", {}),
    ("none", {}),
]


def seen(client: str, target: list[str], mode: str) -> Seen:
    """Everything one client sees of one server: a URL, or a command and its arguments."""

    async def run() -> Seen:
        with anyio.fail_after(SECONDS):
            return {"mode": mode, **await CLIENTS[client](target, mode)}

    return anyio.run(run)


class _Notes:
    """What a client was told and asked meanwhile."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.told.append(["progress", progress, total, message])

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.told.append(["log", params.level, params.logger, params.data])

    async def elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.told.append(["asked", params.message, params.requested_schema])
        return types.ElicitResult(action="accept", content={"value": 7})

    async def elicit_by_fastmcp(self, message: str, kind: Any, params: Any, context: Any) -> Any:
        self.told.append(["asked", message, params.requested_schema])
        return {"value": 7}


async def _official(target: list[str], mode: str) -> Seen:
    notes = _Notes()
    where, *arguments = target
    async with mcp.Client(
        mcp.StdioServerParameters(command=where, args=arguments) if arguments else where,
        mode="legacy" if mode == "legacy" else "auto",
        logging_callback=notes.log,
        elicitation_callback=notes.elicit,
        log_level=None if mode == "legacy" else "info",
    ) as client:
        if mode == "legacy":
            await client.set_logging_level("info")
        found: Seen = {
            "server": [
                _plain(client.server_info),
                client.instructions,
                client.protocol_version,
                _plain(client.server_capabilities),
            ],
            "tools": _named(_plain(await client.list_tools())["tools"], "name"),
            "resources": _named(_plain(await client.list_resources())["resources"], "uri"),
            "templates": _named(_plain(await client.list_resource_templates())["resourceTemplates"], "uriTemplate"),
            "prompts": _named(_plain(await client.list_prompts())["prompts"], "name"),
        }
        for name, given in CALLS:
            found[f"call {name} {json.dumps(given)}"] = await _told(
                client.call_tool(name, given, progress_callback=notes.progress)
            )
        for uri in READS:
            found[f"read {uri}"] = await _told(client.read_resource(uri))
        for name, given in GETS:
            found[f"get {name} {json.dumps(given)}"] = await _told(client.get_prompt(name, given))
    return {**found, "notes": notes.told}


async def _fastmcp(target: list[str], mode: str) -> Seen:
    notes = _Notes()
    where, *arguments = target
    async with fastmcp.Client(
        StdioTransport(where, arguments, keep_alive=False) if arguments else where,
        mode=mode,
        log_handler=notes.log,
        progress_handler=notes.progress,
        elicitation_handler=notes.elicit_by_fastmcp,
    ) as client:
        if mode == "legacy":
            await client.set_logging_level("info")
        found: Seen = {
            "tools": _named(_plain(await client.list_tools_mcp())["tools"], "name"),
            "resources": _named(_plain(await client.list_resources_mcp())["resources"], "uri"),
            "templates": _named(
                _plain(await client.list_resource_templates_mcp())["resourceTemplates"], "uriTemplate"
            ),
            "prompts": _named(_plain(await client.list_prompts_mcp())["prompts"], "name"),
        }
        for name, given in CALLS:
            key = f"{name} {json.dumps(given)}"
            found[f"call {key}"] = await _told(client.call_tool_mcp(name, given))
            found[f"data {key}"] = await _data(client, name, given)
        for uri in READS:
            found[f"read {uri}"] = await _told(client.read_resource_mcp(uri))
        for name, given in GETS:
            found[f"get {name} {json.dumps(given)}"] = await _told(client.get_prompt_mcp(name, given))
    return {**found, "notes": notes.told}


async def _data(client: Any, name: str, given: dict[str, Any]) -> Any:
    """The value that FastMCP's client makes of a result, by its schema."""
    try:
        result = await client.call_tool(name, given, raise_on_error=False)
    except mcp.MCPError as error:
        return {"error": error.code}
    return to_jsonable_python(result.data)


CLIENTS: dict[str, Callable[[list[str], str], Any]] = {"official": _official, "fastmcp": _fastmcp}


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _named(listed: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """In the order they are listed, which is to be the same too."""
    return {one[key]: one for one in listed}


async def _told(answer: Awaitable[Any]) -> Any:
    try:
        return _plain(await answer)
    except mcp.MCPError as error:
        return {"error": error.code, "message": str(error)}
