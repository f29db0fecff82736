"""resources/subscribe, resources/unsubscribe and subscriptions/listen."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import msgspec

from ...errors import InsufficientScope, InvalidParams, InvalidRequest, ResourceNotFound, ToolError
from ...wire import jsonrpc
from ..core import Core
from ..exchange import FAILURES, Exchange, Listen
from ..failures import error_response
from ..interrupts import raise_interrupt
from ..plan import require_scopes, with_server_info
from ..request import Cancelled, Request
from ..session import not_offered

__all__ = ["Listening", "check_scopes", "listen", "subscribe", "unsubscribe"]

MAX_SUBSCRIPTIONS = 1_000
"""How many resources one session, or one listen request, may subscribe to: each change is compared with all."""
MAX_CHARACTERS = 2**17
"""How many characters their URIs may have together."""

_ID = "io.modelcontextprotocol/subscriptionId"


def subscribe(server: Core, request: Request) -> dict[str, Any]:
    """Notify this client when a resource changes (SUB-01)."""
    uri = request.params.get("uri", str)
    _check_readable(server, request, uri)
    if request.session is None:
        raise InvalidRequest("a subscription needs a connection that lasts")
    _require_changes(request)
    _check_number({*request.session.subscribed, uri})
    request.session.subscribed.add(uri)
    return {}


def check_scopes(server: Core, request: Request) -> None:
    """Refuse a request to subscribe to what its caller may not read; raises ResourceNotFound or InsufficientScope."""
    _check_readable(server, request, request.params.get("uri", str))


def _check_readable(server: Core, request: Request, uri: str) -> None:
    resource, variables = server.registry.resource(uri, request.principal)
    kwargs: dict[str, Any] = {}
    if callable(resource.requires):
        try:
            kwargs = resource.bind(variables)
        except ToolError:
            raise ResourceNotFound(uri) from None
    require_scopes(server, resource, request, kwargs)


def _require_changes(request: Request) -> None:
    """Refuse a request of a client that cannot be notified of changes; raises MethodNotFound."""
    if request.why_no_changes is not None:
        raise not_offered(request.method, request.why_no_changes)


def _check_number(uris: Collection[str]) -> None:
    """Refuse more subscriptions than one client may have; raises InvalidParams."""
    if len(uris) > MAX_SUBSCRIPTIONS or sum(map(len, uris)) > MAX_CHARACTERS:
        raise InvalidParams(
            f"too many subscriptions: at most {MAX_SUBSCRIPTIONS} resources, with {MAX_CHARACTERS} characters in all"
        )


def unsubscribe(server: Core, request: Request) -> dict[str, Any]:
    """Stop notifying this client of changes of a resource."""
    uri = request.params.get("uri", str)
    if request.session is not None:
        _require_changes(request)
        request.session.subscribed.discard(uri)
    return {}


class _Filter(msgspec.Struct, omit_defaults=True):
    """The changes that a listen request names."""

    toolsListChanged: bool = False
    promptsListChanged: bool = False
    resourcesListChanged: bool = False
    resourceSubscriptions: list[str] = []


class _Subscription:
    """The subscription of one listen request."""

    __slots__ = ("_can_read", "_filter", "_id")

    def __init__(self, id: Any, filter: _Filter, can_read: Callable[[str], bool]) -> None:
        self._id = id
        self._filter = filter
        self._can_read = can_read

    def includes(self, event: str, uri: str | None) -> bool:
        """Whether the client is notified of a change (SUB-02)."""
        match event:
            case "tools/list_changed":
                return self._filter.toolsListChanged
            case "prompts/list_changed":
                return self._filter.promptsListChanged
            case "resources/list_changed":
                return self._filter.resourcesListChanged
        if uri is None or not any(_covers(one, uri) for one in self._filter.resourceSubscriptions):
            return False
        return uri in self._filter.resourceSubscriptions or self._can_read(uri)

    def message(self, event: str, uri: str | None) -> bytes:
        """The notification of a change, with the id of the listen request (META-09)."""
        params: dict[str, Any] = {} if uri is None else {"uri": uri}
        return jsonrpc.encode_notification(f"notifications/{event}", {**params, "_meta": {_ID: self._id}})


def _readable_of(server: Core, request: Request, uris: list[str]) -> list[str]:
    """The URIs of resources that exist for the caller; raises InsufficientScope with the scopes that all require."""
    readable: list[str] = []
    scopes: dict[str, None] = {}
    for uri in uris:
        try:
            _check_readable(server, request, uri)
        except ResourceNotFound:
            continue
        except InsufficientScope as error:
            scopes |= dict.fromkeys(error.scopes)
        readable.append(uri)
    if scopes:
        raise InsufficientScope(tuple(scopes), is_anonymous=request.principal is None)
    return readable


def _can_read(server: Core, request: Request, uri: str) -> bool:
    """Whether a caller may know of a resource below one that it subscribed to, or of a URI without a resource."""
    if not server.registry.has_resource(uri):
        return True
    try:
        _check_readable(server, request, uri)
    except FAILURES as error:  # also of a function of the author: then it is not known that the caller may
        raise_interrupt(error)
        return False
    return True


def _covers(subscribed: str, uri: str) -> bool:
    """Whether a subscription to a resource covers a URI: its own, or one below it."""
    return uri == subscribed or uri.startswith(subscribed.rstrip("/") + "/")


def listen(server: Core, request: Request) -> Exchange:
    """Stay open and notify of changes; the first message lists which ones (SUB-03, SUB-04)."""
    filter = request.params.get("notifications", _Filter)
    _check_number(filter.resourceSubscriptions)
    filter.resourceSubscriptions = _readable_of(server, request, filter.resourceSubscriptions)
    id = msgspec.json.decode(request.id)
    acknowledgement = {"notifications": filter, "_meta": {_ID: id}}
    first = jsonrpc.encode_notification("notifications/subscriptions/acknowledged", acknowledgement)
    result = with_server_info({"_meta": {_ID: id}}, server, request.revision)
    if request.link is not None:
        request.link.start(bytes(request.id))
    step = Listen(first, _Subscription(id, filter, partial(_can_read, server, request)), request.link)
    return Listening(step=step, request=request, result=result)


class Listening(Exchange, kw_only=True):
    """A response that stays open; a value that is passed back ends it with its result (SUB-05)."""

    request: Request
    result: dict[str, Any]

    def send(self, value: Any) -> None:
        """End it with its result, because the server shuts down."""
        self._close(jsonrpc.encode_result(self.request.id, self.result))

    def throw(self, error: BaseException) -> None:
        """End it with an error, or without a response if the client cancelled it."""
        request = self.request
        is_ended = issubclass(type(error), Cancelled)
        self._close(None if is_ended else error_response(error, request.revision, request.id))

    def _close(self, response: bytes | None) -> None:
        self.step = None
        if self.request.link is None or self.request.link.finish():
            self.response = response
