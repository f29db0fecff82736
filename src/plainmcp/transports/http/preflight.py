"""The door of an HTTP endpoint: whether a request may come in, as far as its headers and the size of its body tell.

Knows headers and settings; what is in a body, and who answers it, is the endpoint's.
"""

from typing import Any

from msgspec.structs import replace

from ...errors import InvalidRequest
from . import rules, security
from .headers import MEMORABLE, Headers
from .rules import Fit, Reply, Settings, refused

__all__ = ["Door"]

MANY = 256
"""How many ways in which clients speak of themselves are remembered."""


class Door:
    """What an edge asks before it reads a body, or while it does."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._origins, self._hosts = frozenset(settings.origins), frozenset(settings.hosts)
        self._digits = len(str(settings.max_body))  # no body is too long whose length has fewer
        self._fits: dict[tuple[Any, ...], Fit] = {}

    def check(self, method: str, headers: Headers, local: str | None) -> Reply | Fit:
        """Why a request is refused before its body is read, or what its client takes as an answer."""
        raw = headers.raw.get
        # A client says the same of itself each time: what was judged once is remembered.
        said = (
            method, local, raw(b"host"), raw(b"origin"), raw(b"content-type"), raw(b"accept"),
            raw(b"mcp-protocol-version"), raw(b"mcp-method"),
        )  # fmt: skip
        fit = self._fits.get(said)
        if fit is None or headers.twice is not None:
            found = self._judged(method, headers, local)
            if isinstance(found, Reply):
                return found
            fit = self._remembered(said, found)
        digits = raw(b"content-length")
        if digits is not None and len(digits) >= self._digits:
            length = rules.length(headers.get(b"content-length"))
            return self.too_large() if length is not None and length > self.settings.max_body else fit
        return fit

    def _judged(self, method: str, headers: Headers, local: str | None) -> Reply | Fit:
        try:
            security.check(headers.get(b"host"), headers.get(b"origin"), local, self._origins, self._hosts)
            if headers.twice is not None and not headers.twice.isdisjoint((b"host", b"origin")):
                raise InvalidRequest("Host and Origin are given once")
        except InvalidRequest as error:
            return refused(403, error)  # R26-HTTP-03
        if method not in ("POST", "GET", "DELETE"):
            other = refused(405, InvalidRequest(f"{method[:20]} is not served"), allow=b"POST, GET, DELETE")
            return other if method != "HEAD" else replace(other, body=b"")  # which is answered without a body
        fit = rules.fit(headers)
        if method == "POST" and not rules.is_json(headers.get(b"content-type")):
            return refused(415, InvalidRequest("Content-Type is application/json"))
        if method == "POST" and not (fit.json or fit.events):
            return refused(406, InvalidRequest("Accept names application/json and text/event-stream"))
        return fit

    def _remembered(self, said: tuple[Any, ...], fit: Fit) -> Fit:
        if sum(len(one) for one in said if one is not None) <= MEMORABLE:
            if len(self._fits) >= MANY:
                self._fits.clear()
            self._fits[said] = fit
        return fit

    def too_large(self) -> Reply:
        """What a body over the limit is told."""
        text = f"the body is larger than {self.settings.max_body} bytes; the setting max_body allows more"
        return refused(413, InvalidRequest(text))

    def too_slow(self) -> Reply:
        """What a body is told that does not come to its end."""
        text = f"the body took longer than {self.settings.body_seconds:g} s; the setting body_seconds allows more"
        return refused(408, InvalidRequest(text))
