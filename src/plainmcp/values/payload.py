"""What a returned value becomes as content and as structured data, by policy, before any result is made of it.

Values become JSON once, in jsonable; here that JSON is laid out as text beside structured data. Knows nothing of
ready-made results, resources or prompts: those are normalize's.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard

import msgspec
from msgspec import UNSET, Raw

from ..errors import NormalizeError
from ..policy import Policy
from ..types import CallToolResult, ContentBlock, TextContent
from ..wire import codec
from . import content
from .encode import Inexact, Rules
from .walk import MAX_DEPTH, cycle, path_of, too_deep

__all__ = [
    "NOTHING",
    "Check",
    "Declared",
    "Normalized",
    "Output",
    "Render",
    "at",
    "bare",
    "content_of",
    "is_clean_text",
    "payload",
    "shaped",
    "strict",
    "text_block",
]

Declared: TypeAlias = Literal["nothing", "hint", "schema"]
"""What the author promised about a return: nothing, a type hint, or an output schema."""

Render: TypeAlias = Callable[[Any, bytes], str]
"""Makes the text for a value; it is given the value and its JSON."""

Check: TypeAlias = Callable[[bytes], None]
"""Raises OutputError for the JSON of a value that does not keep the schema listed for it."""


class Output(msgspec.Struct, frozen=True):
    """What a tool declares about its return value, worked out when it is registered.

    `schema` is what is listed where a revision takes any JSON as data, `object_schema` where it takes objects only.
    Whether data is wrapped to fit them follows from them alone: `wrap` tells it of a returned value and `schema`,
    `wrap_older` of data that fits `schema` and `object_schema`. Where `wrap` is None, a value is wrapped unless it is
    an object.
    `pairs` tells whether a tuple of two may be a text and its data, which it is not where the schema lists a tuple.
    `check` takes the JSON of a returned value, `check_data` that of data which an author made to fit `schema`.
    """

    declared: Declared = "nothing"
    schema: dict[str, Any] | None = None
    object_schema: dict[str, Any] | None = None
    wrap: bool | None = None
    wrap_older: bool = False
    conform: Callable[[Any], Any] | None = None
    check: Check | None = None
    check_data: Check | None = None
    pairs: bool = True


NOTHING = Output()


class Normalized(NamedTuple):
    """A tool's result; `mirrored` says that its content already tells all its structured data."""

    result: CallToolResult
    mirrored: bool


def payload(
    value: Any,
    policy: Policy,
    rules: Rules,
    output: Output = NOTHING,
    render: Render | None = None,
    encoded: bytes | None = None,
) -> Normalized:
    """Content for what is content, text and structured data for what is data."""
    declared = output.declared
    if value is None and declared != "schema":
        return Normalized(CallToolResult(content=[]), True)  # S000-19
    if content.is_content(type(value), policy, rules) and declared != "schema":
        return Normalized(CallToolResult(content=[content.block(value, policy, rules)]), True)
    if isinstance(value, content.BYTES):
        if policy.bytes_as == "error":
            raise NormalizeError("$", "this policy takes no bytes; return an Image, Audio or File")
        if declared != "schema":  # S000-20: base64 text and nothing structured
            return Normalized(CallToolResult(content=_texts([bare(rules.encode(value, policy))])), True)
    items = rules.items(value, strict(policy) if declared == "schema" else policy)
    if items is not None and declared != "schema" and content.among(items, policy, rules):
        return Normalized(CallToolResult(content=_gathered(items, policy, rules, [], [items])), True)  # S000-34
    if encoded is None or (type(encoded) is Inexact and declared == "schema"):
        encoded = rules.encode(value if items is None else items, strict(policy) if declared == "schema" else policy)
    return _data(value if items is None else items, items is not None, encoded, policy, output, render)


def _gathered(items: Any, policy: Policy, rules: Rules, keys: list[Any], above: list[Any]) -> list[ContentBlock]:
    """The blocks of a list that holds content, and of the lists in it, in order."""
    if len(above) > MAX_DEPTH:
        raise too_deep(keys)
    blocks: list[ContentBlock] = []
    for index, item in enumerate(items):
        here = [*keys, index]
        if isinstance(item, (list, tuple)) and content.among(list(item), policy, rules):
            if any(item is one for one in above):
                raise cycle(here, keys[: next(i for i, one in enumerate(above) if one is item)])
            blocks.extend(_gathered(item, policy, rules, here, [*above, item]))
        else:
            blocks.extend(at(path_of(here), content_of, item, policy, rules))
    return blocks


def content_of(value: Any, policy: Policy, rules: Rules) -> list[ContentBlock]:
    """The content alone, in words whatever the policy has for data."""
    if is_clean_text(value):
        return [text_block(value)]
    return payload(value, _wordy(policy), rules).result.content


# Data ---------------------------------------------------------------------------------------------


def _data(
    value: Any,
    many: bool,
    encoded: bytes,
    policy: Policy,
    output: Output,
    render: Render | None,
) -> Normalized:
    raw = shaped(encoded, policy)
    if output.check is not None:
        output.check(raw)
    structured = UNSET if type(encoded) is Inexact else _structured(raw, policy, output)  # S000-31
    blocks: list[ContentBlock]
    if render is not None and not isinstance(value, str):
        blocks = [text_block(render(value, raw))]
    elif value is None or (policy.object_text == "none" and raw.startswith(b"{") and structured is not UNSET):
        blocks = []
    elif many and _one_by_one(policy, structured):
        blocks = _texts(_item_texts(raw, policy))
    elif raw.startswith(b'"'):
        blocks = [text_block(value if is_clean_text(value) else bare(raw))]
    else:
        blocks = [text_block(codec.format_json(raw, policy.json_style))]
    return Normalized(CallToolResult(content=blocks, structuredContent=structured), bool(blocks))


def _structured(raw: bytes, policy: Policy, output: Output) -> Any:
    """What of a value's JSON goes out as structured data."""
    is_object = raw.startswith(b"{")
    if output.declared == "schema":
        wrap = not is_object if output.wrap is None else output.wrap
    else:
        if policy.structured == "schema" or (raw in (b"{}", b"[]") and policy.empty_structured == "omit"):
            return UNSET
        if not is_object and not _sends_others(policy, output.declared):
            return UNSET
        wrap = not is_object and policy.non_object != "raw"
    return Raw(codec.wrap(raw, policy.wrap_key) if wrap else raw)


def _sends_others(policy: Policy, declared: Declared) -> bool:
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
    """The text of each item of a JSON array; of a list among them, where lists are flattened, those of its items."""
    # Styling the whole array once, then cutting it up, is several times faster than styling each item; but an item on
    # its own is indented from the margin.
    alone = policy.json_style == "indent"
    texts = _cut(raw if alone else codec.format_json(raw, policy.json_style), policy.list_content == "flat")
    if alone:
        texts = (text if text[0] == '"' else codec.format_json(text.encode(), policy.json_style) for text in texts)
    return [codec.decode(text) if text[0] == '"' else text for text in texts]


def _cut(array: bytes | str, flat: bool) -> Iterator[str]:
    """The JSON of each item (S000-21)."""
    for item in _split(array):
        text = str(item, "utf-8")
        if flat and text[0] == "[":
            yield from _cut(text, flat)
        else:
            yield text


def bare(raw: bytes) -> str:
    """A JSON string without its quotes and escapes (B-44)."""
    text: str = codec.decode(raw)
    return text


# The top of an object -----------------------------------------------------------------------------


def shaped(raw: bytes, policy: Policy) -> bytes:
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


# Shared -------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def strict(policy: Policy) -> Policy:
    """The policy for data a schema or an author's own result promises: nothing becomes its str()."""
    return policy.replace(unserializable="error")


@lru_cache(maxsize=64)
def _wordy(policy: Policy) -> Policy:
    """The policy for what must be said in content: data has a text there."""
    return policy.replace(object_text="json")


def at(place: str, make: Callable[..., Any], *given: Any) -> Any:
    """What a function makes of one part of a value; where it refuses, the path starts at the whole."""
    try:
        return make(*given)
    except NormalizeError as error:
        raise NormalizeError(place + error.path[1:], error.problem) from error


def text_block(text: str) -> TextContent:
    """A text as content."""
    return TextContent(type="text", text=text)


def _texts(texts: list[str]) -> list[ContentBlock]:
    return [TextContent(type="text", text=text) for text in texts]


def is_clean_text(value: Any) -> TypeGuard[str]:
    """Whether a value is text that can be sent as it stands."""
    if type(value) is not str or value.isascii():
        return type(value) is str
    try:
        value.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True
