"""Saves the images, sounds and files of a result in a folder, under names that cannot leave it."""

import re
from base64 import b64decode
from collections.abc import Iterator
from mimetypes import guess_extension
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from .arguments import UsageError

__all__ = ["save_files"]

_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST = 100  # characters of a name


def save_files(result: dict[str, Any], folder: str) -> list[Path]:
    """Write each image, sound and resource of a result to its own file in a folder; raises UsageError.

    Existing files are not overwritten: a number is added to the name.
    """
    place = Path(folder)
    saved: list[Path] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, data in _files_of(result):
            file = _free_name(place, name)
            file.write_bytes(data)
            saved.append(file)
    except OSError as error:
        raise UsageError(f"nothing can be saved in {folder}: {error.strerror}") from None
    except ValueError as error:  # of b64decode
        raise UsageError(f"the result has data that is not base64: {error}") from None
    return saved


def _files_of(result: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The name and the content of each file in the result of a tool, a resource or a prompt."""
    blocks: list[Any] = [*result.get("content", ()), *({"resource": one} for one in result.get("contents", ()))]
    for message in result.get("messages", ()):
        content = message.get("content")
        blocks += content if isinstance(content, list) else [content]
    for block in blocks:
        match block:
            case {"data": str(data), "type": str(kind)}:
                yield f"{kind}{_extension_of(block)}", b64decode(data, validate=True)
            case {"resource": {"blob": str(blob)} as resource}:
                yield _name_of(resource), b64decode(blob, validate=True)
            case {"resource": {"text": str(text)} as resource}:
                yield _name_of(resource), text.encode()


def _name_of(resource: dict[str, Any]) -> str:
    """The last part of a URI, with an extension for its type if it has none."""
    parts = urlsplit(str(resource.get("uri", "")))
    last = unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc or "resource"
    return last if Path(last).suffix else last + _extension_of(resource)


def _extension_of(block: dict[str, Any]) -> str:
    kind = str(block.get("mimeType") or "").partition(";")[0].strip()
    return guess_extension(kind) or ("" if "text" in block else ".bin")


def _free_name(folder: Path, name: str) -> Path:
    """A file in the folder that does not exist yet."""
    safe = _UNSAFE.sub("-", name)[-_LONGEST:].lstrip(".-") or "file"
    file, number = folder / safe, 1
    while file.exists() or file.is_symlink():
        number += 1
        file = folder / f"{Path(safe).stem}-{number}{Path(safe).suffix}"
    return file
