"""Whether an HTTP request may pass, as far as its headers and the size of its body tell.

Knows headers and settings; what is in a body, and what answers it, is the endpoint's.
"""

from typing import Any

from msgspec.structs import replace

from ...errors import InvalidRequest
from . import rules, security
from .headers import MEMORABLE, Headers
from .rules import RequestProfile, Response, Settings, refusal

__all__ = ["Preflight"]

MANY = 256
"""How many profiles are remembered."""


class Preflight:
    """What a transport asks before it reads a body, or while it does."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._origins, self._hosts = frozenset(settings.origins), frozenset(settings.hosts)
        self._digits = len(str(settings.max_body))  # no body is too long whose length has fewer
        self._profiles: dict[tuple[Any, ...], RequestProfile] = {}

    def check(self, method: str, headers: Headers, local: str | None) -> Response | RequestProfile:
        """Why a request is refused before its body is read, or what its headers say."""
        raw = headers.raw.get
        # A client sends the same of these each time: what they mean is worked out once.
        key = (
            method, local, raw(b"host"), raw(b"origin"), raw(b"content-type"), raw(b"accept"),
            raw(b"mcp-protocol-version"), raw(b"mcp-method"),
        )  # fmt: skip
        profile = self._profiles.get(key)
        if profile is None or headers.twice is not None:
            checked = self._check_headers(method, headers, local)
            if isinstance(checked, Response):
                return checked
            profile = self._remember(key, checked)
        digits = raw(b"content-length")
        if digits is not None and len(digits) >= self._digits:
            length = rules.length_of(headers.get(b"content-length"))
            return self.too_large() if length is not None and length > self.settings.max_body else profile
        return profile

    def _check_headers(self, method: str, headers: Headers, local: str | None) -> Response | RequestProfile:
        try:
            security.check(headers.get(b"host"), headers.get(b"origin"), local, self._origins, self._hosts)
            if headers.twice is not None and not headers.twice.isdisjoint((b"host", b"origin")):
                raise InvalidRequest("Host and Origin are given once")
        except InvalidRequest as error:
            return refusal(403, error)  # R26-HTTP-03
        if method not in ("POST", "GET", "DELETE"):
            response = refusal(405, InvalidRequest(f"{method[:20]} is not served"), allow=b"POST, GET, DELETE")
            return response if method != "HEAD" else replace(response, body=b"")  # a HEAD is answered without a body
        profile = rules.profile_of(headers)
        if method == "POST" and not rules.is_json(headers.get(b"content-type")):
            return refusal(415, InvalidRequest("Content-Type is application/json"))
        if method == "POST" and not (profile.json or profile.events):
            return refusal(406, InvalidRequest("Accept names application/json and text/event-stream"))
        return profile

    def _remember(self, key: tuple[Any, ...], profile: RequestProfile) -> RequestProfile:
        if sum(len(part) for part in key if part is not None) <= MEMORABLE:
            if len(self._profiles) >= MANY:
                self._profiles.clear()
            self._profiles[key] = profile
        return profile

    def too_large(self) -> Response:
        """The response to a body over the limit."""
        text = f"the body is larger than {self.settings.max_body} bytes; the setting max_body allows more"
        return refusal(413, InvalidRequest(text))

    def too_slow(self) -> Response:
        """The response to a body that does not come to its end."""
        text = f"the body took longer than {self.settings.body_seconds:g} s; the setting body_seconds allows more"
        return refusal(408, InvalidRequest(text))
