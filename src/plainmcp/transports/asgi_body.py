"""Reads the body of an ASGI request, within the limits of the settings. Knows ASGI, but no MCP."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from .http.settings import Settings

__all__ = ["BodyTooLarge", "BodyTooSlow", "ClientGone", "read_body"]


class ClientGone(Exception):
    """The client disconnected."""


class BodyTooLarge(Exception):
    """The body has more bytes than the settings allow."""


class BodyTooSlow(Exception):
    """The body took longer than the settings allow."""


async def read_body(receive: Any, settings: Settings, message: MutableMapping[str, Any] | None = None) -> bytes:
    """The whole body of a request; `message` is its first message, if that was received already.

    Raises BodyTooLarge, BodyTooSlow or ClientGone.
    """
    buffer = bytearray()  # not a list of parts: they may be as small as one byte
    try:
        async with asyncio.timeout(settings.body_seconds):
            while True:
                part = await receive() if message is None else message
                message = None
                if part["type"] == "http.disconnect":
                    raise ClientGone
                buffer += part.get("body", b"")
                if len(buffer) > settings.max_body:
                    raise BodyTooLarge
                if not part.get("more_body", False):
                    return bytes(buffer)
    except TimeoutError:
        raise BodyTooSlow from None
