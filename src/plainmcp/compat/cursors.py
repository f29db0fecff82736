"""Lists that are not in pages take any cursor, as in the packages; plainmcp refuses one that it did not give out."""

from collections.abc import Callable
from typing import Any

from ..protocol.core import Core
from ..protocol.methods import METHODS
from ..protocol.request import Request
from ..wire import jsonrpc

__all__ = ["LISTS"]


def _list_whole(server: Core, request: Request) -> Any:
    if server.page_size is None:
        request.params.cursor = jsonrpc.ABSENT
    return METHODS[request.method].answer(server, request)


LISTS: dict[str, Callable[[Core, Request], Any]] = dict.fromkeys(
    ("tools/list", "resources/list", "resources/templates/list", "prompts/list"), _list_whole
)
"""The methods of lists, for `own_methods` of a server."""
