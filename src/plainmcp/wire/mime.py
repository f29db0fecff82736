"""MIME types: by the suffix of a name, by the first bytes, and whether a type is text.

Knows no files and no content blocks.
"""

import mimetypes
import os
import re
from functools import cache

__all__ = ["UNKNOWN", "is_textual", "mime_of_name", "sniff"]

UNKNOWN = "application/octet-stream"


def mime_of_name(name: str) -> str | None:
    """The MIME type of the suffix of a file name or URI, the same on every machine.

    >>> mime_of_name("notes.md"), mime_of_name("https://example.com/a.png?w=2"), mime_of_name("Makefile")
    ('text/markdown', 'image/png', None)
    """
    scheme, is_uri, rest = name.partition("://")
    if is_uri:
        name = re.split("[?#]", rest, maxsplit=1)[0]
        # A host is not a file name: https://example.sh is no script.
        if scheme.lower() in ("http", "https") and "/" not in name:
            return None
    suffix = os.path.splitext(name)[1][1:].lower()
    return _TYPES.get(suffix) or _shipped_types().get(f".{suffix}")


def sniff(data: bytes) -> str | None:
    """The MIME type that the first bytes show, or None.

    >>> sniff(b"%PDF-1.7"), sniff(b"plain words")
    ('application/pdf', None)
    """
    for head, mime in _HEADS.items():
        if data.startswith(head):
            return mime
    if data.startswith(b"RIFF"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12])
    if data.startswith(b"OggS"):
        return "video/ogg" if b"theora" in data[:512] else "audio/ogg"
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "video/mp4")
    if data.startswith(b"BM") and data[6:10] == bytes(4):
        return "image/bmp"
    if _is_mp3_frame(data):
        return "audio/mpeg"
    return "image/svg+xml" if _SVG.match(data, 0, 1024) else None


def is_textual(mime: str) -> bool:
    """Whether content of this MIME type is text.

    >>> is_textual("application/geo+json"), is_textual("image/png")
    (True, False)
    """
    kind = mime.partition(";")[0].strip().lower()
    return _TEXTUAL.fullmatch(kind) is not None


# Types that the tables of mimetypes lack, or have under an unusual name.
_TYPES = {
    "cfg": "text/plain",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "flac": "audio/flac",
    "gz": "application/gzip",
    "ini": "text/plain",
    "js": "text/javascript",
    "jsonl": "application/jsonl",
    "log": "text/plain",
    "m4a": "audio/mp4",
    "md": "text/markdown",
    "mp3": "audio/mpeg",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "sql": "application/sql",
    "toml": "application/toml",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "webp": "image/webp",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}

_HEADS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": "application/pdf",
    b"ID3": "audio/mpeg",
    b"fLaC": "audio/flac",
    b"PK\x03\x04": "application/zip",
    b"PK\x05\x06": "application/zip",
}

_BRANDS = {
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"avif": "image/avif",
    b"heic": "image/heic",
    b"mif1": "image/heic",
}

_TEXTUAL = re.compile(
    r"text/.+|.+\+(?:json|xml|yaml)|application/(?:x-)?"
    r"(?:ecmascript|graphql|javascript|json|jsonl|ndjson|sh|sql|toml|typescript|xml|yaml)"
)
# Atomic groups, so that a long run of comments cannot make the match backtrack without end.
_SVG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?><\?xml.*?\?>\s*)?(?><!--.*?-->\s*)*+<(?:!DOCTYPE\s+)?svg\b",
    re.DOTALL | re.IGNORECASE,
)


@cache
def _shipped_types() -> dict[str, str]:
    """The tables shipped with mimetypes; those of the machine would make results differ by host."""
    common, standard = mimetypes.MimeTypes(filenames=()).types_map
    return {**common, **standard}


def _is_mp3_frame(data: bytes) -> bool:
    """Frame sync, then layer III, a bit rate and a sampling rate that exist (FF FE is UTF-16 text)."""
    return (
        len(data) > 2
        and data[0] == 0xFF
        and data[1] & 0xE6 == 0xE2
        and data[1] & 0x18 != 0x08
        and data[2] >> 4 not in (0, 15)
        and data[2] & 0x0C != 0x0C
    )
