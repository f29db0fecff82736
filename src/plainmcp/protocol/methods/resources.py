"""resources/list, resources/templates/list and resources/read."""

from typing import Any

from ...errors import ResourceNotFound, ToolError
from ...wire import jsonrpc
from .. import describe, project
from ..features import TemplateFeature
from ..request import Request
from . import shared
from .shared import Steps

__all__ = ["list_", "list_templates", "read"]


def list_(server: Any, request: Request) -> bytes:
    """One page of the resources."""
    return shared.listed(
        server,
        request,
        server.registry.resources,
        "resources",
        lambda feature: describe.resource(feature.definition, request.revision),
    )


def list_templates(server: Any, request: Request) -> bytes:
    """One page of the resource templates."""
    return shared.listed(
        server,
        request,
        server.registry.templates,
        "resourceTemplates",
        lambda feature: describe.resource(feature.definition, request.revision),
    )


def read(server: Any, request: Request) -> Steps:
    """The contents of a resource; a failure is an error, never empty contents (RES-05, RES-06)."""
    uri = request.params.get("uri", str)
    feature, variables = server.registry.resource(uri, request.principal)
    try:
        kwargs = feature.bind(variables) if isinstance(feature, TemplateFeature) else {}
    except ToolError:  # a variable that cannot be what the function takes names nothing that exists
        raise ResourceNotFound(uri) from None

    def respond(value: Any) -> bytes:
        result = feature.normalize(uri, value)
        if request.params.inputResponses or request.params.requestState:
            result.ttlMs, result.cacheScope = 0, "private"  # what took somebody's answers is nobody else's
        elif result.ttlMs is None:
            result.ttlMs, result.cacheScope = feature.ttl_ms, feature.cache_scope
        result = project.resource_result(result, request.revision)
        return jsonrpc.close(request.id, shared.finished(result, server, request.revision))

    what = f"Resource {feature.definition.name}"
    return (yield from shared.made(server, request, feature, kwargs, respond, what))
