"""The route for previews: runs a tool once, and answers with its result for every revision and policy.

It takes the parameters of `tools/call`, and is guarded like the endpoint: by Host, Origin and who is calling. It
exists on loopback only, and for the page of the server alone, because it answers with more than a client can see.
"""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import msgspec

from ..client import ClientMessages, RpcError, read_result, to_error
from ..errors import ProtocolError
from ..preview.calls import CallPreview, copies_of, in_order, policies_of, read_preview
from ..protocol.core import Core
from ..protocol.dispatch import dispatch
from ..protocol.dispatch import receive as receive_message
from ..protocol.failures import error_response, log_incident
from ..protocol.request import Caller
from ..revisions import LATEST, REVISIONS, Revision
from ..transports.asgi import ASGIApp, reached_at
from ..transports.asgi_body import BodyTooLarge, BodyTooSlow, ClientGone, read_body
from ..transports.http.checks import Preflight
from ..transports.http.path import send_whole
from ..transports.http.response import JSON, Refused, Response
from ..transports.http.security import is_loopback
from ..transports.run_async import run_async
from ..transports.threads import threads_of

__all__ = ["MAX_RUNNING", "PREVIEW", "PreviewRoute", "preview_async"]

PREVIEW = "/ui/preview"
"""The path of the route."""
MAX_RUNNING = 8
"""How many previews may run at the same time."""

_CAPABILITIES: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}


class CallParams(msgspec.Struct, frozen=True):
    """The parameters of a call, as in `tools/call`; answers to questions come with the state of the call."""

    name: str
    arguments: dict[str, Any] = {}
    inputResponses: dict[str, Any] | None = None
    requestState: str | None = None


class PreviewRoute:
    """An ASGI application at the path of the route; `app` knows who is calling, and `preflight` from which page."""

    def __init__(self, app: ASGIApp, core: Core, preflight: Preflight) -> None:
        self._app = app
        self._core = core
        self._preflight = preflight
        self._running = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        try:
            response = await self._answer(scope, receive)
        except Refused as refused:
            response = refused.response
        except ClientGone:
            return
        headers = [*response.headers, (b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
        await send_whole(send, response.status, headers, response.body)

    async def _answer(self, scope: Any, receive: Any) -> Response:
        principal = await self._admit(scope)
        body = await self._read(receive)
        try:
            params = msgspec.json.decode(body, type=CallParams)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            return _refuse(400, f"the body is the parameters of tools/call: {error}")
        if self._running >= MAX_RUNNING:
            return _refuse(503, "too many previews are running")
        self._running += 1
        try:
            previews = await _until_gone(preview_async(self._core, params, principal), receive)
        except ProtocolError as error:
            return Response(200, error_response(error, LATEST), JSON)
        except ClientGone:
            raise
        except Exception as error:
            return _refuse(500, log_incident(f"The preview of {params.name}", error, self._core.mask_errors))
        finally:
            self._running -= 1
        results = [{**each.to_dict(), "json": each.raw.decode()} for each in previews]
        return Response(200, msgspec.json.encode({"results": results}), JSON)

    async def _admit(self, scope: Any) -> Any:
        """Who is calling, after the checks of the endpoint; raises Refused."""
        if not is_loopback(reached_at(scope)[0]):
            raise Refused(_refuse(404, "previews exist on loopback only"))
        principal = await self._app.admit(scope, self._preflight)
        if scope["method"] != "POST":
            raise Refused(_refuse(405, "a preview is a POST", (b"allow", b"POST")))
        return principal

    async def _read(self, receive: Any) -> bytes:
        try:
            return await read_body(receive, self._preflight.settings)
        except BodyTooLarge:
            raise Refused(self._preflight.refuse_large_body()) from None
        except BodyTooSlow:
            raise Refused(self._preflight.refuse_slow_body()) from None


async def preview_async(core: Core, params: CallParams, principal: Any) -> list[CallPreview]:
    """A preview of a call for each policy and revision; raises ProtocolError if it cannot be called."""
    policies = policies_of(core.registry.tools.get(params.name, principal), every=True)
    revisions, previews = list(REVISIONS.values()), list[CallPreview]()
    with _quiet_after_first(previews):
        for name, copy, revision in copies_of(core, params.name, policies, revisions, principal):
            if previews:
                copy.dispatch = dispatch  # the tool runs once, so that observers see one call
            exchange = receive_message(copy, _message_of(params, revision), Caller(None, principal, revision))
            raw = await run_async(exchange, threads_of(core)) or b"{}"
            previews.append(_read_row(name, revision, raw))
    return in_order(previews, policies, revisions)


def _read_row(policy: str, revision: Revision, raw: bytes) -> CallPreview:
    try:
        return read_preview(policy, revision.name, read_result(raw), len(raw))
    except RpcError as error:
        raise to_error(error, revision) from None


_current: ContextVar[list[CallPreview] | None] = ContextVar("_current", default=None)


@contextmanager
def _quiet_after_first(previews: list[CallPreview]) -> Generator[None, None, None]:
    """Log failures of the first row only: the others are about policies that the author did not choose."""
    log, token = logging.getLogger("plainmcp"), _current.set(previews)

    def is_wanted(record: logging.LogRecord) -> bool:
        return _current.get() is not previews or not previews

    log.addFilter(is_wanted)
    try:
        yield
    finally:
        log.removeFilter(is_wanted)
        _current.reset(token)


def _message_of(params: CallParams, revision: Revision) -> dict[str, Any]:
    """The request on a revision; only those without a handshake have answers in a request."""
    fields: dict[str, Any] = {"name": params.name, "arguments": params.arguments}
    if not revision.handshake:
        answers = {"inputResponses": params.inputResponses, "requestState": params.requestState}
        fields |= {name: value for name, value in answers.items() if value is not None}
    return ClientMessages(revision, _CAPABILITIES).build_request("tools/call", fields)


async def _until_gone(preview: Any, receive: Any) -> Any:
    """The value of a coroutine, which is cancelled when the client disconnects; then it raises ClientGone."""
    task, gone = asyncio.ensure_future(preview), asyncio.ensure_future(_wait_for_end(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return await task
    finally:
        task.cancel()
        gone.cancel()


async def _wait_for_end(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _refuse(status: int, text: str, *headers: tuple[bytes, bytes]) -> Response:
    return Response(status, msgspec.json.encode({"error": {"message": text}}), (*JSON, *headers))
