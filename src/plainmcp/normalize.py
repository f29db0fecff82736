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
from .jsonable import MAX_DEPTH, Rules, cycle, path_of, too_deep
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

Check: TypeAlias = Callable[[Any, bytes], None]
"""Raises where a value's JSON breaks what was promised of it."""

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
    check: Check | None = None,
) -> Normalized:
    """A tool's return value as a result whose structured data is raw JSON."""
    try:
        ready = _ready_made(value, policy, rules)
        if ready is not None:
            if check is not None and not ready.result.isError:
                _check_given(ready.result.structuredContent, check)
            return ready
        if policy.accept == "serializer":
            _check_accepted(value, policy, rules)
        return _payload(value, policy, rules, declared, render, check)
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(value, error) from error


def _ready_made(value: Any, policy: Policy, rules: Rules) -> Normalized | None:
    """A result the author made: by hand, by builder, as a pair, or as a dict of result keys."""
    if isinstance(value, CallToolResult):
        made = _assembled(value.content, value.structuredContent, value.isError, value._meta, policy, rules)
        made.result.resultType = value.resultType
        return made
    match word(type(value)):
        case "ToolResult":
            structured = UNSET if value.structured_content is None else value.structured_content
            rendered = getattr(value, "rendered", False)
            given, is_error = value.content, None if value.is_error is False else value.is_error
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
    places: tuple[str, str] = ("$.content", "$.structuredContent"),
) -> Normalized:
    """A result from parts the author chose; content that is None stands for the JSON of the data."""
    where, there = places
    raw = b"" if structured is UNSET else _at(there, _payload_json, structured, policy, rules)
    if given is None:
        given = [JSON_TEXT] if raw else []
    elif not isinstance(given, (list, tuple)):
        given = [given]
    blocks: list[ContentBlock] = []
    for index, item in enumerate(given):
        if item is JSON_TEXT:
            blocks.append(_text(codec.styled(raw, policy.json_style)))
        else:
            blocks.extend(_at(f"{where}[{index}]", _blocks, item, policy, rules))
    if is_error is not None and type(is_error) is not bool:
        raise NormalizeError("$.isError", f"takes true or false, not {type(is_error).__name__}")
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
    plain: dict[str, Any] = codec.decode(rules.encode({"_meta": dict(meta)}, _strict(policy)).raw)["_meta"]
    return plain


def _payload_json(structured: Any, policy: Policy, rules: Rules) -> bytes:
    return _shaped(rules.encode(structured, _strict(policy)).raw, policy)


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
            blocks.append(item if content.is_content(type(item), policy) else parse_block(item))
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
    said = _at("$[0]", _blocks, payload, policy, rules)
    return _assembled(said, structured, None, None, policy, rules, places=("$[0]", "$[1]"))


def _check_given(structured: Any, check: Check) -> None:
    if structured is UNSET:
        raise NormalizeError("$", "an output schema was promised, and there is no structured content")
    check(None, bytes(structured))


def _payload(
    value: Any,
    policy: Policy,
    rules: Rules,
    declared: Declared = "nothing",
    render: Render | None = None,
    check: Check | None = None,
) -> Normalized:
    """Content for what is content, text and structured data for what is data."""
    if value is None and declared != "schema":
        return Normalized(CallToolResult(content=[]), True)  # S000-19
    if content.is_content(type(value), policy) and declared != "schema":
        return Normalized(CallToolResult(content=[content.block(value, policy, rules)]), True)
    if isinstance(value, content.BYTES):
        if policy.bytes_as == "error":
            raise NormalizeError("$", "this policy takes no bytes; return an Image, Audio or File")
        if declared != "schema":  # S000-20: base64 text and nothing structured
            return Normalized(CallToolResult(content=_texts([_bare(rules.encode(value, policy).raw)])), True)
    items = rules.items(value, _strict(policy) if declared == "schema" else policy)
    if items is not None and declared != "schema" and content.among(items, policy):
        return Normalized(CallToolResult(content=_gathered(items, policy, rules, [], [items])), True)  # S000-34
    return _data(value if items is None else items, items is not None, policy, rules, declared, render, check)


def _gathered(items: Any, policy: Policy, rules: Rules, keys: list[Any], above: list[Any]) -> list[ContentBlock]:
    """The blocks of a list that holds content, and of the lists in it, in order."""
    if len(above) > MAX_DEPTH:
        raise too_deep(keys)
    blocks: list[ContentBlock] = []
    for index, item in enumerate(items):
        here = [*keys, index]
        if isinstance(item, (list, tuple)) and content.among(list(item), policy):
            if any(item is one for one in above):
                raise cycle(here, keys[: next(i for i, one in enumerate(above) if one is item)])
            blocks.extend(_gathered(item, policy, rules, here, [*above, item]))
        else:
            blocks.extend(_at(path_of(here), _blocks, item, policy, rules))
    return blocks


def _blocks(value: Any, policy: Policy, rules: Rules) -> list[ContentBlock]:
    """The content alone, in words whatever the policy has for data."""
    if _is_clean_text(value):
        return [_text(value)]
    return _payload(value, _wordy(policy), rules).result.content


def _data(
    value: Any,
    many: bool,
    policy: Policy,
    rules: Rules,
    declared: Declared,
    render: Render | None,
    check: Check | None,
) -> Normalized:
    encoded = rules.encode(value, _strict(policy) if declared == "schema" else policy)
    if check is not None:
        check(value, encoded.raw)
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
        raise NormalizeError("$", f"this policy takes a str, an object or a ToolResult, and {kind} is none of them")


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
        made = word(type(payload)) in ("ReadResourceResult", "ResourceResult")
        parts, one = (payload.contents, False) if made else _parts(payload, policy, rules)
        meta = _attribute(payload, "_meta", "meta") if made else None
        hints = (_attribute(payload, "ttlMs", "ttl_ms"), _attribute(payload, "cacheScope", "cache_scope"))
        if not made or hints == (0, "private"):  # the official types always have them, by default these
            hints = (None, None)
        places = ["$"] if one else [f"$[{index}]" for index in range(len(parts))]
        return ReadResourceResult(
            contents=[
                _at(place, _contents, uri, mime_type, part, policy, rules)
                for place, part in zip(places, parts, strict=True)
            ],
            ttlMs=hints[0],
            cacheScope=hints[1],
            _meta=_meta(meta, policy, rules),
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
    apart = any(word(type(item)) or isinstance(item, (Part, *content.BYTES)) for item in items)
    return (items, False) if apart else ([items], True)


def _contents(uri: str, mime_type: str | None, part: Any, policy: Policy, rules: Rules) -> ResourceContents:
    if isinstance(part, Part):
        inner = _contents(part.uri or uri, part.mime_type or mime_type, part.payload, policy, rules)
        extras = {"name": part.name, "title": part.title, "annotations": part.annotations, "_meta": part.meta}
        given = {key: value for key, value in extras.items() if value is not None}
        return content.resource(msgspec.structs.replace(inner, **given), policy, rules) if given else inner
    if word(type(part)) == "ResourceContent":
        return _contents(uri, part.mime_type or mime_type, part.content, policy, rules)
    found = content.contents(part, uri, mime_type, policy, rules)
    if found is None and type(part) is dict and part.keys() & {"text", "blob"}:
        found = _contents_of_dict(uri, mime_type, part)
        if found is not None:
            found = content.resource(found, policy, rules)
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
                items = [(f"$.messages[{index}]", item) for index, item in enumerate(value.messages)]
                description, meta = value.description, _attribute(value, "_meta", "meta")
            case _:
                items, description, meta = _said(value, policy, rules), None, None
        return GetPromptResult(
            description=_description(description, policy, rules),
            messages=[message for place, item in items for message in _at(place, _messages, item, policy, rules)],
            _meta=_meta(meta, policy, rules),
        )
    except PlainMCPError:
        raise
    except Exception as error:
        raise _surprise(value, error) from error


def _description(given: Any, policy: Policy, rules: Rules) -> str | None:
    if given is not None and not isinstance(given, str):
        raise NormalizeError("$.description", f"takes text, not {type(given).__name__}")
    raw = rules.encode({"description": given}, policy).raw
    text: str | None = codec.decode(raw)["description"]
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
        return _spoken(value["role"], _at("$.content", _blocks, _as_block(value["content"]), policy, rules))
    return _spoken(role, _blocks(said, policy, rules))


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


@lru_cache(maxsize=64)
def _strict(policy: Policy) -> Policy:
    """The policy for data a schema or an author's own result promises: nothing becomes its str()."""
    return policy.replace(unserializable="error")


@lru_cache(maxsize=64)
def _wordy(policy: Policy) -> Policy:
    """The policy for what must be said in content: data has a text there."""
    return policy.replace(object_text="json")


def _at(place: str, make: Callable[..., Any], *given: Any) -> Any:
    """What a function makes of one part of a value; where it refuses, the path starts at the whole."""
    try:
        return make(*given)
    except NormalizeError as error:
        raise NormalizeError(place + error.path[1:], error.problem) from error


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
