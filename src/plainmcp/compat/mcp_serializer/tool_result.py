"""The builder of a tool's result: every `add_…` returns the block that it added, or raises ValueError.

What is built becomes a result of the protocol only when it is sent: a program may still change its blocks.
"""

from typing import Any, TypeVar
from urllib.parse import urlparse

from ...foreign import classes
from .blocks import (
    AnnotationsLike,
    AudioContent,
    Data,
    EmbeddedResource,
    ImageContent,
    ResourceLinkContent,
    TextContent,
    check_base64,
)
from .builder_checks import NOT_BASE64, check_text, make_contents, parse_file, payload_of, uri_of
from .files import Openable, mime_type_of

__all__ = ["WEB", "ToolsResult", "mime_type_of_web"]

WEB = ("http://", "https://")
"""The schemes of web addresses."""

B = TypeVar("B")


def mime_type_of_web(uri: str) -> str | None:
    """The MIME type that the end of an address shows."""
    return mime_type_of(urlparse(uri).path)


class ToolsResult:
    """A tool's result, built block by block."""

    def __init__(self, is_error: bool = False) -> None:
        self.content_list: list[Any] = []
        self.structured_content: Data | None = None
        self.is_error = is_error

    def add_text_content(self, text: str, annotations: AnnotationsLike = None) -> TextContent:
        """Add a text, which is not empty."""
        return self._add(TextContent(text=check_text(text, "Text"), annotations=annotations))

    def add_image_content(
        self, data: str, mime_type: str | None = None, annotations: AnnotationsLike = None
    ) -> ImageContent:
        """Add an image in base64."""
        data = check_base64(check_text(data, "Data"), NOT_BASE64)
        return self._add(ImageContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_audio_content(
        self, data: str, mime_type: str | None = None, annotations: AnnotationsLike = None
    ) -> AudioContent:
        """Add audio in base64."""
        data = check_base64(check_text(data, "Data"), NOT_BASE64)
        return self._add(AudioContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_file(
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> EmbeddedResource:
        """Embed a file, given as a path or an open file, as text or blob by its type."""
        parsed = parse_file(file, f"Unable to determine data or mime type from file {file!r}.", ValueError)
        return self.add_embedded_resource(
            uri_of(uri, parsed),
            mime_type=parsed.mime_type,
            name=name or parsed.name,
            title=title,
            annotations=annotations,
            **payload_of(parsed),
        )

    def add_resource_link(
        self,
        uri: str,
        registry: Any = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> ResourceLinkContent:
        """Link a resource of a registry, or a web address; fields that are not given are those of the registry."""
        is_web = uri.startswith(WEB)
        if registry is None and not is_web:
            raise ValueError("registry is required for non-HTTP URIs")
        entry = None if registry is None else _find_entry(uri, registry)
        if entry is None and not is_web:
            raise ValueError(f"Resource with URI {uri!r} is not found. Define the resource first.")
        web_type = mime_type_of_web(uri) if is_web else None
        link = ResourceLinkContent(
            uri=uri,
            name=name or _field_of(entry, "name"),
            title=title or _field_of(entry, "title"),
            description=description or _field_of(entry, "description"),
            mimeType=mime_type or web_type or _field_of(entry, "mime_type"),
            annotations=annotations or _field_of(entry, "annotations"),
        )
        return self._add(link)

    def add_embedded_resource(
        self,
        uri: str,
        text: str | bytes | None = None,
        blob: str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> EmbeddedResource:
        """Embed a text, or a blob in base64."""
        fields = {"uri": uri, "mimeType": mime_type, "name": name, "title": title}
        return self._add(EmbeddedResource(resource=make_contents(text, blob, annotations, fields)))

    def add_structured_content(self, content: Any) -> Data:
        """Set the structured content, once: a pydantic model or a dict. Returns it as a dict."""
        if classes.is_pydantic(type(content)):
            content = content.model_dump()
        if not isinstance(content, dict):
            raise ValueError("Content must be a valid Pydantic model or dictionary")
        if self.structured_content:
            raise ValueError("Structured content already exists")
        self.structured_content = content
        return content

    def _add(self, block: B) -> B:
        self.content_list.append(block)
        return block


def _find_entry(uri: str, registry: Any) -> Any:
    """The resource, or the resource template, that a registry has for a URI; None if it has none."""
    container = registry.resource_container
    if not container:
        raise ValueError("No resource has been defined for this registry")
    listed = container.schema_assembler
    exact = (one for one in listed.resource_list if one.uri.rstrip("/") == uri.rstrip("/"))
    templates = (one for one in listed.resource_template_list if uri.startswith(one.uri))
    return next(exact, None) or next(templates, None)


def _field_of(entry: Any, name: str) -> Any:
    """A field of a registered resource: the one that was given, or that of its function; None without a resource."""
    if entry is None:
        return None
    return entry.extra.get(name) or getattr(getattr(entry, "metadata", None), name, None)
