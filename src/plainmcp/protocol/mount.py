"""A server in a server: copies of its features, with prefixed names and URIs, that follow its changes.

A copy keeps everything that its own server compiled into the feature. Links to resources of the mounted server get
the prefix too, in results and in notifications. Knows features and registries, but no requests.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from ..errors import AuthorError
from ..types import CallToolResult, ContentBlock, EmbeddedResource, GetPromptResult, ReadResourceResult, ResourceLink
from ..values.payload import Normalized
from ..wire import uri_template
from .features import (
    Completion,
    Feature,
    PromptFeature,
    ResourceFeature,
    TemplateFeature,
    ToolFeature,
    check_name,
    is_name,
)
from .prefix import Prefix, prefix_name, prefix_uri
from .registry import Registry

__all__ = ["add_copies", "check_mount"]

F = TypeVar("F", bound=Feature)


# Mounting -----------------------------------------------------------------------------------------


def check_mount(registry: Registry, other: Registry, prefix: Prefix) -> None:
    """Refuse a mount that cannot work; raises AuthorError."""
    if prefix and not is_name(prefix):
        raise AuthorError(f"the prefix {prefix!r} is not made of letters, digits, underscores, dashes and dots")
    if registry in _reach(other):
        raise AuthorError("a server cannot be mounted in itself, nor in a server that is mounted in it")
    if (other, prefix) in registry.mounts:
        raise AuthorError(f"this server is mounted already with the prefix {prefix!r}; choose another prefix")
    copies = _Copies(other, prefix, None)
    for source, target, copy in _pairs(other, registry, copies):
        source.check_copies(target, copy)


def add_copies(registry: Registry, other: Registry, prefix: Prefix, origin: object) -> None:
    """Keep copies of the features of another registry; `origin` is the server that it belongs to."""
    copies = _Copies(other, prefix, origin)
    for source, target, copy in _pairs(other, registry, copies):
        source.copy_to(target, copy)
    registry.mounts.append((other, prefix))
    other.forwards.add(partial(_forward, registry, prefix))


def _forward(registry: Registry, prefix: Prefix, event: str, uri: str | None) -> None:
    """Pass on a change that the author of a mounted server reports. The copies notice what changes in its lists."""
    registry.publish(event, None if uri is None else prefix_uri(prefix, uri))


def _reach(registry: Registry) -> Iterator[Registry]:
    """A registry, and all that are mounted in it."""
    yield registry
    for other, _ in registry.mounts:
        yield from _reach(other)


def _pairs(source: Registry, target: Registry, copies: "_Copies") -> list[tuple[Any, Any, Callable[[Any], Any]]]:
    """The lists of two registries, and what copies a feature from one to the other."""
    return [
        (source.tools, target.tools, copies.copy_tool),
        (source.resources, target.resources, copies.copy_resource),
        (source.templates, target.templates, copies.copy_template),
        (source.prompts, target.prompts, copies.copy_prompt),
        (source.completions, target.completions, copies.copy_completion),
    ]


class _Copies:
    """What makes the copies for one mount."""

    def __init__(self, registry: Registry, prefix: Prefix, origin: object) -> None:
        self._registry = registry
        self._prefix = prefix
        self._origin = origin

    def copy_tool(self, tool: ToolFeature) -> ToolFeature:
        """The copy of a tool."""
        definition = replace(tool.definition, name=self._name_of(tool.key))
        return self._copy(tool, definition=definition, normalize=partial(self._normalize_tool, tool.normalize))

    def copy_resource(self, resource: ResourceFeature) -> ResourceFeature:
        """The copy of a resource."""
        definition = replace(resource.definition, uri=prefix_uri(self._prefix, resource.key))
        normalize = partial(self._normalize_contents, resource.normalize)
        return self._copy(resource, definition=definition, normalize=normalize)

    def copy_template(self, template: TemplateFeature) -> TemplateFeature:
        """The copy of a resource template."""
        uri = prefix_uri(self._prefix, template.key)
        return self._copy(
            template,
            definition=replace(template.definition, uriTemplate=uri),
            template=uri_template.compile(uri),
            normalize=partial(self._normalize_contents, template.normalize),
        )

    def copy_prompt(self, prompt: PromptFeature) -> PromptFeature:
        """The copy of a prompt."""
        definition = replace(prompt.definition, name=self._name_of(prompt.key))
        return self._copy(prompt, definition=definition, normalize=partial(self._normalize_prompt, prompt.normalize))

    def copy_completion(self, completion: Completion) -> Completion:
        """The copy of a completion, for the copy of its prompt or template."""
        ref = completion.ref
        changed = prefix_name(self._prefix, ref) if is_name(ref) else prefix_uri(self._prefix, ref)
        return self._copy(completion, ref=changed)

    def _copy(self, feature: F, **changes: Any) -> F:
        through, prefixes = (self._origin, *feature.through), (self._prefix, *feature.prefixes)
        return replace(feature, **changes, plans={}, through=through, prefixes=prefixes)

    def _name_of(self, name: str) -> str:
        return check_name(prefix_name(self._prefix, name))

    # Links ----------------------------------------------------------------------------------------

    def _normalize_tool(self, normalize: Callable[..., Normalized], *args: Any, **options: Any) -> Normalized:
        normalized = normalize(*args, **options)
        result: CallToolResult = normalized.result
        content = [self._prefix_links(block) for block in result.content]
        return normalized._replace(result=replace(result, content=content))

    def _normalize_prompt(self, normalize: Callable[[Any], GetPromptResult], value: Any) -> GetPromptResult:
        result = normalize(value)
        messages = [replace(each, content=self._prefix_links(each.content)) for each in result.messages]
        return replace(result, messages=messages)

    def _normalize_contents(
        self, normalize: Callable[[str, Any], ReadResourceResult], uri: str, value: Any
    ) -> ReadResourceResult:
        result = normalize(uri, value)
        contents = [
            each if each.uri == uri else replace(each, uri=self._prefix_link(each.uri)) for each in result.contents
        ]
        return replace(result, contents=contents)

    def _prefix_links(self, block: ContentBlock) -> ContentBlock:
        if isinstance(block, ResourceLink):
            return replace(block, uri=self._prefix_link(block.uri))
        if isinstance(block, EmbeddedResource):
            return replace(block, resource=replace(block.resource, uri=self._prefix_link(block.resource.uri)))
        return block

    def _prefix_link(self, uri: str) -> str:
        """A URI for clients: with the prefix, if it is one of the mounted server."""
        return prefix_uri(self._prefix, uri) if self._registry.has_resource(uri) else uri
