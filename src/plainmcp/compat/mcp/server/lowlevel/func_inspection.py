"""`mcp.server.lowlevel.func_inspection` of `mcp` 1: handlers of lists that take the request, or nothing."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from .....foreign.annotations import signature_of

__all__ = ["create_call_wrapper"]


def create_call_wrapper(func: Callable[..., Any], request_type: Any) -> Callable[[Any], Awaitable[Any]]:
    """A function that calls a handler with its request, if a parameter of it has the hint of the request."""
    name = _parameter_of(func, request_type)
    if name is None:
        return lambda _: func()
    if signature_of(func).parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY:
        return lambda request: func(request)
    return lambda request: func(**{name: request})


def _parameter_of(func: Callable[..., Any], request_type: Any) -> str | None:
    try:
        parameters = signature_of(func, evaluate=True).parameters.values()
    except ValueError:
        return None
    return next((one.name for one in parameters if one.annotation is request_type), None)
