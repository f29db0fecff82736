"""The official Python client and FastMCP's as clients of the soak, on both kinds of revisions."""

import asyncio
import contextlib
import random
import time
import warnings
from typing import Any

import mcp.client.streamable_http
import mcp_types as types
from fastmcp import Client as FastMCP
from mcp import Client, MCPError
from mcp.client.subscriptions import SubscriptionLost, listen

from soak.history import History, Operation, Watch
from soak.worker import Failed, Worker, expect

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
        warnings.simplefilter("ignore")

    async def run(self, count: int) -> None:
        """Do so many operations."""
        while self.count < count:
            with contextlib.suppress(Exception):
                async with self._connect() as self._client:
                    await self._run_connected(count)
            self._watch.until = min(self._watch.until, time.time())
            await asyncio.sleep(0.3)

    def _connect(self) -> Any:
        async def elicit(context: Any, params: Any) -> types.ElicitResult:
            return types.ElicitResult(action="accept", content={"word": params.message})

        return Client(
            self.url, mode=self._mode, elicitation_callback=elicit, message_handler=self._take  # type: ignore[arg-type]
        )  # fmt: skip

    async def _run_connected(self, count: int) -> None:
        """Do operations, until one fails."""
        self._watch = self.begin_watch()
        self._watch.opened = time.time() if self._mode == "legacy" else 0.0
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
            self.url, mode=self._mode, elicitation_handler=elicit, message_handler=self._take  # type: ignore[arg-type]
        )  # fmt: skip

    async def _call_tool(self, name: str, arguments: dict[str, Any], progress: Any) -> str:
        result = await self._client.call_tool(name, arguments, progress_handler=progress)
        text: str = result.content[0].text
        return text
