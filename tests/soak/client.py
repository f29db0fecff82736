"""One client of each kind, which does operations and records them: in a session of 2025-11-25, and on 2026-07-28."""

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx

from mounted import initialize, modern
from soak.history import History, Operation

__all__ = ["Modern", "SessionClient"]

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
PATIENCE = 25.0
"""How many seconds an operation may take; one that takes longer was never answered."""


class Seen(Exception):
    """An error that the client saw."""


class Wrong(Exception):
    """Something that the client must never get."""


class _Client:
    def __init__(self, url: str, name: str, history: History, http: httpx.AsyncClient, chance: random.Random) -> None:
        self._url, self.name, self.history, self._http, self._chance = url, name, history, http, chance
        self._count = 0

    async def _do(self, kind: str) -> None:
        """Do one operation, and record what came of it."""
        self._count += 1
        loop = asyncio.get_running_loop()
        one = Operation(kind, self.name, f"{self.name}-{self._count}", loop.time())
        self.history.operations.append(one)
        try:
            async with asyncio.timeout(PATIENCE):
                await getattr(self, f"_do_{kind}")(one)
            one.outcome = "done"
        except TimeoutError:
            one.detail = "it took too long"
        except (Seen, httpx.HTTPError) as error:
            one.outcome, one.detail = "failed", f"{type(error).__name__}: {error}"
        except Wrong as error:
            one.outcome, one.detail = "wrong", str(error)
        one.ended = loop.time()

    @contextlib.asynccontextmanager
    async def _post(self, body: Any, headers: dict[str, str]) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
        async with self._http.stream("POST", self._url, json=body, headers={**ACCEPT, **headers}) as response:
            yield self._messages(response)

    async def _messages(self, response: httpx.Response) -> AsyncIterator[tuple[str, Any]]:
        """The messages of a response, each with its event id."""
        if response.status_code >= 400:
            raise Seen(f"status {response.status_code}: {(await response.aread())[:200]!r}")
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


def _text_of(message: dict[str, Any]) -> str:
    if "error" in message:
        raise Seen(message["error"]["message"])
    result = message["result"]
    text: str = result["content"][0]["text"] if result.get("content") else ""
    if result.get("isError"):
        raise Seen(text)
    return text


class SessionClient(_Client):
    """A client with a session, and a stream that stays open for its updates."""

    KINDS = ("call", "call", "question", "progress", "resume", "cancel", "update", "update")

    async def run(self, count: int) -> None:
        """Open a session and do so many operations."""
        await self._open()
        listening = asyncio.create_task(self._listen())
        try:
            for _ in range(count):
                await self._do(self._chance.choice(self.KINDS))
            await self._wait_for_updates()
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    async def _open(self) -> None:
        for _ in range(100):
            with contextlib.suppress(httpx.HTTPError):
                response = await self._http.post(self._url, json=initialize(elicitation={}), headers=ACCEPT)
                if response.status_code == 200:
                    break
            await asyncio.sleep(0.2)
        self._headers = {
            "mcp-session-id": response.headers["mcp-session-id"],
            "mcp-protocol-version": "2025-11-25",
        }
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self._http.post(self._url, json=note, headers={**ACCEPT, **self._headers})
        self.history.updates[self.name] = []
        self.history.subscribed[self.name] = set()
        self.history.changed[self.name] = []

    async def _listen(self) -> None:
        """Read the stream for updates; whenever it ends, continue it, wherever that is."""
        last = ""
        while True:
            headers = {**ACCEPT, **self._headers, **({"last-event-id": last} if last else {})}
            with contextlib.suppress(httpx.HTTPError, Seen):
                async with self._http.stream("GET", self._url, headers=headers) as response:
                    async for id, message in self._messages(response):
                        last = id or last
                        if message is not None and message.get("method") == "notifications/resources/updated":
                            self.history.updates[self.name].append(message["params"]["uri"])
            await asyncio.sleep(0.2)

    async def _wait_for_updates(self) -> None:
        for _ in range(100):
            if len(self.history.updates[self.name]) >= len(self.history.changed[self.name]):
                return
            await asyncio.sleep(0.1)

    def _body(self, one: Operation, tool: str, **arguments: Any) -> dict[str, Any]:
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": one.word}}
        return {"jsonrpc": "2.0", "id": one.word, "method": "tools/call", "params": params}

    async def _respond(self, one: Operation, message: dict[str, Any]) -> str:
        if message.get("id") != one.word:
            raise Wrong(f"the response to {message.get('id')} came instead")
        one.responses += 1
        return _text_of(message)

    async def _do_call(self, one: Operation) -> None:
        async with self._post(self._body(one, "add", a=len(one.word), b=self._count), self._headers) as messages:
            async for _, message in messages:
                if await self._respond(one, message) != str(len(one.word) + self._count):
                    raise Wrong("the sum is another")
        if not one.responses:
            raise Seen("the stream ended without a response")

    async def _do_question(self, one: Operation) -> None:
        async with self._post(self._body(one, "confirm", what=one.word), self._headers) as messages:
            async for _, message in messages:
                if message is None:
                    continue
                if "method" in message:
                    if message["params"].get("message") != one.word:
                        raise Wrong(f"asked {message['params']}")
                    await self._answer(one, message["id"])
                elif await self._respond(one, message) != f"accept {one.word}":
                    raise Wrong(f"the answer of another: {message}")
        if not one.responses:
            raise Seen("the stream ended without a response")

    async def _answer(self, one: Operation, id: str) -> None:
        body = {"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"word": one.word}}}
        for _ in range(40):  # a client tries again as long as it is refused
            with contextlib.suppress(httpx.HTTPError):
                response = await self._http.post(self._url, json=body, headers={**ACCEPT, **self._headers})
                if response.status_code == 202:
                    return
            await asyncio.sleep(0.25)
        raise Seen("the answer was refused")

    async def _do_progress(self, one: Operation) -> None:
        await self._count_to(one, 4, cut_after=None)

    async def _do_resume(self, one: Operation) -> None:
        await self._count_to(one, 6, cut_after=self._chance.randint(1, 3))

    async def _count_to(self, one: Operation, to: int, cut_after: int | None) -> None:
        """Count, and continue wherever the stream was cut; the numbers come once each, in order."""
        numbers: list[int] = []
        last, cut = "", cut_after
        body = self._body(one, "count", to=to, seconds=0.05)
        while not one.responses:
            try:
                manager = self._post(body, self._headers) if not last else self._get(last)
                async with manager as messages:
                    async for id, message in messages:
                        last = id or last
                        if message is None:
                            continue
                        if "method" not in message:
                            text = await self._respond(one, message)
                            if text != f"counted to {to}" or numbers != list(range(1, to + 1)):
                                raise Wrong(f"{text}, {numbers}")
                            return
                        if message["params"].get("progressToken") != one.word:
                            raise Wrong(f"the progress of another: {message}")
                        numbers.append(message["params"]["progress"])
                        if cut is not None and len(numbers) >= cut:
                            cut = None
                            break
            except httpx.HTTPError:
                if not last:
                    raise
            if not last:
                raise Seen("the stream ended without a response")
            await asyncio.sleep(0.1)

    @contextlib.asynccontextmanager
    async def _get(self, last: str) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
        headers = {**ACCEPT, **self._headers, "last-event-id": last}
        async with self._http.stream("GET", self._url, headers=headers) as response:
            yield self._messages(response)

    async def _do_cancel(self, one: Operation) -> None:
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": one.word}}
        is_cancelled = False
        async with self._post(self._body(one, "count", to=400, seconds=0.05), self._headers) as messages:
            async for _, message in messages:
                if message is None:
                    continue
                if "method" not in message:
                    text = await self._respond(one, message)  # raises Seen for an error
                    raise Wrong(f"a response after a cancel: {text}")
                if not is_cancelled:
                    response = await self._http.post(self._url, json=note, headers={**ACCEPT, **self._headers})
                    if response.status_code != 202:
                        raise Seen("the cancel was refused")
                    is_cancelled = True
        if not is_cancelled:
            raise Seen("the stream ended early")

    async def _do_update(self, one: Operation) -> None:
        uri = f"note://{self.name}-{self._chance.randint(1, 3)}"
        if uri not in self.history.subscribed[self.name]:
            body = {"jsonrpc": "2.0", "id": one.word, "method": "resources/subscribe", "params": {"uri": uri}}
            self.history.subscribed[self.name].add(uri)  # it may hold although the response gets lost
            async with self._post(body, self._headers) as messages:
                async for _, message in messages:
                    if "error" in message:
                        self.history.subscribed[self.name].discard(uri)
                        raise Seen(message["error"]["message"])
        body = self._body(one, "change", name=uri.removeprefix("note://"))
        async with self._post(body, self._headers) as messages:
            async for _, message in messages:
                await self._respond(one, message)
        self.history.changed[self.name].append((uri, asyncio.get_running_loop().time()))


class Modern(_Client):
    """A client of 2026-07-28."""

    KINDS = ("call", "question", "progress")

    async def run(self, count: int) -> None:
        """Do so many operations."""
        for _ in range(count):
            await self._do(self._chance.choice(self.KINDS))

    async def _call(self, one: Operation, tool: str, more: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        meta = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}, "progressToken": one.word}
        body, headers = modern("tools/call", one.word, meta, name=tool, arguments=arguments, **more)
        answer: dict[str, Any] | None = None
        async with self._post(body, headers) as messages:
            async for _, message in messages:
                if "method" in message:
                    if message["params"]["progressToken"] != one.word:
                        raise Wrong(f"the progress of another: {message}")
                    continue
                if message.get("id") != one.word or answer is not None:
                    raise Wrong(f"another response: {message}")
                answer = message
        if answer is None:
            raise Seen("the stream ended without a response")
        return answer

    async def _do_call(self, one: Operation) -> None:
        answer = await self._call(one, "add", {}, a=len(one.word), b=self._count)
        one.responses += 1
        if _text_of(answer) != str(len(one.word) + self._count):
            raise Wrong("the sum is another")

    async def _do_progress(self, one: Operation) -> None:
        answer = await self._call(one, "count", {}, to=3, seconds=0.05)
        one.responses += 1
        if _text_of(answer) != "counted to 3":
            raise Wrong(str(answer))

    async def _do_question(self, one: Operation) -> None:
        answer = await self._call(one, "confirm", {}, what=one.word)
        if "error" in answer:
            raise Seen(str(answer["error"]))
        result = answer["result"]
        [(key, asked)] = result["inputRequests"].items()
        if asked["params"]["message"] != one.word:
            raise Wrong(f"the question of another: {asked}")
        reply = {key: {"action": "accept", "content": {"word": one.word}}}
        more = {"inputResponses": reply, "requestState": result["requestState"]}
        answer = await self._call(one, "confirm", more, what=one.word)
        one.responses += 1
        if _text_of(answer) != f"accept {one.word}":
            raise Wrong(f"the answer of another: {answer}")
