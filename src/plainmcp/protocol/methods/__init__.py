"""Every method of the protocol, as a row: who answers it, and what is known before. Each module has one area."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from msgspec import Struct

from ..core import Core
from ..exchange import Exchange
from ..plan import Finder, Plan, ToolPlan, find_by_name, plan_of, start_call
from ..request import Request
from . import completion, lifecycle, prompts, resources, subscriptions, tools

__all__ = ["METHODS", "Answer", "Method", "method_of"]

Answer = Callable[[Core, Request], Exchange | bytes | dict[str, Any]]
"""Answers a request: returns an exchange, a whole response, or the result of one."""


class Method(Struct, frozen=True, kw_only=True):
    """One method of a server."""

    answer: Answer
    revisions: frozenset[str] = frozenset()
    """The names of the revisions that have a method which is not the protocol's own."""
    find: Finder | None = None
    """For a method that calls a feature of the server: how it is found."""
    plan: type[Plan[Any]] | None = None
    """The class of the plans of these features."""
    check_scopes: Callable[[Core, Request], object] | None = None
    """Refuses a caller who lacks a scope that a feature requires, and runs nothing."""
    header: str | None = None
    """The parameter that the header Mcp-Name repeats."""
    extension: str | None = None
    """The extension that a client must have declared."""


def _check_call(find: Finder, plan: type[Plan[Any]], server: Core, request: Request) -> None:
    feature, arguments = find(server, request)
    plan_of(plan, server, feature, request).check_scopes(request, arguments)


def method_of(find: Finder, plan: type[Plan[Any]], **facts: Any) -> Method:
    """A method that calls a feature of the server."""
    answer, check = partial(start_call, find, plan), partial(_check_call, find, plan)
    return Method(answer=answer, find=find, plan=plan, check_scopes=check, **facts)


def _by_name(kind: str) -> Finder:
    return partial(find_by_name, attrgetter(f"registry.{kind}"))


METHODS: dict[str, Method] = {
    "completion/complete": Method(answer=completion.complete, check_scopes=completion.check_scopes),
    "initialize": Method(answer=lifecycle.initialize),
    "logging/setLevel": Method(answer=lifecycle.set_level),
    "ping": Method(answer=lifecycle.ping),
    "prompts/get": method_of(_by_name("prompts"), prompts.PromptPlan, header="name"),
    "prompts/list": Method(answer=prompts.list_),
    "resources/list": Method(answer=resources.list_),
    "resources/read": method_of(resources.find, resources.ResourcePlan, header="uri"),
    "resources/subscribe": Method(answer=subscriptions.subscribe, check_scopes=subscriptions.check_scopes),
    "resources/templates/list": Method(answer=resources.list_templates),
    "resources/unsubscribe": Method(answer=subscriptions.unsubscribe),
    "server/discover": Method(answer=lifecycle.discover),
    "subscriptions/listen": Method(answer=subscriptions.listen),
    "tools/call": method_of(_by_name("tools"), ToolPlan, header="name"),
    "tools/list": Method(answer=tools.list_),
}
"""The methods of the protocol, by name."""
