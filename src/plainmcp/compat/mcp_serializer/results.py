"""The results of that package, piece by piece: every method and parameter, on the results of ours."""

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

__all__ = ["WEB", "Noted", "Openable", "PromptsResult", "ResourceResult", "ToolsResult", "noted", "spoken_file"]

Openable: TypeAlias = str | PathLike[str] | IO[str] | IO[bytes]
"""A path, or an open file."""

Noted: TypeAlias = Annotations | Mapping[str, Any] | None
"""What may be said as annotations."""

WEB = ("http://", "https://")
"""How addresses on the web begin."""


class Known(Protocol):
    """Where links find what is known of a resource: a registry."""

    def definition(self, uri: str) -> Resource | ResourceTemplate | None:
        """What is listed under a URI."""
        ...


class ToolsResult(results.ToolResult):
    """A tool's answer, piece by piece; every `add_…` returns the result itself."""

    def __init__(self, is_error: bool = False) -> None:
        super().__init__([], is_error=is_error)

    def add_text_content(self, text: str, annotations: Noted = None) -> Self:
        """Add a text."""
        return self.add_text(text, annotations=noted(annotations))

    def add_image_content(self, data: str | bytes, mime_type: str | None = None, annotations: Noted = None) -> Self:
        """Add a picture: base64, or bytes."""
        return self.add_image(data=_bytes(data), format=mime_type, annotations=noted(annotations))

    def add_audio_content(self, data: str | bytes, mime_type: str | None = None, annotations: Noted = None) -> Self:
        """Add a sound: base64, or bytes."""
        return self.add_audio(data=_bytes(data), format=mime_type, annotations=noted(annotations))

    def add_file(  # type: ignore[override]
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed a file, a path or an open one, as text or blob by its type."""
        return self._add(_embedded_file(file, annotations, uri=uri, name=name, title=title))

    def add_resource_link(
        self,
        uri: str,
        registry: Known | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Link a resource; what is not said of it here is taken from the registry it is in."""
        known = None if registry is None else registry.definition(uri)
        if known is None and registry is not None and not uri.startswith(WEB):
            raise AuthorError(f"no resource {uri!r} is registered, so it cannot be linked")
        told: Any = {
            "name": name,
            "title": title,
            "description": description,
            "mime_type": mime_type,
            "annotations": noted(annotations),
        }
        if known is not None:
            found = (known.name, known.title, known.description, known.mimeType, known.annotations)
            told = {key: one or other for (key, one), other in zip(told.items(), found, strict=True)}
        return self.add_link(uri, **told)

    def add_embedded_resource(
        self,
        uri: str,
        text: str | None = None,
        blob: str | bytes | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed text or blob, which is base64 or bytes."""
        fields: Any = {"text": text, "blob": blob, "mime_type": mime_type, "name": name, "title": title}
        return self.add_resource(uri, annotations=noted(annotations), **fields)

    def add_structured_content(self, content: Any) -> Self:
        """Say what the structured content is: a pydantic model, a dict, or any other object."""
        self.structured_content = content
        return self


class ResourceResult(results.ResourceResult):
    """A resource in several pieces; the first of them is called what the resource is, unless it has a name."""

    def add_text_content(
        self,
        text: str,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a text."""
        told = noted(annotations)
        return self.add_text(text, mime_type=mime_type, uri=uri, name=name, title=title, annotations=told)

    def add_binary_content(
        self,
        blob: str | bytes,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add bytes, as they are or in base64."""
        told = noted(annotations)
        return self.add_bytes(_bytes(blob), mime_type=mime_type, uri=uri, name=name, title=title, annotations=told)

    def add_file(  # type: ignore[override]
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a file, a path or an open one, as text or blob by its type."""
        source = FileSource(file)
        return self._add(
            results.Part(
                payload=source.read(),
                uri=uri or source.uri,
                mime_type=source.mime_type,
                name=name,
                title=title,
                annotations=noted(annotations),
            )
        )


class PromptsResult(results.PromptResult):
    """A prompt of several messages; what says no role has that of the result, which is the user's if not given."""

    class Roles(StrEnum):
        """Who speaks."""

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
        annotations: Noted = None,
    ) -> Self:
        """Add a text."""
        super().add_text(text, self._role(role), annotations=noted(annotations))
        self.messages[-1].content.mimeType = mime_type
        return self

    def add_image(  # type: ignore[override]
        self,
        data: str | bytes,
        mime_type: str | None = None,
        role: Roles | str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a picture: base64, or bytes."""
        return self._said(Image(data=_bytes(data), format=mime_type, annotations=noted(annotations)), role)

    def add_audio(  # type: ignore[override]
        self,
        data: str | bytes,
        mime_type: str | None = None,
        role: Roles | str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a sound: base64, or bytes."""
        return self._said(Audio(data=_bytes(data), format=mime_type, annotations=noted(annotations)), role)

    def add_file_message(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, file: Openable, role: Roles | str | None = None, annotations: Noted = None
    ) -> Self:
        """Add what a file holds as a message: a text, a picture or a sound."""
        return self._said(spoken_file(FileSource(file).read(), noted(annotations)), role)

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed a file, a path or an open one, as text or blob by its type."""
        told: Any = {"uri": uri, "mime_type": mime_type, "name": name, "title": title}
        return self._said(_embedded_file(file, annotations, **told), role)

    def add_embedded_resource(
        self,
        uri: str,
        role: Roles | str | None = None,
        name: str | None = None,
        title: str | None = None,
        mime_type: str | None = None,
        text: str | None = None,
        blob: str | bytes | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed text or blob, which is base64 or bytes."""
        fields: Any = {"text": text, "blob": blob, "mime_type": mime_type, "name": name, "title": title}
        return self.add_resource(uri, self._role(role), annotations=noted(annotations), **fields)

    def _said(self, content: Any, role: Roles | str | None) -> Self:
        return self._add(results.Turn(self._role(role), content))

    def _role(self, role: Roles | str | None) -> Any:
        return str(role or self.default_role)


def noted(given: Noted) -> Annotations | None:
    """Annotations, whose audience may also be one role by itself."""
    if isinstance(given, Mapping) and isinstance(given.get("audience"), str):
        given = {**given, "audience": [given["audience"]]}
    return media.annotations_of(given)


def _bytes(data: str | bytes) -> bytes:
    if not isinstance(data, str):
        return data
    try:
        return a2b_base64(data, strict_mode=True)
    except ValueError as error:
        raise AuthorError(f"bytes or base64 are wanted, and this text is not base64: {error}") from None


def _embedded_file(
    file: Openable, annotations: Noted, *, uri: str | None, mime_type: str | None = None, **names: str | None
) -> EmbeddedResource:
    source = FileSource(file)
    found: ResourceContents = media.contents_of(source.read(), uri or source.uri, mime_type, extras=True)
    given: dict[str, Any] = {key: name for key, name in names.items() if name is not None}
    return EmbeddedResource(resource=msgspec.structs.replace(found, **given), annotations=noted(annotations))


def spoken_file(file: File, annotations: Annotations | None) -> ContentBlock:
    """What a file holds, as somebody says it: a text, a picture or a sound."""
    family = (file.mime_type or "").partition("/")[0]
    kind = {"image": Image, "audio": Audio}.get(family)
    if kind is not None:
        return media.block_of(kind(data=file.data, format=file.mime_type, annotations=annotations))
    return msgspec.structs.replace(media.text_block_of(file, extras=True), annotations=annotations)
