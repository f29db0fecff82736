"""The result classes of mcp-serializer, with all their methods and parameters, on top of those of plainmcp."""

from binascii import a2b_base64
from collections.abc import Mapping
from enum import StrEnum
from os import PathLike
from typing import IO, Any, Protocol, Self, TypeAlias

import msgspec

from ... import media, results
from ...errors import AuthorError
from ...media import Audio, File, Image
from ...protocol.files import FileSource
from ...types import Annotations, ContentBlock, EmbeddedResource, Resource, ResourceContents, ResourceTemplate

__all__ = [
    "WEB",
    "AnnotationsLike",
    "Openable",
    "PromptsResult",
    "ResourceResult",
    "ToolsResult",
    "to_annotations",
    "to_message_content",
]

Openable: TypeAlias = str | PathLike[str] | IO[str] | IO[bytes]
"""A path, or an open file."""

AnnotationsLike: TypeAlias = Annotations | Mapping[str, Any] | None
"""Annotations, or a mapping with their fields."""

WEB = ("http://", "https://")
"""The schemes of web addresses."""


class Known(Protocol):
    """A registry that has the definitions of resources."""

    def definition(self, uri: str) -> Resource | ResourceTemplate | None:
        """The definition of the resource at a URI."""
        ...


class ToolsResult(results.ToolResult):
    """A tool's result, built block by block; every `add_…` returns the result itself."""

    def __init__(self, is_error: bool = False) -> None:
        super().__init__([], is_error=is_error)

    def add_text_content(self, text: str, annotations: AnnotationsLike = None) -> Self:
        """Add a text."""
        return self.add_text(text, annotations=to_annotations(annotations))

    def add_image_content(
        self, data: str | bytes, mime_type: str | None = None, annotations: AnnotationsLike = None
    ) -> Self:
        """Add an image, as base64 or bytes."""
        return self.add_image(data=_bytes(data), format=mime_type, annotations=to_annotations(annotations))

    def add_audio_content(
        self, data: str | bytes, mime_type: str | None = None, annotations: AnnotationsLike = None
    ) -> Self:
        """Add audio, as base64 or bytes."""
        return self.add_audio(data=_bytes(data), format=mime_type, annotations=to_annotations(annotations))

    def add_file(  # type: ignore[override]
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Embed a file, given as a path or an open file, as text or blob by its type."""
        return self._add(_embedded_file(file, annotations, uri=uri, name=name, title=title))

    def add_resource_link(
        self,
        uri: str,
        registry: Known | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Link a resource; fields that are not given are taken from the registry."""
        known = None if registry is None else registry.definition(uri)
        if known is None and registry is not None and not uri.startswith(WEB):
            raise AuthorError(f"no resource {uri!r} is registered, so it cannot be linked")
        fields: Any = {
            "name": name,
            "title": title,
            "description": description,
            "mime_type": mime_type,
            "annotations": to_annotations(annotations),
        }
        if known is not None:
            defaults = (known.name, known.title, known.description, known.mimeType, known.annotations)
            fields = {key: one or default for (key, one), default in zip(fields.items(), defaults, strict=True)}
        return self.add_link(uri, **fields)

    def add_embedded_resource(
        self,
        uri: str,
        text: str | None = None,
        blob: str | bytes | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Embed text or blob, which is base64 or bytes."""
        fields: Any = {"text": text, "blob": blob, "mime_type": mime_type, "name": name, "title": title}
        return self.add_resource(uri, annotations=to_annotations(annotations), **fields)

    def add_structured_content(self, content: Any) -> Self:
        """Set the structured content: a pydantic model, a dict, or any other object."""
        self.structured_content = content
        return self


class ResourceResult(results.ResourceResult):
    """A resource with several contents; the first has the name of the resource unless it has its own."""

    def add_text_content(
        self,
        text: str,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Add a text."""
        converted = to_annotations(annotations)
        return self.add_text(text, mime_type=mime_type, uri=uri, name=name, title=title, annotations=converted)

    def add_binary_content(
        self,
        blob: str | bytes,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Add bytes, as they are or in base64."""
        converted = to_annotations(annotations)
        return self.add_bytes(
            _bytes(blob), mime_type=mime_type, uri=uri, name=name, title=title, annotations=converted
        )

    def add_file(  # type: ignore[override]
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Add a file, given as a path or an open file, as text or blob by its type."""
        source = FileSource(file)
        return self._add(
            results.Part(
                payload=source.read(),
                uri=uri or source.uri,
                mime_type=source.mime_type,
                name=name,
                title=title,
                annotations=to_annotations(annotations),
            )
        )


class PromptsResult(results.PromptResult):
    """A prompt of several messages; a message without a role has the role of the result, by default user."""

    class Roles(StrEnum):
        """The role of a message."""

        USER = "user"
        ASSISTANT = "assistant"

    def __init__(self, role: Roles | str | None = None, description: str | None = None) -> None:
        super().__init__(description=description)
        self.default_role = role or self.Roles.USER

    def add_text(  # type: ignore[override]
        self,
        text: str,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Add a text."""
        super().add_text(text, self._role(role), annotations=to_annotations(annotations))
        self.messages[-1].content.mimeType = mime_type
        return self

    def add_image(  # type: ignore[override]
        self,
        data: str | bytes,
        mime_type: str | None = None,
        role: Roles | str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Add an image, as base64 or bytes."""
        return self._add_message(
            Image(data=_bytes(data), format=mime_type, annotations=to_annotations(annotations)), role
        )

    def add_audio(  # type: ignore[override]
        self,
        data: str | bytes,
        mime_type: str | None = None,
        role: Roles | str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Add audio, as base64 or bytes."""
        return self._add_message(
            Audio(data=_bytes(data), format=mime_type, annotations=to_annotations(annotations)), role
        )

    def add_file_message(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, file: Openable, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> Self:
        """Add the content of a file as a message: text, image or audio."""
        return self._add_message(to_message_content(FileSource(file).read(), to_annotations(annotations)), role)

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Embed a file, given as a path or an open file, as text or blob by its type."""
        fields: Any = {"uri": uri, "mime_type": mime_type, "name": name, "title": title}
        return self._add_message(_embedded_file(file, annotations, **fields), role)

    def add_embedded_resource(
        self,
        uri: str,
        role: Roles | str | None = None,
        name: str | None = None,
        title: str | None = None,
        mime_type: str | None = None,
        text: str | None = None,
        blob: str | bytes | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Embed text or blob, which is base64 or bytes."""
        fields: Any = {"text": text, "blob": blob, "mime_type": mime_type, "name": name, "title": title}
        return self.add_resource(uri, self._role(role), annotations=to_annotations(annotations), **fields)

    def _add_message(self, content: Any, role: Roles | str | None) -> Self:
        return self._add(results.Turn(self._role(role), content))

    def _role(self, role: Roles | str | None) -> Any:
        return str(role or self.default_role)


def to_annotations(value: AnnotationsLike) -> Annotations | None:
    """Annotations; the audience may be a single role instead of a list."""
    if isinstance(value, Mapping) and isinstance(value.get("audience"), str):
        value = {**value, "audience": [value["audience"]]}
    return media.annotations_of(value)


def _bytes(data: str | bytes) -> bytes:
    if not isinstance(data, str):
        return data
    try:
        return a2b_base64(data, strict_mode=True)
    except ValueError as error:
        raise AuthorError(f"expected bytes or base64, but this text is not base64: {error}") from None


def _embedded_file(
    file: Openable,
    annotations: AnnotationsLike,
    *,
    uri: str | None,
    mime_type: str | None = None,
    **names: str | None,
) -> EmbeddedResource:
    source = FileSource(file)
    contents: ResourceContents = media.contents_of(source.read(), uri or source.uri, mime_type, extras=True)
    fields: dict[str, Any] = {key: name for key, name in names.items() if name is not None}
    return EmbeddedResource(
        resource=msgspec.structs.replace(contents, **fields), annotations=to_annotations(annotations)
    )


def to_message_content(file: File, annotations: Annotations | None) -> ContentBlock:
    """The content of a file as a content block: text, image or audio."""
    family = (file.mime_type or "").partition("/")[0]
    kind = {"image": Image, "audio": Audio}.get(family)
    if kind is not None:
        return media.block_of(kind(data=file.data, format=file.mime_type, annotations=annotations))
    return msgspec.structs.replace(media.text_block_of_file(file, extras=True), annotations=annotations)
