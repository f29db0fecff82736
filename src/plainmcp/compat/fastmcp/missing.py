"""Features of FastMCP that are not supported here, each with advice on what to do instead."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...errors import AuthorError
from .. import advice
from ..refused import MissingFeature

__all__ = ["IN_THE_CONTEXT", "IN_THE_SERVER", "check_options", "reject_attributes"]

C = TypeVar("C", bound=type)

_STATE = "keep it in your own variable or store"

_OPTIONS = {
    "app": advice.APPS,
    "auth": f"pass requires=, the scopes that it needs; or {advice.VISIBLE}",
    "event_store": "streams can always be resumed; pass replay_bytes=",
    "experimental_capabilities": "pass extensions=",
    "host_origin_protection": "Host and Origin are always checked; pass allowed_hosts= and allowed_origins=",
    "providers": advice.PROVIDERS,
    "sampling_handler": "call the model directly from the tool",
    "sampling_handler_behavior": "call the model directly from the tool",
    "security": "a variable of a URI never matches more than its segment; add_directory() serves files safely",
    "session_state_store": _STATE,
    "sockets": "pass host= and port=",
    "task": advice.TASKS,
    "tasks": advice.TASKS,
    "tool_transformations": advice.TRANSFORMS,
    "transforms": advice.TRANSFORMS,
}
"""Options of its servers and features."""

IN_THE_SERVER = {
    "add_extension": advice.EXTENSIONS,
    "add_provider": advice.PROVIDERS,
    "add_tool_transformation": advice.TRANSFORMS,
    "add_transform": advice.TRANSFORMS,
    "as_proxy": advice.FUNCTIONS,
    "from_client": advice.FUNCTIONS,
    "from_fastapi": advice.FUNCTIONS,
    "from_openapi": advice.FUNCTIONS,
}
"""Attributes of its server."""

IN_THE_CONTEXT = {
    "disable_components": advice.VISIBLE,
    "enable_components": advice.VISIBLE,
    "input_responses": "call ctx.elicit(…): the answers are returned by it",
    "request_state": "call ctx.elicit(…): the answers are returned by it",
    "reset_visibility": advice.VISIBLE,
    "sample_step": "call ctx.sample(…)",
}
"""Attributes of its context."""


class _MissingAttribute:
    """An attribute of a class and its objects that raises MissingFeature."""

    def __init__(self, name: str, text: str) -> None:
        self._message = f"there is no {name} here; {text}"

    def __get__(self, instance: Any, owner: type) -> Any:
        raise MissingFeature(self._message)


def reject_attributes(names: dict[str, str]) -> Callable[[C], C]:
    """Add attributes to a class that raise MissingFeature, with advice on what to do instead."""

    def add_attributes(kind: C) -> C:
        for name, text in names.items():
            setattr(kind, name, _MissingAttribute(f"{kind.__name__}.{name}", text))
        return kind

    return add_attributes


def check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are set and supported; raises AuthorError for one that is not supported, unless it is off."""
    for name in _OPTIONS.keys() & options.keys():
        if options[name] not in (None, False):
            raise AuthorError(f"there is no {name}= here; {_OPTIONS[name]}")
    return {name: value for name, value in options.items() if name not in _OPTIONS and value is not None}
