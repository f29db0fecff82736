"""Responses with one page of a list. The registry stores their bytes until the list changes."""

from collections.abc import Callable
from typing import Any

from ...revisions import Revision
from ...wire import codec, jsonrpc, signing
from ..core import Core
from ..feature_list import FeatureList
from ..identity import lasting_text_of
from ..plan import with_server_info
from ..request import Request

__all__ = ["write_page"]


def write_page(
    server: Core, request: Request, features: FeatureList[Any], name: str, show: Callable[[Any, Revision], Any]
) -> bytes:
    """The response with one page of a list; `show` is the definition of a feature on a revision."""
    revision = request.revision
    cursor = request.params.get("cursor", str | None, None)

    def write(page: list[Any], next_cursor: str | None) -> bytes:
        result: dict[str, Any] = {name: [show(feature, revision) for feature in page]}
        if next_cursor is not None:
            result["nextCursor"] = next_cursor
        if revision.cache_hints:
            ttl, scope = server.cache_of(request.method)
            # A list that differs between callers must not be cached for all of them (CACHE-05).
            result |= {"ttlMs": ttl, "cacheScope": "private" if features.guarded else scope}
        return jsonrpc.result_tail(codec.encode(with_server_info(result, server, revision)))

    owner = ""
    if features.guarded and server.page_size is not None:
        # A cursor has the name of a feature, which others may not see.
        text = lasting_text_of(server, request.principal, "the next page of a list is refused")
        owner = signing.digest(text)
    page = features.page(cursor, server.page_size, revision, request.principal, write, owner)
    return b"".join((jsonrpc.RESPONSE_HEAD, request.id, page))
