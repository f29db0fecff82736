"""The result classes of mcp-serializer: every `add_…` returns the block that it added, or raises ValueError.

What is built becomes a result of the protocol only when it is sent: a program may still change its blocks.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlparse

from ...foreign import classes
from ...wire.mime import mime_of_name
from .blocks import (
    AnnotationSchema,
    AnnotationsLike,
    AudioContent,
    BinaryContentSchema,
    Data,
    EmbeddedResource,
    ImageContent,
    ResourceLinkContent,
    TextContent,
    TextContentSchema,
    check_base64,
)
from .files import ContentTypes, FileMetadata, FileParser, Openable

__all__ = ["WEB", "PromptsResult", "ResourceResult", "ToolsResult", "mime_type_of_web"]

WEB = ("http://", "https://")
"""The schemes of web addresses."""

B = TypeVar("B")

Contents: TypeAlias = TextContentSchema | BinaryContentSchema

_NOT_BASE64 = "Data must be valid base64 encoded string"


def mime_type_of_web(uri: str) -> str | None:
    """The MIME type that the end of an address shows."""
    return mime_of_name(urlparse(uri).path)


class ToolsResult:
    """A tool's result, built block by block."""

    def __init__(self, is_error: bool = False) -> None:
        self.content_list: list[Any] = []
        self.structured_content: Data | None = None
        self.is_error = is_error

    def add_text_content(self, text: str, annotations: AnnotationsLike = None) -> TextContent:
        """Add a text, which is not empty."""
        return self._add(TextContent(text=_check_text(text, "Text"), annotations=annotations))

    def add_image_content(
        self, data: str, mime_type: str | None = None, annotations: AnnotationsLike = None
    ) -> ImageContent:
        """Add an image in base64."""
        data = check_base64(_check_text(data, "Data"), _NOT_BASE64)
        return self._add(ImageContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_audio_content(
        self, data: str, mime_type: str | None = None, annotations: AnnotationsLike = None
    ) -> AudioContent:
        """Add audio in base64."""
        data = check_base64(_check_text(data, "Data"), _NOT_BASE64)
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
        parsed = _parse(file, f"Unable to determine data or mime type from file {file!r}.", ValueError)
        return self.add_embedded_resource(
            _uri_of(uri, parsed),
            mime_type=parsed.mime_type,
            name=name or parsed.name,
            title=title,
            annotations=annotations,
            **_payload_of(parsed),
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
        return self._add(EmbeddedResource(resource=_embed(text, blob, annotations, fields)))

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


class ResourceResult:
    """A resource with several contents; the first has the names of the resource unless it has its own."""

    class FileProcessError(Exception):
        """A file that cannot be added."""

    def __init__(self) -> None:
        self.content_list: list[Contents] = []

    def add_text_content(
        self,
        text: str,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> TextContentSchema:
        """Add a text, which is not empty."""
        contents = TextContentSchema(
            text=_check_text(text, "Text"),
            mimeType=mime_type,
            uri=uri,
            name=name,
            title=title,
            annotations=_to_schema(annotations),
        )
        self.content_list.append(contents)
        return contents

    def add_binary_content(
        self,
        blob: str,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> BinaryContentSchema:
        """Add bytes in base64."""
        contents = BinaryContentSchema(
            blob=check_base64(_check_text(blob, "Blob"), "Blob must be valid base64 encoded data"),
            mimeType=mime_type,
            uri=uri,
            name=name,
            title=title,
            annotations=_to_schema(annotations),
        )
        self.content_list.append(contents)
        return contents

    def add_file(
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Contents:
        """Add a file, given as a path or an open file, as text or blob by its type."""
        parsed = _parse(file, "Failed to parse file metadata.", self.FileProcessError)
        fields: Any = {
            "mime_type": parsed.mime_type,
            "uri": uri or parsed.uri,
            "name": name or parsed.name,
            "title": title,
            "annotations": annotations,
        }
        if parsed.content_type == ContentTypes.TEXT:
            return self.add_text_content(parsed.data, **fields)
        return self.add_binary_content(parsed.data, **fields)


class PromptsResult:
    """A prompt of several messages; a message without a role has the role of the result, by default user."""

    class Roles(Enum):
        """The role of a message."""

        USER = "user"
        ASSISTANT = "assistant"

        @classmethod
        def has_value(cls, value: Any) -> bool:
            """Whether a text is a role."""
            return any(one.value == value for one in cls)

    class ResourceNotFoundError(Exception):
        """The resource container has no such resource, and no data was given."""

    class ResourceContainerRequiredError(Exception):
        """Neither data nor a resource container was given."""

    def __init__(
        self, role: Roles | str | None = None, description: str | None = None, resource_container: Any = None
    ) -> None:
        self.messages: list[Data] = []
        self.default_role: str = self._role(role, f"Invalid default role: {role}") if role else "user"
        self.description = description
        self.resource_container = resource_container

    def add_text(
        self,
        text: str,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> TextContent:
        """Add a text, which is not empty."""
        block = TextContent(text=_check_text(text, "Text"), mimeType=mime_type, annotations=annotations)
        return self._add_message(role, block)

    def add_image(
        self, data: str, mime_type: str, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> ImageContent:
        """Add an image in base64."""
        data = _check_media(data, mime_type, "image")
        return self._add_message(role, ImageContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_audio(
        self, data: str, mime_type: str, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> AudioContent:
        """Add audio in base64."""
        data = _check_media(data, mime_type, "audio")
        return self._add_message(role, AudioContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_file_message(
        self, file: Openable, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> TextContent | ImageContent | AudioContent:
        """Add the content of a file as a message: text, image or audio."""
        parsed = _parse(file, f"Unable to process file {file!r}.", ValueError)
        fields: Any = {"role": role, "mime_type": parsed.mime_type, "annotations": annotations}
        match parsed.content_type:
            case ContentTypes.TEXT:
                return self.add_text(parsed.data, **fields)
            case ContentTypes.IMAGE:
                return self.add_image(parsed.data, **fields)
            case ContentTypes.AUDIO:
                return self.add_audio(parsed.data, **fields)
        raise ValueError(
            f"Unsupported content type {parsed.content_type!r} for file {file!r}; "
            "embed the file with add_file_resource instead."
        )

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> EmbeddedResource:
        """Embed a file, given as a path or an open file, as text or blob by its type."""
        parsed = _parse(file, f"Unable to process file {file!r}.", ValueError)
        return self.add_embedded_resource(
            _uri_of(uri, parsed),
            role=role,
            mime_type=mime_type or parsed.mime_type,
            name=name or parsed.name,
            title=title,
            annotations=annotations,
            **_payload_of(parsed),
        )

    def add_embedded_resource(
        self,
        uri: str,
        role: Roles | str | None = None,
        name: str | None = None,
        title: str | None = None,
        mime_type: str | None = None,
        text: str | bytes | None = None,
        blob: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> EmbeddedResource:
        """Embed a text, a blob in base64, or without either the resource that the resource container has."""
        known = self._read_resource(uri, bool(text or blob))
        mime_type = mime_type or known.get("mimeType")
        if not mime_type:
            raise ValueError(f"Could not determine mime type for embedded resource of uri: {uri}; give mime_type=.")
        fields = {
            "uri": uri,
            "mimeType": mime_type,
            "name": name or known.get("name"),
            "title": title or known.get("title"),
        }
        contents = _embed(
            text or known.get("text"), blob or known.get("blob"), annotations or known.get("annotations"), fields
        )
        return self._add_message(role, EmbeddedResource(resource=contents))

    def _read_resource(self, uri: str, has_data: bool) -> Data:
        if self.resource_container is None:
            if has_data:
                return {}
            raise self.ResourceContainerRequiredError(
                "give text= or blob=, or create the result with PromptsResult(resource_container=…)"
            )
        try:
            found: Data = self.resource_container.call(uri)["contents"][0]
        except Exception as error:
            if has_data:
                return {}
            raise self.ResourceNotFoundError(
                f"Resource with URI {uri!r} is not found; give text= or blob=."
            ) from error
        return found

    def _add_message(self, role: Roles | str | None, content: B) -> B:
        role = self._role(role or self.default_role, "Role must be either Roles.USER or Roles.ASSISTANT")
        if not content:
            raise ValueError("Content is required for message")
        data = content.model_dump() if hasattr(content, "model_dump") else content
        self.messages.append({"role": role, "content": data})
        return content

    def _role(self, role: Roles | str, problem: str) -> str:
        text = role.value if isinstance(role, self.Roles) else role
        if not self.Roles.has_value(text):
            raise ValueError(problem)
        return str(text)


# Checks -------------------------------------------------------------------------------------------


def _check_text(value: Any, what: str) -> str:
    if not value or not isinstance(value, str):
        raise ValueError(f"{what} must be a non-empty string")
    return value


def _check_media(data: Any, mime_type: str, kind: str) -> str:
    data = _check_text(data, "Data")
    if not mime_type:
        raise ValueError(f"MIME type is required for {kind} content")
    return check_base64(data, _NOT_BASE64)


def _parse(file: Openable, problem: str, kind: type[Exception]) -> FileMetadata:
    try:
        return FileParser(file).file_metadata
    except ValueError as error:
        raise kind(f"{problem} Add its content with one of the other methods.") from error


def _payload_of(parsed: FileMetadata) -> Any:
    return {"text" if parsed.content_type == ContentTypes.TEXT else "blob": parsed.data}


def _uri_of(uri: str | None, parsed: FileMetadata) -> str:
    found = uri or parsed.uri
    if not found:
        raise ValueError("Could not determine URI for file. Provide uri as parameter.")
    return found


def _embed(text: Any, blob: Any, annotations: AnnotationsLike, fields: Mapping[str, Any]) -> Contents:
    """A text or a blob as the contents of an embedded resource."""
    if not text and not blob:
        raise ValueError("Either 'text' or 'blob' must be provided for embedded resource.")
    schema = _to_schema(annotations)
    if not text:
        return BinaryContentSchema(blob=blob, annotations=schema, **fields)
    text = text.decode() if isinstance(text, bytes) else text
    return TextContentSchema(text=text, annotations=schema, **fields)


def _to_schema(annotations: AnnotationsLike) -> Any:
    """Annotations as an object with their fields."""
    if not isinstance(annotations, Mapping):
        return annotations
    return AnnotationSchema(**{name: annotations.get(name) for name in AnnotationSchema.__struct_fields__})


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
