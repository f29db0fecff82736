"""The official Python client and FastMCP's as clients of the soak, on both kinds of revisions."""

import asyncio
import contextlib
import random
import time
import warnings
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import mcp.client.streamable_http
import mcp_types as types
from fastmcp import Client as FastMCP
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost, listen

from soak.history import History, Operation, Watch
from soak.worker import PATIENCE, Failed, Worker, expect

__all__ = ["FastMCPClient", "OfficialClient"]

mcp.client.streamable_http.MAX_RECONNECTION_ATTEMPTS = 50  # it would stop to listen after two, without a word


class OfficialClient(Worker):
    """The official Python client; when an operation fails, it connects again."""

    KINDS = ("call", "question", "progress", "resume", "cancel", "update", "update")

    def __init__(self, url: str, name: str, history: History, chance: random.Random, mode: str) -> None:
        super().__init__(url, name, history, chance)
        self._mode = mode
        if mode == "auto":
            self.KINDS = tuple(kind for kind in self.KINDS if kind != "resume")  # 2026-07-28 has no such thing
        self._watch = Watch(name)
        self._has_stream = asyncio.Event()
        warnings.simplefilter("ignore")

    async def run(self, count: int) -> None:
        """Do so many operations."""
        while self.count < count:
            with contextlib.suppress(Exception):
                self._watch, self._has_stream = self.begin_watch(), asyncio.Event()
                async with self._connect() as self._client:
                    if self._mode == "legacy":
                        await asyncio.wait_for(self._has_stream.wait(), PATIENCE)
                    await self._run_connected(count)
            self._watch.until = min(self._watch.until, time.time())
            await asyncio.sleep(0.3)

    def _make_http_client(self, **options: Any) -> httpx2.AsyncClient:
        timeout = httpx2.Timeout(30, read=300)
        return httpx2.AsyncClient(**{"timeout": timeout, **options}, event_hooks={"response": [self._see]})

    async def _see(self, response: httpx2.Response) -> None:
        """Note when the stream for updates begins: what changes before is not for it.

        The client opens it by itself, and continues it after its last event. If it was cut before its first event,
        the client can only begin again.
        """
        request = response.request
        if request.method == "GET" and response.is_success and "last-event-id" not in request.headers:
            self._watch.since = dict.fromkeys(self._watch.since, time.time())
            self._has_stream.set()

    @contextlib.asynccontextmanager
    async def _connect(self) -> AsyncIterator[Any]:
        async def elicit(context: Any, params: Any) -> types.ElicitResult:
            return types.ElicitResult(action="accept", content={"word": params.message})

        async with self._make_http_client() as http, Client(
            streamable_http_client(self.url, http_client=http),
            mode=self._mode,  # type: ignore[arg-type]
            elicitation_callback=elicit,
            message_handler=self._take,
        ) as client:  # fmt: skip
            yield client

    async def _run_connected(self, count: int) -> None:
        """Do operations, until one fails."""
        listening = asyncio.create_task(self._listen()) if self._mode == "auto" else None
        try:
            while self.count < count:
                one = await self.do(self.chance.choice(self.KINDS))
                if one.outcome != "done":
                    self._watch.until = one.began
                    return
            await self.wait_for_updates(self._watch)
            self._watch.until = float("inf")
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])

    async def _take(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification) and self._mode == "legacy":
            self._watch.got.append(str(message.params.uri))

    async def _listen(self) -> None:
        while True:
            watch = self._watch
            watch.asked.update(self.uris)
            with contextlib.suppress(SubscriptionLost, MCPError):
                async with listen(self._session, resource_subscriptions=self.uris) as events:
                    watch.since.update(dict.fromkeys(self.uris, time.time()))
                    async for event in events:
                        watch.got.append(str(event.uri))  # type: ignore[union-attr]
            watch.until = min(watch.until, time.time())
            await asyncio.sleep(0.2)
            self._watch = self.begin_watch()

    @property
    def _session(self) -> Any:
        return self._client.session

    # Operations -----------------------------------------------------------------------------------

    async def _call(self, one: Operation, tool: str, progress: Any = None, **arguments: Any) -> str:
        result = await self._call_tool(tool, {"word": one.word, **arguments}, progress)
        one.responses += 1
        return str(result)

    async def _call_tool(self, name: str, arguments: dict[str, Any], progress: Any) -> str:
        result = await self._client.call_tool(name, arguments, progress_callback=progress)
        text: str = result.content[0].text
        if result.is_error:
            raise Failed(text)
        return text

    async def do_call(self, one: Operation) -> None:
        expect(await self._call(one, "add", a=1, b=self.count), str(1 + self.count))

    async def do_question(self, one: Operation) -> None:
        expect(await self._call(one, "confirm"), f"accept {one.word}")

    async def do_progress(self, one: Operation) -> None:
        await self._count_to(one, 4, 0)

    async def do_resume(self, one: Operation) -> None:
        await self._count_to(one, 6, self.chance.randint(1, 3))

    async def _count_to(self, one: Operation, to: int, leave_after: int) -> None:
        numbers: list[float] = []

        async def progress(value: float, total: float | None, message: str | None) -> None:
            numbers.append(value)

        text = await self._call(one, "count", progress, to=to, seconds=0.05, leave_after=leave_after)
        expect(text, f"counted to {to}")
        for _ in range(20):  # the client calls this function in a task of its own
            if len(numbers) >= to:
                break
            await asyncio.sleep(0.05)
        expect(numbers, list(range(1, to + 1)))

    async def do_cancel(self, one: Operation) -> None:
        begun = asyncio.Event()

        async def progress(value: float, total: float | None, message: str | None) -> None:
            begun.set()

        calling = asyncio.create_task(self._call(one, "count", progress, to=400, seconds=0.05))
        waiting = asyncio.create_task(begun.wait())
        try:
            await asyncio.wait([calling, waiting], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            calling.cancel()
            await asyncio.wait([calling])
        if not calling.cancelled():
            raise calling.exception() or Failed(f"it ended early: {calling.result()}")

    async def do_update(self, one: Operation) -> None:
        change, watch = self.begin_change(), self._watch
        if self._mode == "legacy" and change.uri not in watch.since:
            watch.asked.add(change.uri)
            await self._session.subscribe_resource(change.uri)
            watch.since[change.uri] = time.time()
        change.began = time.time()
        expect(await self._call(one, "change", uri=change.uri), f"{change.uri} changed")
        change.acknowledged = time.time()


class FastMCPClient(OfficialClient):
    """FastMCP's client."""

    def _connect(self) -> Any:
        async def elicit(message: str, kind: Any, params: Any, context: Any) -> Any:
            return {"word": message}

        return FastMCP(
            StreamableHttpTransport(self.url, httpx_client_factory=self._make_http_client),
            mode=self._mode,  # type: ignore[arg-type]
            elicitation_handler=elicit,
            message_handler=self._take,
        )

    async def _call_tool(self, name: str, arguments: dict[str, Any], progress: Any) -> str:
        result = await self._client.call_tool(name, arguments, progress_handler=progress)
        text: str = result.content[0].text
        return text
