"""Whether the texts of a result say what its structured content says."""

import json
from typing import Any, NoReturn

from plainmcp import Policy

__all__ = ["is_json_of", "parsed", "tells", "unwrapped"]


def parsed(raw: bytes | str) -> Any:
    """JSON read by a parser that takes nothing but JSON."""
    return json.loads(raw, parse_constant=_refuse, object_pairs_hook=_unique)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"a key comes twice: {[key for key, _ in pairs]}")
    return found


def unwrapped(structured: Any, policy: Policy) -> list[Any]:
    """The data the structured content may stand for: itself and, if it is wrapped, what is inside."""
    wrapped = isinstance(structured, dict) and list(structured) == [policy.wrap_key]
    return [structured, structured[policy.wrap_key]] if wrapped else [structured]


def tells(texts: list[str], data: Any, policy: Policy) -> bool:
    """Whether these texts, in the way this policy has them, are this data and nothing else."""
    if policy.object_text == "none" and isinstance(data, dict):
        return texts == []
    if policy.list_content in ("blocks", "flat") and isinstance(data, list):
        items = _flat(data) if policy.list_content == "flat" else data
        if len(items) == len(texts) and all(map(_is_text_of, texts, items)):
            return True
    if data is None and not texts:
        return True
    return len(texts) == 1 and _is_text_of(texts[0], data)


def _flat(data: list[Any]) -> list[Any]:
    return [leaf for item in data for leaf in (_flat(item) if isinstance(item, list) else [item])]


def _is_text_of(text: str, data: Any) -> bool:
    return text == data if isinstance(data, str) else is_json_of(text, data)


def is_json_of(text: str, data: Any) -> bool:
    """Whether a text is the JSON of some data; the order of keys and 1.0 beside 1 count too."""
    try:
        return json.dumps(parsed(text)) == json.dumps(data)
    except ValueError:
        return False
