"""Who may call by HTTP: Origin and Host."""

from functools import partial
from typing import Any

import pytest

from plainmcp.errors import InvalidRequest
from plainmcp.transports.http import security
from plainmcp.transports.http.settings import Settings

LOOPBACK, PUBLIC = "127.0.0.1", "192.0.2.7"


@pytest.mark.parametrize(
    ("local", "host", "origin", "settings"),
    [
        (LOOPBACK, "localhost:8000", None, {}),
        (LOOPBACK, "127.0.0.1:8000", "http://127.0.0.1:8000", {}),
        (LOOPBACK, "127.0.0.1:8000", "http://localhost:6274", {"origins": ["http://localhost:6274"]}),
        (LOOPBACK, "127.0.0.1:8000", "http://localhost:6274", {"origins": ["http://LOCALHOST:*"]}),
        (LOOPBACK, "127.0.0.1:8000", "http://localhost", {"origins": ["http://localhost:*"]}),
        (LOOPBACK, "127.0.0.1:8000", "http://[::1]:3000", {"origins": ["http://[::1]:*"]}),
        ("::1", "[::1]:8000", "http://[::1]:8000", {}),
        (LOOPBACK, "LocalHost", "http://LOCALHOST", {}),
        (LOOPBACK, "127.0.0.2:80", "http://127.0.0.2", {}),
        ("::1", "[2001:db8::1]:80", "http://[2001:db8::1]", {"hosts": ["2001:DB8:0::1"]}),
        ("::1", "[2001:db8::1]:80", "http://[2001:db8::1]", {"hosts": ["[2001:db8::1]"]}),
        (LOOPBACK, "my_service-1.internal:80", None, {"hosts": ["my_service-1.internal"]}),
        (LOOPBACK, "api.example", None, {"hosts": ["api.example"]}),
        (LOOPBACK, "api.example:444", "https://api.example:444", {"hosts": ["api.example"]}),
        (LOOPBACK, "api.example", "https://api.example:443", {"hosts": ["api.example"]}),
        (LOOPBACK, "localhost", "https://app.example", {"origins": ["https://app.example:443"]}),
        (LOOPBACK, "anything.example", "http://anything.example", {"hosts": ["*"]}),
        (LOOPBACK, "localhost", "https://app.example", {"origins": ["https://APP.example"]}),
        (LOOPBACK, "localhost", "https://app.example", {"origins": ["*"]}),
        (PUBLIC, "whatever.example", None, {}),
        (PUBLIC, "api.example", "https://app.example", {"origins": ["https://app.example"]}),
        (PUBLIC, "api.example", "https://api.example", {"hosts": ["api.example"]}),
        (None, "socket", None, {}),
    ],
)
def test_a_request_from_where_it_may_come_passes(
    local: str | None, host: str, origin: str | None, settings: dict[str, Any]
) -> None:
    """R*-HTTP-02"""
    allowed = Settings(**settings)
    security.check(host, origin, local, "http", frozenset(allowed.origins), frozenset(allowed.hosts))


@pytest.mark.parametrize(
    ("local", "host", "origin", "settings", "named"),
    [
        (LOOPBACK, "evil.example", None, {}, "hosts"),
        (LOOPBACK, "localhost.evil.example", None, {}, "hosts"),
        (LOOPBACK, "127.0.0.1.evil.example", None, {}, "hosts"),
        (LOOPBACK, None, None, {}, "hosts"),
        (LOOPBACK, "evil.example:8000", "http://evil.example:8000", {}, "hosts"),
        (LOOPBACK, "localhost:8000", "http://evil.example", {}, "origins"),
        (LOOPBACK, "localhost:8000", "null", {}, "origins"),
        (LOOPBACK, "localhost:8000", "", {}, "origins"),
        (PUBLIC, "evil.example", "http://evil.example", {}, "origins"),
        (PUBLIC, "api.example", "http://localhost:3000", {}, "origins"),
        (PUBLIC, "other.example", None, {"hosts": ["api.example"]}, "hosts"),
        (PUBLIC, "api.example", "https://app.example.evil", {"origins": ["https://app.example"]}, "origins"),
        (LOOPBACK, "127.0.0.1:8000", "http://127.0.0.1:8001", {}, "origins"),  # P23, and all the others
        (LOOPBACK, "127.0.0.1:8000", "http://localhost:8000", {}, "origins"),
        (LOOPBACK, "127.0.0.1:8000", "https://127.0.0.1:8000", {}, "origins"),
        (LOOPBACK, "localhost", "https://localhost", {}, "origins"),
        (LOOPBACK, "localhost", "https://localhost", {"hosts": ["api.example"]}, "origins"),
        (LOOPBACK, "localhost:8000", "http://localhost", {}, "origins"),
        (LOOPBACK, "api.example", "https://api.example:8443", {"hosts": ["api.example"]}, "origins"),
        (LOOPBACK, "api.example", "http://api.example:443", {"hosts": ["api.example"]}, "origins"),
        (LOOPBACK, "a.example", "https://b.example", {"hosts": ["a.example", "b.example"]}, "origins"),
        (LOOPBACK, "a.example", "https://b.example", {"hosts": ["*"]}, "origins"),
        (LOOPBACK, "localhost:1", "https://app.example:8443", {"origins": ["https://app.example"]}, "origins"),
        (LOOPBACK, "localhost:1", "http://app.example", {"origins": ["https://app.example"]}, "origins"),
        (LOOPBACK, "localhost:1", "https://localhost:2", {"origins": ["http://localhost:*"]}, "origins"),
        (LOOPBACK, "localhost:1", "http://localhost:2:3", {"origins": ["http://localhost:*"]}, "origins"),
        (LOOPBACK, "localhost:1", "http://localhost.evil.example:2", {"origins": ["http://localhost:*"]}, "origins"),
    ],
)
def test_a_request_a_browser_was_tricked_into_is_refused_by_a_text_that_names_the_setting(
    local: str, host: str | None, origin: str | None, settings: dict[str, Any], named: str
) -> None:
    """R*-HTTP-02"""
    allowed = Settings(**settings)
    with pytest.raises(InvalidRequest, match=f"the setting {named}"):
        security.check(host, origin, local, "http", frozenset(allowed.origins), frozenset(allowed.hosts))


NOT_LOOPBACK = [
    "", " ", ":", ":80", "[", "[]", "[]:80", "[::1", "::1", "::1]", "[::1]]", "[[::1]]", "[::1]evil.example",
    "[::1].evil.example", "[::1]:", "[::1]:x", "[::1]:80:90", "[::1]80", "[::1]@evil.example", "[::1%25lo]",
    "[::1%lo]", "[127.0.0.1]", "[localhost]", "[::1:]", "[:::1]", "[v1.::1]", "localhost:", "localhost:evil.example",
    "localhost:80:90", "localhost:80evil", "localhost:-1", "localhost:+80", "localhost:8_0", "localhost:65536",
    "localhost:000080", "localhost:\u0668\u0660", "localhost:\xb2", "localhost: 80", "localhost :80", "local host",
    "localhost\n", "localhost\r\n", "localhost\t:80", "localhost\0", "localhost,evil.example", "localhost/",
    "localhost/@evil.example", "localhost?", "localhost#", "localhost\\evil.example", "localhost;a", "localhost%00",
    "user@localhost", "user:password@localhost", "localhost@evil.example", "localhost:80@evil.example", "@localhost",
    "localhost.", "localhost..", ".localhost", "evil.localhost", "local\u017fhost", "localho\u017ft",
    "\uff4cocalhost", "127.0.0.1.", "127.1", "127.0.0.01", "0x7f.0.0.1", "2130706433", "127.0.0.1:",
    "127.0.0.1:80:90", "127.0.0.1:evil.example", "127.0.0.1 evil.example",
]  # fmt: skip


@pytest.mark.parametrize("name", NOT_LOOPBACK)
def test_what_only_begins_or_ends_like_this_machine_is_not_this_machine(name: str) -> None:
    """R*-HTTP-02: neither as a Host nor in an Origin"""
    with pytest.raises(InvalidRequest, match="the setting hosts"):
        security.check(name, None, LOOPBACK, "http", frozenset(), frozenset())
    with pytest.raises(InvalidRequest, match="the setting origins"):
        security.check("localhost", f"http://{name}", LOOPBACK, "http", frozenset(), frozenset())


@pytest.mark.parametrize(
    "origin",
    ["localhost", "//localhost", "://localhost", "http:/localhost", "http:localhost", "http:///localhost", "file://localhost",
     "http://localhost/", "http://localhost/evil", "http://evil.example://localhost", "http://http://localhost", "x://localhost",
     "http://localhost http://evil.example", " http://localhost", "http ://localhost", "httpx://localhost", "ws://localhost"],
)  # fmt: skip
def test_an_origin_is_a_scheme_and_a_host_and_nothing_else(origin: str) -> None:
    """R*-HTTP-02"""
    with pytest.raises(InvalidRequest, match="the setting origins"):
        security.check("localhost", origin, LOOPBACK, "http", frozenset(), frozenset())


def test_behind_tls_a_page_without_it_is_another_site() -> None:
    """P23: the scheme is part of an origin."""
    check = partial(security.check, origins=frozenset(), hosts=frozenset({"api.example"}))
    check("api.example", "https://api.example", PUBLIC, "https")
    check("api.example", "https://api.example", PUBLIC, "http")  # a proxy that does not say that it has TLS
    with pytest.raises(InvalidRequest, match="the setting origins"):
        check("api.example", "http://api.example", PUBLIC, "https")
