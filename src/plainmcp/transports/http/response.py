"""A whole HTTP response, as plain data."""

from typing import final

import msgspec

__all__ = ["EVENT_STREAM", "JSON", "Refused", "Response", "json_response", "without_body"]


@final
class Response(msgspec.Struct, frozen=True, gc=False):
    """A whole HTTP response."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Refused(Exception):
    """A request was refused, with this response."""

    def __init__(self, response: Response) -> None:
        self.response = response


JSON = ((b"content-type", b"application/json"),)
"""The headers of a JSON response."""
EVENT_STREAM = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # R26-HTTP-26
)
"""The headers of a response that is a stream of events."""


def without_body(response: Response) -> Response:
    """A response as it is sent to a HEAD request."""
    return Response(response.status, b"", response.headers)


def json_response(status: int, body: bytes | None) -> Response:
    """A response with JSON; without a body it is a 202 (R26-HTTP-06)."""
    return Response(202) if body is None else Response(status, body, JSON)
