"""The ASGI application: passes requests to the endpoint, and sends its responses and streams to the client.

It needs no framework and no lifespan. Knows the event loop and ASGI, but no rule of MCP.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, MutableMapping
from functools import partial
from typing import Any

from ..errors import ProtocolError
from ..limits.shares import OwnShare, caller_of
from ..protocol.core import Core
from ..protocol.failures import describe, internal_error, log_exception
from .asgi_body import BodyTooLarge, BodyTooSlow, ClientGone, TooMuchArrives, read_body
from .host_server import HostServer
from .http.challenges import PLAIN, Challenges
from .http.checks import Preflight
from .http.cors import Pairs, with_cors
from .http.headers import Headers
from .http.new_endpoint import make_endpoint
from .http.pending import PendingResponse, Phase
from .http.refusals import refuse_by
from .http.response import EVENT_STREAM, Refused, Response, without_body
from .http.settings import Settings
from .http.stream import COMMENT, Reader, Stream
from .run_async import advance, call_soon, run_async, start, start_task

__all__ = ["ASGIApp", "IdentifyAsync", "Settings", "reached_at"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

IdentifyAsync = Callable[[Any, Headers], Awaitable[Any]]
"""Returns the caller of a request, by its scope and its headers; raises Refused."""

_log = logging.getLogger("plainmcp")
LARGE = 2**16
"""How many bytes of a response may wait in a socket without being counted."""
MOMENT = 0.05
"""After how many seconds a call starts to watch whether its client is still connected."""


class ASGIApp:
    """A server as an ASGI application; it answers at any path at which it is mounted.

    `identify` returns who is calling: any value. The values for one user must compare equal, because a session
    belongs to the user who opened it. `challenges` are the answers to callers who may not pass.
    """

    def __init__(
        self,
        core: Core,
        settings: Settings | None = None,
        *,
        identify: IdentifyAsync | None = None,
        challenges: Challenges = PLAIN,
    ) -> None:
        self.endpoint = make_endpoint(core, settings or Settings(), challenges)
        self._identify = identify
        self._host = HostServer(self)
        self._is_ready = False
        self._tasks: set[asyncio.Task[bytes | None]] = set()  # a loop alone does not keep its tasks alive

    def drain(self) -> None:
        """End every stream that stays open, with its result where it has one; running requests go on.

        A server that shuts down waits for its responses, so call this first. It may be called from any thread, but
        not from a signal handler.
        """
        self.endpoint.responses.drain()

    def give_up(self) -> int:
        """Answer every request that still runs with an error and cancel it; returns their number. From any thread."""
        return self.endpoint.responses.give_up()

    def close(self) -> None:
        """End every stream that stays open, every request that runs and every session. From any thread."""
        self.endpoint.close()

    async def end(self) -> None:
        """End everything, the lifespan too. Another server may start it again."""
        self.close()
        self._host.forget()
        for life in self.endpoint.core.lives():
            await life.close_async()
        self.endpoint.responses.draining = self._is_ready = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the lifespan of the server."""
        if scope["type"] != "http":
            return await self._handle_other(scope, receive, send)
        endpoint, method, pairs, client = self.endpoint, scope["method"], scope["headers"], scope.get("client")
        server = scope.get("server")  # as in reached_at, without a call
        pairs = pairs if type(pairs) is list else list(pairs)
        headers = Headers(pairs, client[0] if client else None, scope)
        response: Response | None
        answer: Response | PendingResponse | None = None
        try:
            facts = endpoint.preflight.check(
                method, headers, server[0] if server else None, scope.get("scheme", "http")
            )
            if type(facts) is Response:
                raise Refused(await self._refuse(facts, scope, headers))
            if facts.cors:
                send = _with_headers(send, facts.cors)
            if not self._is_ready:
                await self._get_ready(scope)
            principal = None if self._identify is None else await self._identify(scope, headers)
            message, rest = start(receive())
            body: bytes | None = None if rest is not None else _whole_body_of(message, endpoint.settings.max_body)
            if body is None:
                body = await self._read_rest(receive, message, rest, caller_of(principal, None, headers.address))
            answer = endpoint.receive(method, headers, facts, body, principal)
            response = answer if type(answer) is Response else await self._answer(answer, receive, send)
        except Refused as refused:
            response = refused.response
        except ClientGone:
            return
        if response is not None:
            await self._send_whole(send, response, answer)

    async def _get_ready(self, scope: Scope) -> None:
        """Start what has to be started before the first request: there may have been no lifespan."""
        if not self.endpoint.sessions.is_started:
            await asyncio.to_thread(self.endpoint.start)
        self._host.follow(is_alone="app" not in scope)
        self._is_ready = True

    async def admit(self, scope: Scope, preflight: Preflight) -> Any:
        """Who sends a request to a path beside the endpoint, by checks as those of the endpoint; raises Refused."""
        client = scope.get("client")
        headers = Headers(list(scope["headers"]), client[0] if client else None, scope)
        facts = preflight.check(scope["method"], headers, *reached_at(scope))
        if isinstance(facts, Response):
            raise Refused(await self._refuse(facts, scope, headers))
        return None if self._identify is None else await self._identify(scope, headers)

    async def _refuse(self, refusal: Response, scope: Scope, headers: Headers) -> Response:
        """The response to a request that is refused by its headers; callers who may not pass learn nothing of it."""
        if self._identify is None or refusal.status in (204, 403):
            return refusal
        try:
            await self._identify(scope, headers)
        except Refused as refused:
            response = with_cors(refused.response, self.endpoint.preflight.cors_of(headers))
            return without_body(response) if scope["method"] == "HEAD" else response
        return refusal

    async def _read_rest(self, receive: Receive, message: Any, rest: Any, caller: Hashable) -> bytes:
        """A body that is not there at once, or not in one message; raises Refused or ClientGone."""
        arriving = OwnShare(self.endpoint.arriving, caller)
        try:
            return await read_body(receive, self.endpoint.settings, message, rest, arriving)
        except TooMuchArrives as error:
            raise Refused(refuse_by(error.limit)) from None
        except BodyTooLarge:
            raise Refused(self.endpoint.preflight.refuse_large_body()) from None
        except BodyTooSlow:
            raise Refused(self.endpoint.preflight.refuse_slow_body()) from None

    async def _send_whole(self, send: Send, response: Response, answer: Response | PendingResponse | None) -> None:
        """Send a response; the bytes of a large one count as unread until the client has taken them."""
        size, unread = len(response.body), None
        has_length = response.status != 204 and response.headers is not EVENT_STREAM
        length = ((b"content-length", b"%d" % size),) if has_length else ()
        if size > LARGE:
            caller = answer.caller if isinstance(answer, PendingResponse) else None
            unread = OwnShare(self.endpoint.responses.unread, caller)
            unread.add(size)
        try:
            await send(
                {"type": "http.response.start", "status": response.status, "headers": [*response.headers, *length]}
            )
            await send({"type": "http.response.body", "body": response.body})
        except OSError:  # servers raise it when the client has disconnected
            pass
        finally:
            if unread is not None:
                unread.add(-size)

    async def _handle_other(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._run_lifespan(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})

    async def _run_lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        core = self.endpoint.core
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.endpoint.responses.draining = False  # an application can be started several times
                await asyncio.to_thread(self.endpoint.start)
                self._host.follow(is_alone="app" not in scope)
                try:
                    for life in core.lives():
                        await life.start_async()
                except Exception as error:
                    log_exception(error, "the lifespan of the server failed at its start")
                    await send({"type": "lifespan.startup.failed", "message": describe(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.end()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _describe_failure(self, error: BaseException) -> ProtocolError:
        return internal_error(error, "The request", self.endpoint.core.mask_errors)

    # Pending responses ----------------------------------------------------------------------------

    async def _answer(self, pending: PendingResponse, receive: Receive, send: Send) -> Response | None:
        """Run the exchange, inline until it waits; returns None if the response was sent already.

        A function that may send something before its response runs in its own task. In the handshake revisions it
        must go on after the client disconnects.
        """
        exchange, pending.exchange = pending.exchange, None
        if exchange is None:
            return await self._send_messages(pending, receive, send)
        try:
            if pending.can_speak:
                listen = partial(self.endpoint.listen, pending)
                response, task = start_task(run_async(exchange, pending, listen))
                if task is not None:
                    return await self._answer_in_task(pending, task, receive, send)
            else:
                waiting = advance(exchange, pending)
                if waiting is not None:
                    rest = run_async(exchange, pending, waiting=waiting)
                    return await self._answer_here(pending, rest, receive, send)
                response = exchange.response
        except ClientGone:
            raise
        except Exception as error:
            response = pending.refuse(self._describe_failure(error))
        if pending.listening is not None:
            return await self._send_messages(pending, receive, send)
        return pending.respond(response)

    async def _answer_in_task(
        self, pending: PendingResponse, task: "asyncio.Task[bytes | None]", receive: Receive, send: Send
    ) -> Response | None:
        """Send messages as they come, while a task runs the exchange."""
        self.endpoint.responses.add_running(pending)
        self._tasks.add(task)
        task.add_done_callback(partial(self._finish, pending))
        try:
            return await self._send_messages(pending, receive, send)
        finally:
            if pending.modern:
                task.cancel()  # R26-HTTP-16; without effect on a finished task

    def _finish(self, pending: PendingResponse, task: "asyncio.Task[bytes | None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            response = pending.refuse(self._describe_failure(error))
        else:
            response = None if task.cancelled() else task.result()
        self.endpoint.responses.finish(pending, response)

    async def _answer_here(
        self, pending: PendingResponse, rest: Awaitable[bytes | None], receive: Receive, send: Send
    ) -> Response | None:
        """Wait in this task for a response before which nothing is sent.

        If it takes longer than MOMENT, another task watches the client. It notices when the client disconnects, and
        sends the response: the function may still run after the request was given up.
        """
        self.endpoint.responses.add_running(pending)
        loop, response = asyncio.get_running_loop(), None
        watchers: list[asyncio.Task[None]] = []

        async def watch_and_send() -> None:
            reply = await self._send_messages(pending, receive, send)
            if reply is not None:
                await self._send_whole(send, reply, pending)

        def start_watching() -> None:
            watchers.append(loop.create_task(watch_and_send()))
            watchers[0].add_done_callback(_retrieve)

        timer = loop.call_later(MOMENT, start_watching)
        try:
            response = await rest
        except Exception as error:
            response = pending.refuse(self._describe_failure(error))
        except BaseException:  # the server ends this request
            pending.is_left = True  # a watcher that has not started yet does not notice
            for watcher in watchers:
                watcher.cancel()
            raise
        finally:
            timer.cancel()
            if watchers:
                self.endpoint.responses.finish(pending, response)
            else:
                self.endpoint.responses.remove_running(pending)
        if watchers:
            try:
                await watchers[0]
            finally:
                self.endpoint.responses.remove_running(pending)
            return None
        return pending.respond(response)

    async def _send_messages(self, pending: PendingResponse, receive: Receive, send: Send) -> Response | None:
        """Send messages as they come, until the end or until the client disconnects.

        If there is nothing to send but the response, returns it, so that it can be sent as JSON.
        """
        loop, wake, stream = asyncio.get_running_loop(), asyncio.Event(), pending.stream
        reader = stream.attach(partial(call_soon, loop, wake.set), pending.after)
        watch = loop.create_task(_watch_client(receive, wake))
        try:
            if await self._is_only_response(pending, stream, wake, watch):
                return pending.to_response(stream.answer)
            pending.keep_stream()
            await self._send_events(pending, reader, send, wake, watch)
            return None
        finally:
            watch.cancel()
            reader.leave()
            self.endpoint.responses.leave(pending)

    async def _is_only_response(
        self, pending: PendingResponse, stream: Stream, wake: asyncio.Event, watch: "asyncio.Task[None]"
    ) -> bool:
        """Wait until it is clear whether anything comes before the response; if nothing does, it can be JSON."""
        keep_alive = self.endpoint.settings.keep_alive_seconds
        while pending.phase is not Phase.STANDING and not stream.speaks:
            if pending.is_alone:
                return True
            if stream.finished:
                break
            if watch.done():
                raise ClientGone
            if not await _wait_for(wake, keep_alive if pending.facts.events else None):
                break  # it takes long: proxies should see that the request is being answered
        return False

    async def _send_events(
        self, pending: PendingResponse, reader: Reader, send: Send, wake: asyncio.Event, watch: "asyncio.Task[None]"
    ) -> None:
        """Send server-sent events until the end."""
        endpoint = self.endpoint
        await _send(send, {"type": "http.response.start", "status": 200, "headers": list(EVENT_STREAM)})
        chunk = reader.opening()
        while not watch.done():
            if chunk:
                await _send(send, {"type": "http.response.body", "body": chunk, "more_body": not reader.over})
            if reader.over:
                if not chunk:
                    await _send(send, {"type": "http.response.body", "body": b"", "more_body": False})
                return
            wake.clear()
            endpoint.responses.end_if_expired(pending, reader)
            chunk = reader.take()
            if not chunk and not reader.over and not await _wait_for(wake, endpoint.responses.wait_seconds(pending)):
                chunk = COMMENT


def reached_at(scope: Scope) -> tuple[str | None, str]:
    """The address of the server by which a request reached it, if that is known, and the scheme."""
    server = scope.get("server")
    return server[0] if server else None, scope.get("scheme", "http")


def _whole_body_of(message: MutableMapping[str, Any], limit: int) -> bytes | None:
    """The body in the first message of a request; None if it is not whole, or over the limit."""
    if message["type"] != "http.request" or message.get("more_body"):
        return None
    body: bytes = message.get("body", b"")
    return body if len(body) <= limit else None


def _retrieve(task: "asyncio.Task[Any]") -> None:
    """Mark the exception of a task as retrieved, so that the loop does not log it."""
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
    """Wait until the client disconnects, then set `wake`."""
    try:
        while (await receive())["type"] != "http.disconnect":
            await asyncio.sleep(MOMENT)  # so that a server whose receive() never waits does not keep the loop busy
    except OSError:
        pass
    except Exception as error:
        _log.debug("cannot see whether the client is still connected: %r", error)
        await asyncio.Event().wait()
    wake.set()


def _with_headers(send: Send, pairs: Pairs) -> Send:
    """What sends messages, and adds headers to the response."""

    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *pairs]}
        await send(message)

    return send_with_headers


async def _send(send: Send, message: dict[str, Any]) -> None:
    try:
        await send(message)
    except OSError:  # as in _send_whole
        raise ClientGone from None
