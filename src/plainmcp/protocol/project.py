"""A result -> exactly the shape one revision allows. Total: every result has an image on every revision.

What a revision cannot carry is moved to a place it does have before it is dropped: audio into an embedded
blob, a link into text, structured data into JSON text. Knows nothing of how the result came about.
"""

import binascii
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw

from .. import media
from ..errors import ParseError
from ..revisions import Revision
from ..types import (
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

_Word = TypeVar("_Word", bound=Wire)


def tool_result(
    result: CallToolResult,
    mirrored: bool,
    revision: Revision,
    wrap_key: str = "result",
    json_style: str = "spaced",
    wrap: bool | None = None,
) -> CallToolResult:
    """A tool's result for one revision; `mirrored` says that its content already tells all its data.

    Where a revision takes objects only, data is wrapped if the schema listed there says so (`wrap`), or, where no
    schema is listed, if it is not an object. Data that has to be wrapped there, or has to become text, is wrapped and
    written as a policy says.
    """
    content = blocks(result.content, revision)
    structured = result.structuredContent
    if structured is not UNSET:
        raw = _raw(structured)
        bare = not raw.startswith(b"{")
        # SEP-2106: data that is no object must also be there as text.
        needed = bare or revision.structured == "none"
        if needed and not (mirrored or _says(content, raw)):
            content = [*content, TextContent(type="text", text=codec.format_json(raw, json_style))]
        structured = _carried(raw, bare if wrap is None else wrap, revision, wrap_key)
    return CallToolResult(
        content=content,
        structuredContent=structured,
        isError=result.isError,
        resultType=_result_type(result.resultType, revision),
        _meta=result._meta,
    )


def resource_result(result: ReadResourceResult, revision: Revision) -> ReadResourceResult:
    """A resource's contents for one revision."""
    hints = revision.cache_hints
    return ReadResourceResult(
        contents=[contents(one, revision) for one in result.contents],
        resultType=_result_type(result.resultType, revision),
        ttlMs=(result.ttlMs or 0) if hints else None,
        cacheScope=(result.cacheScope or "private") if hints else None,
        _meta=result._meta,
    )


def prompt_result(result: GetPromptResult, revision: Revision) -> GetPromptResult:
    """A prompt's messages for one revision."""
    return GetPromptResult(
        description=result.description,
        messages=[_message(one, revision) for one in result.messages],
        resultType=_result_type(result.resultType, revision),
        _meta=result._meta,
    )


def _message(one: PromptMessage, revision: Revision) -> PromptMessage:
    return PromptMessage(role=one.role, content=block(one.content, revision))


def _result_type(given: str | None, revision: Revision) -> str | None:
    return (given or "complete") if revision.result_type else None


# Structured data ----------------------------------------------------------------------------------


def _raw(structured: Any) -> bytes:
    return bytes(structured) if isinstance(structured, Raw) else codec.encode(structured)


def _carried(raw: bytes, wrap: bool, revision: Revision, wrap_key: str) -> Any:
    """What of the data goes into structuredContent."""
    if revision.structured == "none":
        return UNSET
    if revision.structured == "object" and wrap:
        return Raw(codec.wrap(raw, wrap_key))
    return Raw(raw)


def _says(content: list[ContentBlock], raw: bytes) -> bool:
    """Whether one of the texts is this very data as JSON."""
    data = codec.decode(raw)
    return any(isinstance(one, TextContent) and _same(one.text, data) for one in content)


def _same(text: str, data: Any) -> bool:
    if isinstance(data, str) and text == data:
        return True
    try:
        return bool(codec.decode(text) == data)
    except ParseError:
        return False


# Content ------------------------------------------------------------------------------------------


def blocks(given: list[ContentBlock], revision: Revision) -> list[ContentBlock]:
    """Content blocks as a revision allows them."""
    return given if revision.all_content else [block(one, revision) for one in given]


def block(one: ContentBlock, revision: Revision) -> ContentBlock:
    """A content block as a revision allows it."""
    if isinstance(one, AudioContent) and not revision.audio:
        one = _audio_as_resource(one)
    if isinstance(one, ResourceLink) and not revision.resource_link:
        one = _link_as_text(one)
    if isinstance(one, EmbeddedResource):
        return _embedded(one, revision)
    changes = _shared(one, revision)
    if isinstance(one, ResourceLink) and one.icons is not None and not revision.icons:
        changes["icons"] = None
    if isinstance(one, TextContent) and one.mimeType is not None and not revision.titles:
        changes["mimeType"] = None
    return _with(one, changes)


def contents(one: ResourceContents, revision: Revision) -> ResourceContents:
    """Resource contents as a revision allows them: an author's own fields only where titles are known."""
    changes = _shared(one, revision)
    if not revision.titles:
        changes |= {"name": None, "title": None, "annotations": None}
    return _with(one, changes)


def _embedded(one: EmbeddedResource, revision: Revision) -> EmbeddedResource:
    changes = _shared(one, revision)
    if one.annotations is None and one.resource.annotations is not None and not revision.titles:
        changes["annotations"] = _annotations(one.resource.annotations, revision)
    inner = contents(one.resource, revision)
    if inner is not one.resource:
        changes["resource"] = inner
    return _with(one, changes)


def _audio_as_resource(one: AudioContent) -> EmbeddedResource:
    try:
        given: Any = one.data  # bytes, or JSON of their base64: see media.block
        given = codec.decode(bytes(given)) if isinstance(given, Raw) else given
        sound = given if isinstance(given, bytes) else binascii.a2b_base64(given)
    except ValueError:  # not base64, which is the author's business; it still needs a name
        sound = one.data.encode()
    resource = BlobResourceContents(uri=media.blob_uri(sound), mimeType=one.mimeType, blob=one.data)
    return EmbeddedResource(resource=resource, annotations=one.annotations, _meta=one._meta)


def _link_as_text(one: ResourceLink) -> TextContent:
    kind = f" ({one.mimeType})" if one.mimeType else ""
    about = f"\n{one.description}" if one.description else ""
    text = f"{one.title or one.name}{kind}: {one.uri}{about}"
    return TextContent(text=text, annotations=one.annotations, _meta=one._meta)


def _shared(one: ContentBlock | ResourceContents, revision: Revision) -> dict[str, Any]:
    """What changes about the fields every kind of content has."""
    changes: dict[str, Any] = {}
    if one._meta is not None and not revision.content_meta:
        changes["_meta"] = None
    if one.annotations is not None:
        projected = _annotations(one.annotations, revision)
        if projected is not one.annotations:
            changes["annotations"] = projected
    return changes


def _annotations(given: Annotations, revision: Revision) -> Annotations | None:
    if revision.last_modified or given.lastModified is None:
        return given
    if given.audience is None and given.priority is None:
        return None
    return Annotations(audience=given.audience, priority=given.priority)


def _with(one: _Word, changes: dict[str, Any]) -> _Word:
    return msgspec.structs.replace(one, **changes) if changes else one
