"""What is content already: blocks, media and bytes, ours or another package's, and the block each becomes.

Knows nothing of data: a value that is no content is somebody else's business.
"""

from functools import lru_cache
from os.path import basename
from typing import Any

import msgspec

from . import media
from .errors import NormalizeError, ToolError
from .foreign import word
from .jsonable import Rules
from .media import Media
from .mime import UNKNOWN
from .policy import Policy
from .types import (
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    PromptMessage,
    ResourceContents,
    TextResourceContents,
    Wire,
    parse_block,
    parse_contents,
)

__all__ = ["BYTES", "among", "block", "contents", "is_content", "message_parts"]

BYTES = (bytes, bytearray, memoryview)

_BLOCKS = frozenset({"TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"})
_CONTENTS = frozenset({"TextResourceContents", "BlobResourceContents"})
_FOREIGN_MEDIA = {
    "Image": "to_image_content",
    "Audio": "to_audio_content",
    "File": "to_resource_content",
}
_CONTENT = _BLOCKS | _CONTENTS | _FOREIGN_MEDIA.keys()


def is_content(kind: type, policy: Policy) -> bool:
    """Whether instances of a class are content rather than data."""
    return word(kind) in _CONTENT or (policy.bytes_as in ("blob", "media") and issubclass(kind, BYTES))


def among(items: list[Any], policy: Policy) -> bool:
    """Whether a list, or a list inside it, holds content."""
    met: set[int] = set()
    while items:
        kinds = set(map(type, items))
        if any(is_content(kind, policy) for kind in kinds):
            return True
        if not any(issubclass(kind, (list, tuple)) for kind in kinds):
            return False
        lists = {id(item): item for item in items if isinstance(item, (list, tuple))}
        items = [inner for key, item in lists.items() if key not in met for inner in item]
        met.update(lists)
    return False


def block(value: Any, policy: Policy, rules: Rules) -> ContentBlock:
    """The content block a piece of content is or becomes."""
    if isinstance(value, Media):
        return media.block(value, file_block=policy.file_block, extras=policy.contents_extras)
    if isinstance(value, BYTES):
        return media.from_bytes(value, "media" if policy.bytes_as == "media" else "blob")
    if word(type(value)) in _CONTENTS:
        return EmbeddedResource(resource=_resource(value, policy, rules))
    ours = value if isinstance(value, Wire) else _foreign_block(value)
    return _sound(ours, policy, rules)  # type: ignore[return-value]


def contents(
    value: Any, uri: str, mime_type: str | None, policy: Policy, rules: Rules
) -> ResourceContents | None:
    """The resource contents a piece of content is or becomes; None for what is no content."""
    if isinstance(value, BYTES):
        mime_type = mime_type or UNKNOWN  # S000-41
        return BlobResourceContents(uri=uri, mimeType=mime_type, blob=media.to_base64(value))
    if isinstance(value, Media):
        extras = policy.contents_extras
        return media.contents(value, uri, mime_type, file_block=policy.file_block, extras=extras)
    name = word(type(value))
    if name in _CONTENTS:
        return _resource(value, policy, rules)
    if name not in _CONTENT:
        return None
    inner = block(value, policy, rules)
    match inner.type:
        case "resource":
            return inner.resource
        case "text":
            return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=inner.text)
        case "image" | "audio":
            return BlobResourceContents(uri=uri, mimeType=mime_type or inner.mimeType, blob=inner.data)
    raise NormalizeError("$", "a link has no contents; return what it points to")


def message_parts(value: Any) -> tuple[Any, Any] | None:
    """The role and content of a prompt message, ours or another package's; None for anything else."""
    if isinstance(value, PromptMessage) or word(type(value)) in ("PromptMessage", "Message"):
        return value.role, value.content
    return None


# Other packages' content --------------------------------------------------------------------------


def _foreign_block(value: Any) -> ContentBlock:
    method = _FOREIGN_MEDIA.get(word(type(value)))
    if method is not None:
        try:
            value = getattr(value, method)()
        except OSError as error:
            name = basename(str(getattr(value, "path", "") or "the file"))
            raise ToolError(f"cannot read {name}: {error.strerror or type(error).__name__}") from error
    return _parsed(value, parse_block)  # type: ignore[no-any-return]


def _resource(value: Any, policy: Policy, rules: Rules) -> ResourceContents:
    ours = value if isinstance(value, Wire) else _parsed(value, parse_contents)
    return _sound(ours, policy, rules)  # type: ignore[return-value]


def _sound(word: Wire, policy: Policy, rules: Rules) -> Wire:
    """A word of the author's own that can be written: its texts are text, its `_meta` is data."""
    changes = {}
    texts = _texts(type(word))
    for name in word.__struct_fields__:
        value = getattr(word, name)
        if name in texts and not isinstance(value, str):
            raise NormalizeError(f"$.{name}", f"takes text, not {type(value).__name__}")
        if value is None or (type(value) is str and value.isascii()):
            continue
        sound = _sound_field(name, value, policy, rules)
        if sound is not value:
            changes[name] = sound
    return msgspec.structs.replace(word, **changes) if changes else word


@lru_cache
def _texts(kind: type[Wire]) -> frozenset[str]:
    """The fields of a word that must be text; a Struct takes anything when it is made."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.type is str)


def _sound_field(name: str, value: Any, policy: Policy, rules: Rules) -> Any:
    if isinstance(value, Wire):
        return _sound(value, policy, rules)
    if isinstance(value, list):
        return [_sound_field(name, item, policy, rules) for item in value]
    return msgspec.json.decode(rules.encode({name: value}, policy).raw)[name]


def _parsed(value: Any, parse: Any) -> Any:
    try:
        return parse(_present(value.model_dump(mode="json", by_alias=True)))
    except msgspec.ValidationError as error:
        # Refused rather than dropped: what an author added would be lost without a word.
        raise NormalizeError("$", f"{type(value).__name__}: {error}; put what is yours under _meta") from error


def _present(data: Any) -> Any:
    """The wire form without absent fields; whatever stands under _meta is the author's own."""
    if isinstance(data, list):
        return [_present(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {key: item if key == "_meta" else _present(item) for key, item in data.items() if item is not None}
