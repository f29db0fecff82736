"""The resources of the official SDK as objects: texts, bytes, files, folders, pages and what functions return."""

import asyncio
import codecs
import inspect
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from ...files.regular import MAX_SIZE, read_regular
from .input_required import is_input_required
from .wire_model import Uri, to_wire

__all__ = [
    "BinaryResource",
    "DirectoryResource",
    "FileResource",
    "FunctionResource",
    "HttpResource",
    "OlderFileResource",
    "OlderFunctionResource",
    "Resource",
    "TextResource",
    "call_in_thread",
    "to_content",
]

_CHARSET = re.compile(r";\s*charset=\"?([^\";]+)", re.IGNORECASE)
_TEXTUAL = re.compile(r"text/|application/(json|xml|javascript)\b|[^;]*\+(json|xml)\b")


class Resource(ABC):
    """A resource for `add_resource`: a subclass reads it in `read`. Its fields are options of the constructor."""

    def __init__(
        self,
        uri: Any = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        icons: Any = None,
        annotations: Any = None,
        meta: dict[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        if uri is None and name is None:
            raise ValueError("Either name or uri must be provided")
        self.uri = Uri("" if uri is None else str(uri))
        self.name, self.title, self.description = name or str(self.uri), title, description
        self.mime_type = mime_type or "text/plain"
        self.icons, self.annotations, self.meta = icons, annotations, meta
        for field, value in fields.items():
            setattr(self, field, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

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
    """A resource that is a file, read for each request; without an encoding, its bytes."""

    path: Path

    def __init__(self, *, path: Any, encoding: Any = ..., is_binary: bool | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self.path = _absolute_path_of(path)
        if encoding is ...:
            declared = _CHARSET.search(self.mime_type)
            encoding = declared[1] if declared else "utf-8-sig" if self.is_textual() else None
        self.encoding: str | None = None if is_binary else "utf-8" if is_binary is False else encoding
        _check_encoding(self.encoding)

    def is_textual(self) -> bool:
        """Whether files of the type are texts."""
        return _TEXTUAL.match(self.mime_type) is not None

    @property
    def is_binary(self) -> bool:
        """Whether the bytes are sent."""
        return self.encoding is None

    async def read(self) -> str | bytes:
        """The contents of the file."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> str | bytes:
        data = read_regular(self.path, self.path.name, MAX_SIZE)
        return data if self.encoding is None else io.TextIOWrapper(io.BytesIO(data), encoding=self.encoding).read()


class OlderFileResource(FileResource):
    """The file of `mcp` 1, where only the types `text/…` are texts."""

    def is_textual(self) -> bool:
        """Whether files of the type are texts."""
        return self.mime_type.startswith("text/")

    async def read(self) -> str | bytes:
        """The contents of the file; raises ValueError."""
        try:
            return await super().read()
        except Exception as error:
            raise ValueError(f"Error reading file {self.path}: {error}") from error


class DirectoryResource(Resource):
    """The names of the files in a folder, as JSON."""

    path: Path
    recursive: bool = False
    pattern: str | None = None

    def __init__(self, *, path: Any, mime_type: str | None = None, **fields: Any) -> None:
        super().__init__(path=_absolute_path_of(path), mime_type=mime_type or "application/json", **fields)

    def list_files(self) -> list[Path]:
        """The files in the folder."""
        if not self.path.is_dir():
            raise NotADirectoryError(f"Not a directory: {self.path}")
        find = self.path.rglob if self.recursive else self.path.glob
        return [file for file in find(self.pattern or "*") if file.is_file()]

    async def read(self) -> str:
        """The names, relative to the folder."""
        files = await asyncio.to_thread(self.list_files)
        return json.dumps({"files": [str(file.relative_to(self.path)) for file in files]}, indent=2)


class HttpResource(Resource):
    """A page that the server fetches for each request."""

    url: str

    async def read(self) -> str | bytes:
        """The text of the page."""
        from .shared._httpx_utils import create_mcp_http_client  # it loads httpx, for those who have such resources

        async with create_mcp_http_client() as client:
            response = await client.get(self.url)
            response.raise_for_status()
            return response.text  # type: ignore[no-any-return]


class FunctionResource(Resource):
    """A resource that a function reads."""

    fn: Callable[[], Any]
    _has_own_signature: ClassVar[bool] = False

    @classmethod
    def from_function(cls, fn: Callable[..., Any], uri: Any, name: str | None = None, **options: Any) -> Self:
        """A resource that a function reads; raises ValueError for a lambda without a name."""
        name = name or fn.__name__
        if name == "<lambda>":
            raise ValueError("You must provide a name for lambda functions")
        given: dict[str, Any] = {"description": inspect.getdoc(fn) or "", **options}
        return cls(uri, name, fn=fn, **given)

    async def read(self) -> Any:
        """What the function returns, as text or bytes."""
        value = await call_in_thread(self.fn)
        value = await value.read() if isinstance(value, Resource) else value
        if is_input_required(value):
            raise ValueError("A resource without variables cannot ask for input")
        return to_content(value)


class OlderFunctionResource(FunctionResource):
    """The resource of a function in `mcp` 1, whose errors are a ValueError."""

    async def read(self) -> Any:
        """What the function returns, as text or bytes; raises ValueError."""
        try:
            return await super().read()
        except Exception as error:
            raise ValueError(f"Error reading resource {self.uri}: {error}") from error


async def call_in_thread(function: Callable[..., Any], **arguments: Any) -> Any:
    """What a function returns; a plain one runs in a thread."""
    call = getattr(function, "__call__", None)  # noqa: B004 - an object with an async `__call__`
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call):
        return await function(**arguments)
    value = await asyncio.to_thread(function, **arguments)
    return await value if inspect.isawaitable(value) else value


def to_content(value: Any) -> str | bytes:
    """What a function returned as text or bytes: other data as JSON."""
    if isinstance(value, str | bytes):
        return value
    plain = to_wire(value)
    return msgspec.json.format(msgspec.json.encode(plain, enc_hook=str), indent=2).decode()


def _check_encoding(encoding: str | None) -> None:
    try:
        is_text = encoding is None or codecs.lookup(encoding)._is_text_encoding
    except LookupError as error:
        raise ValueError(str(error)) from None
    if not is_text:
        raise ValueError(f"{encoding} is not a text encoding")


def _absolute_path_of(path: Any) -> Path:
    absolute = Path(path)
    if not absolute.is_absolute():
        raise ValueError("Path must be absolute")
    return absolute
