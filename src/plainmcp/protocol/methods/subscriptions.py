"""resources/subscribe, resources/unsubscribe and subscriptions/listen."""

from typing import Any

import msgspec

from ...errors import InvalidRequest, ResourceNotFound
from ...wire import jsonrpc
from ..request import Request
from ..steps import Stay
from . import shared
from .shared import Steps

__all__ = ["Subscription", "listen", "subscribe", "unsubscribe"]

_ID = "io.modelcontextprotocol/subscriptionId"


def subscribe(server: Any, request: Request) -> dict[str, Any]:
    """Tell this client when a resource changes (SUB-01)."""
    uri = request.params.get("uri", str)
    server.registry.resource(uri, request.principal)
    if request.session is None:
        raise InvalidRequest("a subscription needs a connection that lasts")
    request.session.subscribed.add(uri)
    return {}


def unsubscribe(server: Any, request: Request) -> dict[str, Any]:
    """No longer."""
    uri = request.params.get("uri", str)
    if request.session is not None:
        request.session.subscribed.discard(uri)
    return {}


class _Wanted(msgspec.Struct, omit_defaults=True):
    """The filter of a listen request."""

    toolsListChanged: bool = False
    promptsListChanged: bool = False
    resourcesListChanged: bool = False
    resourceSubscriptions: list[str] = []


class Subscription:
    """What one listen stream asked to hear."""

    __slots__ = ("_id", "_wanted")

    def __init__(self, id: Any, wanted: _Wanted) -> None:
        self._id = id
        self._wanted = wanted

    def hears(self, event: str, uri: str | None) -> bool:
        """Whether an event is for this stream (SUB-02)."""
        match event:
            case "tools/list_changed":
                return self._wanted.toolsListChanged
            case "prompts/list_changed":
                return self._wanted.promptsListChanged
            case "resources/list_changed":
                return self._wanted.resourcesListChanged
        return uri is not None and any(_covers(one, uri) for one in self._wanted.resourceSubscriptions)

    def message(self, event: str, uri: str | None) -> bytes:
        """The notification of an event, tagged with whose it is (META-09)."""
        params: dict[str, Any] = {} if uri is None else {"uri": uri}
        return jsonrpc.notification(f"notifications/{event}", {**params, "_meta": {_ID: self._id}})


def _readable(server: Any, request: Request, uri: str) -> bool:
    try:
        server.registry.resource(uri, request.principal)
    except ResourceNotFound:
        return False
    return True


def _covers(subscribed: str, uri: str) -> bool:
    """A subscription to a resource covers what lies below it."""
    return uri == subscribed or uri.startswith(subscribed.rstrip("/") + "/")


def listen(server: Any, request: Request) -> Steps:
    """Stay open and tell of changes; the first message says which will be told (SUB-03, SUB-04)."""
    wanted = request.params.get("notifications", _Wanted)
    wanted.resourceSubscriptions = [uri for uri in wanted.resourceSubscriptions if _readable(server, request, uri)]
    id = msgspec.json.decode(request.id)
    subscription = Subscription(id, wanted)
    meta = {_ID: id}
    acknowledged = {"notifications": wanted, "_meta": meta}
    first = jsonrpc.notification("notifications/subscriptions/acknowledged", acknowledged)
    yield Stay(first, subscription, request.link)
    return shared.stamped({"_meta": meta}, server, request)
