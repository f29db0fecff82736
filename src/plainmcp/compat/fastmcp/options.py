"""Translates the options of FastMCP's servers and features into those of plainmcp."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ...errors import AuthorError
from ...foreign import classes
from ...types import Icon
from . import missing
from .pieces import Prompt, Resource, ResourceTemplate, Tool

__all__ = ["decorate", "function_of", "to_feature_options", "to_options"]

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
    if "annotations" in converted:
        converted["annotations"] = _plain(converted["annotations"])
    if "icons" in converted:
        converted["icons"] = [msgspec.convert(_plain(icon), Icon) for icon in converted["icons"]]
    return converted


def to_feature_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a feature under the names used here: tags go to `_meta`, and a disabled feature is not visible."""
    converted = to_options(options)
    tags = converted.pop("tags", None)
    if tags:
        converted["meta"] = {**converted.get("meta", {}), "fastmcp": {"tags": sorted(tags)}}
    if converted.pop("enabled", True) is False:
        converted["visible"] = lambda principal: False
    return converted


def function_of(item: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function to register, and its options."""
    if isinstance(item, Tool | Prompt | Resource | ResourceTemplate):
        return item.fn, dict(item.options)
    return item, {}


def _plain(value: Any) -> Any:
    if hasattr(value, "to_plain"):  # a type of the facade of mcp
        return value.to_plain()
    if not classes.is_pydantic(type(value)):
        return value
    return {name: value for name, value in classes.dump_model(value).items() if value is not None}


def decorate(name_or_fn: Any, converted: dict[str, Any], register: Callable[[Any], Any]) -> Any:
    """Register a function, or return a decorator that does; a string in the function's place is its name."""
    if isinstance(name_or_fn, str):
        if converted.setdefault("name", name_or_fn) != name_or_fn:
            raise AuthorError(f"two names for one function: {name_or_fn!r} and {converted['name']!r}")
        return register
    return register if name_or_fn is None else register(name_or_fn)
