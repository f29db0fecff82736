"""The content and the structured data that a returned value becomes, by policy.

A value is encoded once, in encode; here its JSON becomes a text beside structured data. Knows nothing of results that
an author made, nor of resources or prompts.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard

import msgspec
from msgspec import UNSET, Raw

from ..errors import NormalizeError, OutputError
from ..policy import Policy
from ..types import CallToolResult, ContentBlock, TextContent
from ..wire import codec
from . import content
from .encode import Inexact, Rules
from .walk import MAX_DEPTH, cycle_error, depth_error, path_of

__all__ = [
    "NOTHING",
    "Check",
    "Declared",
    "Fit",
    "Normalized",
    "Output",
    "Render",
    "arrange_keys",
    "attribute_of",
    "call_at",
    "content_of",
    "is_clean_text",
    "key_to_camel",
    "meta_of",
    "normalize_value",
    "strict_policy_of",
    "text_block_of",
    "unquote",
]

Declared: TypeAlias = Literal["nothing", "hint", "schema"]
"""What the author declared about a return value: nothing, a type hint, or an output schema."""

Render: TypeAlias = Callable[[Any, bytes], str]
"""Makes the text for a value, from the value and its JSON."""

Check: TypeAlias = Callable[[bytes], None]
"""Raises OutputError for the JSON of a value that does not fit the schema of its type."""

Fit: TypeAlias = Callable[[Any], tuple[Any, bytes | None]]
"""Returns a value, and its JSON if it is data; raises OutputError or NormalizeError if it does not fit its type."""


def _is_never_tuple(*keys: str) -> bool:
    return False


class Output(msgspec.Struct, frozen=True):
    """What a tool declares about its return value, computed when it is registered.

    `schema` is listed where a revision allows any JSON as data, `object_schema` where it allows objects only. Whether
    data is wrapped depends on them alone: `wrap` for a returned value and `schema`, `wrap_older` for data that fits
    `schema` and `object_schema`. Where `wrap` is None, a value is wrapped unless it is an object.
    `is_data` is true where the declared type is data, so that a value is never content. `pairs` and `envelopes` are
    false where a tuple of two, or a dict of result keys, is that data, and not a result that the author made.
    `check` takes the JSON of a returned value, `check_data` that of data which an author made to fit `schema`. `fit`
    takes a value itself, where its type is not data alone. All values of the classes in `fitting` fit.
    `is_tuple_at` takes the keys of an array in such data; it is true for a tuple, in which each place has a type.
    `meta` is the `_meta` of every result.
    """

    declared: Declared = "nothing"
    schema: dict[str, Any] | None = None
    object_schema: dict[str, Any] | None = None
    wrap: bool | None = None
    wrap_older: bool = False
    is_data: bool = False
    pairs: bool = True
    envelopes: bool = True
    conform: Callable[[Any], Any] | None = None
    check: Check | None = None
    check_data: Check | None = None
    fit: Fit | None = None
    fitting: frozenset[type] = frozenset()
    is_tuple_at: Callable[..., bool] = _is_never_tuple
    meta: dict[str, Any] | None = None


NOTHING = Output()


class Normalized(NamedTuple):
    """A tool's result; `mirrored` is true where its content already shows all of its structured data."""

    result: CallToolResult
    mirrored: bool


def normalize_value(
    value: Any,
    policy: Policy,
    rules: Rules,
    output: Output = NOTHING,
    render: Render | None = None,
    encoded: bytes | None = None,
) -> Normalized:
    """Normalize a value: content becomes blocks, data becomes text and structured data."""
    is_promised = output.declared == "schema"
    if isinstance(value, content.BYTES) and policy.bytes_as == "error":
        raise NormalizeError("$", "this policy takes no bytes; return an Image, Audio or File")
    if value is None and not is_promised:  # S000-19
        if output.check is not None:
            output.check(b"null")
        return Normalized(CallToolResult(content=[]), True)
    encoding = strict_policy_of(policy) if is_promised else policy
    items = rules.items_of(value, encoding)
    if not output.is_data:
        blocks = _blocks_of_content(value, items, policy, rules)
        if blocks is not None:
            return Normalized(CallToolResult(content=blocks), True)
    data = value if items is None else items
    if encoded is None or (type(encoded) is Inexact and is_promised):
        encoded = rules.encode(data, encoding)
    return _normalize_data(data, items is not None, encoded, policy, output, render)


def _blocks_of_content(value: Any, items: Any, policy: Policy, rules: Rules) -> list[ContentBlock] | None:
    """The blocks of a value that is content, or of a list with content in it; None for data."""
    if content.is_content(type(value), policy, rules):
        return [content.block_of(value, policy, rules)]
    if isinstance(value, content.BYTES):  # S000-20: base64 text and nothing structured
        return _text_blocks_of([_text_of_bytes(value, policy, rules)])
    if items is not None and content.has_content(items, policy, rules):  # S000-34
        return _blocks_of_list(items, policy, rules, [], [items])
    return None


def _text_of_bytes(value: Any, policy: Policy, rules: Rules) -> str:
    """The text of bytes: base64, or the text that they are."""
    if policy.bytes_as == "decoded":
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            pass
    return unquote(rules.encode(value, policy))


def _blocks_of_list(
    items: Any, policy: Policy, rules: Rules, keys: list[Any], above: list[Any]
) -> list[ContentBlock]:
    """The blocks of a list that holds content, and of the lists in it, in order."""
    if len(above) > MAX_DEPTH:
        raise depth_error(keys)
    blocks: list[ContentBlock] = []
    for index, item in enumerate(items):
        here = [*keys, index]
        if isinstance(item, (list, tuple)) and content.has_content(list(item), policy, rules):
            if any(item is one for one in above):
                raise cycle_error(here, keys[: next(i for i, one in enumerate(above) if one is item)])
            blocks.extend(_blocks_of_list(item, policy, rules, here, [*above, item]))
        else:
            blocks.extend(call_at(path_of(here), content_of, item, policy, rules))
    return blocks


def content_of(value: Any, policy: Policy, rules: Rules) -> list[ContentBlock]:
    """The content of a value alone; data always has a text there."""
    if is_clean_text(value):
        return [text_block_of(value)]
    return normalize_value(value, _with_json_text(policy), rules).result.content


# Data ---------------------------------------------------------------------------------------------


def _normalize_data(
    value: Any,
    many: bool,
    encoded: bytes,
    policy: Policy,
    output: Output,
    render: Render | None,
) -> Normalized:
    raw = arrange_keys(encoded, policy, output, wrapped=output.wrap is True)
    if output.check is not None and type(value) not in output.fitting:
        output.check(raw)
    keeps_list = render is not None and raw.startswith(b"[")  # S001-11: a table for people, its rows as data
    structured = UNSET if type(encoded) is Inexact else _structured_of(raw, policy, output, keeps_list)  # S000-31
    blocks: list[ContentBlock]
    if render is not None and not isinstance(value, str):
        blocks = [text_block_of(render(value, raw))]
    elif value is None or (policy.object_text == "none" and raw.startswith(b"{") and structured is not UNSET):
        blocks = []
    elif many and _has_block_per_item(policy, structured, raw):
        blocks = _text_blocks_of(_item_texts_of(raw, policy))
    elif raw.startswith(b'"'):
        blocks = [text_block_of(value if is_clean_text(value) else unquote(raw))]
    else:
        blocks = [text_block_of(codec.format_json(raw, policy.json_style))]
    result = CallToolResult(content=blocks, structuredContent=structured, _meta=output.meta)
    return Normalized(result, bool(blocks))


def _structured_of(raw: bytes, policy: Policy, output: Output, keeps_list: bool) -> Any:
    """The structured data of a value, from its JSON; UNSET for none."""
    is_object = raw.startswith(b"{")
    if output.declared == "schema":
        wrap = not is_object if output.wrap is None else output.wrap
    else:
        if policy.structured == "schema" or (raw in (b"{}", b"[]") and policy.empty_structured == "omit"):
            return UNSET
        if not is_object and not keeps_list and not _has_structured_scalars(policy, output.declared):
            return UNSET
        wrap = not is_object and policy.non_object != "raw"
    return Raw(codec.wrap(raw, policy.wrap_key) if wrap else raw)


def _has_structured_scalars(policy: Policy, declared: Declared) -> bool:
    """Whether a scalar or a list without an output schema is sent as structured data."""
    return policy.non_object in ("wrap", "raw") or (policy.non_object == "annotated" and declared == "hint")


def _has_block_per_item(policy: Policy, structured: Any, raw: bytes) -> bool:
    match policy.list_content:
        case "auto":
            return structured is UNSET
        case "json":
            return False
        case "some":
            return raw == b"[]"
    return True


_split = msgspec.json.Decoder(list[Raw]).decode


def _item_texts_of(raw: bytes, policy: Policy) -> list[str]:
    """The text of each item of a JSON array; a list among them, if lists are flattened, gives those of its items."""
    # Formatting the whole array once and then splitting it is several times faster than formatting each item; but an
    # item on its own is indented from the margin.
    alone = policy.json_style == "indent"
    texts = _split_items(raw if alone else codec.format_json(raw, policy.json_style), policy.list_content == "flat")
    if alone:
        texts = (text if text[0] == '"' else codec.format_json(text.encode(), policy.json_style) for text in texts)
    return [codec.decode(text) if text[0] == '"' else text for text in texts]


def _split_items(array: bytes | str, flat: bool) -> Iterator[str]:
    """The JSON of each item (S000-21)."""
    for item in _split(array):
        text = str(item, "utf-8")
        if flat and text[0] == "[":
            yield from _split_items(text, flat)
        else:
            yield text


def unquote(raw: bytes) -> str:
    """A JSON string without its quotes and escapes (B-44)."""
    text: str = codec.decode(raw)
    return text


# The top of an object -----------------------------------------------------------------------------


def arrange_keys(
    raw: bytes, policy: Policy, output: Output, *, wrapped: bool = False, keeps_order: bool = False
) -> bytes:
    """An object with its top-level keys and lists as the policy wants them; `wrapped` if its schema is wrapped.

    With `keeps_order` lists are not sorted: their author decided the order.
    """
    if (policy.key_case == "asis" and policy.item_order == "asis") or not raw.startswith(b"{"):
        return raw
    data = codec.decode(raw)
    if policy.key_case == "camel":  # S001-23
        renamed = {key_to_camel(key): item for key, item in data.items()}
        if len(renamed) != len(data):
            raise NormalizeError("$", "two keys are the same in camelCase")
        data = renamed
    if policy.item_order == "name" and not keeps_order:  # S001-18, S001-20: by name, cluster-10 before cluster-2
        above = (policy.wrap_key,) if wrapped else ()
        data = {key: item if output.is_tuple_at(*above, key) else _sort_by_name(item) for key, item in data.items()}
    return codec.encode(data)


def _sort_by_name(item: Any) -> Any:
    if not isinstance(item, list):
        return item
    named = all(isinstance(entry, dict) and isinstance(entry.get("name"), str) for entry in item)
    return sorted(item, key=lambda entry: entry["name"]) if named else item


def key_to_camel(key: str) -> str:
    """A key in snake_case as camelCase."""
    head, *rest = key.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest) if head else key


# Shared -------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def strict_policy_of(policy: Policy) -> Policy:
    """The policy for data that a schema or an author's own result promises: nothing becomes its str()."""
    return policy.replace(unserializable="error")


@lru_cache(maxsize=64)
def _with_json_text(policy: Policy) -> Policy:
    """The policy for content that has to show its data: an object has a text there."""
    return policy.replace(object_text="json")


def call_at(place: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function with one part of a value; the path in its error then starts at the whole value."""
    try:
        return function(*args, **options)
    except NormalizeError as error:
        raise NormalizeError(place + error.path[1:], error.problem) from error
    except OutputError as error:
        raise OutputError(place + error.path[1:], error.expected, error.got) from error


def text_block_of(text: str) -> TextContent:
    """A text as content."""
    return TextContent(type="text", text=text)


def _text_blocks_of(texts: list[str]) -> list[ContentBlock]:
    return [TextContent(type="text", text=text) for text in texts]


def is_clean_text(value: Any) -> TypeGuard[str]:
    """Whether a value is text that can be sent unchanged."""
    if type(value) is not str or value.isascii():
        return type(value) is str
    try:
        value.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def unexpected_error(value: Any, error: Exception) -> NormalizeError:
    """The error for an exception of a value's own code while it was read."""
    return NormalizeError("$", f"{type(error).__name__} while {type(value).__name__} was being read")


def meta_of(meta: Any, policy: Policy, rules: Rules) -> dict[str, Any] | None:
    """Metadata as plain data, so that any value an author put there can be encoded."""
    if not meta:
        return None
    plain: dict[str, Any] = codec.decode(rules.encode({"_meta": dict(meta)}, strict_policy_of(policy)))["_meta"]
    return plain


def attribute_of(value: Any, *names: str) -> Any:
    """The first of these attributes that exists: the SDK renamed its fields between major versions."""
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)
