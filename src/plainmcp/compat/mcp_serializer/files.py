"""Files as mcp-serializer describes them: a name, a type, and text or base64. They are read in protocol/files."""

import os
from dataclasses import dataclass
from os import PathLike
from typing import IO, TypeAlias

from ... import media
from ...errors import AuthorError
from ...protocol.files import FileSource
from ...wire.mime import is_textual, mime_of_name

__all__ = ["ContentTypes", "FileMetadata", "FileParser", "Openable", "mime_type_of"]

Openable: TypeAlias = str | PathLike[str] | IO[str] | IO[bytes]
"""A path, or an open file."""


_TYPES = {
    ".xml": "text/xml",
    ".yml": "text/yaml",
    ".yaml": "text/yaml",
    ".java": "text/x-java",
    ".cpp": "text/x-c++src",
    ".cxx": "text/x-c++src",
    ".c": "text/x-csrc",
    ".sh": "text/x-shellscript",
    ".sql": "text/x-sql",
    ".php": "text/x-php",
    ".rb": "text/x-ruby",
    ".go": "text/x-go",
    ".rs": "text/x-rust",
    ".ts": "text/x-typescript",
}
"""MIME types that mcp-serializer sends and plainmcp does not, by the end of a name."""


class ContentTypes:
    """The kinds of files."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    BINARY = "binary"


@dataclass
class FileMetadata:
    """A file: `data` is its text, or base64."""

    size: int
    name: str
    mime_type: str
    data: str
    content_type: str
    uri: str | None = None


def mime_type_of(name: str) -> str | None:
    """The MIME type that the end of a name or of a path shows."""
    return _TYPES.get(os.path.splitext(name)[1].lower()) or mime_of_name(name)


class FileParser:
    """Reads a file, given as a path or an open file; raises OSError if it cannot be read."""

    def __init__(self, file: Openable) -> None:
        self.file = file
        self.file_metadata = _read(file)


def _read(file: Openable) -> FileMetadata:
    if isinstance(file, str | PathLike):
        os.stat(file)  # raises what open() raises
    source = FileSource(file)
    data, kind = source.read().data or b"", mime_type_of(source.name) or source.mime_type
    try:
        uri = source.uri
    except AuthorError:  # an open file without a name
        uri = None
    text = _to_text(data) if is_textual(kind) else None
    family = kind.partition("/")[0]
    content_type = family if family in (ContentTypes.IMAGE, ContentTypes.AUDIO) else ContentTypes.BINARY
    return FileMetadata(
        size=len(data),
        name=source.name,
        mime_type=kind,
        data=media.to_base64(data) if text is None else text,
        content_type=content_type if text is None else ContentTypes.TEXT,
        uri=uri,
    )


def _to_text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
