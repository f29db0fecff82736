"""The builder of a prompt's messages: every `add_…` returns the block that it added, or raises ValueError."""

from enum import Enum
from typing import Any, TypeVar

from .blocks import AnnotationsLike, AudioContent, Data, EmbeddedResource, ImageContent, Model, TextContent
from .builder_checks import check_media, check_text, make_contents, parse_file, payload_of, uri_of
from .files import ContentTypes, Openable

__all__ = ["PromptsResult"]

B = TypeVar("B")


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
        block = TextContent(text=check_text(text, "Text"), mimeType=mime_type, annotations=annotations)
        return self._add_message(role, block)

    def add_image(
        self, data: str, mime_type: str, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> ImageContent:
        """Add an image in base64."""
        data = check_media(data, mime_type, "image")
        return self._add_message(role, ImageContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_audio(
        self, data: str, mime_type: str, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> AudioContent:
        """Add audio in base64."""
        data = check_media(data, mime_type, "audio")
        return self._add_message(role, AudioContent(data=data, mimeType=mime_type, annotations=annotations))

    def add_file_message(
        self, file: Openable, role: Roles | str | None = None, annotations: AnnotationsLike = None
    ) -> TextContent | ImageContent | AudioContent:
        """Add the content of a file as a message: text, image or audio."""
        parsed = parse_file(file, f"Unable to process file {file!r}.", ValueError)
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
        parsed = parse_file(file, f"Unable to process file {file!r}.", ValueError)
        return self.add_embedded_resource(
            uri_of(uri, parsed),
            role=role,
            mime_type=mime_type or parsed.mime_type,
            name=name or parsed.name,
            title=title,
            annotations=annotations,
            **payload_of(parsed),
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
        contents = make_contents(
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
        data: Any = content.model_dump() if isinstance(content, Model) else content
        self.messages.append({"role": role, "content": data})
        return content

    def _role(self, role: Roles | str, problem: str) -> str:
        text = role.value if isinstance(role, self.Roles) else role
        if not self.Roles.has_value(text):
            raise ValueError(problem)
        return str(text)
