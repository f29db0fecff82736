"""Every method of the protocol, by name. Each module has the methods of one area."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..core import Core
from ..exchange import Exchange
from ..features import Feature
from ..plan import Plan, ToolPlan, plan_of
from ..request import Request
from . import completion, lifecycle, prompts, resources, subscriptions, tools

__all__ = ["FINDERS", "GUARDED", "METHODS", "Method"]

Method = Callable[[Core, Request], Exchange | bytes | dict[str, Any]]
"""Answers a request: returns an exchange, a whole response, or the result of one."""

Finder = Callable[[Core, Request], tuple[Feature, Any]]
"""Finds the feature for a request, and its arguments; raises a ProtocolError."""

FINDERS: dict[str, tuple[Finder, type[Plan[Any]]]] = {
    "prompts/get": (prompts.find, prompts.PromptPlan),
    "resources/read": (resources.find, resources.ResourcePlan),
    "tools/call": (tools.find, ToolPlan),
}
"""The methods that call a feature of the server: how it is found, and the class of its plans."""


def _check_call(find: Finder, kind: type[Plan[Any]], server: Core, request: Request) -> None:
    feature, arguments = find(server, request)
    plan_of(kind, server, feature, request).check_scopes(request, arguments)


GUARDED: dict[str, Callable[[Core, Request], object]] = {
    **{name: partial(_check_call, *finder) for name, finder in FINDERS.items()},
    "completion/complete": completion.check_scopes,
    "resources/subscribe": subscriptions.check_scopes,
}
"""The methods for which a feature may require scopes: what refuses a caller who lacks one, and runs nothing."""

METHODS: dict[str, Method] = {
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
"""The functions that answer the methods."""
