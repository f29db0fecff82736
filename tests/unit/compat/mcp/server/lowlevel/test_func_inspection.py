"""Handlers of lists that take the request of the client, or nothing."""

import asyncio
from typing import Any

from plainmcp.compat.mcp.server.lowlevel.func_inspection import create_call_wrapper
from plainmcp.compat.mcp.types import ListToolsRequest


async def plain() -> str:
    return "plain"


async def asking(request: ListToolsRequest) -> Any:
    return request


async def positional(request: ListToolsRequest, /) -> Any:
    return request


async def other(cursor: str = "first") -> str:
    return cursor


def test_a_handler_gets_the_request_if_it_has_a_parameter_for_it() -> None:
    request = ListToolsRequest()
    answers: list[Any] = [
        asyncio.run(create_call_wrapper(handler, ListToolsRequest)(request))  # type: ignore[arg-type]
        for handler in (plain, asking, positional, other)
    ]
    assert answers == ["plain", request, request, "first"]


def test_a_handler_without_a_signature_gets_nothing() -> None:
    assert create_call_wrapper(dict, ListToolsRequest)(ListToolsRequest()) == {}
