"""What is content already: blocks, media and bytes, ours or another package's, and the block each becomes.

Knows nothing of data: a value that is no content is somebody else's business.
"""

from os.path import basename
from typing import Any, cast

import msgspec

from .. import media
from ..errors import NormalizeError, ToolError
from ..foreign.classes import painter, word
from ..media import Image, Media
from ..policy import Policy
from ..types import (
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
from ..wire.mime import UNKNOWN
from .encode import Rules
from .walk import MAX_DEPTH

__all__ = ["BYTES", "among", "block", "contents", "is_content", "message_parts", "resource"]

BYTES = (bytes, bytearray, memoryview)

_BLOCKS = frozenset({"TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"})
_CONTENTS = frozenset({"TextResourceContents", "BlobResourceContents"})
_FOREIGN_MEDIA = {
    "Image": "to_image_content",
    "Audio": "to_audio_content",
    "File": "to_resource_content",
}
_CONTENT = _BLOCKS | _CONTENTS | _FOREIGN_MEDIA.keys()


def is_content(kind: type, policy: Policy, rules: Rules) -> bool:
    """Whether instances of a class are content rather than data; a serializer of the author's makes them data."""
    if rules.rule(kind).shape == "block":
        return word(kind) in _CONTENT
    return policy.bytes_as in ("blob", "media") and issubclass(kind, BYTES)


def among(items: list[Any], policy: Policy, rules: Rules) -> bool:
    """Whether a list, or a list inside it, holds content; what is too deep to be sent is not looked at."""
    met: set[int] = set()
    for _ in range(MAX_DEPTH):
        kinds = set(map(type, items))
        if any(is_content(kind, policy, rules) for kind in kinds):
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
        return media.block(value, file_block=policy.file_block, extras=policy.contents_extras, raw=True)
    if isinstance(value, BYTES):
        return media.from_bytes(value, "media" if policy.bytes_as == "media" else "blob", raw=True)
    if word(type(value)) in _CONTENTS:
        return EmbeddedResource(resource=resource(value, policy, rules))
    if painter(type(value)) is not None:
        data, mime_type = _paint(value)
        return media.block(Image(data=data, format=mime_type), raw=True)
    ours = value if isinstance(value, Wire) else _foreign_block(value)
    return _sound(ours, parse_block, policy, rules)  # type: ignore[no-any-return]


def contents(value: Any, uri: str, mime_type: str | None, policy: Policy, rules: Rules) -> ResourceContents | None:
    """The resource contents a piece of content is or becomes; None for what is no content."""
    if isinstance(value, BYTES):
        mime_type = mime_type or UNKNOWN  # S000-41
        return BlobResourceContents(uri=uri, mimeType=mime_type, blob=cast("str", bytes(value)))  # see media.block
    if rules.rule(type(value)).shape != "block":
        return None
    if painter(type(value)) is not None:
        data, mime_type = _paint(value, mime_type)
        value = Media(data=data, format=mime_type)
    if isinstance(value, Media):
        extras = policy.contents_extras
        return media.contents(value, uri, mime_type, file_block=policy.file_block, extras=extras, raw=True)
    name = word(type(value))
    if name in _CONTENTS:
        return resource(value, policy, rules)
    if name not in _CONTENT:
        return None
    return _inside(block(value, policy, rules), uri, mime_type)


def _inside(outer: ContentBlock, uri: str, mime_type: str | None) -> ResourceContents:
    """What a block holds, as resource contents; what was said about the block is said about them."""
    match outer.type:
        case "resource":
            inner: ResourceContents = msgspec.structs.replace(outer.resource)
        case "text":
            mime_type = mime_type or outer.mimeType or "text/plain"
            inner = TextResourceContents(uri=uri, mimeType=mime_type, text=outer.text)
        case "image" | "audio":
            inner = BlobResourceContents(uri=uri, mimeType=mime_type or outer.mimeType, blob=outer.data)
        case _:
            raise NormalizeError("$", "a link has no contents; return what it points to")
    inner.annotations = inner.annotations or outer.annotations
    inner._meta = inner._meta or outer._meta
    return inner


def message_parts(value: Any) -> tuple[Any, Any] | None:
    """The role and content of a prompt message, ours or another package's; None for anything else."""
    if isinstance(value, PromptMessage) or word(type(value)) in ("PromptMessage", "Message"):
        return value.role, value.content
    return None


# Other packages' content --------------------------------------------------------------------------


def _paint(value: Any, mime_type: str | None = None) -> tuple[bytes, str]:
    """The bytes of a picture that another package drew, and their type, which a resource may have declared."""
    paint = painter(type(value))
    assert paint is not None
    try:
        return paint(value, mime_type)
    except NormalizeError:
        raise
    except Exception as error:
        asked = f" as {mime_type}" if mime_type else ""
        raise NormalizeError("$", f"writing {type(value).__name__}{asked} raised {type(error).__name__}") from error


def _foreign_block(value: Any) -> ContentBlock:
    method = _FOREIGN_MEDIA.get(word(type(value)))
    if method is not None:
        try:
            value = getattr(value, method)()
        except OSError as error:
            name = basename(str(getattr(value, "path", "") or "the file"))
            raise ToolError(f"cannot read {name}: {error.strerror or type(error).__name__}") from error
    return _parsed(value, parse_block)  # type: ignore[no-any-return]


def resource(value: Any, policy: Policy, rules: Rules) -> ResourceContents:
    """Resource contents, ours or another package's, that can be written."""
    ours = value if isinstance(value, Wire) else _parsed(value, parse_contents)
    return _sound(ours, parse_contents, policy, rules)  # type: ignore[no-any-return]


def _sound(word: Any, parse: Any, policy: Policy, rules: Rules) -> Any:
    """A word of the author's own that can be written: its texts are text, its `_meta` is data, and it fits."""
    word = _writable(word, policy, rules)
    try:
        parse(msgspec.to_builtins(word))
    except (msgspec.ValidationError, TypeError) as error:
        problem, _, place = str(error).partition(" - at `")
        raise NormalizeError(place.rstrip("`") or "$", f"{type(word).__name__}: {problem}") from error
    return word


def _writable(word: Any, policy: Policy, rules: Rules) -> Any:
    changes = {}
    for name in word.__struct_fields__:
        value = getattr(word, name)
        if value is None or (type(value) is str and value.isascii()):
            continue
        written = _written(name, value, policy, rules)
        if written is not value:
            changes[name] = written
    return msgspec.structs.replace(word, **changes) if changes else word


def _written(name: str, value: Any, policy: Policy, rules: Rules) -> Any:
    if isinstance(value, Wire):
        return _writable(value, policy, rules)
    if isinstance(value, list):
        return [_written(name, item, policy, rules) for item in value]
    return msgspec.json.decode(rules.encode({name: value}, policy)).get(name)  # None may have been left out


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
