"""A result the author made: by hand, by builder, as a pair, or as a dict of result keys.

Puts its parts together as they were chosen. What a plain value becomes is payload's to say.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Raw

from ..errors import NormalizeError
from ..foreign.classes import word
from ..policy import Policy
from ..results import JSON_TEXT
from ..types import CallToolResult, ContentBlock, parse_block
from ..wire import codec
from . import content
from .encode import Rules
from .payload import Normalized, at, content_of, shaped, strict, text_block

__all__ = ["attribute", "is_pair", "meta_of", "ready_made"]


def ready_made(value: Any, policy: Policy, rules: Rules, *, pair: bool = False) -> Normalized | None:
    """A result the author made: by hand, by builder, as a pair if it is one, or as a dict of result keys."""
    if isinstance(value, CallToolResult):
        made = _assembled(value.content, value.structuredContent, value.isError, value._meta, policy, rules)
        given: Any = value.resultType  # a Struct takes anything when it is made
        if given is not None and not isinstance(given, str):
            raise NormalizeError("$.resultType", f"takes text, not {type(given).__name__}")
        made.result.resultType = given
        return made
    match word(type(value)):
        case "ToolResult":
            structured = UNSET if value.structured_content is None else value.structured_content
            rendered = getattr(value, "rendered", False)
            given, is_error = value.content, None if value.is_error is False else value.is_error
            return _assembled(given, structured, is_error, value.meta, policy, rules, rendered)
        case "CallToolResult":
            structured = attribute(value, "structured_content", "structuredContent")
            is_error = attribute(value, "is_error", "isError") or None
            structured = UNSET if structured is None else structured
            return _assembled(value.content, structured, is_error, value.meta, policy, rules)
    if type(value) is dict and policy.envelope == "exact":
        return _envelope(value, policy, rules)
    if pair:
        payload, structured = value
        return _pair(payload, structured, policy, rules)
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
    raw = b"" if structured is UNSET else at(there, _payload_json, structured, policy, rules)
    if given is None:
        given = [JSON_TEXT] if raw else []
    elif not isinstance(given, (list, tuple)):
        given = [given]
    blocks: list[ContentBlock] = []
    for index, item in enumerate(given):
        if item is JSON_TEXT:
            blocks.append(text_block(codec.format_json(raw, policy.json_style)))
        else:
            blocks.extend(at(f"{where}[{index}]", content_of, item, policy, rules))
    if is_error is not None and type(is_error) is not bool:
        raise NormalizeError("$.isError", f"takes true or false, not {type(is_error).__name__}")
    omitted = not raw or (raw in (b"{}", b"[]") and policy.empty_structured == "omit")  # S001-38
    result = CallToolResult(
        content=blocks,
        structuredContent=UNSET if omitted else Raw(raw),
        isError=is_error,
        _meta=meta_of(meta, policy, rules),
    )
    return Normalized(result, rendered or any(item is JSON_TEXT for item in given))


def meta_of(meta: Any, policy: Policy, rules: Rules) -> dict[str, Any] | None:
    """Metadata as plain data, so that whatever an author put there can be written."""
    if not meta:
        return None
    plain: dict[str, Any] = codec.decode(rules.encode({"_meta": dict(meta)}, strict(policy)))["_meta"]
    return plain


def _payload_json(structured: Any, policy: Policy, rules: Rules) -> bytes:
    return shaped(rules.encode(structured, strict(policy)), policy)


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
            blocks.append(item if content.is_content(type(item), policy, rules) else parse_block(item))
        except msgspec.ValidationError:
            return None
    return _assembled(blocks, value.get("structuredContent", UNSET), is_error, meta, policy, rules)


def is_pair(value: Any, policy: Policy, rules: Rules) -> bool:
    """Whether a value is (payload, structured): a dict, or an object beside plain text or content (S000-25)."""
    if type(value) is not tuple or len(value) != 2 or policy.pair != "object":
        return False
    payload, structured = value
    if isinstance(structured, dict):
        return True
    is_told = isinstance(payload, str) or content.is_content(type(payload), policy, rules)
    return is_told and rules.rule(type(structured)).shape in ("fields", "model", "open")


def _pair(payload: Any, structured: Any, policy: Policy, rules: Rules) -> Normalized | None:
    """The result of such a pair; None where the second is not an object in JSON after all."""
    if not isinstance(structured, dict):
        raw = rules.encode(structured, policy)
        if not raw.startswith(b"{"):
            return None
        structured = codec.decode(raw)  # what an iterator in it gave, it gives only once
    said = at("$[0]", content_of, payload, policy, rules)
    return _assembled(said, structured, None, None, policy, rules, places=("$[0]", "$[1]"))


def attribute(value: Any, *names: str) -> Any:
    """The first of these attributes that is there: the SDK renamed its fields between major versions."""
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)
