"""The resources of FastMCP as objects: a text, bytes, a file, the names in a directory, or a function."""

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from ...errors import AuthorError
from ...files.regular import MAX_SIZE, read_regular
from .components import SHARED, Component, ResourceTemplate
from .exceptions import ResourceError
from .pieces import ResourceContent, ResourceResult

__all__ = [
    "BinaryResource",
    "DirectoryResource",
    "FileResource",
    "FunctionResource",
    "HttpResource",
    "Resource",
    "TextResource",
]


class Resource(Component):
    """A resource for FastMCP.add_resource: of a function, or of a class with a method `read`."""

    wire_names: ClassVar[dict[str, str]] = {**SHARED, "uri": "uri", "mime_type": "mimeType"}
    kind = "resource"
    default_mime_type = "text/plain"

    def __init__(self, fn: Callable[..., Any] | None = None, /, **options: Any) -> None:
        super().__init__(fn, **options)
        if self.uri is None and self.kind == "resource" and type(self) is not Resource:
            raise ValueError(f"{type(self).__name__} takes uri=")
        self.uri: Any = None if self.uri is None else str(self.uri)
        self.name = self.name or self.uri
        self.mime_type: str = self.mime_type or self.default_mime_type

    async def read(self) -> Any:
        """The content: text, bytes or ResourceResult."""
        if self.fn is not None:
            value = self.fn()
            return await value if hasattr(value, "__await__") else value
        return await self._owner().read_resource(self.uri)

    def to_mcp_resource(self, **changes: Any) -> Any:
        """The definition, as a client is sent it."""
        return self.to_protocol(**changes)


class FunctionResource(Resource):
    """The resource of a function."""

    def __init__(self, function: Callable[..., Any] | None = None, /, *, fn: Any = None, **options: Any) -> None:
        super().__init__(function or fn, **options)


Resource.function_class = FunctionResource
ResourceTemplate.resource_class = FunctionResource


class TextResource(Resource):
    """A text."""

    def __init__(self, *, text: str, **options: Any) -> None:
        super().__init__(**options)
        self.text = text

    async def read(self) -> ResourceResult:
        """The text."""
        return _content_of(self.text, self.mime_type)


class BinaryResource(Resource):
    """Bytes."""

    def __init__(self, *, data: bytes, **options: Any) -> None:
        super().__init__(**options)
        self.data = data

    async def read(self) -> ResourceResult:
        """The bytes."""
        return _content_of(self.data, self.mime_type)


class FileResource(Resource):
    """A file, which is read for each request."""

    def __init__(
        self,
        *,
        path: Any,
        is_binary: bool | None = None,
        encoding: str | None = "utf-8",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.path = _absolute_path_of(path)
        self.is_binary = not self.mime_type.startswith("text/") if is_binary is None else is_binary
        self.encoding = encoding

    async def read(self) -> ResourceResult:
        """The text or the bytes of the file."""
        try:
            data = await asyncio.to_thread(read_regular, self.path, self.path.name, MAX_SIZE)
            content = data if self.is_binary else io.TextIOWrapper(io.BytesIO(data), self.encoding).read()
        except Exception as error:
            raise ResourceError(f"Error reading file {self.path}") from error
        return _content_of(content, self.mime_type)


class DirectoryResource(Resource):
    """The names of the files in a directory, as JSON."""

    default_mime_type = "application/json"

    def __init__(self, *, path: Any, recursive: bool = False, pattern: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.path = _absolute_path_of(path)
        self.recursive, self.pattern = recursive, pattern

    async def list_files(self) -> list[Path]:
        """The files in the directory."""
        if not self.path.is_dir():
            raise NotADirectoryError(f"Not a directory: {self.path}")
        find = self.path.rglob if self.recursive else self.path.glob
        return [file for file in find(self.pattern or "*") if file.is_file()]

    async def read(self) -> ResourceResult:
        """The names, relative to the directory."""
        try:
            names = [str(file.relative_to(self.path)) for file in await self.list_files()]
        except Exception as error:
            raise ResourceError(f"Error reading directory {self.path}") from error
        return _content_of(json.dumps({"files": names}, indent=2), self.mime_type)


class HttpResource(Resource):
    """A page on the web: not supported, because a server that fetches pages for others needs rules of its own."""

    def __init__(self, **options: Any) -> None:
        raise AuthorError("there is no HttpResource here; call mcp.add_link(uri), and clients fetch it by themselves")


def _absolute_path_of(path: Any) -> Path:
    absolute = Path(path)
    if not absolute.is_absolute():
        raise ValueError("Path must be absolute")
    return absolute


def _content_of(content: str | bytes, mime_type: str) -> ResourceResult:
    return ResourceResult([ResourceContent(content, mime_type)])
