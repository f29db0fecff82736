"""Translates the options of FastMCP's servers and features into those of plainmcp, and the policy of its results."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ...errors import OptionError
from ...policy import Policy
from ...types import Icon, ToolAnnotations
from ..registration import RegistrationError
from . import missing
from .components import Component, to_plain

__all__ = ["POLICY", "decorate", "function_of", "to_cache_options", "to_feature_options", "to_options"]

POLICY = Policy.fastmcp.replace(
    arguments_text="{count} validation error{s} for call[{tool}]\n{problems}",
    bytes_as="decoded",
    check_return="listed",
    docstring="lines",
    file_block="text",
    list_content="some",
    non_object="schema",
    output_defaults="show",
    schema_closed=True,
    schema_form="pydantic",
    wrap_meta=True,
)
"""What FastMCP 4.1 lists and sends, where that differs from its documentation."""

# Names of its options, and the names here.
_RENAMED = {
    "allowed_hosts": "hosts",
    "allowed_origins": "origins",
    "list_page_size": "page_size",
    "retry_interval": "retry_ms",
    "session_idle_timeout": "session_idle_seconds",
    "stateless_http": "stateless",
}


def to_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under the names used here, without those that are None; models become plain data."""
    converted = {_RENAMED.get(name, name): value for name, value in missing.check_options(options).items()}
    if "icons" in converted:
        converted["icons"] = [msgspec.convert(to_plain(icon), Icon) for icon in converted["icons"]]
    return converted


def to_feature_options(options: Mapping[str, Any], annotations: Any = ToolAnnotations) -> dict[str, Any]:
    """Options of a feature under the names used here. Its tags and its version are listed in `_meta`, too.

    Annotations that the protocol does not have are left out.
    """
    converted = to_options(options)
    version = converted.pop("version", None)
    tags = converted["tags"] = sorted(converted.get("tags") or ())
    own = {"tags": tags, **({} if version is None else {"version": str(version)})}
    converted["meta"] = {**converted.get("meta", {}), "fastmcp": own}
    if converted.get("timeout") == 0:
        converted["timeout"] = 1e-6  # no time at all
    if "annotations" in converted:
        known, given = annotations.__struct_fields__, to_plain(converted["annotations"])
        converted["annotations"] = {name: value for name, value in given.items() if name in known}
    return converted


def to_cache_options(seconds: int | None, scope: str | None) -> dict[str, Any]:
    """The option `cache` for the hints of FastMCP, whose times are in seconds; raises ValueError."""
    if seconds is None:
        if scope is not None:
            raise RegistrationError("cache_scope requires cache_ttl")
        return {}
    if seconds <= 0:
        raise RegistrationError(f"cache_ttl must be a positive integer, not {seconds}")
    return {"cache": (seconds * 1000, scope or "private")}


def function_of(item: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function to register, and its options: those of an object, or of a standalone decorator."""
    if isinstance(item, Component):
        return item.fn, item.to_options()
    return item, dict(getattr(item, "__fastmcp__", ("", {}))[1])


def decorate(name_or_fn: Any, converted: dict[str, Any], register: Callable[[Any], Any]) -> Any:
    """Register a function, or return a decorator that does; a string in the function's place is its name."""
    if isinstance(name_or_fn, str):
        if converted.setdefault("name", name_or_fn) != name_or_fn:
            both = f"{name_or_fn!r} and {converted['name']!r}"
            raise OptionError(f"Cannot specify both a name as first argument and as keyword argument: {both}")
        return register
    return register if name_or_fn is None else register(name_or_fn)
