"""completion/complete."""

from typing import Any

import msgspec

from ...errors import InvalidParams, MethodNotFound
from ...wire import jsonrpc
from ..core import Core
from ..exchange import Exchange
from ..features import Completion, PromptFeature, ResourceFeature, TemplateFeature
from ..plan import Plan, plan_of, require_scopes, with_server_info
from ..request import Request

__all__ = ["CompletionPlan", "complete"]

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
    if not server.registry.completions:
        raise MethodNotFound("this server completes nothing")  # COMP-03
    params = request.params
    ref = params.get("ref", _Reference)
    argument = params.get("argument", _Argument)
    context = params.get("context", _Context, _Context())
    target = _target_of(server, request, ref)
    if target.requires is not None:  # what it completes may be as secret as what it is for
        known = {**(context.arguments or {}), argument.name: argument.value}
        require_scopes(server, target, request, known)
    source = server.registry.complete(target.key, argument.name)
    if source is None:
        return _to_result(server, request, [])
    plan = plan_of(CompletionPlan, server, source, request)
    return plan.start(request, (argument.value, context.arguments or {}))


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
        suggestions = [value] if isinstance(value, str) else [str(item) for item in value or ()]
        return jsonrpc.encode_result(request.id, _to_result(self.server, request, suggestions))


def _to_result(server: Core, request: Request, suggestions: list[str]) -> dict[str, Any]:
    values, total = suggestions[:MAX_SUGGESTIONS], len(suggestions)
    completion = {"values": values, "total": total, "hasMore": total > len(values)}
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
