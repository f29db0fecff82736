"""The builder of a resource's contents: every `add_…` returns the contents that it added, or raises ValueError."""

from typing import Any, TypeVar

from .blocks import AnnotationsLike, BinaryContentSchema, TextContentSchema, check_base64
from .builder_checks import Contents, check_text, parse_file, to_schema
from .files import ContentTypes, FileMetadata, Openable

__all__ = ["ResourceResult"]

C = TypeVar("C", bound=Contents)


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
        text = check_text(text, "Text")
        return self._add(TextContentSchema(text=text, **_fields_of(mime_type, uri, name, title, annotations)))

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
        blob = check_base64(check_text(blob, "Blob"), "Blob must be valid base64 encoded data")
        return self._add(BinaryContentSchema(blob=blob, **_fields_of(mime_type, uri, name, title, annotations)))

    def add_file(
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Contents:
        """Add a file, given as a path or an open file, as text or blob by its type."""
        parsed = parse_file(file, "Failed to parse file metadata.", self.FileProcessError)
        return self.add_parsed_file(parsed, uri, name, title, annotations)

    def add_parsed_file(
        self,
        parsed: FileMetadata,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Contents:
        """Add a file that was read already."""
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

    def _add(self, contents: C) -> C:
        self.content_list.append(contents)
        return contents


def _fields_of(
    mime_type: str | None, uri: str | None, name: str | None, title: str | None, annotations: AnnotationsLike
) -> dict[str, Any]:
    """The fields that all contents have, under the names of the wire."""
    return {"mimeType": mime_type, "uri": uri, "name": name, "title": title, "annotations": to_schema(annotations)}
