"""A conversation with a server on standard input and output, or over HTTP: its lists, and calls of our own."""

import asyncio
import http.client
import json
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from .arguments import argument_sets

__all__ = ["Seen", "see", "see_http"]

REVISION = "2025-06-18"
SECONDS = 30
"""How long the tools of one server are called; the others are listed only."""
LISTS = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}
Seen = dict[str, Any]
"""What a client saw of one server: `loads`, `starts`, `initialize`, the four lists, `calls`, and `stderr`."""


class Peer(Protocol):
    """A server that runs, and the requests to it."""

    async def request(self, method: str, params: dict[str, Any] | None = None, seconds: float = 20) -> Any:
        """The response to a request: the whole message."""

    async def notify(self, method: str) -> None:
        """Send a notification without parameters."""


class PipePeer:
    """A server's process on standard input and output."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.last = 0

    async def request(self, method: str, params: dict[str, Any] | None = None, seconds: float = 20) -> Any:
        """The response to a request: the whole message. Requests of the server are answered with an error."""
        self.last += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self.last, "method": method}
        await self._send(message if params is None else message | {"params": params})
        async with asyncio.timeout(seconds):
            while True:
                answer = await self._receive()
                if answer.get("id") == self.last and "method" not in answer:
                    return answer
                if "method" in answer and "id" in answer:
                    refused = {"code": -32601, "message": "not supported"}
                    await self._send({"jsonrpc": "2.0", "id": answer["id"], "error": refused})

    async def notify(self, method: str) -> None:
        """Send a notification without parameters."""
        await self._send({"jsonrpc": "2.0", "method": method})

    async def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        await self.process.stdin.drain()

    async def _receive(self) -> Any:
        assert self.process.stdout is not None
        while True:
            line = await self.process.stdout.readline()
            if not line:
                raise EOFError("the server ended")
            try:
                return json.loads(line)
            except ValueError:
                continue  # something was printed


PUBLIC = "shop.example.com"
CALLER = "Bearer of-the-caller"


class HttpPeer:
    """A server over HTTP, behind a public name, and a caller with a token."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.last = 0
        self.headers = {
            "Host": PUBLIC,
            "Authorization": CALLER,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    async def request(self, method: str, params: dict[str, Any] | None = None, seconds: float = 20) -> Any:
        """The response to a request: the whole message."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}}
        status, headers, body = await asyncio.to_thread(self._post, message, seconds)
        if "mcp-session-id" in headers:
            self.headers["Mcp-Session-Id"] = headers["mcp-session-id"]
        if status != 200:
            return {"error": {"status": status, "body": body}}
        if headers.get("content-type", "").startswith("text/event-stream"):
            events = [
                json.loads(line[5:]) for line in body.splitlines() if line.startswith("data:") and line[5:].strip()
            ]
            return next(event for event in events if event.get("id") == self.last)
        return json.loads(body)

    async def notify(self, method: str) -> None:
        """Send a notification without parameters; all that follows names the revision."""
        self.headers["MCP-Protocol-Version"] = REVISION
        await asyncio.to_thread(self._post, {"jsonrpc": "2.0", "method": method}, 20)

    def _post(self, message: Any, seconds: float) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request("POST", "/mcp", json.dumps(message), self.headers)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
        finally:
            connection.close()


async def see_http(command: list[str], folder: Path, environment: dict[str, str], known: Seen | None = None) -> Seen:
    """As `see`, for a program that serves HTTP and prints its port."""
    with (folder / "stderr.txt").open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE, stderr=errors
        )
        seen: Seen = {"starts": False, "calls": {}}
        try:
            assert process.stdout is not None
            async with asyncio.timeout(60):
                line = await process.stdout.readline()
            await _talk(HttpPeer(int(line.removeprefix(b"port "))), seen, known)
        except (OSError, TimeoutError, ValueError) as error:
            seen["ended"] = f"{type(error).__name__}: {error}"
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    seen["stderr"] = (folder / "stderr.txt").read_text("utf-8", "replace")
    return json.loads(_neutral(json.dumps(seen), folder))


async def see(command: list[str], folder: Path, environment: dict[str, str], known: Seen | None = None) -> Seen:
    """Start a server, list what it offers and call its tools; those that `known` has called, if it is given."""
    with (folder / "stderr.txt").open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            limit=64 * 1024 * 1024,
        )
        seen: Seen = {"starts": False, "calls": {}}
        try:
            await _talk(PipePeer(process), seen, known)
        except (EOFError, OSError, TimeoutError) as error:
            seen["ended"] = f"{type(error).__name__}: {error}"
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
    seen["stderr"] = (folder / "stderr.txt").read_text("utf-8", "replace")
    return json.loads(_neutral(json.dumps(seen), folder))


async def _talk(peer: Peer, seen: Seen, known: Seen | None) -> None:
    client = {"name": "realworld", "version": "1"}
    params = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client}
    answer = await peer.request("initialize", params, 60)
    seen["initialize"] = answer.get("result", answer)
    await peer.notify("notifications/initialized")
    seen["starts"] = "result" in answer
    for name, method in LISTS.items():
        seen[name] = await _list(peer, name, method)
    end = time.monotonic() + (SECONDS if known is None else 2 * SECONDS)
    for tool in (seen if known is None else known)["tools"]:
        for title, arguments in argument_sets(tool["inputSchema"]).items():
            key = f"{tool['name']} {title}"
            if (known is not None and key not in known["calls"]) or time.monotonic() > end:
                continue
            params = {"name": tool["name"], "arguments": arguments}
            try:
                seen["calls"][key] = _answer(await peer.request("tools/call", params, _seconds_for(key, known)))
            except TimeoutError:
                seen["calls"][key] = {"timeout": True}
    for resource in seen["resources"]:
        uri = resource["uri"]
        seen["calls"][f"read {uri}"] = _answer(await peer.request("resources/read", {"uri": uri}))
    for prompt in seen["prompts"]:
        values = {one["name"]: "text" for one in prompt.get("arguments") or ()}
        seen["calls"][f"prompt {prompt['name']}"] = _answer(
            await peer.request("prompts/get", {"name": prompt["name"], "arguments": values})
        )
    seen["calls"]["unknown tool"] = _answer(
        await peer.request("tools/call", {"name": "no_such_tool", "arguments": {}})
    )


def _seconds_for(key: str, known: Seen | None) -> float:
    """How long to wait for a call: longer if it is known to answer, maybe just in time, on a machine less busy."""
    return 5 if known is None or known["calls"][key] == {"timeout": True} else 20


async def _list(peer: Peer, name: str, method: str) -> list[Any]:
    items: list[Any] = []
    cursor = None
    while True:
        answer = await peer.request(method, {} if cursor is None else {"cursor": cursor})
        if "result" not in answer:
            return items
        items += answer["result"].get(name, [])
        cursor = answer["result"].get("nextCursor")
        if cursor is None:
            return items


def _answer(answer: dict[str, Any]) -> Any:
    return {"error": answer["error"]} if "error" in answer else answer["result"]


def _neutral(text: str, folder: Path) -> str:
    """The text without what differs between two runs of the same program: times, addresses, folders, random ids."""
    text = text.replace(str(folder), "<folder>")
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?", "<time>", text)
    text = re.sub(r"next attempt in \d+s", "next attempt in <seconds>", text)
    text = re.sub(r'(_time\\*": ?)\d+\.\d+', r"\g<1>0", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>", text)
    return re.sub(r"0x[0-9a-f]{6,}", "<address>", text)
