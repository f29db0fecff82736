"""The result of a tool from a returned value: one that the author made, or one made by policy.

An author makes a result by hand, with a builder, as a pair, or as a dict of result keys; its parts are put together
as the author chose them. What any other value becomes is decided in payload.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Raw

from ..errors import NormalizeError, OutputError, PlainMCPError
from ..foreign.classes import wire_type_of
from ..policy import Policy
from ..results import JSON_TEXT
from ..types import CallToolResult, ContentBlock, parse_block
from ..wire import codec
from . import content
from .encode import RULES, Rules
from .payload import (
    NOTHING,
    Normalized,
    Output,
    Render,
    arrange_keys,
    attribute_of,
    call_at,
    content_of,
    meta_of,
    normalize_value,
    strict_policy_of,
    text_block_of,
    unexpected_error,
)

__all__ = ["tool_result"]


def tool_result(
    value: Any,
    policy: Policy,
    rules: Rules = RULES,
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
        ready = ready_result_of(value, policy, rules, output, render)
        if ready is None:
            pair = output.pairs and is_pair(value, policy, rules)
            if output.conform is not None and encoded is None:
                value = output.conform(value)
            if output.fit is not None and type(value) not in output.fitting:
                value, encoded = output.fit(value)
            ready = _from_pair(value, policy, rules, output) if pair else None
        if ready is not None:
            if not ready.result.isError:
                _fit_structured(ready.result, output, policy)
            return ready
        if policy.accept == "serializer" and not isinstance(value, str):
            value = _check_accepted(value, policy, rules)
        return normalize_value(value, policy, rules, output, render, encoded)
    except PlainMCPError:
        raise
    except Exception as error:
        raise unexpected_error(value, error) from error


def _fit_structured(result: CallToolResult, output: Output, policy: Policy) -> None:
    """Check the data that an author made; a value that would be wrapped if it were returned is wrapped here too."""
    if output.check_data is None:
        return
    if result.structuredContent is UNSET:
        if output.declared == "schema":
            raise NormalizeError("$", "an output schema was promised, and there is no structured content")
        return
    raw = bytes(result.structuredContent)
    try:
        output.check_data(raw)
    except OutputError as error:
        if output.wrap is not True or output.check is None:
            raise
        try:
            output.check(raw)
        except OutputError as other:
            raise (error if raw.startswith(b"{") else other) from None
        result.structuredContent = Raw(codec.wrap(raw, policy.wrap_key))


def _check_accepted(value: Any, policy: Policy, rules: Rules) -> Any:
    """An object as plain data, since an iterator in it can be read only once; raises NormalizeError for others."""
    raw = rules.encode(value, policy)
    if not raw.startswith(b"{"):
        kind = type(value).__name__
        raise NormalizeError("$", f"this policy takes a str, an object or a ToolResult, and {kind} is none of them")
    return codec.decode(raw)


# Results that an author made ----------------------------------------------------------------------


def ready_result_of(
    value: Any, policy: Policy, rules: Rules, output: Output, render: Render | None
) -> Normalized | None:
    """The result that a value is, if the author made one; None for any other value, pairs among them."""
    if isinstance(value, CallToolResult):
        normalized = _assemble(
            value.content, value.structuredContent, value.isError, value._meta, policy, rules, output
        )
        result_type: Any = value.resultType  # a Struct does not check its fields
        if result_type is not None and not isinstance(result_type, str):
            raise NormalizeError("$.resultType", f"takes text, not {type(result_type).__name__}")
        normalized.result.resultType = result_type
        return normalized
    match wire_type_of(type(value)):
        case "ToolResult":
            structured = UNSET if value.structured_content is None else value.structured_content
            rendered = getattr(value, "rendered", False)
            is_error = None if value.is_error is False else value.is_error
            return _assemble(value.content, structured, is_error, value.meta, policy, rules, output, rendered, render)
        case "CallToolResult":
            structured = attribute_of(value, "structured_content", "structuredContent")
            is_error = attribute_of(value, "is_error", "isError") or None
            structured = UNSET if structured is None else structured
            return _assemble(value.content, structured, is_error, value.meta, policy, rules, output)
    if type(value) is dict and policy.envelope == "exact" and output.envelopes:
        return _from_envelope(value, policy, rules, output)
    return None


def _assemble(
    items: Any,
    structured: Any,
    is_error: bool | None,
    meta: Any,
    policy: Policy,
    rules: Rules,
    output: Output,
    rendered: bool = False,
    render: Render | None = None,
    places: tuple[str, str] = ("$.content", "$.structuredContent"),
) -> Normalized:
    """A result from its parts; content that is None stands for the data as text: its JSON, or what `render` makes."""
    content_place, data_place = places
    raw = b""
    if structured is not UNSET:
        raw = call_at(data_place, rules.encode, structured, strict_policy_of(policy))
        raw = call_at(data_place, arrange_keys, raw, policy, output, keeps_order=bool(items))
    if items is None:
        items = [JSON_TEXT] if raw else []
    elif not isinstance(items, (list, tuple)):
        items = [items]
    blocks: list[ContentBlock] = []
    for index, item in enumerate(items):
        if item is JSON_TEXT:
            text = codec.format_json(raw, policy.json_style) if render is None else render(structured, raw)
            blocks.append(text_block_of(text))
        else:
            blocks.extend(call_at(f"{content_place}[{index}]", content_of, item, policy, rules))
    if is_error is not None and type(is_error) is not bool:
        raise NormalizeError("$.isError", f"takes true or false, not {type(is_error).__name__}")
    omitted = not raw or (raw in (b"{}", b"[]") and policy.empty_structured == "omit")  # S001-38
    result = CallToolResult(
        content=blocks,
        structuredContent=UNSET if omitted else Raw(raw),
        isError=is_error,
        _meta=meta_of(meta, policy, rules),
    )
    return Normalized(result, rendered or any(item is JSON_TEXT for item in items))


_ENVELOPE = frozenset({*CallToolResult.__struct_fields__, "meta"})


def _from_envelope(value: dict[Any, Any], policy: Policy, rules: Rules, output: Output) -> Normalized | None:
    """A dict that consists of result keys only, and fits; anything else is data (S000-09, S000-11).

    One that is certainly a result and does not fit is refused: as data it would be a success.
    """
    if not isinstance(value.get("content"), list):
        return None
    is_error, meta, kind = value.get("isError"), value.get("_meta", value.get("meta")), value.get("resultType")
    if not (is_error is None or type(is_error) is bool) or not (meta is None or isinstance(meta, dict)):
        return None
    if not (kind is None or isinstance(kind, str)):
        return None
    try:
        unknown = [key for key in value if key not in _ENVELOPE]
        if unknown:
            raise NormalizeError("$", f"a result has no member {unknown[0]!r}; put what is yours under _meta")
        blocks = [
            call_at(f"$.content[{index}]", _block_in, item, policy, rules)
            for index, item in enumerate(value["content"])
        ]
    except NormalizeError:
        if _is_certain(value):
            raise
        return None
    structured = value.get("structuredContent")  # null stands in the dump of a result that has none
    structured = UNSET if structured is None else structured
    normalized = _assemble(blocks, structured, is_error, meta, policy, rules, output)
    normalized.result.resultType = kind
    return normalized


def _block_in(item: Any, policy: Policy, rules: Rules) -> Any:
    """A block of a dict of result keys; raises NormalizeError for what is none."""
    if content.is_content(type(item), policy, rules):
        return item
    try:
        return parse_block(item)
    except msgspec.ValidationError as error:
        raise NormalizeError("$", f"{error}; put what is yours under _meta") from error


def _is_certain(value: dict[Any, Any]) -> bool:
    """Whether a dict is certainly a result: it has blocks of whatever kind, and a `resultType` or an error's mark."""
    has_blocks = all(isinstance(item, dict) and isinstance(item.get("type"), str) for item in value["content"])
    return has_blocks and ("resultType" in value or value.get("isError") is True)


def is_pair(value: Any, policy: Policy, rules: Rules) -> bool:
    """Whether a value is (payload, structured): a dict, or an object beside plain text or content (S000-25)."""
    if type(value) is not tuple or len(value) != 2 or policy.pair != "object":
        return False
    payload, structured = value
    if isinstance(structured, dict):
        return True
    is_content = isinstance(payload, str) or content.is_content(type(payload), policy, rules)
    return is_content and rules.rule_of(type(structured)).shape in ("fields", "model", "open")


def _from_pair(pair: Any, policy: Policy, rules: Rules, output: Output) -> Normalized | None:
    """The result of a pair; None where its second item is not an object in JSON."""
    payload, structured = pair
    if not isinstance(structured, dict):
        raw = rules.encode(structured, policy)
        if not raw.startswith(b"{"):
            return None
        structured = codec.decode(raw)  # an iterator in it can be read only once
    blocks = call_at("$[0]", content_of, payload, policy, rules)
    return _assemble(blocks, structured, None, None, policy, rules, output, places=("$[0]", "$[1]"))
