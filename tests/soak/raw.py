"""Clients that speak HTTP themselves, and so see every message: in a session of 2025-11-25, and on 2026-07-28."""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import httpx

from mounted import initialize, modern
from soak.history import History, Operation, Watch
from soak.worker import Failed, Worker, Wrong, expect

__all__ = ["Leaver", "ModernClient", "SessionClient", "Thief"]

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
ENDED = "the stream ended without a response"


class _Raw(Worker):
    """A client that speaks HTTP itself."""

    def __init__(self, url: str, name: str, history: History, chance: random.Random, http: httpx.AsyncClient) -> None:
        super().__init__(url, name, history, chance)
        self._http = http

    @contextlib.asynccontextmanager
    async def _send(
        self, body: Any, headers: dict[str, str], method: str = "POST"
    ) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
        """Send a request; gives the messages of its response."""
        async with self._http.stream(method, self.url, json=body, headers={**ACCEPT, **headers}) as response:
            yield _read(response)


async def _read(response: httpx.Response) -> AsyncIterator[tuple[str, Any]]:
    """The messages of a response, each with its event id; an event without a message is None."""
    if response.status_code >= 400:
        raise Failed(f"status {response.status_code}: {(await response.aread())[:200]!r}")
    if response.status_code == 202:
        return
    if response.headers["content-type"] == "application/json":
        yield "", json.loads(await response.aread())
        return
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        else:
            if "id" in fields or "data" in fields:
                yield fields.get("id", ""), json.loads(fields["data"]) if fields.get("data") else None
            fields = {}


def _text_of(one: Operation, message: dict[str, Any]) -> str:
    """The text of the response to an operation; raises Failed if it is an error."""
    expect(message.get("id"), one.word)
    one.responses += 1
    if "error" in message:
        raise Failed(message["error"]["message"])
    result = message["result"]
    text: str = result["content"][0]["text"] if result.get("content") else ""
    if result.get("isError"):
        raise Failed(text)
    return text


# Sessions -----------------------------------------------------------------------------------------


class _InSession(_Raw):
    """A client with a session."""

    _headers: dict[str, str]

    async def _open(self) -> None:
        for _ in range(100):
            with contextlib.suppress(httpx.HTTPError):
                response = await self._http.post(self.url, json=initialize(elicitation={}), headers=ACCEPT)
                if response.status_code == 200:
                    break
            await asyncio.sleep(0.2)
        self._headers = {
            "mcp-session-id": response.headers["mcp-session-id"],
            "mcp-protocol-version": "2025-11-25",
        }
        await self._note("notifications/initialized")

    async def _note(self, method: str, **params: Any) -> int:
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        return (await self._http.post(self.url, json=body, headers={**ACCEPT, **self._headers})).status_code

    def _body(self, one: Operation, tool: str, **arguments: Any) -> dict[str, Any]:
        arguments = {"word": one.word, **arguments}
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": one.word}}
        return {"jsonrpc": "2.0", "id": one.word, "method": "tools/call", "params": params}

    async def do_call(self, one: Operation) -> None:
        async with self._send(self._body(one, "add", a=1, b=self.count), self._headers) as messages:
            async for _, message in messages:
                expect(_text_of(one, message), str(1 + self.count))
        if not one.responses:
            raise Failed(ENDED)


class SessionClient(_InSession):
    """A client with a session, and a stream that stays open for its updates."""

    KINDS = ("call", "call", "question", "progress", "resume", "cancel", "update", "update")
    last_events: ClassVar[list[str]] = []
    """Event ids of all these clients, for thieves."""

    async def run(self, count: int) -> None:
        """Open a session and do so many operations."""
        await self._open()
        self._watch, is_listening = self.begin_watch(), asyncio.Event()
        listening = asyncio.create_task(self._listen(self._watch, is_listening))
        try:
            await is_listening.wait()  # what changes before is not for this stream
            await super().run(count)
            await self.wait_for_updates(self._watch)
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    async def _listen(self, watch: Watch, is_listening: asyncio.Event) -> None:
        """Read the stream for updates; whenever it ends, continue it, wherever that is."""
        last = ""
        while True:
            headers = {**self._headers, **({"last-event-id": last} if last else {})}
            with contextlib.suppress(httpx.HTTPError, Failed):
                async with self._send(None, headers, "GET") as messages:
                    async for id, message in messages:
                        last = id or last
                        is_listening.set()  # the first event has no message
                        if message is not None:
                            watch.got.append(message["params"].get("uri", f"a strange message: {message}"))
            await asyncio.sleep(0.2)

    async def do_question(self, one: Operation) -> None:
        async with self._send(self._body(one, "confirm"), self._headers) as messages:
            async for _, message in messages:
                if message is None:
                    continue
                if "method" in message:
                    expect(message["params"].get("message"), one.word)
                    await self._answer(one, message["id"])
                else:
                    expect(_text_of(one, message), f"accept {one.word}")
        if not one.responses:
            raise Failed(ENDED)

    async def _answer(self, one: Operation, id: str) -> None:
        body = {"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"word": one.word}}}
        for _ in range(40):  # a client tries again as long as it is refused
            with contextlib.suppress(httpx.HTTPError):
                response = await self._http.post(self.url, json=body, headers={**ACCEPT, **self._headers})
                if response.status_code == 202:
                    return
            await asyncio.sleep(0.25)
        raise Failed("the answer was refused")

    async def do_progress(self, one: Operation) -> None:
        await self._count_to(one, 4, cut_after=None)

    async def do_resume(self, one: Operation) -> None:
        await self._count_to(one, 6, cut_after=self.chance.randint(1, 3))

    async def _count_to(self, one: Operation, to: int, cut_after: int | None) -> None:
        """Count, and continue wherever the stream was cut; the numbers come once each, in order."""
        numbers: list[int] = []
        last, cut = "", cut_after
        body = self._body(one, "count", to=to, seconds=0.05)
        while True:
            try:
                headers = {**self._headers, **({"last-event-id": last} if last else {})}
                async with self._send(None if last else body, headers, "GET" if last else "POST") as messages:
                    async for id, message in messages:
                        last = id or last
                        if message is None:
                            continue
                        if "method" not in message:
                            expect((_text_of(one, message), numbers), (f"counted to {to}", list(range(1, to + 1))))
                            continue  # to the end of the stream: nothing may come after it
                        expect(message["params"].get("progressToken"), one.word)
                        numbers.append(message["params"]["progress"])
                        if cut is not None and len(numbers) >= cut:
                            cut = None
                            self.last_events.append(last)
                            break
            except httpx.HTTPError:
                if not last:
                    raise
            if one.responses:
                return
            if not last:
                raise Failed(ENDED)
            await asyncio.sleep(0.1)

    async def do_cancel(self, one: Operation) -> None:
        is_cancelled = False
        async with self._send(self._body(one, "count", to=400, seconds=0.05), self._headers) as messages:
            async for _, message in messages:
                if message is None:
                    continue
                if "method" not in message:
                    text = _text_of(one, message)  # raises Failed for an error
                    raise Wrong(f"a response after a cancel: {text}")
                if not is_cancelled:
                    status = await self._note("notifications/cancelled", requestId=one.word)
                    if status != 202:
                        raise Failed(f"the cancel was refused with status {status}")
                    is_cancelled = True
        if not is_cancelled:
            raise Failed("the stream ended early")

    async def do_update(self, one: Operation) -> None:
        change = self.begin_change()
        await self._subscribe(change.uri)
        change.began = time.time()
        async with self._send(self._body(one, "change", uri=change.uri), self._headers) as messages:
            async for _, message in messages:
                expect(_text_of(one, message), f"{change.uri} changed")
                change.acknowledged = time.time()
        if not one.responses:
            raise Failed(ENDED)

    async def _subscribe(self, uri: str) -> None:
        watch = self._watch
        if uri in watch.since:
            return
        watch.asked.add(uri)  # it may hold although the response gets lost
        body = {"jsonrpc": "2.0", "id": f"subscribe {uri}", "method": "resources/subscribe", "params": {"uri": uri}}
        async with self._send(body, self._headers) as messages:
            async for _, message in messages:
                if "error" in message:
                    raise Failed(message["error"]["message"])
                watch.since[uri] = time.time()
        if uri not in watch.since:
            raise Failed(ENDED)


class Thief(_InSession):
    """A client with a session that asks for the streams of others, which it must never get."""

    KINDS = ("call", "steal")

    async def run(self, count: int) -> None:
        """Open a session and do so many operations."""
        await self._open()
        await super().run(count)

    async def do_steal(self, one: Operation) -> None:
        for _ in range(100):
            if SessionClient.last_events:
                break
            await asyncio.sleep(0.1)
        headers = {**self._headers, "last-event-id": self.chance.choice(SessionClient.last_events)}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.3), self._send(None, headers, "GET") as messages:
                async for _, message in messages:
                    if message is not None:
                        raise Wrong(f"a message of another session: {message}")


class Leaver(_InSession):
    """A client that ends its sessions: then no replica may answer in them."""

    KINDS = ("call", "end")

    async def run(self, count: int) -> None:
        """Open a session and do so many operations."""
        await self._open()
        await super().run(count)

    async def do_end(self, one: Operation) -> None:
        try:
            for number in range(4):  # all replicas have it in memory
                status = await self._ping(f"{one.word}-{number}")
                if status != 200:
                    raise Failed(f"status {status}")
            headers = {**ACCEPT, **self._headers}
            status = (await self._http.delete(self.url, headers=headers)).status_code
            if status != 204:
                raise Failed(f"the end was refused with status {status}")
            for number in range(4):
                status = await self._ping(f"{one.word}-{number}")
                if status == 200:
                    raise Wrong(f"request {number + 1} in a session that had ended was answered")
        finally:
            await self._open()

    async def _ping(self, id: str) -> int:
        body = {"jsonrpc": "2.0", "id": id, "method": "ping"}
        return (await self._http.post(self.url, json=body, headers={**ACCEPT, **self._headers})).status_code


# 2026-07-28 ---------------------------------------------------------------------------------------


class ModernClient(_Raw):
    """A client of 2026-07-28, with a listen stream."""

    KINDS = ("call", "question", "progress", "cancel", "update", "update")

    async def run(self, count: int) -> None:
        """Listen, and do so many operations."""
        self._watch = Watch(self.name)
        listening = asyncio.create_task(self._listen())
        try:
            await super().run(count)
            await self.wait_for_updates(self._watch)
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    async def _listen(self) -> None:
        """Listen to changes; when the stream ends, the client knows that it may have missed some."""
        number = 0
        while True:
            number += 1
            body, headers = modern(
                "subscriptions/listen", f"listen {number}", notifications={"resourceSubscriptions": self.uris}
            )
            watch = self.begin_watch()
            watch.asked.update(self.uris)
            with contextlib.suppress(httpx.HTTPError, Failed):
                async with self._send(body, headers) as messages:
                    async for _, message in messages:
                        self._take(watch, f"listen {number}", message)
            watch.until = time.time()
            await asyncio.sleep(0.2)

    def _take(self, watch: Watch, id: str, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if params.get("_meta", {}).get("io.modelcontextprotocol/subscriptionId") != id:
            if message.get("id") != id:
                watch.got.append(f"a message of another stream: {message}")
        elif method == "notifications/subscriptions/acknowledged":
            watch.since.update(dict.fromkeys(self.uris, time.time()))
            self._watch = watch
        else:
            watch.got.append(params["uri"])

    async def _call(self, one: Operation, tool: str, more: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        meta = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}, "progressToken": one.word}
        arguments = {"word": one.word, **arguments}
        body, headers = modern("tools/call", one.word, meta, name=tool, arguments=arguments, **more)
        answer: dict[str, Any] | None = None
        async with self._send(body, headers) as messages:
            async for _, message in messages:
                if "method" in message:
                    expect(message["params"]["progressToken"], one.word)
                    if one.kind == "cancel":
                        return {}  # which closes the stream
                    continue
                if answer is not None:
                    raise Wrong(f"another response: {message}")
                answer = message
        if answer is None:
            raise Failed(ENDED)
        return answer

    async def do_call(self, one: Operation) -> None:
        expect(_text_of(one, await self._call(one, "add", {}, a=1, b=self.count)), str(1 + self.count))

    async def do_progress(self, one: Operation) -> None:
        expect(_text_of(one, await self._call(one, "count", {}, to=3, seconds=0.05)), "counted to 3")

    async def do_cancel(self, one: Operation) -> None:
        answer = await self._call(one, "count", {}, to=400, seconds=0.05)
        if answer:
            raise Failed(str(answer))

    async def do_update(self, one: Operation) -> None:
        change = self.begin_change()
        answer = await self._call(one, "change", {}, uri=change.uri)
        expect(_text_of(one, answer), f"{change.uri} changed")
        change.acknowledged = time.time()

    async def do_question(self, one: Operation) -> None:
        answer = await self._call(one, "confirm", {})
        if "error" in answer:
            raise Failed(str(answer["error"]))
        result = answer["result"]
        [(key, asked)] = result["inputRequests"].items()
        expect(asked["params"]["message"], one.word)
        reply = {key: {"action": "accept", "content": {"word": one.word}}}
        more = {"inputResponses": reply, "requestState": result["requestState"]}
        expect(_text_of(one, await self._call(one, "confirm", more)), f"accept {one.word}")
