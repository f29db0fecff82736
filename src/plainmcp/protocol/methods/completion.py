"""completion/complete."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ...errors import InvalidParams, MethodNotFound
from ...wire import jsonrpc
from ..core import Core
from ..exchange import Exchange
from ..features import Completion, PromptFeature, ResourceFeature, TemplateFeature
from ..plan import Plan, plan_of, require_scopes, with_server_info
from ..request import Request

__all__ = ["CompletionPlan", "check_scopes", "complete", "complete_nothing"]

MAX_SUGGESTIONS = 100
"""The largest number of suggestions in one response (COMP-02)."""


class _Reference(msgspec.Struct):
    type: str
    name: str | None = None
    uri: str | None = None


class _Argument(msgspec.Struct):
    name: str
    value: str


class _Context(msgspec.Struct):
    arguments: dict[str, str] | None = None


def complete(server: Core, request: Request) -> Exchange | dict[str, Any]:
    """Suggestions for an argument of a prompt or a variable of a template."""
    if not server.registry.is_offered("completions"):
        raise MethodNotFound("this server completes nothing")  # COMP-03
    argument = request.params.get("argument", _Argument)
    context = request.params.get("context", _Context, _Context())
    target = check_scopes(server, request)
    source = server.registry.complete(target.key, argument.name)
    if source is None:
        choices = target.choices.get(argument.name, ())
        return _to_result(server, request, _matches_of(argument.value, choices))
    plan = plan_of(CompletionPlan, server, source, request)
    return plan.start(request, (argument.value, context.arguments or {}))


def check_scopes(server: Core, request: Request) -> PromptFeature | TemplateFeature | ResourceFeature:
    """The prompt or template that a request is for; what it completes may be as secret as what it is for.

    Raises InsufficientScope. A function of `requires=` gets the arguments that are known so far.
    """
    params = request.params
    target = _target_of(server, request, params.get("ref", _Reference))
    if target.requires is not None:
        argument, context = params.get("argument", _Argument), params.get("context", _Context, _Context())
        known = {**(context.arguments or {}), argument.name: argument.value}
        require_scopes(server, target, request, target.bind_known(known))
    return target


class CompletionPlan(Plan[Completion]):
    """The compiled call of a completion on one revision."""

    @property
    def title(self) -> str:
        """The name of the completed argument."""
        return f"Completion of {self.feature.argument}"

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The typed text, and the other arguments if the function takes them."""
        return dict(zip(self.feature.names, arguments, strict=False))

    def write(self, request: Request, value: Any) -> bytes:
        """The response with the suggestions."""
        if hasattr(value, "total"):  # a Completion of the official SDK or FastMCP
            suggestions, total = value.values, value.total
            has_more = value.has_more if hasattr(value, "has_more") else getattr(value, "hasMore", None)
        else:
            suggestions, total, has_more = [value] if isinstance(value, str) else value or (), None, None
        result = _to_result(self.server, request, [str(item) for item in suggestions], total, has_more)
        return jsonrpc.encode_result(request.id, result)


def _matches_of(typed: str, choices: Sequence[str]) -> list[str]:
    """The choices that begin with the typed text, and then those that have it inside."""
    typed = typed.casefold()
    places = {choice: choice.casefold().find(typed) for choice in choices}
    return [one for one in choices if places[one] == 0] + [one for one in choices if places[one] > 0]


def complete_nothing(server: Core, request: Request) -> dict[str, Any]:
    """The result without suggestions."""
    return _to_result(server, request, [])


def _to_result(
    server: Core, request: Request, suggestions: list[str], total: int | None = None, has_more: bool | None = None
) -> dict[str, Any]:
    """A result; the total and whether there are more come from the suggestions, if they are not given."""
    values = suggestions[:MAX_SUGGESTIONS]
    total = len(suggestions) if total is None else total
    completion = {"values": values, "total": total, "hasMore": total > len(values) if has_more is None else has_more}
    return with_server_info({"completion": completion}, server, request.revision)


def _target_of(server: Core, request: Request, ref: _Reference) -> PromptFeature | TemplateFeature | ResourceFeature:
    """The prompt or template of a reference; raises InvalidParams if it does not exist."""
    registry, principal = server.registry, request.principal
    if ref.type == "ref/prompt" and ref.name is not None:
        return registry.prompts.get(ref.name, principal)
    if ref.type == "ref/resource" and ref.uri is not None:
        target = registry.templates.find(ref.uri, principal) or registry.resources.find(ref.uri, principal)
        if target is not None:
            return target
        raise InvalidParams(f"Unknown resource template: {ref.uri}")
    raise InvalidParams("params.ref is a ref/prompt with a name or a ref/resource with a uri")
