"""The check of the headers Origin and Host: it protects against browsers that call on behalf of other sites.

Knows these two headers, the local address and two settings. Does no I/O.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Any

from ...errors import AuthorError, InvalidRequest

__all__ = ["check", "check_hosts", "check_origins", "is_loopback"]


MAX_HOST = 300
"""The longest host with its port."""

# As in RFC 9110, but without user names, escapes and empty ports, which no real host has.
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+))(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_PORT = re.compile(r"(:[0-9]+)?\Z", re.ASCII)


def check(
    host: str | None,
    origin: str | None,
    local: str | None,
    scheme: str,
    origins: frozenset[str],
    hosts: frozenset[str],
) -> None:
    """Refuse a request that another site made a browser send (R26-HTTP-02); raises InvalidRequest.

    `local` is the address at which the server was reached, and `scheme` is "http" or "https". A page cannot choose
    the Host header, so a wrong Host is the name of another site that was made to resolve to this address. A page may
    call if it comes from the server itself: an origin with another scheme, name or port is another site, on loopback
    too.
    """
    is_checked = bool(hosts) or is_loopback(local)
    if is_checked and not _is_served(host, hosts, is_loopback(local)):
        raise InvalidRequest(f"Host {_show(host)} is not served here; to serve it, name it in the setting hosts")
    if origin is None or "*" in origins:
        return
    site = _to_origin(origin)
    is_named = site in origins or _PORT.sub(":*", site, count=1) in origins
    if not is_named and not (is_checked and site in _own_origins(host or "", scheme, hosts)):
        raise InvalidRequest(
            f"Origin {_show(origin)} is not allowed here; to allow it, name it in the setting origins"
        )


def _own_origins(host: str, scheme: str, hosts: frozenset[str]) -> set[str]:
    """The origins of the pages that the server itself can have, by a Host that was checked."""
    own = {_to_origin(f"{scheme}://{host}")}
    if _is_served(host, hosts, False):  # TLS may end at a proxy that does not say so
        own.add(_to_origin(f"https://{host}"))
    return own


def _to_origin(text: str) -> str:
    """An origin as browsers write it: in lowercase, and without the default port of its scheme.

    >>> _to_origin("HTTPS://App.Example.com:443"), _to_origin("http://localhost:443")
    ('https://app.example.com', 'http://localhost:443')
    """
    text = text.lower()
    return text.removesuffix(_DEFAULT_PORTS.get(text.partition("://")[0], ""))


def _is_served(authority: str | None, hosts: frozenset[str], on_loopback: bool) -> bool:
    if "*" in hosts:
        return True
    return authority is not None and len(authority) <= MAX_HOST and _is_named(authority, hosts, on_loopback)


@lru_cache(maxsize=256)
def _is_named(authority: str, hosts: frozenset[str], on_loopback: bool) -> bool:
    name = _parse_host(authority)
    if name is None:
        return False
    return authority.lower() in hosts or name in hosts or (on_loopback and is_loopback(name))


def _parse_host(authority: str) -> str | None:
    """The name or the address in "host" or "host:port", in lowercase; None for any other text.

    >>> _parse_host("[::1]:80"), _parse_host("LocalHost"), _parse_host("localhost:evil.example")
    ('::1', 'localhost', None)
    """
    match = _HOST.fullmatch(authority)
    if match is None or int(match[3] or 0) > 65535:
        return None
    if match[1] is None:
        return match[2].lower()
    try:
        return str(IPv6Address(match[1]))
    except ValueError:
        return None


@lru_cache(maxsize=256)
def is_loopback(name: str | None) -> bool:
    """Whether a name or an address is the loopback of this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("localhost.evil.example")
    (True, True, False)
    """
    if not name:
        return False
    if name.lower() == "localhost":
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _show(value: str | None) -> str:
    return "(none)" if value is None else ascii(value[:100])


# Settings -----------------------------------------------------------------------------------------


def check_origins(origins: Collection[str]) -> frozenset[str]:
    """The setting origins, in the form for comparisons; raises AuthorError."""
    return frozenset(_check_origin(origin) for origin in _check_texts(origins, "origins"))


def check_hosts(hosts: Collection[str]) -> frozenset[str]:
    """The setting hosts, in the form for comparisons; raises AuthorError."""
    return frozenset(_check_host(host) for host in _check_texts(hosts, "hosts"))


def _check_host(host: str) -> str:
    address = _parse_host(host if host.endswith("]") else f"[{host}]")  # IPv6, also without its brackets
    if host != "*" and address is None and _parse_host(host) is None:
        raise AuthorError(f'hosts holds names such as "api.example.com" or "api.example.com:8000", not {host!r}')
    return address or host.lower()


def _check_origin(origin: str) -> str:
    scheme, mark, authority = origin.partition("://")
    if origin not in ("*", "null") and (not scheme or not mark or not authority or "/" in authority):
        raise AuthorError(
            'origins holds origins such as "https://app.example.com" or "http://localhost:*", without a path; '
            f"not {origin!r}"
        )
    return _to_origin(origin)


def _check_texts(texts: Any, name: str) -> Collection[str]:
    if not isinstance(texts, (list, tuple, set, frozenset)) or not all(isinstance(one, str) for one in texts):
        raise AuthorError(f"{name} is a list of texts")
    return texts
