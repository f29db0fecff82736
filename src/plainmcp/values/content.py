"""Values that are content: blocks, media and bytes, ours or another package's, and the block that each becomes.

Knows nothing of data: what a value becomes that is not content is decided in payload.
"""

from os.path import basename
from typing import Any, cast

import msgspec

from .. import media
from ..errors import NormalizeError, ToolError
from ..files.regular import MAX_SIZE, check_readable
from ..foreign.classes import CONTENT, CONTENTS, MEDIA, painter_of, wire_type_of
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

__all__ = ["BYTES", "block_of", "contents_of", "has_content", "is_content", "message_parts_of", "resource_of"]

BYTES = (bytes, bytearray, memoryview)


def is_content(kind: type, policy: Policy, rules: Rules) -> bool:
    """Whether instances of a class are content rather than data; a serializer of the author's makes them data."""
    if rules.rule_of(kind).shape == "block":
        return wire_type_of(kind) in CONTENT
    return policy.bytes_as in ("blob", "media") and issubclass(kind, BYTES)


def has_content(items: list[Any], policy: Policy, rules: Rules) -> bool:
    """Whether a list, or a list inside it, holds content; levels too deep to be sent are not searched."""
    seen: set[int] = set()
    for _ in range(MAX_DEPTH):
        kinds = set(map(type, items))
        if any(is_content(kind, policy, rules) for kind in kinds):
            return True
        if not any(issubclass(kind, (list, tuple)) for kind in kinds):
            return False
        lists = {id(item): item for item in items if isinstance(item, (list, tuple))}
        items = [inner for key, item in lists.items() if key not in seen for inner in item]
        seen.update(lists)
    return False


def block_of(value: Any, policy: Policy, rules: Rules) -> ContentBlock:
    """The content block that a value is or becomes."""
    if isinstance(value, Media):
        return media.block_of(value, file_block=policy.file_block, extras=policy.contents_extras, raw=True)
    if isinstance(value, BYTES):
        return media.from_bytes(value, "media" if policy.bytes_as == "media" else "blob", raw=True)
    if wire_type_of(type(value)) in CONTENTS:
        return EmbeddedResource(resource=resource_of(value, policy, rules))
    if painter_of(type(value)) is not None:
        data, mime_type = _paint(value)
        return media.block_of(Image(data=data, format=mime_type), raw=True)
    block = value if isinstance(value, Wire) else _convert_foreign(value)
    return _check_block(block, parse_block, policy, rules)  # type: ignore[no-any-return]


def contents_of(value: Any, uri: str, mime_type: str | None, policy: Policy, rules: Rules) -> ResourceContents | None:
    """The resource contents that a value is or becomes; None for a value that is not content."""
    if isinstance(value, BYTES):
        mime_type = mime_type or UNKNOWN  # S000-41
        return BlobResourceContents(uri=uri, mimeType=mime_type, blob=cast("str", bytes(value)))  # see media.block_of
    if rules.rule_of(type(value)).shape != "block":
        return None
    if painter_of(type(value)) is not None:
        data, mime_type = _paint(value, mime_type)
        value = Media(data=data, format=mime_type)
    if isinstance(value, Media):
        extras = policy.contents_extras
        return media.contents_of(value, uri, mime_type, file_block=policy.file_block, extras=extras, raw=True)
    name = wire_type_of(type(value))
    if name in CONTENTS:
        return resource_of(value, policy, rules)
    if name not in CONTENT:
        return None
    return _contents_in(block_of(value, policy, rules), uri, mime_type)


def _contents_in(outer: ContentBlock, uri: str, mime_type: str | None) -> ResourceContents:
    """The contents of a block, as resource contents with the annotations and `_meta` of the block."""
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


def message_parts_of(value: Any) -> tuple[Any, Any] | None:
    """The role and content of a prompt message, ours or another package's; None for anything else."""
    if isinstance(value, PromptMessage) or wire_type_of(type(value)) in ("PromptMessage", "Message"):
        return value.role, value.content
    return None


# Other packages' content --------------------------------------------------------------------------


def _paint(value: Any, mime_type: str | None = None) -> tuple[bytes, str]:
    """The bytes of a picture of another package, and their type, which a resource may have declared."""
    paint = painter_of(type(value))
    assert paint is not None
    try:
        return paint(value, mime_type)
    except NormalizeError:
        raise
    except Exception as error:
        suffix = f" as {mime_type}" if mime_type else ""
        raise NormalizeError("$", f"writing {type(value).__name__}{suffix} raised {type(error).__name__}") from error


def _convert_foreign(value: Any) -> ContentBlock:
    method = MEDIA.get(wire_type_of(type(value)))
    if method is not None:
        path = getattr(value, "path", None)
        name = basename(str(path or "the file"))
        try:
            if path is not None:  # its package reads whatever is there
                check_readable(path, name, getattr(value, "max_size", MAX_SIZE))
            value = getattr(value, method)()
        except OSError as error:
            raise ToolError(f"cannot read {name}: {error.strerror or type(error).__name__}") from error
    return _parse_foreign(value, parse_block)  # type: ignore[no-any-return]


def resource_of(value: Any, policy: Policy, rules: Rules) -> ResourceContents:
    """Resource contents, ours or another package's, that can be written."""
    block = value if isinstance(value, Wire) else _parse_foreign(value, parse_contents)
    return _check_block(block, parse_contents, policy, rules)  # type: ignore[no-any-return]


def _check_block(block: Any, parse: Any, policy: Policy, rules: Rules) -> Any:
    """A block that can be encoded: its texts are text, its `_meta` is plain data, and it has the right fields."""
    block = _to_writable(block, policy, rules)
    try:
        parse(msgspec.to_builtins(block))
    except (msgspec.ValidationError, TypeError) as error:
        problem, _, place = str(error).partition(" - at `")
        raise NormalizeError(place.rstrip("`") or "$", f"{type(block).__name__}: {problem}") from error
    return block


def _to_writable(block: Any, policy: Policy, rules: Rules) -> Any:
    changes = {}
    for name in block.__struct_fields__:
        value = getattr(block, name)
        if value is None or (type(value) is str and value.isascii()):
            continue
        plain = _to_plain(name, value, policy, rules)
        if plain is not value:
            changes[name] = plain
    return msgspec.structs.replace(block, **changes) if changes else block


def _to_plain(name: str, value: Any, policy: Policy, rules: Rules) -> Any:
    if isinstance(value, Wire):
        return _to_writable(value, policy, rules)
    if isinstance(value, list):
        return [_to_plain(name, item, policy, rules) for item in value]
    return msgspec.json.decode(rules.encode({name: value}, policy)).get(name)  # None may have been left out


def _parse_foreign(value: Any, parse: Any) -> Any:
    try:
        return parse(_drop_absent(value.model_dump(mode="json", by_alias=True)))
    except msgspec.ValidationError as error:
        # Refused rather than dropped: a field that the author added must not be lost silently.
        raise NormalizeError("$", f"{type(value).__name__}: {error}; put what is yours under _meta") from error


def _drop_absent(data: Any) -> Any:
    """The wire form without absent fields; `_meta` belongs to the author and stays as it is."""
    if isinstance(data, list):
        return [_drop_absent(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {key: item if key == "_meta" else _drop_absent(item) for key, item in data.items() if item is not None}
