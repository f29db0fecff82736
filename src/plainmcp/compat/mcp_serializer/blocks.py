"""The content classes of mcp-serializer with the fields that they have there, and their form on the wire.

Knows one block; the builders in results put blocks together.
"""

from base64 import b64decode
from binascii import a2b_base64
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from ... import types
from ...wire import codec
from ...wire.mime import sniff

__all__ = [
    "AnnotationSchema",
    "AnnotationsLike",
    "AudioContent",
    "BinaryContentSchema",
    "Data",
    "EmbeddedResource",
    "ImageContent",
    "Model",
    "ResourceLinkContent",
    "TextContent",
    "TextContentSchema",
    "check_base64",
    "to_annotations",
    "to_block",
    "to_contents",
]

Data: TypeAlias = dict[str, Any]
"""A JSON object."""


class Model(msgspec.Struct, kw_only=True):
    """The base of the models: it has the two methods of pydantic models that programs use."""

    def model_dump(self, exclude_none: bool = False) -> Data:
        """The model as plain data, with None for what is not set."""
        data: Data = msgspec.to_builtins(self)
        return _without_none(data) if exclude_none else data

    def model_dump_json(self) -> str:
        """The model as JSON."""
        return codec.encode(self.model_dump()).decode()


class AnnotationSchema(Model, kw_only=True):
    """Hints for a client: the audience of something, its priority, and when it last changed."""

    audience: str | list[str] | None = None
    priority: float | None = None
    lastModified: str | None = None


AnnotationsLike: TypeAlias = AnnotationSchema | types.Annotations | Mapping[str, Any] | None
"""Annotations, or a mapping with their fields."""


class TextContent(Model, kw_only=True):
    """A text."""

    type: str = "text"
    text: str
    mimeType: str | None = None
    annotations: Any = None


class ImageContent(Model, kw_only=True):
    """An image; `data` is base64."""

    type: str = "image"
    data: str
    mimeType: str | None = None
    annotations: Any = None


class AudioContent(Model, kw_only=True):
    """A sound; `data` is base64."""

    type: str = "audio"
    data: str
    mimeType: str | None = None
    annotations: Any = None


class ResourceLinkContent(Model, kw_only=True):
    """A link to a resource."""

    type: str = "resource_link"
    uri: str
    name: str | None = None
    title: str | None = None
    description: str | None = None
    mimeType: str | None = None
    annotations: Any = None


class TextContentSchema(Model, kw_only=True):
    """The text of a resource."""

    uri: str | None = None
    mimeType: str | None = None
    name: str | None = None
    title: str | None = None
    annotations: Any = None
    text: str


class BinaryContentSchema(Model, kw_only=True):
    """The bytes of a resource; `blob` is base64."""

    uri: str | None = None
    mimeType: str | None = None
    name: str | None = None
    title: str | None = None
    annotations: Any = None
    blob: str


class EmbeddedResource(Model, kw_only=True):
    """A resource sent with its contents."""

    type: str = "resource"
    resource: TextContentSchema | BinaryContentSchema


def check_base64(data: str, what: str) -> str:
    """Base64 as it is; raises ValueError for any other text."""
    try:
        b64decode(data, validate=True)
    except ValueError:
        raise ValueError(what) from None
    return data


# The wire -----------------------------------------------------------------------------------------

_BLOCKS: dict[str, Any] = {
    "text": types.TextContent,
    "image": types.ImageContent,
    "audio": types.AudioContent,
    "resource_link": types.ResourceLink,
}


def to_annotations(value: Any) -> types.Annotations | None:
    """Annotations for the wire; a single role becomes a list, as every revision wants one."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    if not value:
        return None
    known = {name: value[name] for name in types.Annotations.__struct_fields__ if value.get(name) is not None}
    if isinstance(known.get("audience"), str):
        known["audience"] = [known["audience"]]
    return codec.convert(known, types.Annotations) if known else None


def to_block(data: Mapping[str, Any]) -> types.ContentBlock:
    """The content block of plain data; fields that are None are left out, and a missing type of media is detected."""
    fields = _without_none(data)
    kind = fields.get("type")
    if kind == "resource":
        return types.EmbeddedResource(resource=to_contents(fields["resource"]))
    fields["annotations"] = to_annotations(fields.get("annotations"))
    if kind == "resource_link":
        fields.setdefault("name", UNSET)  # mcp-serializer links without a name too
    elif kind in ("image", "audio"):
        fields.setdefault("mimeType", sniff(a2b_base64(fields["data"])) or UNSET)
    fields.get("text", "").encode()  # a lone surrogate fails here
    block: types.ContentBlock = _BLOCKS[str(kind)](**fields)
    return block


def to_contents(data: Mapping[str, Any]) -> types.ResourceContents:
    """The resource contents of plain data; without a URI they have an empty one."""
    fields: Data = {"uri": "", **_without_none(data)}
    fields["annotations"] = to_annotations(fields.get("annotations"))
    kind = types.TextResourceContents if "text" in fields else types.BlobResourceContents
    contents: types.ResourceContents = kind(**fields)
    return contents


def _without_none(data: Mapping[str, Any]) -> Data:
    return {
        name: _without_none(value) if isinstance(value, Mapping) else value
        for name, value in data.items()
        if value is not None
    }
