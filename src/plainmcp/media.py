"""Image, Audio and File: bytes with a type, and the content blocks and resource contents they become.

Knows base64; MIME types are in wire/mime, and files are read in files/regular. Knows nothing of tools or policies.
"""

import os
import re
from base64 import urlsafe_b64encode
from binascii import b2a_base64
from collections.abc import Mapping
from errno import EACCES, EAGAIN, EINVAL, EISDIR, ELOOP, ENOENT, ENOTDIR, EPERM
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias
from urllib.parse import quote

import msgspec

from .errors import AuthorError, ToolError
from .files.regular import MAX_SIZE, check_max_size, read_regular
from .types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    TextContent,
    TextResourceContents,
)
from .wire import codec
from .wire.mime import UNKNOWN, is_textual, mime_of_name, sniff

__all__ = [
    "Audio",
    "Buffer",
    "File",
    "Image",
    "Media",
    "annotations_of",
    "blob_uri",
    "block_of",
    "contents_of",
    "fields_advice",
    "from_bytes",
    "text_block_of_file",
    "to_base64",
    "to_plain_block",
]

Buffer: TypeAlias = bytes | bytearray | memoryview
FileBlock: TypeAlias = Literal["auto", "text", "blob"]

_TOKEN = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"
_FORMAT = re.compile(rf"\.?{_TOKEN}|{_TOKEN}/{_TOKEN}(?:;[ -~]*)?")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Containers of video that often hold sound alone; in an Audio they do.
_CONTAINERS = {"video/3gpp", "video/mp4", "video/ogg", "video/webm"}

LARGE = 4 * 2**20
"""From how many bytes on a value takes so long to encode that other requests should not wait for it."""


class Media:
    """The base of Image, Audio and File: bytes, in memory or in a file that is read when needed.

    The file is a regular one, of at most `max_size` bytes.
    """

    # Plain slots, neither Struct nor dataclass: a JSON encoder must not treat media as data.
    __slots__ = ("annotations", "data", "format", "max_size", "mime_type", "path")
    family: ClassVar[str] = ""
    name: str | None = None

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        data: Buffer | None = None,
        format: str | None = None,
        annotations: Annotations | Mapping[str, Any] | None = None,
        max_size: int = MAX_SIZE,
    ) -> None:
        kind = type(self).__name__
        if (path is None) == (data is None):  # S004-15
            raise AuthorError(f"{kind} takes a path or data=, exactly one of the two")
        self.path: str | None = None if path is None else _check_path(path, kind)
        self.data: bytes | None = None if data is None else _check_data(data, kind)
        self.format: str | None = None if format is None else _check_text(format, "format")
        self.annotations: Annotations | None = annotations_of(annotations)
        self.max_size: int = check_max_size(max_size)
        # None is a file without format=: its name and its first bytes decide, when it is read.
        self.mime_type: str | None = _declared_type_of(self) or _detected_type_of(self)

    def __repr__(self) -> str:
        # Neither directory nor bytes: a repr ends up in logs and in error texts.
        text = f"{len(self.data)} bytes" if self.data is not None else repr(_display_name_of(self))
        return f"<{type(self).__name__} {text}>"


class Image(Media):
    """A picture: `Image("chart.png")`, `Image(data=png)`, `Image(data=raw, format="png")`."""

    __slots__ = ()
    family = "image/"


class Audio(Media):
    """A sound: `Audio("speech.wav")`, `Audio(data=wav)`, `Audio(data=raw, format="wav")`."""

    __slots__ = ()
    family = "audio/"


class File(Media):
    """Any file: `File("report.pdf")`, `File(data=pdf, name="report.pdf")`."""

    __slots__ = ("name",)

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        data: Buffer | None = None,
        format: str | None = None,
        name: str | None = None,
        annotations: Annotations | Mapping[str, Any] | None = None,
        max_size: int = MAX_SIZE,
    ) -> None:
        if data is not None and name is None:  # S004-19
            raise AuthorError('File(data=…) needs a name, such as name="report.pdf"')
        self.name = None if name is None else _check_text(name, "name")
        super().__init__(path, data=data, format=format, annotations=annotations, max_size=max_size)


# Blocks and contents of media -------------------------------------------------------------------


def block_of(
    media: Media, *, file_block: FileBlock = "auto", extras: bool = False, raw: bool = False
) -> ContentBlock:
    """The content block of an image, a sound or a file; a file is read now.

    With `raw` the bytes themselves take the place of their base64: the encoder writes base64 in a third of the time
    and without a copy. Many bytes, or a long text, are encoded to JSON here, in pieces: encoding them at once would
    block every other thread.

    >>> block_of(File(data=b"# Hi", name="notes.md")).resource.text
    '# Hi'
    """
    data, mime = _load(media)
    if isinstance(media, Image):
        return ImageContent(data=_encode_data(data, raw), mimeType=mime, annotations=media.annotations)
    if isinstance(media, Audio):
        return AudioContent(data=_encode_data(data, raw), mimeType=mime, annotations=media.annotations)
    name = _display_name_of(media) if extras else None
    resource = _make_contents(data, _uri_of(media), mime, name, file_block, raw)
    # The schema annotates the block; contents inside it have no annotations.
    return EmbeddedResource(resource=resource, annotations=media.annotations)


def contents_of(
    media: Media,
    uri: str,
    mime_type: str | None = None,
    *,
    file_block: FileBlock = "auto",
    extras: bool = False,
    raw: bool = False,
) -> ResourceContents:
    """The contents of a resource at `uri` that is this media; a declared type wins. `raw` as for `block_of`."""
    data, mime = _load(media, mime_type)
    contents = _make_contents(data, uri, mime, _display_name_of(media) if extras else None, file_block, raw)
    contents.annotations = media.annotations
    return contents


def text_block_of_file(file: File, *, extras: bool = False) -> TextContent:
    """A file's text as a text block (S003-33); raises ToolError where there is no text.

    >>> text_block_of_file(File(data=b"# Hi", name="notes.md")).text
    '# Hi'
    """
    data, mime = _load(file)
    text = _decode_text(data) if mime == UNKNOWN or is_textual(mime) else None
    if text is None:
        raise ToolError(f"{_display_name_of(file)!r} is not a text file")
    # S003-36: the file's type on a text block is an addition of that system.
    mime_type = ("text/plain" if mime == UNKNOWN else mime) if extras else None
    return TextContent(text=text, mimeType=mime_type, annotations=file.annotations)


def from_bytes(data: Buffer, bytes_as: Literal["blob", "media"], *, raw: bool = False) -> ContentBlock:
    """Bytes as an embedded blob or, with "media", as an image or a sound if they are one; `raw` as for `block_of`."""
    data = bytes(data)
    mime = sniff(data) or UNKNOWN
    if bytes_as == "media" and mime.startswith("image/"):
        return ImageContent(data=_encode_data(data, raw), mimeType=mime)
    if bytes_as == "media" and mime.startswith("audio/"):
        return AudioContent(data=_encode_data(data, raw), mimeType=mime)
    resource = BlobResourceContents(uri=blob_uri(data), mimeType=mime, blob=_encode_data(data, raw))
    return EmbeddedResource(resource=resource)


def blob_uri(data: bytes) -> str:
    """A URI for bytes that have none, made of their SHA-256 (RFC 6920).

    >>> blob_uri(b"Hello World!")
    'ni:///sha-256;f4OxZX_x_FO5LcGBSKHWXfwtSx-j1ncoSt3SABJtkGk'
    """
    from hashlib import sha256

    digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=")
    return f"ni:///sha-256;{digest.decode('ascii')}"


def to_base64(data: Buffer) -> str:
    """Base64 on one line, padded.

    >>> to_base64(b"hi")
    'aGk='
    """
    return b2a_base64(bytes(data), newline=False).decode("ascii")


def _encode_data(data: bytes, raw: bool) -> Any:
    if not raw:
        return to_base64(data)
    return codec.encode_base64(data) if len(data) > LARGE else data


def to_plain_block(block: Any) -> Any:
    """A block or contents made with `raw`, changed so that its bytes are base64 and its text is text."""
    if isinstance(block, EmbeddedResource):
        block.resource = to_plain_block(block.resource)
    for name in ("data", "blob", "text"):
        data = getattr(block, name, None)
        if isinstance(data, bytes):
            setattr(block, name, to_base64(data))
        elif isinstance(data, msgspec.Raw):
            setattr(block, name, codec.decode(bytes(data)))
    return block


def annotations_of(annotations: Annotations | Mapping[str, Any] | None) -> Annotations | None:
    """Checked annotations, from the object or its wire form; raises AuthorError."""
    if annotations is None:
        return None
    try:
        return codec.convert(msgspec.to_builtins(annotations), Annotations)
    except (msgspec.ValidationError, TypeError) as error:
        raise AuthorError(f"annotations: {error}{fields_advice(Annotations)}") from None


def fields_advice(kind: type[msgspec.Struct]) -> str:
    """The end of an error about a value of a type: which fields it has."""
    return f"; the fields are {', '.join(kind.__struct_encode_fields__)}"


# MIME types -------------------------------------------------------------------------------------


def _declared_type_of(media: Media) -> str | None:
    """The type of `format=` (S004-17); AuthorError when it is not a type, or one of another family."""
    if media.format is None:
        return None
    if not _FORMAT.fullmatch(media.format):
        raise AuthorError(f'format takes a suffix like "png" or a type like "image/png", not {media.format!r}')
    mime = media.format if "/" in media.format else _type_of_suffix(_suffix_of(media.format), media)
    if not _is_of_family(mime, media):
        raise AuthorError(f"format={media.format!r} means {mime}, not {media.family}*; use File for it")
    return mime


def _type_of_suffix(suffix: str, media: Media) -> str:
    return _adapt_type(mime_of_name(f"_.{suffix}"), media) or f"{media.family or 'application/'}{suffix}"


def _detected_type_of(media: Media) -> str | None:
    """The type of data without `format=`, by a File's name or the first bytes; else AuthorError (S004-16)."""
    if media.data is None:
        return None
    kind, mime = type(media).__name__, _detect_type(media, media.data)
    if mime is None:
        raise AuthorError(f"the first bytes do not tell what this {kind} is; say so with format=")
    if not _is_of_family(mime, media):
        raise AuthorError(f"the data of this {kind} is {mime}, not {media.family}*; use File for it")
    return mime


def _detect_type(media: Media, data: bytes) -> str | None:
    """The type by the name or else by the first bytes; None when neither shows it."""
    for name in (media.path, media.name):
        mime = _adapt_type(mime_of_name(os.path.basename(name)), media) if name else None
        if mime is not None:
            return mime
    return _adapt_type(sniff(data), media)


def _adapt_type(mime: str | None, media: Media) -> str | None:
    """A type as this kind of media has it; None for "some bytes", which is not a type of a picture or a sound."""
    if media.family and mime == UNKNOWN:
        return None
    if media.family == "audio/" and mime in _CONTAINERS:
        return mime.replace("video/", "audio/")
    return mime


def _is_of_family(mime: str, media: Media) -> bool:
    return mime.lower().startswith(media.family)


def _suffix_of(format: str) -> str:
    return format.lower().removeprefix(".")


# Files ------------------------------------------------------------------------------------------

# Fixed texts: an error message of the system may hold the whole path.
_FAILURES = {
    ENOENT: "there is no such file",
    ENOTDIR: "there is no such file",
    EISDIR: "it is a directory",
    EACCES: "permission denied",
    EPERM: "permission denied",
    ELOOP: "its links lead in a circle",
    EINVAL: "it is not a regular file",
    EAGAIN: "it does not end",
}


def _check_path(path: object, kind: str) -> str:
    text: object = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise AuthorError(f"{kind} takes a path of text, not {type(text).__name__}; raw bytes go in data=")
    return text


def _check_data(data: object, kind: str) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise AuthorError(f"{kind}(data=…) takes raw bytes, not {type(data).__name__}")
    # A snapshot: later changes of a buffer are not sent. Bytes are not copied by this.
    return bytes(data)


def _check_text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise AuthorError(f"{what}= takes a text that is not empty, not {value!r}")
    return str.__str__(value)  # a subclass, such as an enum, cannot be encoded as it is


def _load(media: Media, mime_type: str | None = None) -> tuple[bytes, str]:
    """The bytes of media and their type."""
    data = media.data if media.data is not None else _read(media)
    mime = mime_type or media.mime_type
    if mime is not None:
        return data, mime
    mime = _detect_type(media, data) or UNKNOWN
    if not _is_of_family(mime, media):
        raise ToolError(f"{_display_name_of(media)!r} is {mime}, not {media.family}*")
    return data, mime


def _read(media: Media) -> bytes:
    path = media.path or ""
    name = _clean(Path(path).name) or "."
    try:
        return read_regular(path, name, media.max_size)
    except OSError as error:
        raise ToolError(f"cannot read {name!r}: {_FAILURES.get(error.errno or 0, 'it failed')}") from error
    except ValueError as error:
        raise ToolError(f"cannot read {name!r}: its path is not a valid one") from error


def _make_contents(
    data: bytes, uri: str, mime: str, name: str | None, file_block: FileBlock, raw: bool
) -> ResourceContents:
    is_text = mime.startswith("text/") if file_block == "text" else file_block == "auto" and is_textual(mime)
    text = _decode_text(data, raw) if is_text else None
    if text is not None:
        return TextResourceContents(uri=uri, name=name, mimeType=mime, text=text)
    return BlobResourceContents(uri=uri, name=name, mimeType=mime, blob=_encode_data(data, raw))


def _decode_text(data: bytes, raw: bool = False) -> Any:
    try:
        return codec.encode_utf8(data) if raw and len(data) > LARGE else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _display_name_of(media: Media) -> str | None:
    """The base name of a file, or the name the author gave it, with the suffix of its format."""
    if media.name is None:
        return None if media.path is None else _clean(Path(media.path).name)
    bare = not os.path.splitext(media.name)[1]
    suffix = f".{_suffix_of(media.format)}" if bare and media.format and "/" not in media.format else ""
    return _clean(media.name + suffix)


def _clean(name: str) -> str:
    """A file name without lone surrogates: it may hold bytes that are not text, which cannot be encoded."""
    return _SURROGATES.sub("\ufffd", name)


def _uri_of(media: Media) -> str:
    if media.path is not None:
        return Path(media.path).absolute().as_uri()
    return f"file:///{quote(_display_name_of(media) or '', safe='')}"
