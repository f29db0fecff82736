"""The result of a resource from a returned value: one or more contents, by policy."""

from typing import Any

import msgspec

from ..errors import PlainMCPError
from ..foreign.classes import wire_type_of
from ..policy import Policy
from ..results import Part
from ..types import ReadResourceResult, ResourceContents, TextResourceContents, parse_contents
from ..wire import codec
from . import content
from .encode import RULES, Rules
from .payload import attribute_of, call_at, is_clean_text, meta_of, unexpected_error, unquote

__all__ = ["resource_result"]


def resource_result(
    uri: str,
    mime_type: str | None,
    payload: Any,
    policy: Policy,
    rules: Rules = RULES,
    *,
    encoded: bytes | None = None,
) -> ReadResourceResult:
    """A resource's return value as its contents; `encoded` is its JSON, if it is data and was encoded already.

    The URI and the MIME type are texts that can be sent.
    """
    try:
        is_ready = wire_type_of(type(payload)) in ("ReadResourceResult", "ResourceResult")
        if is_ready:
            parts, one = payload.contents, False
        else:
            parts, one = ([payload], True) if encoded is not None else _split_parts(payload, policy, rules)
        meta = attribute_of(payload, "_meta", "meta") if is_ready else None
        hints = (attribute_of(payload, "ttlMs", "ttl_ms"), attribute_of(payload, "cacheScope", "cache_scope"))
        if not is_ready or hints == (0, "private"):  # the official types always have them, by default these
            hints = (None, None)
        places = ["$"] if one else [f"$[{index}]" for index in range(len(parts))]
        return ReadResourceResult(
            contents=[
                call_at(place, _contents_of, uri, mime_type, part, policy, rules, encoded)
                for place, part in zip(places, parts, strict=True)
            ],
            ttlMs=hints[0],
            cacheScope=hints[1],
            _meta=meta_of(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise unexpected_error(payload, error) from error


def _split_parts(payload: Any, policy: Policy, rules: Rules) -> tuple[list[Any], bool]:
    """The items of a list that has contents, media or bytes in it; for any other value itself, and True."""
    items = rules.items_of(payload, policy)
    if items is None:
        return [payload], True
    has_contents = any(
        rules.rule_of(type(item)).shape == "block" or isinstance(item, (Part, *content.BYTES)) for item in items
    )
    return (items, False) if has_contents else ([items], True)


def _contents_of(
    uri: str, mime_type: str | None, part: Any, policy: Policy, rules: Rules, encoded: bytes | None = None
) -> ResourceContents:
    if isinstance(part, Part):
        inner = _contents_of(part.uri or uri, part.mime_type or mime_type, part.payload, policy, rules)
        extras = {"name": part.name, "title": part.title, "annotations": part.annotations, "_meta": part.meta}
        changes = {key: value for key, value in extras.items() if value is not None}
        return content.resource_of(msgspec.structs.replace(inner, **changes), policy, rules) if changes else inner
    if wire_type_of(type(part)) == "ResourceContent":
        inner = _contents_of(uri, part.mime_type or mime_type, part.content, policy, rules)
        meta = meta_of(getattr(part, "meta", None), policy, rules)
        return msgspec.structs.replace(inner, _meta=meta) if meta else inner
    contents = content.contents_of(part, uri, mime_type, policy, rules)
    if contents is None and type(part) is dict and part.keys() & {"text", "blob"}:
        contents = _contents_of_dict(uri, mime_type, part, policy, rules)
    return _contents_of_data(uri, mime_type, part, policy, rules, encoded) if contents is None else contents


def _contents_of_data(
    uri: str, mime_type: str | None, data: Any, policy: Policy, rules: Rules, encoded: bytes | None
) -> ResourceContents:
    if is_clean_text(data):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=data)
    raw = rules.encode(data, policy) if encoded is None else encoded
    if raw.startswith(b'"'):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=unquote(raw))
    mime_type = mime_type or policy.resource_json_mime
    return TextResourceContents(uri=uri, mimeType=mime_type, text=codec.format_json(raw, policy.json_style))


def _contents_of_dict(
    uri: str, mime_type: str | None, data: dict[Any, Any], policy: Policy, rules: Rules
) -> ResourceContents | None:
    """A dict that is, with the URI, contents and nothing more (S000-38); any other key makes it data."""
    try:
        contents = parse_contents({"uri": uri, **data})
    except msgspec.ValidationError:
        return None
    if contents.mimeType is None:
        contents.mimeType = mime_type or ("text/plain" if "text" in data else "application/octet-stream")
    return content.resource_of(contents, policy, rules)
