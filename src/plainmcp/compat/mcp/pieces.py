"""Objects of the official SDK that are made before they are registered: prompts, resources and media."""

import base64
from pathlib import Path
from typing import Any

from ...files.regular import MAX_SIZE, read_regular
from .loaded_types import to_loaded
from .types import AudioContent, ContentBlock, ImageContent, TextContent
from .wire_model import Model

__all__ = ["AssistantMessage", "Audio", "Image", "Message", "UserMessage"]


class Message(Model):
    """One message of a prompt: a text or content, and its role."""

    role: str = "user"
    content: ContentBlock

    def __init__(self, content: Any, **fields: Any) -> None:
        if isinstance(content, (Image, Audio)):
            content = content.to_image_content() if isinstance(content, Image) else content.to_audio_content()
        super().__init__(
            content=to_loaded(TextContent(text=content) if isinstance(content, str) else content), **fields
        )


class UserMessage(Message):
    """A message of the user."""


class AssistantMessage(Message):
    """A message of the assistant."""

    role: str = "assistant"


# Media --------------------------------------------------------------------------------------------

_IMAGES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
_SOUNDS = {".wav": "wav", ".mp3": "mpeg", ".ogg": "ogg", ".flac": "flac", ".aac": "aac", ".m4a": "mp4"}


class _Medium:
    """A file or bytes, and their type: by the option `format`, or by the name of the file."""

    _kind = "image"
    _default = "png"
    _suffixes = _IMAGES

    def __init__(
        self, path: Any = None, data: bytes | None = None, format: str | None = None, *, max_size: int = MAX_SIZE
    ) -> None:
        if (path is None) == (data is None):
            raise ValueError("Either path or data must be provided, and not both")
        self.path = None if path is None else Path(path)
        self.data = data
        self.max_size = max_size
        self._format = format
        self._mime_type = self._get_mime_type()

    def _get_mime_type(self) -> str:
        if self._format:
            return f"{self._kind}/{self._format.lower()}"
        if self.path is None:
            return f"{self._kind}/{self._default}"
        subtype = self._suffixes.get(self.path.suffix.lower())
        return f"{self._kind}/{subtype}" if subtype else "application/octet-stream"

    def _encode(self) -> str:
        data = self.data if self.path is None else read_regular(self.path, self.path.name, self.max_size)
        return base64.b64encode(data or b"").decode()


class Image(_Medium):
    """An image from a file or from bytes; bytes without a format are a PNG."""

    def to_image_content(self) -> ImageContent:
        """The image as content."""
        return ImageContent(type="image", data=self._encode(), mimeType=self._mime_type)


class Audio(_Medium):
    """A sound from a file or from bytes; bytes without a format are a WAV."""

    _kind = "audio"
    _default = "wav"
    _suffixes = _SOUNDS

    def to_audio_content(self) -> AudioContent:
        """The sound as content."""
        return AudioContent(type="audio", data=self._encode(), mimeType=self._mime_type)
