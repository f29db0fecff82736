"""Documents of an authorization server: one bounded HTTPS request, without a client library. Knows no tokens."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from ..errors import AuthorError
from .principal import Unavailable

__all__ = ["MAX_BYTES", "MAX_REDIRECTS", "SECONDS", "NotThere", "check_url", "fetch"]

SECONDS = 5.0
"""How long a request may take."""
MAX_BYTES = 512 * 2**10
"""The largest document."""
MAX_REDIRECTS = 3
"""How often the server may send us to another of its paths."""

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class NotThere(Unavailable):
    """There is no document at a URL."""


def check_url(url: str, what: str) -> str:
    """A URL that may be fetched: with https, or on this machine; raises AuthorError."""
    parts = _split(url)
    if parts is None or parts.username is not None or parts.scheme not in ("http", "https"):
        raise AuthorError(f'{what} is a URL such as "https://auth.example.com", not {url!r}')
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise AuthorError(f"{what} starts with https://; http:// is for this machine only: {url!r}")
    return url


def _split(url: Any) -> SplitResult | None:
    """The parts of a URL; None if it cannot be one, or has characters that no URL has."""
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def fetch(url: str, data: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    """The document at a URL, within a time and a size; with data, of a POST request. Raises Unavailable.

    Redirects lead only to other paths of the same server.
    """
    until = time.monotonic() + SECONDS
    origin = urlsplit(url)[:2]
    for _ in range(MAX_REDIRECTS + 1):
        status, location, body = _request(url, data, headers or {}, until)
        if status in (301, 302, 303, 307, 308) and location is not None and data is None:
            url = urljoin(url, location)
            if urlsplit(url)[:2] != origin:
                raise Unavailable(f"{_show(origin[1])} redirects to another server, which is not followed")
            continue
        if status in (404, 405, 410):
            raise NotThere(f"{_show(url)} is not there (status {status})")
        if status != 200:
            raise Unavailable(f"{_show(url)} answered with status {status}")
        return body
    raise Unavailable(f"{_show(origin[1])} redirects too often")


def _request(url: str, data: bytes | None, headers: Mapping[str, str], until: float) -> tuple[int, str | None, bytes]:
    import http.client  # brings ssl, which takes long to load

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {"Accept": "application/json", "Connection": "close", **headers}
    timer = None
    try:
        connection.connect()
        timer = threading.Timer(until - time.monotonic(), _shut, [connection.sock])
        timer.daemon = True
        timer.start()
        connection.request("GET" if data is None else "POST", path, data, sent)
        response = connection.getresponse()
        body = _read(response, url)
    except (OSError, http.client.HTTPException, ValueError) as error:
        _check_time(url, until)
        raise Unavailable(f"{_show(url)} cannot be reached: {type(error).__name__}") from None
    finally:
        if timer is not None:
            timer.cancel()
        connection.close()
    _check_time(url, until)  # then the body may end too early
    return response.status, response.headers.get("Location"), body


def _shut(socket: Any) -> None:
    """End a connection: its server may send a byte every now and then, so that no single wait takes long."""
    with suppress(OSError):
        socket.shutdown(2)  # both directions


def _check_time(url: str, until: float) -> None:
    if time.monotonic() >= until:
        raise Unavailable(f"{_show(url)} takes longer than {SECONDS:g} s") from None


def _read(response: Any, url: str) -> bytes:
    body = bytearray()
    while piece := response.read1(2**16):
        body += piece
        if len(body) > MAX_BYTES:
            raise Unavailable(f"{_show(url)} sends more than {MAX_BYTES} bytes")
    return bytes(body)


def _show(url: str) -> str:
    """A URL for the log: without its query, which may have secrets."""
    return ascii(url.partition("?")[0][:200])
