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
from ..protocol.failures import internal_error
from .http import rules
from .http.endpoint import Endpoint, PendingResponse, response_for
from .http.headers import Headers
from .http.rules import Response
from .http.settings import Settings
from .http.stream import COMMENT, Reader, Stream
from .run_async import Rest, call_soon, run_async, start, start_task
from .threads import threads_of

__all__ = ["ASGIApp", "Settings"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_log = logging.getLogger("plainmcp")
MOMENT = 0.05
"""For how many seconds a short call is not bothered with whether its client is still there."""


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
        self._threads = threads_of(core)
        self._tasks: set[asyncio.Task[bytes | None]] = set()  # a loop alone does not keep its tasks alive

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
            return await self._handle_other(scope, receive, send)
        try:
            response = await self._handle(scope, receive, send)
        except _Refused as refused:
            response = refused.response
        except _Gone:
            return
        if response is not None:
            await _send_whole(send, response)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        """The response to a request; None where it was sent already."""
        endpoint, method, pairs, server = self.endpoint, scope["method"], scope["headers"], scope.get("server")
        headers = Headers(pairs if type(pairs) is list else list(pairs))
        profile = endpoint.preflight.check(method, headers, server[0] if server else None)
        if isinstance(profile, Response):
            return profile
        principal = None if self._principal is None else await self._identify(scope)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        body = message.get("body", b"")
        if message.get("more_body", False) or len(body) > endpoint.settings.max_body:
            body = await _read_rest(body, receive, endpoint)
        answer = endpoint.receive(method, headers, profile, body, principal)
        return answer if isinstance(answer, Response) else await self._answer(answer, receive, send)

    async def _identify(self, scope: Scope) -> Any:
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

    async def _handle_other(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.endpoint.draining = False  # one application may live several times
                await send({"type": "lifespan.startup.complete"})
            else:
                self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    # Responses under way --------------------------------------------------------------------------

    async def _answer(self, pending: PendingResponse, receive: Receive, send: Send) -> Response | None:
        """Run what has to run, inline until it waits; None where the response was sent already.

        A function that may send something before its response runs in a task of its own: it goes on when the client
        leaves, as the handshake revisions want it.
        """
        exchange = pending.exchange
        if exchange is None:
            return await self._accompany(pending, receive, send)
        try:
            if pending.can_speak:
                listen = partial(self.endpoint.listen, pending)
                response, task = start_task(run_async(exchange, self._threads, listen))
                if task is not None:
                    return await self._answer_aloud(pending, task, receive, send)
            else:
                response, rest = start(run_async(exchange, self._threads))
                if rest is not None:
                    return await self._answer_silently(pending, rest, receive, send)
        except _Gone:
            raise
        except Exception as error:
            response = pending.refuse(internal_error(error, "The request"))
        if pending.is_listening:
            return await self._accompany(pending, receive, send)
        return self.endpoint.respond(pending, response)

    async def _answer_aloud(
        self, pending: PendingResponse, task: "asyncio.Task[bytes | None]", receive: Receive, send: Send
    ) -> Response | None:
        """Send what there is, as it comes, while a task runs what has to run."""
        self.endpoint.add_running(pending)
        self._tasks.add(task)
        task.add_done_callback(partial(self._finish, pending))
        try:
            return await self._accompany(pending, receive, send)
        finally:
            if pending.modern:
                task.cancel()  # R26-HTTP-16; it does nothing to one that is done

    def _finish(self, pending: PendingResponse, task: "asyncio.Task[bytes | None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            response = pending.refuse(internal_error(error, "The request"))
        else:
            response = None if task.cancelled() else task.result()
        self.endpoint.finish(pending, response)

    async def _answer_silently(
        self, pending: PendingResponse, rest: Rest, receive: Receive, send: Send
    ) -> Response | None:
        """Wait right here for a response before which nothing can be sent.

        Once it takes longer than a moment, a task looks after the client: it notices when the client leaves, and
        sends the response, for a function that is given up may go on.
        """
        self.endpoint.add_running(pending)
        loop, response = asyncio.get_running_loop(), None
        companions: list[asyncio.Task[None]] = []

        async def look_after_client() -> None:
            reply = await self._accompany(pending, receive, send)
            if reply is not None:
                await _send_whole(send, reply)

        def start_companion() -> None:
            companions.append(loop.create_task(look_after_client()))
            companions[0].add_done_callback(_retrieve)

        timer = loop.call_later(MOMENT, start_companion)
        try:
            response = await rest
        except Exception as error:
            response = pending.refuse(internal_error(error, "The request"))
        except BaseException:  # the server ends this request
            for companion in companions:
                companion.cancel()
            raise
        finally:
            timer.cancel()
            if companions:
                self.endpoint.finish(pending, response)
            else:
                self.endpoint.remove_running(pending)
        if companions:
            await companions[0]
            return None
        return self.endpoint.respond(pending, response)

    async def _accompany(self, pending: PendingResponse, receive: Receive, send: Send) -> Response | None:
        """Send what there is, as it comes, until the end or until the client leaves; or give what comes alone."""
        loop, wake, stream = asyncio.get_running_loop(), asyncio.Event(), pending.stream
        reader = stream.attach(partial(call_soon, loop, wake.set), pending.after)
        watch = loop.create_task(_watch_client(receive, wake))
        try:
            if await self._becomes_alone(pending, stream, wake, watch):
                return response_for(stream.answer, pending.modern)
            if pending.session is not None:
                pending.session.keep(stream)
            await self._send_events(reader, send, wake, watch)
            return None
        finally:
            watch.cancel()
            reader.leave()
            self.endpoint.leave(pending)

    async def _becomes_alone(
        self, pending: PendingResponse, stream: Stream, wake: asyncio.Event, watch: "asyncio.Task[None]"
    ) -> bool:
        """Wait until it is clear whether the response comes alone, so that it can be JSON with its own status."""
        patience = self.endpoint.settings.keep_alive_seconds
        while not pending.standing and not stream.speaks:
            if pending.is_alone:
                return True
            if stream.finished:
                break
            if watch.done():
                raise _Gone
            if not await _wait_for(wake, patience if pending.profile.events else None):
                break  # it takes long: proxies on the way should see that the request is being answered
        return False

    async def _send_events(
        self, reader: Reader, send: Send, wake: asyncio.Event, watch: "asyncio.Task[None]"
    ) -> None:
        """Send server-sent events until the end."""
        await _send(send, {"type": "http.response.start", "status": 200, "headers": list(rules.EVENT_STREAM)})
        chunk = reader.opening()
        while not watch.done():
            if chunk:
                await _send(send, {"type": "http.response.body", "body": chunk, "more_body": not reader.over})
            if reader.over:
                if not chunk:
                    await _send(send, {"type": "http.response.body", "body": b"", "more_body": False})
                return
            wake.clear()
            chunk = reader.take()
            if not chunk and not reader.over and not await _wait_for(wake, self.endpoint.settings.keep_alive_seconds):
                chunk = COMMENT


class _Gone(Exception):
    """The client hung up."""


class _Refused(Exception):
    """A request goes no further."""

    def __init__(self, response: Response) -> None:
        self.response = response


def _retrieve(task: "asyncio.Task[Any]") -> None:
    """Mark the exception of a task as seen: the loop need not log it where nothing waits for the task."""
    if not task.cancelled():
        task.exception()


async def _wait_for(wake: asyncio.Event, seconds: float | None) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return False
    wake.clear()
    return True


async def _watch_client(receive: Receive, wake: asyncio.Event) -> None:
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


async def _read_rest(body: bytes, receive: Receive, endpoint: Endpoint) -> bytes:
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
        raise _Refused(endpoint.preflight.too_slow()) from None
    if len(gathered) > settings.max_body:
        raise _Refused(endpoint.preflight.too_large())
    return bytes(gathered)


async def _send_whole(send: Send, response: Response) -> None:
    has_length = response.status != 204 and response.headers is not rules.EVENT_STREAM
    length = ((b"content-length", b"%d" % len(response.body)),) if has_length else ()
    try:
        await send(
            {"type": "http.response.start", "status": response.status, "headers": [*response.headers, *length]}
        )
        await send({"type": "http.response.body", "body": response.body})
    except OSError:  # what servers raise for a client that is gone
        pass


async def _send(send: Send, message: dict[str, Any]) -> None:
    try:
        await send(message)
    except OSError:  # as above
        raise _Gone from None
