"""Any returned value -> a result, by policy. Knows what a value means; not what a revision can carry of it.

Three doors: `tool_result`, `resource_result` and `prompt_result`. What a plain value becomes is worked out in
payload, results the author made are put together in ready; here contents and messages are recognised. The
`normalize_*` functions are the same doors for people: they give plain data where the server keeps raw JSON.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Raw

from .. import media
from ..errors import NormalizeError, PlainMCPError
from ..foreign.classes import word
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
    at,
    bare,
    content_of,
    is_clean_text,
    payload,
)
from .ready import attribute, is_pair, meta_of, ready_made

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


# For people ---------------------------------------------------------------------------------------


def normalize_tool_result(
    value: Any, *, policy: Policy | str = Policy.standard, declared: Declared = "nothing"
) -> CallToolResult:
    """What a tool's return value becomes on the wire.

    >>> normalize_tool_result(42).structuredContent
    {'result': 42}
    """
    policy = Policy.of(policy)
    output = Output(declared=declared, wrap=False if policy.non_object == "raw" else None)
    result = tool_result(value, policy, output=output).result
    if isinstance(result.structuredContent, Raw):
        result.structuredContent = codec.decode(bytes(result.structuredContent))
    result.content = list(map(media.spelled_out, result.content))
    return result


def normalize_resource_payload(
    uri: str, mime_type: str | None, payload: Any, *, policy: Policy | str = Policy.standard
) -> ReadResourceResult:
    """What a resource's return value becomes on the wire.

    >>> normalize_resource_payload("memo://1", None, "Hello").contents[0].mimeType
    'text/plain'
    """
    result = resource_result(uri, mime_type, payload, Policy.of(policy))
    result.contents = list(map(media.spelled_out, result.contents))
    return result


def normalize_prompt_result(value: Any, *, policy: Policy | str = Policy.standard) -> GetPromptResult:
    """What a prompt's return value becomes on the wire.

    >>> normalize_prompt_result("Hello").messages[0].role
    'user'
    """
    result = prompt_result(value, Policy.of(policy))
    for message in result.messages:
        message.content = media.spelled_out(message.content)
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

    `encoded` is the JSON of a value that is data, where somebody made it already: it may hold an iterator, which
    gives what it has only once.
    """
    try:
        pair = output.pairs and is_pair(value, policy, rules)
        if pair and output.conform is not None:
            value = output.conform(value)  # each of the two has its type
        ready = ready_made(value, policy, rules, pair=pair)
        if ready is not None:
            if output.check_data is not None and not ready.result.isError:
                _check_given(ready.result.structuredContent, output.check_data)
            return ready
        if output.conform is not None and encoded is None:
            value = output.conform(value)
        if policy.accept == "serializer" and not isinstance(value, str):
            value = _accepted(value, policy, rules)
        return payload(value, policy, rules, output, render, encoded)
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(value, error) from error


def _check_given(structured: Any, check: Check) -> None:
    if structured is UNSET:
        raise NormalizeError("$", "an output schema was promised, and there is no structured content")
    check(bytes(structured))


def _accepted(value: Any, policy: Policy, rules: Rules) -> Any:
    """An object as plain data, since an iterator in it gives what it has only once; raises NormalizeError."""
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
        uri, mime_type = codec.decode(rules.encode([uri, mime_type], policy))  # both may be anybody's text
        made = word(type(payload)) in ("ReadResourceResult", "ResourceResult")
        parts, one = (payload.contents, False) if made else _parts(payload, policy, rules)
        meta = attribute(payload, "_meta", "meta") if made else None
        hints = (attribute(payload, "ttlMs", "ttl_ms"), attribute(payload, "cacheScope", "cache_scope"))
        if not made or hints == (0, "private"):  # the official types always have them, by default these
            hints = (None, None)
        places = ["$"] if one else [f"$[{index}]" for index in range(len(parts))]
        return ReadResourceResult(
            contents=[
                at(place, _contents, uri, mime_type, part, policy, rules)
                for place, part in zip(places, parts, strict=True)
            ],
            ttlMs=hints[0],
            cacheScope=hints[1],
            _meta=meta_of(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(payload, error) from error


def _parts(payload: Any, policy: Policy, rules: Rules) -> tuple[list[Any], bool]:
    """As many payloads as a list holds that has contents, media or bytes in it; or just one, and True."""
    items = rules.items(payload, policy)
    if items is None:
        return [payload], True
    apart = any(rules.rule(type(item)).shape == "block" or isinstance(item, (Part, *content.BYTES)) for item in items)
    return (items, False) if apart else ([items], True)


def _contents(uri: str, mime_type: str | None, part: Any, policy: Policy, rules: Rules) -> ResourceContents:
    if isinstance(part, Part):
        inner = _contents(part.uri or uri, part.mime_type or mime_type, part.payload, policy, rules)
        extras = {"name": part.name, "title": part.title, "annotations": part.annotations, "_meta": part.meta}
        given = {key: value for key, value in extras.items() if value is not None}
        return content.resource(msgspec.structs.replace(inner, **given), policy, rules) if given else inner
    if word(type(part)) == "ResourceContent":
        inner = _contents(uri, part.mime_type or mime_type, part.content, policy, rules)
        meta = meta_of(getattr(part, "meta", None), policy, rules)
        return msgspec.structs.replace(inner, _meta=meta) if meta else inner
    found = content.contents(part, uri, mime_type, policy, rules)
    if found is None and type(part) is dict and part.keys() & {"text", "blob"}:
        found = _contents_of_dict(uri, mime_type, part)
        if found is not None:
            found = content.resource(found, policy, rules)
    if found is not None:
        return found
    if is_clean_text(part):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=part)
    raw = rules.encode(part, policy)
    if raw.startswith(b'"'):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=bare(raw))
    mime_type = mime_type or policy.resource_json_mime
    return TextResourceContents(uri=uri, mimeType=mime_type, text=codec.format_json(raw, policy.json_style))


def _contents_of_dict(uri: str, mime_type: str | None, data: dict[Any, Any]) -> ResourceContents | None:
    """A dict that is, with the URI, contents and nothing more (S000-38); any other key makes it data."""
    try:
        found = parse_contents({"uri": uri, **data})
    except msgspec.ValidationError:
        return None
    if found.mimeType is None:
        found.mimeType = mime_type or ("text/plain" if "text" in data else "application/octet-stream")
    return found


# Prompts ------------------------------------------------------------------------------------------


def prompt_result(value: Any, policy: Policy, rules: Rules = _RULES) -> GetPromptResult:
    """A prompt's return value as its messages."""
    try:
        match word(type(value)):
            case "GetPromptResult" | "PromptResult":
                items = [(f"$.messages[{index}]", item) for index, item in enumerate(value.messages)]
                description, meta = value.description, attribute(value, "_meta", "meta")
            case _:
                items, description, meta = _said(value, policy, rules), None, None
        return GetPromptResult(
            description=_description(description, policy, rules),
            messages=[message for place, item in items for message in at(place, _messages, item, policy, rules)],
            _meta=meta_of(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(value, error) from error


def _description(given: Any, policy: Policy, rules: Rules) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise NormalizeError("$.description", f"takes text, not {type(given).__name__}")
    text: str = codec.decode(rules.encode({"description": given}, policy))["description"]
    return text


def _said(value: Any, policy: Policy, rules: Rules) -> list[tuple[str, Any]]:
    """What a prompt returned, item by item, each with its place."""
    items = None if _prompt_pair(value, policy) is not None else rules.items(value, policy)
    return [("$", value)] if items is None else [(f"$[{index}]", item) for index, item in enumerate(items)]


def _messages(value: Any, policy: Policy, rules: Rules) -> list[PromptMessage]:
    """The messages one item of a prompt stands for; what says no role is the user's."""
    role, said = "user", value
    if isinstance(value, Turn):
        role, said = value.role, value.content
        if value.as_text:
            said = media.text_block(said, extras=policy.contents_extras)
    elif (parts := content.message_parts(value) or _prompt_pair(value, policy)) is not None:
        role, said = parts
    elif type(value) is dict and value.keys() == {"role", "content"} and value["role"] in _ROLES:
        return _spoken(value["role"], at("$.content", content_of, _as_block(value["content"]), policy, rules))
    return _spoken(role, content_of(said, policy, rules))


def _as_block(given: Any) -> Any:
    """The content block a dict is the wire form of; anything else as it is."""
    try:
        return parse_block(given)
    except msgspec.ValidationError:
        return given


def _spoken(role: Any, blocks: list[ContentBlock]) -> list[PromptMessage]:
    if role not in _ROLES:
        raise NormalizeError("$.role", f"a role is {' or '.join(_ROLES)}")
    return [PromptMessage(role=role, content=block) for block in blocks]


def _prompt_pair(value: Any, policy: Policy) -> tuple[Any, Any] | None:
    """(text, role) or (role, text), as (role, content); where both could be meant, the role comes second."""
    if type(value) is not tuple or len(value) != 2:
        return None
    first, second = value
    if policy.prompt_pair != "role_text" and isinstance(second, str) and second in _ROLES:
        return second, first
    if policy.prompt_pair != "text_role" and isinstance(first, str) and first in _ROLES:
        return first, second
    return None


# Shared -------------------------------------------------------------------------------------------


def _surprise(value: Any, error: Exception) -> NormalizeError:
    return NormalizeError("$", f"{type(error).__name__} while {type(value).__name__} was being read")
