"""resources/list, resources/templates/list and resources/read."""

from typing import Any

from ...errors import ResourceNotFound, ToolError
from ...revisions import Revision
from ...wire import jsonrpc
from .. import describe, project
from ..core import Core
from ..features import Feature, ResourceFeature, TemplateFeature
from ..plan import Plan, add_server_info
from ..request import Request
from .pages import write_page

__all__ = ["ResourcePlan", "find", "list_", "list_templates"]


def list_(server: Core, request: Request) -> bytes:
    """One page of the resources."""
    return write_page(server, request, server.registry.resources, "resources", _describe)


def list_templates(server: Core, request: Request) -> bytes:
    """One page of the resource templates."""
    return write_page(server, request, server.registry.templates, "resourceTemplates", _describe)


def _describe(feature: ResourceFeature | TemplateFeature, revision: Revision) -> Any:
    return describe.resource(feature.definition, revision)


def find(server: Core, request: Request) -> tuple[Feature, Any]:
    """The resource that a request names, and the variables of its URI; raises ResourceNotFound (RES-05)."""
    return server.registry.resource(request.params.get("uri", str), request.principal)


class ResourcePlan(Plan[ResourceFeature | TemplateFeature]):
    """The compiled read of a resource on one revision; the variables of its URI are the arguments."""

    @property
    def title(self) -> str:
        """The kind and the name of the resource."""
        return f"Resource {self.feature.definition.name}"

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments; raises ResourceNotFound if the variables do not fit the function."""
        try:
            return self.feature.bind(arguments)
        except ToolError:
            raise ResourceNotFound(request.params.uri) from None

    def __init__(self, server: Core, feature: ResourceFeature | TemplateFeature, revision: Revision) -> None:
        super().__init__(server, feature, revision)
        self._is_private = feature.visible is not None or feature.requires is not None

    def write(self, request: Request, value: Any) -> bytes:
        """The response with the contents."""
        params, feature = request.params, self.feature
        result = feature.normalize(params.uri, value)
        if params.inputResponses or params.requestState:
            result.ttlMs, result.cacheScope = 0, "private"  # the answers of one caller must not be cached for others
        elif result.ttlMs is None:
            result.ttlMs, result.cacheScope = feature.ttl_ms, feature.cache_scope
        if self._is_private:  # nor what only some callers may read (CACHE-05)
            result.cacheScope = "private"
        result = project.resource_result(result, self.revision)
        return jsonrpc.encode_result(request.id, add_server_info(result, self.server, self.revision))
