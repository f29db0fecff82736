"""What the builders of mcp-serializer share: checks of texts, data and files; each raises ValueError as there."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from .blocks import AnnotationSchema, AnnotationsLike, BinaryContentSchema, TextContentSchema, check_base64
from .files import ContentTypes, FileMetadata, FileParser, Openable

__all__ = [
    "NOT_BASE64",
    "Contents",
    "check_media",
    "check_text",
    "make_contents",
    "parse_file",
    "payload_of",
    "to_schema",
    "uri_of",
]

Contents: TypeAlias = TextContentSchema | BinaryContentSchema
"""The contents of a resource."""

NOT_BASE64 = "Data must be valid base64 encoded string"


def check_text(value: Any, what: str) -> str:
    """A text that is not empty."""
    if not value or not isinstance(value, str):
        raise ValueError(f"{what} must be a non-empty string")
    return value


def check_media(data: Any, mime_type: str, kind: str) -> str:
    """Data in base64 that has a MIME type."""
    data = check_text(data, "Data")
    if not mime_type:
        raise ValueError(f"MIME type is required for {kind} content")
    return check_base64(data, NOT_BASE64)


def parse_file(file: Openable, problem: str, kind: type[Exception]) -> FileMetadata:
    """A file that is read now; raises `kind` with the problem if it cannot be described."""
    try:
        return FileParser(file).file_metadata
    except ValueError as error:
        raise kind(f"{problem} Add its content with one of the other methods.") from error


def payload_of(parsed: FileMetadata) -> Any:
    """The text or the blob of a file, as an argument of `add_embedded_resource`."""
    return {"text" if parsed.content_type == ContentTypes.TEXT else "blob": parsed.data}


def uri_of(uri: str | None, parsed: FileMetadata) -> str:
    """The URI that was given, or that of the file."""
    found = uri or parsed.uri
    if not found:
        raise ValueError("Could not determine URI for file. Provide uri as parameter.")
    return found


def make_contents(text: Any, blob: Any, annotations: AnnotationsLike, fields: Mapping[str, Any]) -> Contents:
    """A text or a blob as the contents of an embedded resource."""
    if not text and not blob:
        raise ValueError("Either 'text' or 'blob' must be provided for embedded resource.")
    schema = to_schema(annotations)
    if not text:
        return BinaryContentSchema(blob=blob, annotations=schema, **fields)
    text = text.decode() if isinstance(text, bytes) else text
    return TextContentSchema(text=text, annotations=schema, **fields)


def to_schema(annotations: AnnotationsLike) -> Any:
    """Annotations as an object with their fields."""
    if not isinstance(annotations, Mapping):
        return annotations
    return AnnotationSchema(**{name: annotations.get(name) for name in AnnotationSchema.__struct_fields__})
