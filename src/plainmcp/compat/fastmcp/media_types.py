"""`Image`, `Audio` and `File` of FastMCP: their types, by `format` or by the name of the file, and their content.

The tables are those of FastMCP 4.1.6. A file whose type they do not have is known by its first bytes.
"""

import os
from base64 import b64encode
from binascii import a2b_base64
from pathlib import Path
from typing import Any

import msgspec

from ... import media
from ...wire.mime import UNKNOWN, sniff
from .protocol_types import to_block

__all__ = ["Audio", "File", "Image"]

_PICTURES = {"jpg": "image/jpeg", "svg": "image/svg+xml", "tif": "image/tiff"}
_SOUNDS = {
    "aac": "audio/aac",
    "aif": "audio/aiff",
    "aiff": "audio/aiff",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "wav": "audio/wav",
    "webm": "audio/webm",
}
_TEXTS = {
    "csv": "text/csv",
    "htm": "text/html",
    "html": "text/html",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "plain": "text/plain",
    "text": "text/plain",
    "txt": "text/plain",
}


class _Given:
    """What the author gave: a path, in which `~` and variables are expanded, or data, and perhaps a format."""

    __slots__ = ()
    _family = "application"
    _types = _TEXTS
    _default: str | None = None
    """The type of data that nothing tells about."""

    def __init__(
        self, path: Any = None, data: Any = None, format: str | None = None, annotations: Any = None, **options: Any
    ) -> None:
        if path is None and data is None:
            raise ValueError("Either path or data must be provided")
        if path is not None and data is not None:
            raise ValueError("Only one of path or data can be provided")
        if path is not None:
            path = os.path.expanduser(os.path.expandvars(str(path)))
        given: Any = super().__init__
        given(path, data=data, format=self._type_of(path, data, format), annotations=annotations, **options)

    def _type_of(self, path: str | None, data: Any, format: str | None) -> str | None:
        """The type, as far as FastMCP knows it; None if the bytes tell it."""
        if format:
            return self._types.get(format.lower(), f"{self._family}/{format.lower()}")
        if path is not None:
            return self._types.get(Path(path).suffix.lower().lstrip("."))
        return None if sniff(bytes(data)) else self._default

    def _block(self: Any, mime_type: str | None, annotations: Any) -> dict[str, Any]:
        """The content block, with another type or other annotations if they are given."""
        block: dict[str, Any] = msgspec.to_builtins(media.block_of(self, file_block="text"))
        block.setdefault("annotations", None)
        if annotations is not None:
            block["annotations"] = msgspec.to_builtins(media.annotations_of(annotations))
        contents = block.get("resource", block)
        contents["mimeType"] = mime_type or contents["mimeType"]
        return {name: value for name, value in block.items() if value is not None}


class Image(_Given, media.Image):
    """An image from a file or from bytes; bytes of an unknown kind are a PNG."""

    __slots__ = ()
    _family, _types, _default = "image", _PICTURES, "image/png"

    def to_image_content(self, mime_type: str | None = None, annotations: Any = None) -> Any:
        """The image as content."""
        return to_block(self._block(mime_type, annotations))

    def to_data_uri(self, mime_type: str | None = None) -> str:
        """The image as a URI with its data."""
        block = self._block(mime_type, None)
        return f"data:{block['mimeType']};base64,{block['data']}"


class Audio(_Given, media.Audio):
    """A sound from a file or from bytes; bytes of an unknown kind are a WAV."""

    __slots__ = ()
    _family, _types, _default = "audio", _SOUNDS, "audio/wav"

    def to_audio_content(self, mime_type: str | None = None, annotations: Any = None) -> Any:
        """The sound as content."""
        return to_block(self._block(mime_type, annotations))


class File(_Given, media.File):
    """Any file, or bytes with a name."""

    __slots__ = ()
    _default = UNKNOWN

    def __init__(
        self,
        path: Any = None,
        data: Any = None,
        format: str | None = None,
        name: str | None = None,
        annotations: Any = None,
        **options: Any,
    ) -> None:
        if data is not None:
            suffix = format or ("" if sniff(bytes(data)) else UNKNOWN.partition("/")[2])
            name = name or "resource"
            name = name if os.path.splitext(name)[1] or not suffix else f"{name}.{suffix.lower()}"
        super().__init__(path, data, format, annotations, name=name, **options)

    def to_resource_content(self, mime_type: str | None = None, annotations: Any = None) -> Any:
        """The file as content: text, if its type is one of texts, or else its bytes."""
        block = self._block(mime_type, annotations)
        contents = block["resource"]
        is_text = contents["mimeType"].startswith("text/")
        if is_text and "blob" in contents:
            raw = a2b_base64(contents.pop("blob"))
            contents["text"] = raw.decode("utf-8") if _is_utf8(raw) else raw.decode("latin-1")
        elif not is_text and "text" in contents and mime_type is not None:
            contents["blob"] = b64encode(contents.pop("text").encode()).decode()
        return to_block(block)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
