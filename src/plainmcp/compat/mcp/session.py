"""The session of the official SDK, for handlers that use it instead of the context.

A session is one object as long as the client is connected, so that a program may keep data on it, or use it as a key.
What it sends goes by the request that is being answered: the context of the handler that is running, or, where none
runs, that of the last request.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ... import context
from ...errors import ToolError
from ...protocol.request import PeerError
from ...questions import ElicitUrl
from .exceptions import McpError
from .loaded_types import joined_error, to_loaded
from .raw_form import RawForm
from .sampling import check_messages
from .types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    ClientCapabilities,
    CreateMessageResult,
    ElicitResult,
    EmptyResult,
    Implementation,
    ListRootsResult,
)
from .wire_model import to_wire

__all__ = ["ClientParams", "ServerSession"]


class ClientParams:
    """What the client sent about itself: `clientInfo`, `capabilities` and `protocolVersion`."""

    def __init__(self, ctx: context.Context[Any]) -> None:
        self.protocolVersion = self.protocol_version = ctx.revision
        self.capabilities = to_loaded(ClientCapabilities(**ctx.capabilities))
        info = Implementation(name=ctx.client_name or "", version=ctx.client_version or "")
        self.clientInfo = self.client_info = info


class ServerSession:
    """The session of one client, as far as the request that is being answered can use it."""

    def __init__(self, ctx: Any, current: Callable[[], Any]) -> None:
        self._latest, self._current, self._state = ctx, current, ctx._own_state

    @property
    def _ctx(self) -> Any:
        """The context of the request that is being answered."""
        current = self._current()
        return current if current is not None and current._own_state is self._state else self._latest

    @property
    def _base(self) -> Any:
        """The context with plainmcp's own methods, not those that the facade renames."""
        ctx = self._ctx
        return super(type(ctx), ctx)

    @property
    def context(self) -> Any:
        """The context of the request."""
        return self._ctx

    @property
    def client_params(self) -> ClientParams:
        """What the client sent about itself."""
        return ClientParams(self._ctx)

    @property
    def client_capabilities(self) -> ClientCapabilities:
        """The capabilities that the client declares."""
        return to_loaded(ClientCapabilities(**self._ctx.capabilities))  # type: ignore[no-any-return]

    @property
    def protocol_version(self) -> str:
        """The name of the protocol revision of the request."""
        return self._ctx.revision  # type: ignore[no-any-return]

    def check_client_capability(self, capability: Any) -> bool:
        """Whether the client declares capabilities."""
        return not context.lacking(to_wire(capability), self._ctx.capabilities)

    # Sending --------------------------------------------------------------------------------------

    def send_log_message(self, level: str, data: Any, logger: str | None = None, **options: Any) -> Any:
        """Send a log message, if the client wants messages of this level."""
        return self._base.log(level, data, logger)

    def send_progress_notification(
        self,
        progress_token: Any,
        progress: float,
        total: float | None = None,
        message: str | None = None,
        **options: Any,
    ) -> Any:
        """Report progress of the request; its own token is used."""
        return self._ctx.progress(progress, total, message)

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> Any:
        """Report progress of the request, if the client asked for it."""
        return self._ctx.progress(progress, total, message)

    def send_resource_updated(self, uri: object) -> Any:
        """Notify the client that a resource changed; without a session, those that subscribed to it."""
        if not self._ctx._request.revision.handshake:
            return self._ctx.resource_updated(str(uri))
        self._ctx._notify("notifications/resources/updated", {"uri": str(uri)})
        return self._ctx.then(_DONE, lambda _: None)

    def send_tool_list_changed(self) -> Any:
        """Notify the clients that the list of tools changed."""
        return self._publish("tools/list_changed")

    def send_resource_list_changed(self) -> Any:
        """Notify the clients that the list of resources changed."""
        return self._publish("resources/list_changed")

    def send_prompt_list_changed(self) -> Any:
        """Notify the clients that the list of prompts changed."""
        return self._publish("prompts/list_changed")

    def send_notification(self, notification: Any, related_request_id: Any = None) -> Any:
        """Send a notification of `mcp.types`: a change of a list to all clients, any other to this one."""
        wire = to_wire(getattr(notification, "root", notification))
        event = wire["method"].removeprefix("notifications/")
        if event.endswith("/list_changed") and self._ctx._request.revision.handshake:
            return self._publish(event)
        self._ctx._notify(wire["method"], wire.get("params") or {})
        return self._ctx.then(_DONE, lambda _: None)

    def _publish(self, event: str) -> Any:
        self._ctx._server.registry.publish(event)
        return self._ctx.then(_DONE, lambda _: None)

    # Asking ---------------------------------------------------------------------------------------

    def create_message(self, messages: Any, *, max_tokens: int, **options: Any) -> Any:
        """Ask the client's model to continue; returns CreateMessageResult."""
        wire = {_SAMPLING[name]: to_wire(value) for name, value in options.items() if name in _SAMPLING}
        set_options = {name: value for name, value in wire.items() if value is not None}
        plain = [to_wire(one) for one in messages]
        if {"tools", "toolChoice"} & set_options.keys() and context.lacking(_WITH_TOOLS, self._ctx.capabilities):
            raise _error(INVALID_PARAMS, "Client does not support sampling tools capability")
        check_messages(plain)
        ask = partial(self._base.sample, plain, max_tokens=max_tokens, **set_options)
        return self._ask("sampling", ask, _read_message)

    def elicit(
        self,
        message: str,
        requestedSchema: dict[str, Any] | None = None,
        *,
        requested_schema: dict[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        """Ask the user to fill in a form; returns ElicitResult."""
        schema = requested_schema if requestedSchema is None else requestedSchema
        question = RawForm(message=message, schema=schema or {})
        return self._ask("elicitation", partial(self._ctx._ask_one, "elicit", None, question), _read_elicitation)

    elicit_form = elicit

    def elicit_url(self, message: str, url: str, elicitation_id: str | None = None, **options: Any) -> Any:
        """Ask the user to visit a web page; returns ElicitResult."""
        question = ElicitUrl(message=message, url=url, id=elicitation_id)
        return self._ask("elicitation", partial(self._ctx._ask_one, "elicit", None, question), _read_elicitation)

    def send_elicit_complete(self, elicitation_id: str, related_request_id: Any = None) -> Any:
        """Notify the client that the user has done what a web page asked for."""
        self._ctx._notify("notifications/elicitation/complete", {"elicitationId": elicitation_id})
        return self._ctx.then(_DONE, lambda _: None)

    def list_roots(self) -> Any:
        """Ask for the folders that the server may use; returns ListRootsResult."""
        return self._ask("roots", self._ctx.roots, _read_roots)

    def send_ping(self) -> Any:
        """Ask the client for a sign of life; returns EmptyResult."""
        link = self._ctx._link()
        ask = link.ask_async if self._ctx._is_async else link.ask
        return self._ask(None, partial(ask, "ping", {}), _read_nothing)

    def _ask(self, capability: str | None, start: Callable[[], Any], read: Callable[[Any], Any]) -> Any:
        """What a function makes of the answer to a question; raises McpError if there is none."""
        is_missing = capability is not None and capability not in self._ctx.capabilities
        if is_missing and self._ctx._request.revision.handshake:
            raise _error(INVALID_REQUEST, _NOT_SUPPORTED[capability or ""])
        if self._ctx._is_async:
            return _ask_async(start, read)
        try:
            return read(start())
        except (ToolError, PeerError) as error:
            raise _to_error(error) from error


_DONE = context._DONE
_WITH_TOOLS: dict[str, Any] = {"sampling": {"tools": {}}}
_NOT_SUPPORTED = {
    "sampling": "Sampling not supported",
    "elicitation": "Elicitation not supported",
    "roots": "List roots not supported",
}
"""What a client of the SDK answers to a question that it did not announce; here the question is not sent."""
_SAMPLING = {
    "system_prompt": "systemPrompt",
    "include_context": "includeContext",
    "temperature": "temperature",
    "stop_sequences": "stopSequences",
    "metadata": "metadata",
    "model_preferences": "modelPreferences",
    "tools": "tools",
    "tool_choice": "toolChoice",
}


def _read_message(answer: dict[str, Any]) -> CreateMessageResult:
    return to_loaded(CreateMessageResult(**answer))  # type: ignore[no-any-return]


def _read_elicitation(answer: Any) -> ElicitResult:
    return to_loaded(ElicitResult(action=answer.action, content=to_wire(answer.data)))  # type: ignore[no-any-return]


def _read_nothing(answer: Any) -> EmptyResult:
    return to_loaded(EmptyResult())  # type: ignore[no-any-return]


async def _ask_async(start: Callable[[], Any], read: Callable[[Any], Any]) -> Any:
    try:
        return read(await start())
    except (ToolError, PeerError) as error:
        raise _to_error(error) from error


def _to_error(error: Exception) -> McpError:
    """The exception for a question without an answer: the error of the client, if it has sent one."""
    peer = error if isinstance(error, PeerError) else error.__cause__
    if not isinstance(peer, PeerError):
        return _error(INVALID_REQUEST, str(error))
    return _error(INVALID_REQUEST if peer.code is None else peer.code, str(peer), peer.data)


def _error(*arguments: Any) -> McpError:
    return joined_error(McpError)(*arguments)  # type: ignore[no-any-return]


def _read_roots(roots: Any) -> ListRootsResult:
    return to_loaded(ListRootsResult(roots=[to_wire(root) for root in roots]))  # type: ignore[no-any-return]
