"""Every method there is, by name: the story of each is told in its own room, top to bottom."""

from collections.abc import Callable
from typing import Any

from . import completion, lifecycle, prompts, resources, subscriptions, tools

__all__ = ["METHODS"]

METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "completion/complete": completion.complete,
    "initialize": lifecycle.initialize,
    "logging/setLevel": lifecycle.set_level,
    "ping": lifecycle.ping,
    "prompts/get": prompts.get,
    "prompts/list": prompts.list_,
    "resources/list": resources.list_,
    "resources/read": resources.read,
    "resources/subscribe": subscriptions.subscribe,
    "resources/templates/list": resources.list_templates,
    "resources/unsubscribe": subscriptions.unsubscribe,
    "server/discover": lifecycle.discover,
    "subscriptions/listen": subscriptions.listen,
    "tools/call": tools.call,
    "tools/list": tools.list_,
}
"""What answers each method, given the server and the request: a response, the result it is to carry, or steps that
end in one of these."""
