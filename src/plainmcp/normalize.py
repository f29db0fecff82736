"""Any returned value -> a result, by policy. Knows what a value means; not what a revision can carry of it.

Three doors: `tool_result`, `resource_result` and `prompt_result`. Values become JSON once, in jsonable;
here that JSON is laid out as text beside structured data. The `normalize_*` functions are the same doors
for people: they give structured data as plain data where the server keeps raw JSON.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Raw

from . import codec, content, media
from .errors import NormalizeError, PlainMCPError
from .foreign import word
from .jsonable import Rules
from .policy import Policy
from .results import JSON_TEXT, Part, Turn
from .types import (
    CallToolResult,
    ContentBlock,
    GetPromptResult,
    PromptMessage,
    ReadResourceResult,
    ResourceContents,
    TextContent,
    TextResourceContents,
    parse_block,
    parse_contents,
    parse_message,
)

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

Declared: TypeAlias = Literal["nothing", "hint", "schema"]
"""What the author promised about a return: nothing, a type hint, or an output schema."""

Render: TypeAlias = Callable[[Any, bytes], str]
"""Makes the text for a value; it is given the value and its JSON."""

_RULES = Rules()
_ROLES = ("user", "assistant")


class Normalized(NamedTuple):
    """A tool's result; `mirrored` says that its content already tells all its structured data."""

    result: CallToolResult
    mirrored: bool


# For people ---------------------------------------------------------------------------------------


def normalize_tool_result(
    value: Any, *, policy: Policy | str = Policy.standard, declared: Declared = "nothing"
) -> CallToolResult:
    """What a tool's return value becomes on the wire.

    >>> normalize_tool_result(42).structuredContent
    {'result': 42}
    """
    result = tool_result(value, Policy.of(policy), declared=declared).result
    if isinstance(result.structuredContent, Raw):
        result.structuredContent = codec.decode(bytes(result.structuredContent))
    return result


def normalize_resource_payload(
    uri: str, mime_type: str | None, payload: Any, *, policy: Policy | str = Policy.standard
) -> ReadResourceResult:
    """What a resource's return value becomes on the wire.

    >>> normalize_resource_payload("memo://1", None, "Hello").contents[0].mimeType
    'text/plain'
    """
    return resource_result(uri, mime_type, payload, Policy.of(policy))


def normalize_prompt_result(value: Any, *, policy: Policy | str = Policy.standard) -> GetPromptResult:
    """What a prompt's return value becomes on the wire.

    >>> normalize_prompt_result("Hello").messages[0].role
    'user'
    """
    return prompt_result(value, Policy.of(policy))


# Tools --------------------------------------------------------------------------------------------


def tool_result(
    value: Any,
    policy: Policy,
    rules: Rules = _RULES,
    *,
    declared: Declared = "nothing",
    render: Render | None = None,
) -> Normalized:
    """A tool's return value as a result whose structured data is raw JSON."""
    try:
        ready = _ready_made(value, policy, rules)
        if ready is not None:
            return ready
        if policy.accept == "serializer":
            _check_accepted(value, policy, rules)
        return _payload(value, policy, rules, declared, render)
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(value, error) from error


def _ready_made(value: Any, policy: Policy, rules: Rules) -> Normalized | None:
    """A result the author made: by hand, by builder, as a pair, or as a dict of result keys."""
    if isinstance(value, CallToolResult):
        return _assembled(value.content, value.structuredContent, value.isError, value._meta, policy, rules)
    match word(type(value)):
        case "ToolResult":
            structured = UNSET if value.structured_content is None else value.structured_content
            rendered = getattr(value, "rendered", False)
            given, is_error = value.content, value.is_error or None
            return _assembled(given, structured, is_error, value.meta, policy, rules, rendered)
        case "CallToolResult":
            structured = _attribute(value, "structured_content", "structuredContent")
            is_error = _attribute(value, "is_error", "isError") or None
            structured = UNSET if structured is None else structured
            return _assembled(value.content, structured, is_error, value.meta, policy, rules)
    if type(value) is dict and policy.envelope == "exact":
        return _envelope(value, policy, rules)
    if type(value) is tuple and len(value) == 2 and policy.pair == "object":
        return _pair(*value, policy, rules)
    return None


def _assembled(
    given: Any,
    structured: Any,
    is_error: bool | None,
    meta: Any,
    policy: Policy,
    rules: Rules,
    rendered: bool = False,
) -> Normalized:
    """A result from parts the author chose; content that is None stands for the JSON of the data."""
    raw = b"" if structured is UNSET else _shaped(rules.encode(structured, _strict(policy)).raw, policy)
    if given is None:
        given = [JSON_TEXT] if raw else []
    elif not isinstance(given, (list, tuple)):
        given = [given]
    blocks: list[ContentBlock] = []
    for item in given:
        if item is JSON_TEXT:
            blocks.append(_text(codec.styled(raw, policy.json_style)))
        else:
            blocks.extend(_blocks(item, policy, rules))
    omitted = not raw or (raw in (b"{}", b"[]") and policy.empty_structured == "omit")  # S001-38
    result = CallToolResult(
        content=blocks,
        structuredContent=UNSET if omitted else Raw(raw),
        isError=is_error,
        _meta=_meta(meta, policy, rules),
    )
    return Normalized(result, rendered or any(item is JSON_TEXT for item in given))


def _meta(meta: Any, policy: Policy, rules: Rules) -> dict[str, Any] | None:
    """Metadata as plain data, so that whatever an author put there can be written."""
    if not meta:
        return None
    plain: dict[str, Any] = codec.decode(rules.encode(dict(meta), _strict(policy)).raw)
    return plain


_ENVELOPE = frozenset({"content", "structuredContent", "isError", "_meta", "meta"})


def _envelope(value: dict[Any, Any], policy: Policy, rules: Rules) -> Normalized | None:
    """A dict that consists of result keys only, and fits; anything else is data (S000-09, S000-11)."""
    if "content" not in value or not _ENVELOPE.issuperset(value) or not isinstance(value["content"], list):
        return None
    is_error, meta = value.get("isError"), value.get("_meta", value.get("meta"))
    if not (is_error is None or type(is_error) is bool) or not (meta is None or isinstance(meta, dict)):
        return None
    blocks = []
    for item in value["content"]:
        try:
            ours = content.is_content(type(item), policy)
            blocks.append(content.block(item, policy, rules) if ours else parse_block(item))
        except msgspec.ValidationError:
            return None
    return _assembled(blocks, value.get("structuredContent", UNSET), is_error, meta, policy, rules)


def _pair(payload: Any, structured: Any, policy: Policy, rules: Rules) -> Normalized | None:
    """(payload, structured) when the second is a dict, or an object beside plain text or content (S000-25)."""
    if not isinstance(structured, dict):
        told = isinstance(payload, str) or content.is_content(type(payload), policy)
        if not told or rules.rule(type(structured)).shape not in ("fields", "model", "open"):
            return None
        if not rules.encode(structured, policy).raw.startswith(b"{"):
            return None
    return _assembled(_blocks(payload, policy, rules), structured, None, None, policy, rules)


def _payload(
    value: Any, policy: Policy, rules: Rules, declared: Declared = "nothing", render: Render | None = None
) -> Normalized:
    """Content for what is content, text and structured data for what is data."""
    if value is None and declared != "schema":
        return Normalized(CallToolResult(content=[]), True)  # S000-19
    if content.is_content(type(value), policy):
        return Normalized(CallToolResult(content=[content.block(value, policy, rules)]), True)
    if isinstance(value, content.BYTES):
        if policy.bytes_as == "error":
            raise NormalizeError("$", "this policy takes no bytes; return an Image, Audio or File")
        if declared != "schema":  # S000-20: base64 text and nothing structured
            return Normalized(CallToolResult(content=_texts([_bare(rules.encode(value, policy).raw)])), True)
    items = rules.items(value, policy)
    if items is not None and content.among(items, policy):
        blocks = [block for item in items for block in _blocks(item, policy, rules)]
        return Normalized(CallToolResult(content=blocks), True)  # S000-34
    return _data(value if items is None else items, items is not None, policy, rules, declared, render)


def _blocks(value: Any, policy: Policy, rules: Rules) -> list[ContentBlock]:
    """The content alone."""
    return [_text(value)] if _is_clean_text(value) else _payload(value, policy, rules).result.content


def _data(
    value: Any, many: bool, policy: Policy, rules: Rules, declared: Declared, render: Render | None
) -> Normalized:
    encoded = rules.encode(value, _strict(policy) if declared == "schema" else policy)
    raw = _shaped(encoded.raw, policy)
    structured = _structured(raw, policy, declared) if encoded.exact else UNSET  # S000-31
    blocks: list[ContentBlock]
    if render is not None and not isinstance(value, str):
        blocks = [_text(render(value, raw))]
    elif value is None or (policy.object_text == "none" and raw.startswith(b"{") and structured is not UNSET):
        blocks = []
    elif many and _one_by_one(policy, structured):
        blocks = _texts(_item_texts(raw, policy))
    elif raw.startswith(b'"'):
        blocks = [_text(value if _is_clean_text(value) else _bare(raw))]
    else:
        blocks = [_text(codec.styled(raw, policy.json_style))]
    return Normalized(CallToolResult(content=blocks, structuredContent=structured), bool(blocks))


def _structured(raw: bytes, policy: Policy, declared: Declared) -> Any:
    """What of a value's JSON goes out as structured data."""
    if declared != "schema":
        if policy.structured == "schema" or (raw in (b"{}", b"[]") and policy.empty_structured == "omit"):
            return UNSET
        if not raw.startswith(b"{") and not _sent(policy, declared):
            return UNSET
    if raw.startswith(b"{") or policy.non_object == "raw":
        return Raw(raw)
    return Raw(b"{" + codec.encode(policy.wrap_key) + b":" + raw + b"}")


def _sent(policy: Policy, declared: Declared) -> bool:
    """Whether a scalar or a list that no schema asks for is sent as structured data at all."""
    return policy.non_object in ("wrap", "raw") or (policy.non_object == "annotated" and declared == "hint")


def _one_by_one(policy: Policy, structured: Any) -> bool:
    match policy.list_content:
        case "auto":
            return structured is UNSET
        case "json":
            return False
    return True


_split = msgspec.json.Decoder(list[Raw]).decode


def _item_texts(raw: bytes, policy: Policy) -> list[str]:
    """The text of each item of a JSON array."""
    if policy.list_content == "flat" and raw.count(b"[") > 1:
        return [_bare_styled(codec.encode(leaf), policy) for leaf in _flat(codec.decode(raw))]
    if policy.json_style == "indent":  # an item on its own is indented from the margin
        return [_bare_styled(bytes(item), policy) for item in _split(raw)]
    # Styling the whole array once, then cutting it up, is several times faster than styling each item.
    whole = codec.styled(raw, policy.json_style)
    return [codec.decode(text) if text[0] == '"' else text for text in map(_decoded, _split(whole))]


def _decoded(raw: Raw) -> str:
    return str(raw, "utf-8")


def _flat(data: list[Any]) -> list[Any]:
    return [leaf for item in data for leaf in (_flat(item) if isinstance(item, list) else [item])]


def _bare_styled(raw: bytes, policy: Policy) -> str:
    return _bare(raw) if raw.startswith(b'"') else codec.styled(raw, policy.json_style)


def _bare(raw: bytes) -> str:
    """A JSON string without its quotes and escapes (B-44)."""
    text: str = codec.decode(raw)
    return text


def _check_accepted(value: Any, policy: Policy, rules: Rules) -> None:
    if not isinstance(value, str) and not rules.encode(value, policy).raw.startswith(b"{"):
        kind = type(value).__name__
        raise NormalizeError(
            "$", f"this policy takes a str, an object or a ToolResult, and {kind} is none of them"
        )


# The top of an object -----------------------------------------------------------------------------


def _shaped(raw: bytes, policy: Policy) -> bytes:
    """An object with its top-level keys and lists as the policy wants them."""
    if (policy.key_case == "asis" and policy.item_order == "asis") or not raw.startswith(b"{"):
        return raw
    data = codec.decode(raw)
    if policy.item_order == "name":  # S001-18, S001-20: by name, cluster-10 before cluster-2
        data = {key: _by_name(item) for key, item in data.items()}
    if policy.key_case == "camel":  # S001-23
        renamed = {_camel(key): item for key, item in data.items()}
        if len(renamed) != len(data):
            raise NormalizeError("$", "two keys are the same in camelCase")
        data = renamed
    return codec.encode(data)


def _by_name(item: Any) -> Any:
    if not isinstance(item, list):
        return item
    named = all(isinstance(entry, dict) and isinstance(entry.get("name"), str) for entry in item)
    return sorted(item, key=lambda entry: entry["name"]) if named else item


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest) if head else key


# Resources ----------------------------------------------------------------------------------------


def resource_result(
    uri: str, mime_type: str | None, payload: Any, policy: Policy, rules: Rules = _RULES
) -> ReadResourceResult:
    """A resource's return value as its contents."""
    try:
        match word(type(payload)):
            case "ReadResourceResult" | "ResourceResult":
                parts, meta = payload.contents, _attribute(payload, "_meta", "meta")
            case _:
                parts, meta = _parts(payload, policy, rules), None
        result = ReadResourceResult(
            contents=[_contents(uri, mime_type, part, policy, rules) for part in parts],
            _meta=_meta(meta, policy, rules),
        )
        if isinstance(payload, ReadResourceResult):
            result.ttlMs, result.cacheScope = payload.ttlMs, payload.cacheScope
        return result
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(payload, error) from error


def _parts(payload: Any, policy: Policy, rules: Rules) -> list[Any]:
    """One payload, or as many as a list holds that has contents, media or bytes in it."""
    items = rules.items(payload, policy)
    if items is None:
        return [payload]
    apart = any(word(type(item)) or isinstance(item, (Part, *content.BYTES)) for item in items)
    return items if apart else [items]


def _contents(uri: str, mime_type: str | None, part: Any, policy: Policy, rules: Rules) -> ResourceContents:
    if isinstance(part, Part):
        inner = _contents(part.uri or uri, part.mime_type or mime_type, part.payload, policy, rules)
        extras = {"name": part.name, "title": part.title, "annotations": part.annotations, "_meta": part.meta}
        given = {key: value for key, value in extras.items() if value is not None}
        return msgspec.structs.replace(inner, **given) if given else inner
    if word(type(part)) == "ResourceContent":
        return _contents(uri, part.mime_type or mime_type, part.content, policy, rules)
    found = content.contents(part, uri, mime_type, policy, rules)
    if found is None and type(part) is dict and part.keys() & {"text", "blob"}:
        found = _contents_of_dict(uri, mime_type, part)
    if found is not None:
        return found
    raw = rules.encode(part, policy).raw
    if raw.startswith(b'"'):
        return TextResourceContents(uri=uri, mimeType=mime_type or "text/plain", text=_bare(raw))
    mime_type = mime_type or policy.resource_json_mime
    return TextResourceContents(uri=uri, mimeType=mime_type, text=codec.styled(raw, policy.json_style))


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
                items, description, meta = value.messages, value.description, _attribute(value, "_meta", "meta")
            case _:
                items, description, meta = _said(value, policy, rules), None, None
        return GetPromptResult(
            description=description,
            messages=[message for item in items for message in _messages(item, policy, rules)],
            _meta=_meta(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(value, error) from error


def _said(value: Any, policy: Policy, rules: Rules) -> list[Any]:
    if _prompt_pair(value, policy) is not None:
        return [value]
    items = rules.items(value, policy)
    return [value] if items is None else items


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
        try:
            return [parse_message(value)]
        except msgspec.ValidationError:
            role, said = value["role"], value["content"]
    blocks = _blocks(said, policy, rules)
    return [PromptMessage(role=role, content=block) for block in blocks]  # type: ignore[arg-type]


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


@lru_cache(maxsize=64)
def _strict(policy: Policy) -> Policy:
    """The policy for data a schema or an author's own result promises: nothing becomes its str()."""
    return policy.replace(unserializable="error")


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _texts(texts: list[str]) -> list[ContentBlock]:
    return [TextContent(type="text", text=text) for text in texts]


def _is_clean_text(value: Any) -> bool:
    """Whether a value is text that can be sent as it stands."""
    return type(value) is str and value.isascii()


def _attribute(value: Any, *names: str) -> Any:
    """The first of these attributes that is there: the SDK renamed its fields between major versions."""
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)


def _surprise(value: Any, error: Exception) -> NormalizeError:
    return NormalizeError("$", f"{type(error).__name__} while {type(value).__name__} was being read")
