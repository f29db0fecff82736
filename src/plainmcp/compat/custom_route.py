"""The handler of `custom_route`: as in the packages, it gets a request of Starlette, with or without a hint.

The packages bring Starlette, and plainmcp does not: a server that has such routes but is run without them, on
standard input and output, must not need it.
"""

import inspect
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from ..errors import AuthorError

__all__ = ["to_handler"]


def to_handler(function: Callable[..., Any], path: str) -> Callable[..., Any]:
    """The handler of a route for a function that takes a request of Starlette, and returns a response of it."""
    if find_spec("starlette") is None:

        def refuse() -> None:
            raise AuthorError(
                f"the route {path} of custom_route needs Starlette, which is not installed: pip install starlette; "
                "@server.route of plainmcp needs no package"
            )

        return refuse
    from starlette.requests import Request

    handle: Any
    call = function if inspect.isroutine(function) else type(function).__call__
    if inspect.iscoroutinefunction(call):

        async def handle_async(request: Any) -> Any:
            return await function(request)

        handle = handle_async
    else:

        def handle_plain(request: Any) -> Any:
            return function(request)

        handle = handle_plain
    parameter = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
    handle.__signature__ = inspect.Signature([parameter])
    return handle  # type: ignore[no-any-return]
