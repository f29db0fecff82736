"""Results from returned values, by policy: `tool_result`, `resource_result` and `prompt_result`.

What a plain value becomes is decided in payload, results that an author made are put together in ready; contents and
messages are recognised here. The public `normalize_*` functions give plain data where the server keeps raw JSON.
Knows nothing of revisions (see project).
"""

from typing import Any

import msgspec
from msgspec import UNSET, Raw

from .. import media
from ..errors import NormalizeError, PlainMCPError
from ..foreign.classes import wire_type_of
from ..policy import Policy
from ..results import Part, Turn
from ..types import (
    CallToolResult,
    ContentBlock,
    GetPromptResult,
    PromptMessage,
    ReadResourceResult,
    ResourceContents,
    TextResourceContents,
    parse_block,
    parse_contents,
)
from ..wire import codec
from . import content
from .encode import Rules
from .payload import (
    NOTHING,
    Check,
    Declared,
    Normalized,
    Output,
    Render,
    call_at,
    content_of,
    is_clean_text,
    normalize_value,
    unquote,
)
from .ready import attribute_of, is_pair, meta_of, ready_result_of

__all__ = [
    "Declared",
    "Normalized",
    "normalize_prompt_result",
    "normalize_resource_payload",
    "normalize_tool_result",
    "prompt_result",
    "resource_result",
    "tool_result",
]

_RULES = Rules()
_ROLES = ("user", "assistant")


# Public functions ---------------------------------------------------------------------------------


def normalize_tool_result(
    value: Any, *, policy: Policy | str = Policy.standard, declared: Declared = "nothing"
) -> CallToolResult:
    """The result that a tool's return value becomes.

    >>> normalize_tool_result(42).structuredContent
    {'result': 42}
    """
    policy = Policy.of(policy)
    output = Output(declared=declared, wrap=False if policy.non_object == "raw" else None)
    result = tool_result(value, policy, output=output).result
    if isinstance(result.structuredContent, Raw):
        result.structuredContent = codec.decode(bytes(result.structuredContent))
    result.content = list(map(media.to_plain_block, result.content))
    return result


def normalize_resource_payload(
    uri: str, mime_type: str | None, payload: Any, *, policy: Policy | str = Policy.standard
) -> ReadResourceResult:
    """The result that a resource's return value becomes.

    >>> normalize_resource_payload("memo://1", None, "Hello").contents[0].mimeType
    'text/plain'
    """
    result = resource_result(uri, mime_type, payload, Policy.of(policy))
    result.contents = list(map(media.to_plain_block, result.contents))
    return result


def normalize_prompt_result(value: Any, *, policy: Policy | str = Policy.standard) -> GetPromptResult:
    """The result that a prompt's return value becomes.

    >>> normalize_prompt_result("Hello").messages[0].role
    'user'
    """
    result = prompt_result(value, Policy.of(policy))
    for message in result.messages:
        message.content = media.to_plain_block(message.content)
    return result


# Tools --------------------------------------------------------------------------------------------


def tool_result(
    value: Any,
    policy: Policy,
    rules: Rules = _RULES,
    *,
    output: Output = NOTHING,
    render: Render | None = None,
    encoded: bytes | None = None,
) -> Normalized:
    """A tool's return value as a result whose structured data is raw JSON.

    `encoded` is the JSON of a value that is data, if it was encoded already: it may hold an iterator, which can be
    read only once.
    """
    try:
        pair = output.pairs and is_pair(value, policy, rules)
        if pair and output.conform is not None:
            value = output.conform(value)  # each of its two items has a type
        ready = ready_result_of(value, policy, rules, pair=pair)
        if ready is not None:
            if output.check_data is not None and not ready.result.isError:
                _check_structured(ready.result.structuredContent, output.check_data)
            return ready
        if output.conform is not None and encoded is None:
            value = output.conform(value)
        if policy.accept == "serializer" and not isinstance(value, str):
            value = _check_accepted(value, policy, rules)
        return normalize_value(value, policy, rules, output, render, encoded)
    except PlainMCPError:
        raise
    except Exception as error:
        raise _unexpected_error(value, error) from error


def _check_structured(structured: Any, check: Check) -> None:
    if structured is UNSET:
        raise NormalizeError("$", "an output schema was promised, and there is no structured content")
    check(bytes(structured))


def _check_accepted(value: Any, policy: Policy, rules: Rules) -> Any:
    """An object as plain data, since an iterator in it can be read only once; raises NormalizeError for others."""
    raw = rules.encode(value, policy)
    if not raw.startswith(b"{"):
        kind = type(value).__name__
        raise NormalizeError("$", f"this policy takes a str, an object or a ToolResult, and {kind} is none of them")
    return codec.decode(raw)


# Resources ----------------------------------------------------------------------------------------


def resource_result(
    uri: str, mime_type: str | None, payload: Any, policy: Policy, rules: Rules = _RULES
) -> ReadResourceResult:
    """A resource's return value as its contents."""
    try:
        uri, mime_type = codec.decode(rules.encode([uri, mime_type], policy))  # both may hold any text
        is_ready = wire_type_of(type(payload)) in ("ReadResourceResult", "ResourceResult")
        parts, one = (payload.contents, False) if is_ready else _split_parts(payload, policy, rules)
        meta = attribute_of(payload, "_meta", "meta") if is_ready else None
        hints = (attribute_of(payload, "ttlMs", "ttl_ms"), attribute_of(payload, "cacheScope", "cache_scope"))
        if not is_ready or hints == (0, "private"):  # the official types always have them, by default these
            hints = (None, None)
        places = ["$"] if one else [f"$[{index}]" for index in range(len(parts))]
        return ReadResourceResult(
            contents=[
                call_at(place, _contents_of, uri, mime_type, part, policy, rules)
                for place, part in zip(places, parts, strict=True)
            ],
            ttlMs=hints[0],
            cacheScope=hints[1],
            _meta=meta_of(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise _unexpected_error(payload, error) from error


def _split_parts(payload: Any, policy: Policy, rules: Rules) -> tuple[list[Any], bool]:
    """The items of a list that has contents, media or bytes in it; for any other value itself, and True."""
    items = rules.items_of(payload, policy)
    if items is None:
        return [payload], True
    has_contents = any(
        rules.rule_of(type(item)).shape == "block" or isinstance(item, (Part, *content.BYTES)) for item in items
    )
    return (items, False) if has_contents else ([items], True)


def _contents_of(uri: str, mime_type: str | None, part: Any, policy: Policy, rules: Rules) -> ResourceContents:
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
        contents = _contents_of_dict(uri, mime_type, part)
        contents = None if contents is None else content.resource_of(contents, policy, rules)
    return _contents_of_data(uri, mime_type, part, policy, rules) if contents is None else contents


def _contents_of_data(uri: str, mime_type: str | None, data: Any, policy: Policy, rules: Rules) -> ResourceContents:
    if is_clean_text(data):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=data)
    raw = rules.encode(data, policy)
    if raw.startswith(b'"'):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=unquote(raw))
    mime_type = mime_type or policy.resource_json_mime
    return TextResourceContents(uri=uri, mimeType=mime_type, text=codec.format_json(raw, policy.json_style))


def _contents_of_dict(uri: str, mime_type: str | None, data: dict[Any, Any]) -> ResourceContents | None:
    """A dict that is, with the URI, contents and nothing more (S000-38); any other key makes it data."""
    try:
        contents = parse_contents({"uri": uri, **data})
    except msgspec.ValidationError:
        return None
    if contents.mimeType is None:
        contents.mimeType = mime_type or ("text/plain" if "text" in data else "application/octet-stream")
    return contents


# Prompts ------------------------------------------------------------------------------------------


def prompt_result(value: Any, policy: Policy, rules: Rules = _RULES) -> GetPromptResult:
    """A prompt's return value as its messages."""
    try:
        match wire_type_of(type(value)):
            case "GetPromptResult" | "PromptResult":
                items = [(f"$.messages[{index}]", item) for index, item in enumerate(value.messages)]
                description, meta = value.description, attribute_of(value, "_meta", "meta")
            case _:
                items, description, meta = _items_of(value, policy, rules), None, None
        return GetPromptResult(
            description=_description_of(description, policy, rules),
            messages=[
                message for place, item in items for message in call_at(place, _messages_of, item, policy, rules)
            ],
            _meta=meta_of(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise _unexpected_error(value, error) from error


def _description_of(description: Any, policy: Policy, rules: Rules) -> str | None:
    if description is None:
        return None
    if not isinstance(description, str):
        raise NormalizeError("$.description", f"takes text, not {type(description).__name__}")
    text: str = codec.decode(rules.encode({"description": description}, policy))["description"]
    return text


def _items_of(value: Any, policy: Policy, rules: Rules) -> list[tuple[str, Any]]:
    """The items that a prompt returned, each with its place."""
    items = None if _split_pair(value, policy) is not None else rules.items_of(value, policy)
    return [("$", value)] if items is None else [(f"$[{index}]", item) for index, item in enumerate(items)]


def _messages_of(value: Any, policy: Policy, rules: Rules) -> list[PromptMessage]:
    """The messages of one item of a prompt; the role is user unless the item has one."""
    role, body = "user", value
    if isinstance(value, Turn):
        role, body = value.role, value.content
        if value.as_text:
            body = media.text_block_of(body, extras=policy.contents_extras)
    elif (parts := content.message_parts_of(value) or _split_pair(value, policy)) is not None:
        role, body = parts
    elif type(value) is dict and value.keys() == {"role", "content"} and value["role"] in _ROLES:
        return _to_messages(
            value["role"], call_at("$.content", content_of, _to_block(value["content"]), policy, rules)
        )
    return _to_messages(role, content_of(body, policy, rules))


def _to_block(value: Any) -> Any:
    """The content block of a dict in wire form; any other value unchanged."""
    try:
        return parse_block(value)
    except msgspec.ValidationError:
        return value


def _to_messages(role: Any, blocks: list[ContentBlock]) -> list[PromptMessage]:
    if role not in _ROLES:
        raise NormalizeError("$.role", f"a role is {' or '.join(_ROLES)}")
    return [PromptMessage(role=role, content=block) for block in blocks]


def _split_pair(value: Any, policy: Policy) -> tuple[Any, Any] | None:
    """(text, role) or (role, text), as (role, content); where both fit, the role comes second."""
    if type(value) is not tuple or len(value) != 2:
        return None
    first, second = value
    if policy.prompt_pair != "role_text" and isinstance(second, str) and second in _ROLES:
        return second, first
    if policy.prompt_pair != "text_role" and isinstance(first, str) and first in _ROLES:
        return first, second
    return None


# Shared -------------------------------------------------------------------------------------------


def _unexpected_error(value: Any, error: Exception) -> NormalizeError:
    return NormalizeError("$", f"{type(error).__name__} while {type(value).__name__} was being read")
