"""ASGI: moves requests to the endpoint and what comes back to the client. Needs no framework and no lifespan.

Knows the loop and the protocol between server and application; every rule of MCP is somebody else's.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from inspect import isawaitable
from typing import Any

from ..interrupts import raise_interrupt
from ..protocol.core import Core
from ..protocol.methods.tools import Single
from . import run_async
from .http import rules, sse
from .http.endpoint import Endpoint
from .http.headers import Headers
from .http.pending import Open, answered
from .http.rules import Reply, Settings
from .http.stream import Reader
from .invoke import unexpected

__all__ = ["ASGIApp", "Settings"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_log = logging.getLogger("plainmcp")
MOMENT = 0.05
"""For how many seconds a short call is not bothered with whether its client is still there."""

_STREAM = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # R26-HTTP-26
]


class ASGIApp:
    """A server as an ASGI application; it answers at whatever path it is mounted.

    `principal` says who is calling, given the scope: anything, or an awaitable of it. What it gives for one user must
    compare equal from request to request, for sessions belong to who opened them. PermissionError is a 401.
    """

    def __init__(
        self, core: Core, settings: Settings | None = None, *, principal: Callable[[Any], Any] | None = None
    ) -> None:
        self.endpoint = Endpoint(core, settings or Settings())
        self._principal = principal
        self._tasks: set[asyncio.Task[None]] = set()  # a loop alone does not keep its tasks alive

    def drain(self) -> None:
        """End every stream that stays open, with its result where it has one; running requests go on.

        A server that is told to end waits for its answers: call this then, from any thread but no signal handler.
        """
        self.endpoint.drain()

    def give_up(self) -> int:
        """Answer every request that still runs with an error, and cancel it; says how many. From any thread."""
        return self.endpoint.give_up()

    def close(self) -> None:
        """End every stream that stays open, every request that runs and every session. From any thread."""
        self.endpoint.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the life of the server."""
        if scope["type"] != "http":
            return await self._other(scope, receive, send)
        endpoint, method, given, server = self.endpoint, scope["method"], scope["headers"], scope.get("server")
        headers = Headers(given if type(given) is list else list(given))
        fit = endpoint.door.check(method, headers, server[0] if server else None)
        try:
            if isinstance(fit, Reply):
                reply: Reply | None = fit
            else:
                principal = None if self._principal is None else await self._calling(scope)
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                body = message.get("body", b"")
                if message.get("more_body", False) or len(body) > endpoint.settings.max_body:
                    body = await _whole(body, receive, endpoint)
                call = endpoint.called(headers, fit, body, principal) if fit.json and method == "POST" else None
                if call is None:
                    answer = endpoint.receive(method, headers, fit, body, principal)
                    reply = answer if isinstance(answer, Reply) else await self._answer(answer, receive, send)
                else:
                    single, held = call
                    made, rest = run_async.tried(single)
                    if rest is None:
                        reply = answered(made, not single.revision.handshake)
                    else:
                        opened, single = endpoint.waits(single, held, fit)
                        reply = await self._answer_silently(
                            opened, None, run_async.waited(single, rest), receive, send
                        )
        except _Refused as refused:
            reply = refused.reply
        except _Gone:
            return
        if reply is not None:
            await _send_whole(send, reply)

    async def _calling(self, scope: Scope) -> Any:
        """Who is calling."""
        assert self._principal is not None
        try:
            principal = self._principal(scope)
            return await principal if isawaitable(principal) else principal
        except GeneratorExit:
            raise
        except BaseException as error:
            raise_interrupt(error)
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # somebody ends the whole request
            raise _Refused(rules.refuse_caller(error)) from None

    async def _other(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.endpoint.draining = False  # one application may live several times
                await send({"type": "lifespan.startup.complete"})
            else:
                self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    # Answers under way ----------------------------------------------------------------------------

    async def _answer(self, opened: Open, receive: Receive, send: Send) -> Reply | None:
        """Run what has to run, and say what there is to say before the answer; None where that is said, too."""
        steps = opened.steps
        if isinstance(steps, Single):
            opened.steps = None  # it knows us
            threads = None if steps.feature.is_async else run_async.threads_of(self.endpoint.core)
            made, rest = run_async.begun(steps, threads)
        elif opened.silent:
            made, rest = run_async.started(self._driven(opened))
        else:
            return await self._answer_aloud(opened, receive, send)
        if rest is None and opened.fit.json and not opened.cancelled:
            return answered(made, opened.modern)
        return await self._answer_silently(opened, made, rest, receive, send)

    async def _answer_aloud(self, opened: Open, receive: Receive, send: Send) -> Reply | None:
        """The same where something may be said, until all is said or the client is gone."""
        task = None
        if not opened.standing:
            self.endpoint.runs(opened)
            task = asyncio.get_running_loop().create_task(self._work(opened))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            return await self._accompany(opened, receive, send)
        finally:
            if opened.modern and task is not None:
                task.cancel()  # R26-HTTP-16; it does nothing to one that is done

    async def _answer_silently(
        self, opened: Open, answer: bytes | None, rest: Awaitable[bytes | None] | None, receive: Receive, send: Send
    ) -> Reply | None:
        """The same where nothing can be said before the answer: the work is done right here.

        Only one that takes longer than a moment is accompanied by somebody who looks after the client, and sends it
        the answer: a function that is given up may go on.
        """
        self.endpoint.runs(opened)
        companions: list[asyncio.Task[None]] = []
        loop = asyncio.get_running_loop()

        async def look_after_client() -> None:
            reply = await self._accompany(opened, receive, send)
            if reply is not None:
                await _send_whole(send, reply)

        def accompany() -> None:
            companions.append(loop.create_task(look_after_client()))
            companions[0].add_done_callback(_noticed)

        timer = loop.call_later(MOMENT, accompany)
        try:
            if rest is not None:
                answer = await rest
        except BaseException:  # the server ends this request
            for companion in companions:
                companion.cancel()
            raise
        finally:
            timer.cancel()
            self.endpoint.ended(opened, answer)
            if not companions:
                self.endpoint.left(opened)
        if companions:
            await companions[0]
            return None
        if _is_alone(opened):
            return answered(opened.stream.answer, opened.modern)
        return await self._accompany(opened, receive, send)

    async def _driven(self, opened: Open) -> bytes | None:
        """The answer, once the steps are driven to it; or None where they stay open."""
        try:
            staying = partial(self.endpoint.stay, opened)
            return await run_async.resume(*opened.taken(), staying, run_async.threads_of(self.endpoint.core))
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:
            return opened.refusal(unexpected(error))

    async def _work(self, opened: Open) -> None:
        """The same for whoever reads the stream: the answer is found there."""
        answer = None
        try:
            answer = await self._driven(opened)
        finally:
            self.endpoint.ended(opened, answer)

    async def _accompany(self, opened: Open, receive: Receive, send: Send) -> Reply | None:
        """Say what there is to say, as it comes, until all is said or nobody listens; or give what comes alone."""
        loop, wake = asyncio.get_running_loop(), asyncio.Event()
        reader = opened.stream.attach(partial(run_async.soon, loop, wake.set), opened.after)
        watch = loop.create_task(_disconnected(receive, wake))
        try:
            if await self._becomes_alone(opened, wake, watch):
                return answered(opened.stream.answer, opened.modern)
            await self._speak(opened, reader, send, wake, watch)
            return None
        finally:
            watch.cancel()
            reader.leave()
            self.endpoint.left(opened)

    async def _becomes_alone(self, opened: Open, wake: asyncio.Event, watch: "asyncio.Task[None]") -> bool:
        """Wait until it is clear whether the answer comes alone, so that it can be JSON with a status of its own."""
        stream, patience = opened.stream, self.endpoint.settings.keep_alive_seconds
        while not opened.standing and not stream.speaks:
            if _is_alone(opened):
                return True
            if stream.finished:
                break
            if watch.done():
                raise _Gone
            if not await _woken(wake, patience if opened.fit.events else None):
                break  # it takes long: whatever is between us should see that somebody is here
        return False

    async def _speak(
        self, opened: Open, reader: Reader, send: Send, wake: asyncio.Event, watch: "asyncio.Task[None]"
    ) -> None:
        """Server-sent events until all is said."""
        if opened.held is not None:
            opened.held.keep(opened.stream)
        await _sent(send, {"type": "http.response.start", "status": 200, "headers": list(_STREAM)})
        chunk = reader.opening()
        while not watch.done():
            if chunk:
                await _sent(send, {"type": "http.response.body", "body": chunk, "more_body": not reader.over})
            if reader.over:
                if not chunk:
                    await _sent(send, {"type": "http.response.body", "body": b"", "more_body": False})
                return
            wake.clear()
            chunk = reader.take()
            if not chunk and not reader.over and not await _woken(wake, self.endpoint.settings.keep_alive_seconds):
                chunk = sse.COMMENT


def _is_alone(opened: Open) -> bool:
    """Whether there is only an answer, and it can be JSON."""
    return opened.stream.unopened and (opened.fit.json or opened.stream.answer is None)


class _Gone(Exception):
    """The client hung up."""


class _Refused(Exception):
    """A request goes no further."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply


def _noticed(task: "asyncio.Task[Any]") -> None:
    """Whoever waits for a task hears what it raised; where nobody does, the loop need not complain."""
    if not task.cancelled():
        task.exception()


async def _woken(wake: asyncio.Event, seconds: float | None) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return False
    wake.clear()
    return True


async def _disconnected(receive: Receive, wake: asyncio.Event) -> None:
    """Ends when the client hangs up."""
    try:
        while (await receive())["type"] != "http.disconnect":
            await asyncio.sleep(MOMENT)  # a server that has something to say each time is not asked all the time
    except OSError:
        pass
    except Exception as error:
        _log.debug("nobody tells whether the client is still there: %r", error)
        await asyncio.Event().wait()
    wake.set()


async def _whole(body: bytes, receive: Receive, endpoint: Endpoint) -> bytes:
    """A body that did not come at once; raises _Refused where it is too large, or does not come to its end."""
    settings, more = endpoint.settings, True
    gathered = bytearray(body)  # not a list of pieces: those may be as small as a byte
    try:
        async with asyncio.timeout(settings.body_seconds):
            while more and len(gathered) <= settings.max_body:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _Gone
                gathered += message.get("body", b"")
                more = message.get("more_body", False)
    except TimeoutError:
        raise _Refused(endpoint.door.too_slow()) from None
    if len(gathered) > settings.max_body:
        raise _Refused(endpoint.door.too_large())
    return bytes(gathered)


async def _send_whole(send: Send, reply: Reply) -> None:
    length = () if reply.status == 204 else ((b"content-length", b"%d" % len(reply.body)),)
    try:
        await send({"type": "http.response.start", "status": reply.status, "headers": [*reply.headers, *length]})
        await send({"type": "http.response.body", "body": reply.body})
    except OSError:  # what servers raise for a client that is gone
        pass


async def _sent(send: Send, message: dict[str, Any]) -> None:
    try:
        await send(message)
    except OSError:  # as above
        raise _Gone from None
