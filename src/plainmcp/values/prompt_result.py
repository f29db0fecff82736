"""The result of a prompt from a returned value: its messages, by policy. A message without a role is the user's."""

from typing import Any

import msgspec

from .. import media
from ..errors import NormalizeError, PlainMCPError
from ..foreign.classes import wire_type_of
from ..policy import Policy
from ..results import Turn
from ..types import ContentBlock, GetPromptResult, PromptMessage, parse_block
from ..wire import codec
from . import content
from .encode import RULES, Rules
from .payload import attribute_of, call_at, content_of, meta_of, unexpected_error

__all__ = ["prompt_result"]

_ROLES = ("user", "assistant")


def prompt_result(value: Any, policy: Policy, rules: Rules = RULES) -> GetPromptResult:
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
        raise unexpected_error(value, error) from error


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
            body = media.text_block_of_file(body, extras=policy.contents_extras)
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
