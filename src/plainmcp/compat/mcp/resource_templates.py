"""The resource templates of the official SDK as objects, and the manager of resources and templates."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec

from ...protocol.features import ResourceFeature, TemplateFeature
from ...protocol.registry import Registry
from ...schema import signature
from ...schema.arguments import Binder
from .context import Context
from .exceptions import ResourceError, ResourceNotFoundError
from .input_required import is_input_required
from .resource_security import DEFAULT_RESOURCE_SECURITY, ResourceSecurity, ResourceSecurityError
from .resources import FunctionResource, OlderFunctionResource, Resource, call_in_thread
from .uri_templates import UriTemplate

__all__ = ["RefusingTemplate", "ResourceManager", "ResourceTemplate"]


class ResourceServer(Protocol):
    """What a manager of resources needs of its server."""

    registry: Registry
    settings: Any

    @property
    def add_resource(self) -> Callable[[Resource], None]:
        """Offers a resource."""
        ...

    @property
    def resource(self) -> Callable[..., Any]:
        """Offers a function as a resource or a template."""
        ...

    def is_duplicate(self, kind: str, key: str, *features: Any) -> bool:
        """Whether there is a feature of a name already; it is in the log."""
        ...


def match_secured(template: UriTemplate, security: ResourceSecurity, uri: str) -> dict[str, str | list[str]] | None:
    """The values of a URI; None if it does not fit. Raises ResourceSecurityError if a value is refused."""
    values = template.match(uri)
    refused = None if values is None else security.validate(values)
    if refused is not None:
        raise ResourceSecurityError(str(template), refused)
    return values


class RefusingTemplate(NamedTuple):
    """The template of a registered resource: for clients there is no resource with a value that is refused."""

    template: UriTemplate
    security: ResourceSecurity
    refuse: Callable[[str], Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(self.template.variable_names)

    @property
    def parameters(self) -> dict[str, Any]:
        """The variables of the query."""
        return dict.fromkeys(self.template.query_variable_names)

    def match(self, uri: str) -> dict[str, str | list[str]] | None:
        """The values of a URI; None if it does not fit. Raises the error for a URI without a resource."""
        try:
            return match_secured(self.template, self.security, uri)
        except ResourceSecurityError:
            return self.refuse(uri)  # type: ignore[no-any-return]


class TemplateError(ResourceError, ValueError):
    """A function of a template that fails; in `mcp` 1 this is a ValueError."""


class ResourceTemplate:
    """A function whose arguments are the variables of a URI."""

    def __init__(
        self,
        fn: Callable[..., Any],
        uri_template: str,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        icons: Any = None,
        annotations: Any = None,
        meta: dict[str, Any] | None = None,
        security: ResourceSecurity = DEFAULT_RESOURCE_SECURITY,
        **others: Any,
    ) -> None:
        self.fn, self.uri_template = fn, uri_template
        self.name, self.title = name or getattr(fn, "__name__", type(fn).__name__), title
        if self.name == "<lambda>":
            raise ValueError("You must provide a name for lambda functions")
        self.description = description or inspect.getdoc(fn) or ""
        self.mime_type = mime_type or "text/plain"
        self.icons, self.annotations, self.meta, self.security = icons, annotations, meta, security
        self._read = signature.read(fn, context_type=Context)
        self.context_kwarg = self._read.context
        self._bind = Binder(
            self._read.parameters, others=self._read.others, lenient=True, reserved=self._read.reserved
        ).bind
        self.parsed_template = UriTemplate.parse(uri_template)

    from_function: ClassVar[Any]

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        from .argument_models import model_of_arguments  # it loads pydantic

        left_out = [self.context_kwarg] if self.context_kwarg else []
        return model_of_arguments(self.fn, left_out).model_json_schema()

    def matches(self, uri: str) -> dict[str, Any] | None:
        """The values of a URI; None if it does not fit, raises ResourceSecurityError if a value is refused."""
        return match_secured(self.parsed_template, self.security, str(uri))

    async def create_resource(self, uri: str, params: dict[str, Any], context: Any = None) -> Any:
        """The resource of some values; raises ResourceError."""
        try:
            bound = self._bind(msgspec.json.encode(params))
            if self.context_kwarg is not None:
                bound[self.context_kwarg] = context
            value = await call_in_thread(self.fn, **bound)
        except (ResourceNotFoundError, ResourceError):
            raise
        except Exception as error:
            raise TemplateError(f"Error creating resource from template: {error}") from error
        if is_input_required(value):
            return value
        return OlderFunctionResource(  # of both versions, as it is one of `mcp` 2, too
            uri,
            self.name,
            self.title,
            self.description,
            self.mime_type,
            self.icons,
            self.annotations,
            self.meta,
            fn=lambda: value,
        )


ResourceTemplate.from_function = ResourceTemplate


class ResourceManager:
    """The resources and templates of a server; one that a program makes itself has a server of its own."""

    server_class: ClassVar[type[Any]]

    def __init__(
        self,
        warn_on_duplicate_resources: bool = True,
        *,
        resources: Sequence[Resource] | None = None,
        server: ResourceServer | None = None,
    ) -> None:
        self._server = self.server_class("resources") if server is None else server
        self._known: dict[str, tuple[Any, Any]] = {}  # by URI: what is registered, and its object
        if not warn_on_duplicate_resources:
            self._server.settings.warn_on_duplicate_resources = False
        for one in resources or ():
            self.add_resource(one)

    @property
    def _resources(self) -> dict[str, Resource]:
        """The resources by URI; each is one object as long as it is registered."""
        return self._objects_of(self._server.registry.resources, _resource_of)

    @property
    def _templates(self) -> dict[str, ResourceTemplate]:
        """The resource templates by URI; each is one object as long as it is registered."""
        return self._objects_of(self._server.registry.templates, _template_of)

    def _objects_of(self, features: Any, make: Callable[[Any], Any]) -> dict[str, Any]:
        for key, feature in features.registered.items():
            if self._known.get(key, (None,))[0] is not feature:
                self._known[key] = (feature, make(feature))
        return {key: self._known[key][1] for key in features.registered}

    def add_resource(self, resource: Resource) -> Resource:
        """Offer a resource; if there is one at this URI, the first stays, and is returned."""
        uri = str(resource.uri)
        if self._server.is_duplicate("resource", uri, self._resources):
            return self._resources[uri]
        self._server.add_resource(resource)
        self._known[uri] = (self._server.registry.resources.registered[uri], resource)
        return resource

    def add_template(self, fn: Callable[..., Any], uri_template: str, **options: Any) -> ResourceTemplate:
        """Offer a function as a template."""
        self._server.resource(uri_template, **options)(fn)
        template = ResourceTemplate(fn, uri_template, **options)
        self._known[uri_template] = (self._server.registry.templates.registered[uri_template], template)
        return template

    async def get_resource(self, uri: Any, context: Any = None) -> Any:
        """The resource at a URI, also one of a template; raises ResourceNotFoundError."""
        if str(uri) in self._resources:
            return self._resources[str(uri)]
        for template in self._templates.values():
            values = template.matches(str(uri))
            if values is not None:
                return await template.create_resource(str(uri), values, context)
        raise ResourceNotFoundError(f"Unknown resource: {uri}")

    def list_resources(self) -> list[Resource]:
        """All resources."""
        return list(self._resources.values())

    def list_templates(self) -> list[ResourceTemplate]:
        """All resource templates."""
        return list(self._templates.values())


def _resource_of(feature: ResourceFeature) -> Resource:
    function = getattr(feature.function, "__wrapped__", feature.function)
    return FunctionResource(feature.definition.uri, fn=function, **_fields_of(feature))


def _template_of(feature: TemplateFeature) -> ResourceTemplate:
    function = getattr(feature.function, "__wrapped__", feature.function)
    return ResourceTemplate(function, feature.definition.uriTemplate, **_fields_of(feature))


def _fields_of(feature: ResourceFeature | TemplateFeature) -> dict[str, Any]:
    listed = feature.definition
    given = {
        "name": listed.name,
        "title": listed.title,
        "description": listed.description,
        "mime_type": listed.mimeType,
    }
    more = msgspec.to_builtins({"icons": listed.icons, "annotations": listed.annotations, "meta": listed._meta})
    return {**given, **(more if isinstance(more, dict) else {})}
