"""Objects of the official SDK that are made before they are registered: prompts, resources and media."""

import asyncio
import base64
import inspect
import io
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from ...files.regular import MAX_SIZE, read_regular
from .types import AudioContent, ContentBlock, ImageContent, TextContent
from .wire_model import Model

__all__ = [
    "AssistantMessage",
    "Audio",
    "BinaryResource",
    "FileResource",
    "FunctionResource",
    "Image",
    "Message",
    "Offer",
    "Prompt",
    "Resource",
    "TextResource",
    "UserMessage",
]


class Message(Model):
    """One message of a prompt: a text or content, and its role."""

    role: str = "user"
    content: ContentBlock

    def __init__(self, content: Any, **fields: Any) -> None:
        if isinstance(content, (Image, Audio)):
            content = content.to_image_content() if isinstance(content, Image) else content.to_audio_content()
        super().__init__(content=TextContent(text=content) if isinstance(content, str) else content, **fields)


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


# Features -----------------------------------------------------------------------------------------


class Offer:
    """A function and the options of its decorator, until it is added to a server."""

    def __init__(self, fn: Callable[..., Any], **options: Any) -> None:
        self.fn = fn
        self.options = {name: value for name, value in options.items() if value is not None}
        self.name = self.options.get("name") or fn.__name__

    @classmethod
    def from_function(cls, fn: Callable[..., Any], name: str | None = None, **options: Any) -> Self:
        """Keep a function and the options of its decorator."""
        return cls(fn, name=name, **options)


class Prompt(Offer):
    """A function for `add_prompt`."""


class Resource(ABC):
    """A resource for `add_resource`: a subclass reads it in `read`."""

    def __init__(self, uri: Any, name: str | None = None, mime_type: str | None = None, **options: Any) -> None:
        self.uri = str(uri)
        self.name = name or self.uri
        self.mime_type = mime_type or "text/plain"
        self.title = options.pop("title", None)
        self.description = options.pop("description", None)
        self.icons = options.pop("icons", None)
        self.annotations = options.pop("annotations", None)
        self.meta = options.pop("meta", None)
        for field, value in options.items():
            setattr(self, field, value)

    @abstractmethod
    async def read(self) -> str | bytes:
        """The contents of the resource."""


class TextResource(Resource):
    """A resource with a fixed text."""

    text: str

    async def read(self) -> str:
        """The text."""
        return self.text


class BinaryResource(Resource):
    """A resource with fixed bytes."""

    data: bytes

    async def read(self) -> bytes:
        """The bytes."""
        return self.data


class FileResource(Resource):
    """A resource that is a file, read for each request."""

    path: Path
    is_binary: bool = False

    async def read(self) -> str | bytes:
        """The contents of the file."""
        path = Path(self.path)
        data = await asyncio.to_thread(read_regular, path, path.name, MAX_SIZE)
        is_text = self.mime_type.startswith("text/") and not self.is_binary
        return io.TextIOWrapper(io.BytesIO(data)).read() if is_text else data


class FunctionResource(Resource):
    """A resource that a function reads."""

    fn: Callable[[], Any]

    @classmethod
    def from_function(cls, fn: Callable[..., Any], uri: Any, name: str | None = None, **options: Any) -> Self:
        """A resource that a function reads."""
        return cls(uri, name or fn.__name__, fn=fn, **{"description": inspect.getdoc(fn), **options})

    async def read(self) -> Any:
        """What the function returns."""
        value = self.fn()
        return await value if inspect.isawaitable(value) else value
