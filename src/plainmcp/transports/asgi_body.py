"""Reads the body of an ASGI request, within the limits of the settings. Knows ASGI, but no MCP."""

import asyncio
from collections.abc import Awaitable, MutableMapping
from typing import Any

from ..limits.shares import Limit, OwnShare
from .http.settings import Settings

__all__ = ["BodyTooLarge", "BodyTooSlow", "ClientGone", "TooMuchArrives", "read_body"]

Message = MutableMapping[str, Any]


class ClientGone(Exception):
    """The client disconnected."""


class BodyTooLarge(Exception):
    """The body has more bytes than the settings allow."""


class BodyTooSlow(Exception):
    """The body took longer than the settings allow."""


class TooMuchArrives(Exception):
    """The caller, or all callers, send more at the same time than the settings allow."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit


async def read_body(
    receive: Any,
    settings: Settings,
    message: Message | None = None,
    rest: Awaitable[Message] | None = None,
    arriving: OwnShare | None = None,
) -> bytes:
    """The whole body of a request; raises BodyTooLarge, BodyTooSlow, TooMuchArrives or ClientGone.

    `message` is its first message, if it was received already; `rest` is an awaitable of it, if it is being received.
    `arriving` counts the bytes until the body is whole.
    """
    buffer, counted = bytearray(), 0  # not a list of parts: they may be as small as one byte
    try:
        async with asyncio.timeout(settings.body_seconds):
            part = message or await (rest or receive())
            while True:
                if part["type"] == "http.disconnect":
                    raise ClientGone
                buffer += part.get("body", b"")
                if len(buffer) > settings.max_body:
                    raise BodyTooLarge
                if arriving is not None:
                    _count(arriving, len(part.get("body", b"")))
                    counted = len(buffer)
                if not part.get("more_body", False):
                    return bytes(buffer)
                part = await receive()
    except TimeoutError:
        raise BodyTooSlow from None
    finally:
        if arriving is not None:
            arriving.add(-counted)


def _count(arriving: OwnShare, size: int) -> None:
    limit = arriving.find_limit()
    if limit is not None:
        raise TooMuchArrives(limit)
    arriving.add(size)
