"""Which return hints of a tool the official SDK announces as an output schema, and the policy for its results."""

import inspect
import types
from typing import Annotated, Any, get_args, get_origin

from ...foreign.annotations import hints_of
from ...foreign.classes import wire_type_of
from ...policy import Policy
from ...schema import hints

__all__ = ["POLICY", "has_output_schema", "is_content", "promised_by"]

POLICY = Policy(
    structured="schema",
    non_object="schema",
    wrap_objects="generic",
    json_style="indent",
    list_content="flat",
    pair="never",
    envelope="off",
    unencodable="replace",
    output_schema="every",
    check_return="listed",
    output_defaults="show",
    schema_form="pydantic",
    docstring="whole",
    extra_arguments="ignore",
    error_text="Error executing tool {tool}: {error}",
    arguments_text="{count} validation error{s} for {tool}Arguments\n{problems}",
    list_order="registration",
)
"""How the official SDK, `mcp` 1 and 2, lists tools and sends what they return."""

_WRAPPED = (str, int, float, bool, type(None))
_SEQUENCES = (list, tuple)


def has_output_schema(returns: Any, structured_output: bool | None) -> bool:
    """Whether a tool has an output schema, by its return hint and the option of its author.

    >>> has_output_schema(dict[str, int], None), has_output_schema(dict, None), has_output_schema(str, False)
    (True, False, False)
    """
    if structured_output is False or returns is inspect.Signature.empty or is_content(returns):
        return False
    inner = hints.unwrap_all(returns)
    if inner is None or isinstance(inner, types.GenericAlias) or not isinstance(inner, type):
        return inner is not Any
    if inner in _WRAPPED or hints.is_record(inner):
        return True
    return _has_hints(inner)


def promised_by(returns: Any) -> Any:
    """The type of the structured content of a whole result: of `Annotated[CallToolResult, Weather]` it is Weather."""
    if get_origin(returns) is not Annotated:
        return None
    result, *marks = get_args(returns)
    is_whole = isinstance(result, type) and wire_type_of(result) == "CallToolResult"
    return next((one for one in marks if isinstance(one, type)), None) if is_whole else None


def is_content(hint: Any) -> bool:
    """Whether values of a hint are content, or lists of it."""
    parts = hints.contents_of(hint, lambda kind: kind in _SEQUENCES)
    return any(isinstance(part, type) and wire_type_of(part) for part in parts)


def _has_hints(kind: type) -> bool:
    try:
        return bool(hints_of(kind))
    except Exception:  # a hint that cannot be resolved
        return False
