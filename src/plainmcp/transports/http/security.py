"""Who may talk to us over HTTP at all: the Origin of browsers, and the Host where we are reached on loopback.

Pure: knows two headers, the local address, and the two settings its refusals name.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Any

from ...errors import AuthorError, InvalidRequest

__all__ = ["check", "check_hosts", "check_origins", "is_loopback"]


LONGEST = 300
"""No host is longer than this, port and all."""

# What RFC 9110 and RFC 6454 allow, without what no real host or origin has: user names, escapes, an empty port.
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+))(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(r"https?://([^/]+)", re.ASCII | re.IGNORECASE)


def check(
    host: str | None, origin: str | None, local: str | None, origins: frozenset[str], hosts: frozenset[str]
) -> None:
    """Refuse a request a browser was tricked into (R26-HTTP-02); raises InvalidRequest that names the setting.

    `local` is the address we were reached at. A page cannot choose the Host it sends, so a Host that is not ours
    is another site's name that was made to point here.
    """
    if (hosts or is_loopback(local)) and not _is_served(host, hosts, is_loopback(local)):
        raise InvalidRequest(f"Host {_show(host)} is not served here; to serve it, name it in the setting hosts")
    if origin is None or "*" in origins or origin.lower() in origins:
        return
    page = _ORIGIN.fullmatch(origin)
    if not _is_served(page and page[1], hosts, is_loopback(local)):
        raise InvalidRequest(
            f"Origin {_show(origin)} is not allowed here; to allow it, name it in the setting origins"
        )


def _is_served(authority: str | None, hosts: frozenset[str], on_loopback: bool) -> bool:
    if "*" in hosts:
        return True
    return authority is not None and len(authority) <= LONGEST and _is_named(authority, hosts, on_loopback)


@lru_cache(maxsize=256)
def _is_named(authority: str, hosts: frozenset[str], on_loopback: bool) -> bool:
    name = _parse_host(authority)
    if name is None:
        return False
    return authority.lower() in hosts or name in hosts or (on_loopback and is_loopback(name))


def _parse_host(authority: str) -> str | None:
    """The name or the address in "host" or "host:port", in small letters; None for anything that is not exactly that.

    >>> _parse_host("[::1]:80"), _parse_host("LocalHost"), _parse_host("localhost:evil.example")
    ('::1', 'localhost', None)
    """
    found = _HOST.fullmatch(authority)
    if found is None or int(found[3] or 0) > 65535:
        return None
    if found[1] is None:
        return found[2].lower()
    try:
        return str(IPv6Address(found[1]))
    except ValueError:
        return None


@lru_cache(maxsize=256)
def is_loopback(name: str | None) -> bool:
    """Whether a name or an address is this machine's own.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("localhost.evil.example")
    (True, True, False)
    """
    if not name:
        return False
    if name.lower() == "localhost":
        return True
    try:
        found = ip_address(name)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def _show(value: str | None) -> str:
    return "(none)" if value is None else ascii(value[:100])


# Settings -----------------------------------------------------------------------------------------


def check_origins(given: Collection[str]) -> frozenset[str]:
    """The setting origins, as it is compared; raises AuthorError."""
    return frozenset(_origin(one) for one in _check_texts(given, "origins"))


def check_hosts(given: Collection[str]) -> frozenset[str]:
    """The setting hosts, likewise."""
    return frozenset(_host(one) for one in _check_texts(given, "hosts"))


def _host(given: str) -> str:
    address = _parse_host(given if given.endswith("]") else f"[{given}]")  # IPv6, also without its brackets
    if given != "*" and address is None and _parse_host(given) is None:
        raise AuthorError(f'hosts holds names such as "api.example.com" or "api.example.com:8000", not {given!r}')
    return address or given.lower()


def _origin(given: str) -> str:
    scheme, mark, authority = given.partition("://")
    if given not in ("*", "null") and (not scheme or not mark or not authority or "/" in authority):
        raise AuthorError(f'origins holds origins such as "https://app.example.com", without a path; not {given!r}')
    return given.lower()


def _check_texts(given: Any, name: str) -> Collection[str]:
    if not isinstance(given, (list, tuple, set, frozenset)) or not all(isinstance(one, str) for one in given):
        raise AuthorError(f"{name} is a list of texts")
    return given
