"""Results that a handler builds piece by piece, where a plain value is not enough.

Keeps the pieces as they are: normalize makes a result of the protocol from them, by policy.
"""

from binascii import a2b_base64
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self, TypeAlias, TypedDict, TypeVar, Unpack

import msgspec
from msgspec import UNSET, Struct

from . import media
from .errors import AuthorError
from .files.regular import MAX_SIZE
from .media import Audio, Buffer, File, Image
from .types import (
    Annotations,
    BlobResourceContents,
    EmbeddedResource,
    Icon,
    ResourceContents,
    ResourceLink,
    Role,
    TextContent,
    TextResourceContents,
)
from .wire import codec

__all__ = [
    "JSON_TEXT",
    "Part",
    "PromptResult",
    "ResourceResult",
    "ToolResult",
    "Turn",
    "full",
    "structured",
    "text",
]

Location: TypeAlias = str | PathLike[str]
Meta: TypeAlias = dict[str, Any]
T = TypeVar("T")

_ROLES = ("user", "assistant")

# The keyword arguments of the add_… methods, for every builder.


class _Fields(TypedDict, total=False):
    annotations: Annotations | Mapping[str, Any] | None
    meta: Meta | None


class _MediaFields(TypedDict, total=False):
    data: Buffer | None
    format: str | None
    annotations: Annotations | Mapping[str, Any] | None
    max_size: int


class _FileFields(_MediaFields, total=False):
    name: str | None


class _ResourceFields(_Fields, total=False):
    text: str | None
    blob: Buffer | str | None
    mime_type: str | None
    name: str | None
    title: str | None


class _LinkFields(_Fields, total=False):
    title: str | None
    description: str | None
    mime_type: str | None
    size: int | None
    icons: Sequence[Icon | Mapping[str, Any]] | None


class _PartFields(_Fields, total=False):
    uri: str | None
    mime_type: str | None
    name: str | None
    title: str | None


JSON_TEXT = object()
"""Stands in a ToolResult's content for the JSON of its structured content."""


class ToolResult:
    """A tool's result under full control; every `add_…` returns the result itself.

    `content` holds texts, media and content blocks; None beside structured content means that its JSON is
    the text, [] means no text. `structured_content` is UNSET when there is none; None means none too, as in
    other packages. `rendered` is True when the author guarantees that the text shows the data.

    >>> ToolResult("2 pods", {"pods": 2}).add_link("k8s://pods/web").content[1].name
    'web'
    """

    __slots__ = ("content", "is_error", "meta", "rendered", "structured_content")

    def __init__(
        self,
        content: object = None,
        structured_content: Any = UNSET,
        meta: Meta | None = None,
        is_error: bool = False,
    ) -> None:
        self.content: list[Any] | None = None if content is None else _to_list(content)
        self.structured_content: Any = UNSET if structured_content is None else structured_content
        self.meta: Meta | None = _check_meta(meta)
        self.is_error: bool = is_error
        self.rendered: bool = False

    def add_text(self, text: str, **fields: Unpack[_Fields]) -> Self:
        """Add a text; takes annotations= and meta=."""
        return self._add(_make_text(text, fields))

    def add_image(self, path: Location | None = None, **fields: Unpack[_MediaFields]) -> Self:
        """Add a picture from a path or data=; takes format=, annotations= and max_size=."""
        return self._add(Image(path, **fields))

    def add_audio(self, path: Location | None = None, **fields: Unpack[_MediaFields]) -> Self:
        """Add a sound from a path or data=; takes format=, annotations= and max_size=."""
        return self._add(Audio(path, **fields))

    def add_file(self, path: Location | None = None, **fields: Unpack[_FileFields]) -> Self:
        """Embed a file from a path, or data= with name=; takes format=, annotations= and max_size=."""
        return self._add(File(path, **fields))

    def add_resource(self, uri: str, **fields: Unpack[_ResourceFields]) -> Self:
        """Embed text= or blob= (bytes, or base64); takes mime_type=, name=, title=, annotations=, meta=."""
        return self._add(_make_resource(uri, fields))

    def add_link(self, uri: str, name: str | None = None, **fields: Unpack[_LinkFields]) -> Self:
        """Link a resource; takes title=, description=, mime_type=, size=, icons=, annotations=, meta=."""
        return self._add(_make_link(uri, name, fields))

    def _add(self, item: object) -> Self:
        if self.content is None:
            self.content = [] if self.structured_content is UNSET else [JSON_TEXT]
        self.content.append(item)
        return self


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One piece of a resource: text, bytes, or a file to be read later; without `uri` it has the requested one."""

    payload: Any  # str | bytes | File
    uri: str | None = None
    mime_type: str | None = None
    name: str | None = None
    title: str | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None


class ResourceResult:
    """A resource in several pieces; `contents` holds Parts, and any values the author put there.

    >>> ResourceResult().add_text("cold", mime_type="text/plain", title="Today").contents[0].title
    'Today'
    """

    __slots__ = ("contents", "meta")

    def __init__(self, contents: object = None, meta: Meta | None = None) -> None:
        self.contents: list[Any] = [] if contents is None else _to_list(contents)
        self.meta: Meta | None = _check_meta(meta)

    def add_text(self, text: str, **fields: Unpack[_PartFields]) -> Self:
        """Add a text; takes uri=, mime_type=, name=, title=, annotations=, meta=."""
        return self._add(_make_part(_check_text(text), fields))

    def add_bytes(self, data: Buffer, **fields: Unpack[_PartFields]) -> Self:
        """Add raw bytes; takes uri=, mime_type=, name=, title=, annotations=, meta=."""
        return self._add(_make_part(_to_bytes(data), fields))

    def add_file(self, path: Location, *, max_size: int = MAX_SIZE, **fields: Unpack[_PartFields]) -> Self:
        """Add a file, as text or blob by its type (S003-11); takes the options of `add_text`."""
        return self._add(_make_part(File(path, max_size=max_size), fields))

    def _add(self, part: Part) -> Self:
        self.contents.append(part)
        return self


class Turn(msgspec.Struct, frozen=True):
    """One message of a prompt: its role, and a text, media or a content block.

    `as_text` asks for the text of a File where it would otherwise be embedded.
    """

    role: Role
    content: Any
    as_text: bool = False

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            raise AuthorError(f"a role is user or assistant, not {self.role!r}")


class PromptResult:
    """A prompt of several messages; `messages` holds Turns, and any values the author put there.

    >>> PromptResult().add_text("Hello").add_text("Hi!", role="assistant").messages[1].role
    'assistant'
    """

    __slots__ = ("description", "messages", "meta")

    def __init__(self, messages: object = None, description: str | None = None, meta: Meta | None = None) -> None:
        self.messages: list[Any] = [] if messages is None else _to_messages(messages)
        self.description: str | None = description
        self.meta: Meta | None = _check_meta(meta)

    def add_text(self, text: str, role: Role = "user", **fields: Unpack[_Fields]) -> Self:
        """Add a text; takes annotations= and meta=."""
        return self._add(Turn(role, _make_text(text, fields)))

    def add_image(self, path: Location | None = None, role: Role = "user", **fields: Unpack[_MediaFields]) -> Self:
        """Add a picture from a path or data=; takes format=, annotations= and max_size=."""
        return self._add(Turn(role, Image(path, **fields)))

    def add_audio(self, path: Location | None = None, role: Role = "user", **fields: Unpack[_MediaFields]) -> Self:
        """Add a sound from a path or data=; takes format=, annotations= and max_size=."""
        return self._add(Turn(role, Audio(path, **fields)))

    def add_file(self, path: Location | None = None, role: Role = "user", **fields: Unpack[_FileFields]) -> Self:
        """Embed a file from a path, or data= with name=; takes format=, annotations= and max_size=."""
        return self._add(Turn(role, File(path, **fields)))

    def add_file_message(self, path: Location, role: Role = "user", *, max_size: int = MAX_SIZE) -> Self:
        """Add the text of a file as a text (S003-33); once read, a file that is not text is a ToolError."""
        return self._add(Turn(role, File(path, max_size=max_size), as_text=True))

    def add_resource(self, uri: str, role: Role = "user", **fields: Unpack[_ResourceFields]) -> Self:
        """Embed text= or blob= (bytes, or base64); takes mime_type=, name=, title=, annotations=, meta=."""
        return self._add(Turn(role, _make_resource(uri, fields)))

    def add_link(self, uri: str, name: str | None = None, role: Role = "user", **fields: Unpack[_LinkFields]) -> Self:
        """Link a resource; takes title=, description=, mime_type=, size=, icons=, annotations=, meta=."""
        return self._add(Turn(role, _make_link(uri, name, fields)))

    def _add(self, turn: Turn) -> Self:
        self.messages.append(turn)
        return self


# Is the text the JSON of the data (S001-02)? Then `structured`; with another text `full`; without data `text`.


def structured_result(payload: Any, error: BaseException | str | None = None) -> ToolResult:
    """Data whose JSON is also the text (S001-03); the JSON is made once, so that the two always agree."""
    return _failure(error) or ToolResult(structured_content=payload)


def full_result(text: str, payload: Any, error: BaseException | str | None = None) -> ToolResult:
    """A text for people and data for programs (S001-05); the author keeps them consistent."""
    result = _failure(error)
    if result is None:
        result = ToolResult([_check_text(text)], payload)
        result.rendered = True
    return result


def text_result(text: str, error: BaseException | str | None = None) -> ToolResult:
    """A text without data (S001-07), or an error for the model to read (S001-09).

    >>> text("", RuntimeError("failed to list namespaces: timeout")).content
    ['failed to list namespaces: timeout']
    """
    return _failure(error) or ToolResult([_check_text(text)])


# The public names: plainmcp.structured, plainmcp.full and plainmcp.text.
structured, full, text = structured_result, full_result, text_result


def _failure(error: BaseException | str | None) -> ToolResult | None:
    """The error as the whole result; None without one. An empty string, such as an empty stderr, is not an error."""
    if error is None or error == "":
        return None
    # Many exceptions have no message; their name is better than an empty line.
    return ToolResult([str(error) or type(error).__name__], is_error=True)


# Pieces -----------------------------------------------------------------------------------------
# An unknown keyword ends in an AuthorError: the types of the protocol refuse unknown fields.


def _make_text(text: str, fields: _Fields) -> TextContent:
    return _make(TextContent, {"text": text, **_to_wire_names(fields)}, "add_text")


def _make_resource(uri: str, fields: _ResourceFields) -> EmbeddedResource:
    inner: dict[str, Any] = {"uri": uri}
    inner |= {name: value for name, value in _to_wire_names(fields).items() if value is not None}
    if ("text" in inner) == ("blob" in inner):
        raise AuthorError("add_resource takes text= or blob=, exactly one of the two")
    # The schema annotates the block; contents inside it have neither annotations nor our _meta.
    annotations, meta = inner.pop("annotations", None), _check_meta(inner.pop("_meta", None))
    resource: ResourceContents
    if "text" in inner:
        resource = _make(TextResourceContents, inner, "add_resource")
    else:
        inner["blob"] = _to_base64(inner["blob"])
        resource = _make(BlobResourceContents, inner, "add_resource")
    return EmbeddedResource(resource=resource, annotations=annotations, _meta=meta)


def _make_link(uri: str, name: str | None, fields: _LinkFields) -> ResourceLink:
    name_or_end = _last_segment_of(uri) if name is None else name
    return _make(ResourceLink, {"uri": uri, "name": name_or_end, **_to_wire_names(fields)}, "add_link")


def _make_part(payload: str | bytes | File, fields: _PartFields) -> Part:
    annotations = media.annotations_of(fields.get("annotations"))
    return _make(Part, {**fields, "payload": payload, "annotations": annotations}, "a part")


def _to_wire_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments under the wire's names."""
    names = {"mime_type": "mimeType", "meta": "_meta"}
    renamed = {names.get(name, name): value for name, value in fields.items()}
    return {**renamed, "annotations": media.annotations_of(fields.get("annotations"))}


def _make(kind: type[T], fields: Mapping[str, Any], where: str) -> T:
    """An object of the protocol from its fields, each of them checked."""
    # str.__str__ makes a plain string of a subclass, such as a template engine's, which no encoder accepts.
    plain = {name: str.__str__(value) if isinstance(value, str) else value for name, value in fields.items()}
    return _check(plain, kind, where)


def _check(value: object, kind: type[T], where: str) -> T:
    try:
        return codec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise AuthorError(f"{where}: {error}") from None


def _check_text(value: object) -> str:
    if not isinstance(value, str):
        raise AuthorError(f"a text is a str, not {type(value).__name__}")
    return value


def _check_meta(meta: object) -> Meta | None:
    return None if meta is None else _check(meta, Meta, "meta")


def _to_bytes(data: object) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise AuthorError(f"raw bytes are wanted here, not {type(data).__name__}")
    return bytes(data)


def _to_base64(blob: object) -> str:
    """Bytes as base64; a text is taken to be base64 already."""
    if not isinstance(blob, str):
        return media.to_base64(_to_bytes(blob))
    try:
        a2b_base64(blob, strict_mode=True)
    except ValueError as error:
        raise AuthorError(f"blob= takes bytes or base64, and this text is not base64: {error}") from None
    return blob


def _last_segment_of(uri: object) -> object:
    """The end of a URI's path, or all of it; a value that is not text is refused later."""
    if not isinstance(uri, str):
        return uri
    path = uri.partition("?")[0].partition("#")[0].rstrip("/")
    return path.rpartition("/")[2] or uri


def _to_list(value: object) -> list[Any]:
    """The author's items as a new list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _to_messages(value: object) -> list[Any]:
    """The author's messages as a new list; (text, role) is one message and not two (S003-32)."""
    if isinstance(value, tuple) and len(value) == 2:
        first, second = value
        if any(isinstance(item, str) and item in _ROLES for item in (first, second)):
            return [value]
    return _to_list(value)
