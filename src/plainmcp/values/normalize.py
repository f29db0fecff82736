"""The results of returned values, for users of the library: with plain data where the server keeps raw JSON.

Knows policies, but no revisions (see project).
"""

from typing import Any

from msgspec import Raw

from .. import media
from ..policy import Policy
from ..types import CallToolResult, GetPromptResult, ReadResourceResult
from ..wire import codec
from .encode import RULES
from .payload import Declared, Output
from .prompt_result import prompt_result
from .resource_result import resource_result
from .tool_result import tool_result

__all__ = ["normalize_prompt_result", "normalize_resource_payload", "normalize_tool_result"]


def normalize_tool_result(
    value: Any, *, policy: Policy | str = "standard", declared: Declared = "nothing"
) -> CallToolResult:
    """The result that a tool's return value becomes; `to_dict()` and `to_json()` give its form on the wire.

    >>> normalize_tool_result(42).to_dict()
    {'content': [{'type': 'text', 'text': '42'}], 'structuredContent': {'result': 42}}
    """
    policy = Policy.of(policy)
    is_promised = declared == "schema"
    output = Output(declared=declared, is_data=is_promised, wrap=False if policy.non_object == "raw" else None)
    result = tool_result(value, policy, output=output).result
    if isinstance(result.structuredContent, Raw):
        result.structuredContent = codec.decode(bytes(result.structuredContent))
    result.content = list(map(media.to_plain_block, result.content))
    return result


def normalize_resource_payload(
    uri: str, mime_type: str | None, payload: Any, *, policy: Policy | str = "standard"
) -> ReadResourceResult:
    """The result that a resource's return value becomes; `to_dict()` and `to_json()` give its form on the wire.

    >>> normalize_resource_payload("memo://1", None, "Hello").to_dict()
    {'contents': [{'uri': 'memo://1', 'mimeType': 'text/plain', 'text': 'Hello'}]}
    """
    policy = Policy.of(policy)
    uri, mime_type = codec.decode(RULES.encode([uri, mime_type], policy))  # both may hold any text here
    result = resource_result(uri, mime_type, payload, policy)
    result.contents = list(map(media.to_plain_block, result.contents))
    return result


def normalize_prompt_result(value: Any, *, policy: Policy | str = "standard") -> GetPromptResult:
    """The result that a prompt's return value becomes; `to_dict()` and `to_json()` give its form on the wire.

    >>> normalize_prompt_result("Hello").to_json()
    '{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}]}'
    """
    result = prompt_result(value, Policy.of(policy))
    for message in result.messages:
        message.content = media.to_plain_block(message.content)
    return result
