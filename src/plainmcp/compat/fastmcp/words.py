"""What is said about servers and features there, in our words: options, names, and functions with options."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ...errors import AuthorError
from ...foreign import classes
from ...types import Icon
from . import elsewhere
from .pieces import Prompt, Resource, ResourceTemplate, Tool

__all__ = ["decorating", "offered", "ours", "told"]

# That package's settings under our names.
_RENAMED = {
    "allowed_hosts": "hosts",
    "allowed_origins": "origins",
    "list_page_size": "page_size",
    "retry_interval": "retry_ms",
    "session_idle_timeout": "session_idle_seconds",
    "stateless_http": "stateless",
}


def ours(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under our names, without those left open, and other packages' words as plain data."""
    given = {_RENAMED.get(name, name): value for name, value in elsewhere.within(options).items()}
    if "annotations" in given:
        given["annotations"] = _plain(given["annotations"])
    if "icons" in given:
        given["icons"] = [msgspec.convert(_plain(icon), Icon) for icon in given["icons"]]
    return given


def told(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same about a feature: its tags are in its `_meta`, and what is not enabled nobody sees."""
    given = ours(options)
    tags = given.pop("tags", None)
    if tags:
        given["meta"] = {**given.get("meta", {}), "fastmcp": {"tags": sorted(tags)}}
    if given.pop("enabled", True) is False:
        given["visible"] = lambda principal: False
    return given


def offered(made: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function to register, and what was said about it."""
    if isinstance(made, Tool | Prompt | Resource | ResourceTemplate):
        return made.fn, dict(made.options)
    return made, {}


def _plain(word: Any) -> Any:
    if not classes.is_pydantic(type(word)):
        return word
    return {name: value for name, value in classes.dump_model(word).items() if value is not None}


def decorating(name_or_fn: Any, given: dict[str, Any], register: Callable[[Any], Any]) -> Any:
    """Register a function at once, or give what registers one; a text in its place is its name."""
    if isinstance(name_or_fn, str):
        if given.setdefault("name", name_or_fn) != name_or_fn:
            raise AuthorError(f"two names for one function: {name_or_fn!r} and {given['name']!r}")
        return register
    return register if name_or_fn is None else register(name_or_fn)
