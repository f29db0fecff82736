"""The projection of a result: exactly the form that one revision allows. Every result has one on every revision.

What a revision cannot carry is moved before it is dropped: audio into an embedded blob, a link into text, structured
data into JSON text. Knows nothing of the values that results are made from.
"""

import binascii
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw

from .. import media
from ..errors import ParseError
from ..revisions import Content, Revision
from ..types import (
    BLOCKS,
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    PromptMessage,
    ReadResourceResult,
    ResourceContents,
    ResourceLink,
    TextContent,
    Wire,
)
from ..wire import codec

__all__ = ["prompt_result", "resource_result", "tool_result"]

_WireType = TypeVar("_WireType", bound=Wire)


def tool_result(
    result: CallToolResult,
    mirrored: bool,
    revision: Revision,
    wrap_key: str = "result",
    json_style: str = "spaced",
    wrap: bool | None = None,
) -> CallToolResult:
    """A tool's result for one revision; `mirrored` is true where its content already shows all its data.

    Where a revision allows objects only, data is wrapped if the listed schema requires it (`wrap`), or, without a
    schema, if it is not an object. `wrap_key` and `json_style` are those of the policy.
    """
    content = project_blocks(result.content, revision)
    structured = result.structuredContent
    if structured is not UNSET:
        raw = _to_raw(structured)
        bare = not raw.startswith(b"{")
        # SEP-2106: data that is not an object must also be there as text. A result that says its type is whole.
        needs_text = (bare and result.resultType is None) or revision.structured == "none"
        if needs_text and not (mirrored or _has_text_of(content, raw)):
            content = [*content, TextContent(type="text", text=codec.format_json(raw, json_style))]
        structured = _carry_structured(raw, bare if wrap is None else wrap, revision, wrap_key)
    return CallToolResult(
        content=content,
        structuredContent=structured,
        isError=result.isError,
        resultType=_result_type_of(result.resultType, revision),
        _meta=result._meta,
    )


def resource_result(result: ReadResourceResult, revision: Revision) -> ReadResourceResult:
    """A resource's contents for one revision."""
    hints = revision.cache_hints
    return ReadResourceResult(
        contents=[project_contents(one, revision) for one in result.contents],
        resultType=_result_type_of(result.resultType, revision),
        ttlMs=(result.ttlMs or 0) if hints else None,
        cacheScope=(result.cacheScope or "private") if hints else None,
        _meta=result._meta,
    )


def prompt_result(result: GetPromptResult, revision: Revision) -> GetPromptResult:
    """A prompt's messages for one revision."""
    return GetPromptResult(
        description=result.description,
        messages=[_project_message(one, revision) for one in result.messages],
        resultType=_result_type_of(result.resultType, revision),
        _meta=result._meta,
    )


def _project_message(message: PromptMessage, revision: Revision) -> PromptMessage:
    return PromptMessage(role=message.role, content=project_block(message.content, revision))


def _result_type_of(result_type: str | None, revision: Revision) -> str | None:
    return (result_type or "complete") if revision.result_type else None


# Structured data ----------------------------------------------------------------------------------


def _to_raw(structured: Any) -> bytes:
    return bytes(structured) if isinstance(structured, Raw) else codec.encode(structured)


def _carry_structured(raw: bytes, wrap: bool, revision: Revision, wrap_key: str) -> Any:
    """The structuredContent of data on a revision."""
    if revision.structured == "none":
        return UNSET
    if revision.structured == "object" and wrap:
        return Raw(codec.wrap(raw, wrap_key))
    return Raw(raw)


def _has_text_of(content: list[ContentBlock], raw: bytes) -> bool:
    """Whether one of the texts is the JSON of this data."""
    data = codec.decode(raw)
    return any(isinstance(one, TextContent) and _is_same_data(one.text, data) for one in content)


def _is_same_data(text: str, data: Any) -> bool:
    if isinstance(data, str) and text == data:
        return True
    try:
        return bool(codec.decode(text) == data)
    except ParseError:
        return False


# Content ------------------------------------------------------------------------------------------

_ALL: dict[str, Any] = dict.fromkeys(Content.__struct_fields__, True) | {"kinds": frozenset(BLOCKS)}
_EVERYTHING = Content(**_ALL)
"""What a revision knows on which every block stays as it is."""


def project_blocks(blocks: list[ContentBlock], revision: Revision) -> list[ContentBlock]:
    """Content blocks as a revision allows them."""
    return blocks if revision.content == _EVERYTHING else [project_block(block, revision) for block in blocks]


def project_block(block: ContentBlock, revision: Revision) -> ContentBlock:
    """A content block as a revision allows it."""
    known = revision.content
    if block.type not in known.kinds:
        block = _SUBSTITUTES.get(block.type, _block_as_text)(block)
    if isinstance(block, EmbeddedResource):
        return _project_embedded(block, revision)
    changes = _common_changes(block, revision)
    if isinstance(block, ResourceLink) and block.icons is not None and not known.icons:
        changes["icons"] = None
    if isinstance(block, TextContent) and block.mimeType is not None and not known.titles:
        changes["mimeType"] = None
    return _replace(block, changes)


def project_contents(contents: ResourceContents, revision: Revision) -> ResourceContents:
    """Resource contents as a revision allows them: an author's own fields only where titles are known."""
    changes = _common_changes(contents, revision)
    if not revision.content.titles:
        changes |= {"name": None, "title": None, "annotations": None}
    return _replace(contents, changes)


def _project_embedded(block: EmbeddedResource, revision: Revision) -> EmbeddedResource:
    changes = _common_changes(block, revision)
    if block.annotations is None and block.resource.annotations is not None and not revision.content.titles:
        changes["annotations"] = _project_annotations(block.resource.annotations, revision)
    inner = project_contents(block.resource, revision)
    if inner is not block.resource:
        changes["resource"] = inner
    return _replace(block, changes)


def _audio_as_resource(audio: AudioContent) -> EmbeddedResource:
    try:
        data: Any = audio.data  # bytes, or JSON of their base64: see media.block_of
        data = codec.decode(bytes(data)) if isinstance(data, Raw) else data
        data = data if isinstance(data, bytes) else binascii.a2b_base64(data)
    except ValueError:  # not base64; it still needs a URI
        data = audio.data.encode()
    resource = BlobResourceContents(uri=media.blob_uri(data), mimeType=audio.mimeType, blob=audio.data)
    return EmbeddedResource(resource=resource, annotations=audio.annotations, _meta=audio._meta)


def _link_as_text(link: ResourceLink) -> TextContent:
    kind = f" ({link.mimeType})" if link.mimeType else ""
    description = f"\n{link.description}" if link.description else ""
    text = f"{link.title or link.name}{kind}: {link.uri}{description}"
    return TextContent(text=text, annotations=link.annotations, _meta=link._meta)


def _block_as_text(block: ContentBlock) -> TextContent:
    """The JSON of a block of a kind that has no substitute of its own."""
    return TextContent(text=codec.encode(block).decode(), annotations=block.annotations, _meta=block._meta)


_SUBSTITUTES: dict[str, Callable[[Any], ContentBlock]] = {
    "audio": _audio_as_resource,
    "resource_link": _link_as_text,
}
"""What a block becomes where its kind is not known."""


def _common_changes(part: ContentBlock | ResourceContents, revision: Revision) -> dict[str, Any]:
    """The changes of the fields that every kind of content has."""
    changes: dict[str, Any] = {}
    if part._meta is not None and not revision.content.meta:
        changes["_meta"] = None
    if part.annotations is not None:
        projected = _project_annotations(part.annotations, revision)
        if projected is not part.annotations:
            changes["annotations"] = projected
    return changes


def _project_annotations(annotations: Annotations, revision: Revision) -> Annotations | None:
    if revision.content.last_modified or annotations.lastModified is None:
        return annotations
    if annotations.audience is None and annotations.priority is None:
        return None
    return Annotations(audience=annotations.audience, priority=annotations.priority)


def _replace(part: _WireType, changes: dict[str, Any]) -> _WireType:
    return msgspec.structs.replace(part, **changes) if changes else part
