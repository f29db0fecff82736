"""Reads the URLs of Redis: one server, a cluster, or what Sentinel watches, each also with TLS.

Knows what a URL may say, and names in errors what is wrong with one, but never a part of its password. Opens nothing.
"""

import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from ..errors import AuthorError

__all__ = ["SCHEMES", "RedisAddress", "read_url"]

SCHEMES = (
    "redis", "rediss", "unix", "redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel",
)  # fmt: skip
"""How a URL of Redis may begin."""
_PORTS = {"": 6379, "cluster": 6379, "sentinel": 26379}
_OWN_OPTIONS = {
    "protocol", "decode_responses", "encoding", "encoding_errors", "retry", "retry_on_error", "retry_on_timeout",
    "timeout", "socket_timeout", "socket_connect_timeout", "max_connections", "legacy_responses",
}  # fmt: skip
"""Options of redis-py that have to be as they are set here."""
_OF_SENTINEL = ("service", "sentinel_username", "sentinel_password")
_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_SECRETS = ("username", "password", "ssl_password")


@dataclass(frozen=True)
class RedisAddress:
    """Where a Redis is, and how it is connected to."""

    kind: str
    """"" for one server, "cluster", or "sentinel"."""
    nodes: list[tuple[str, int]]
    """Hosts and ports: of the server, of some nodes of the cluster, or of Sentinels."""
    options: dict[str, Any] = field(repr=False)
    """What redis-py has to know to connect, without a host and a port."""
    sentinel: dict[str, str] = field(repr=False)
    """The service that Sentinel watches, and the user and password for Sentinel."""
    has_tls: bool

    @property
    def name(self) -> str:
        """How it is called in errors and logs."""
        nodes = ",".join(f"{host}:{port}" for host, port in self.nodes) or str(self.options.get("path"))
        match self.kind:
            case "cluster":
                return f"Redis Cluster at {nodes}"
            case "sentinel":
                return f"Redis, as {self.sentinel['service']} of Sentinel at {nodes},"
        return f"Redis at {nodes}"

    @property
    def secrets(self) -> list[str]:
        """What must not be in errors and logs."""
        known = [self.options, self.sentinel]
        return [str(options[name]) for options in known for name in _SECRETS if options.get(name)]


def read_url(url: Any) -> RedisAddress:
    """What a URL of Redis says; raises AuthorError."""
    if not isinstance(url, str):  # None, if an environment variable is not set
        raise AuthorError(f"RedisStore takes the URL of Redis as a str, not {type(url).__name__}")
    base, kind = _read_scheme(url)
    try:
        parts = urlsplit(url)
        user, at, hosts = parts.netloc.rpartition("@")
        nodes = [] if base == "unix" else [_read_host(host, _PORTS[kind]) for host in hosts.split(",")]
    except ValueError:
        raise _wrong(url, "its host or port cannot be read") from None
    if len(nodes) > 1 and not kind:
        raise _wrong(url, "it has several hosts: with them it starts with redis+cluster:// or redis+sentinel://")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    _check_options(url, base, kind, given)
    if base != "unix":
        _check_database(url, kind, parts.path.strip("/") or given.get("db", ""))
    query = urlencode({name: value for name, value in given.items() if name not in _OF_SENTINEL})
    options = _parse(url, f"{base}://{user}{at}{'localhost' * bool(nodes)}{parts.path}?{query}", kind)
    if base == "rediss" and options.get("ssl_cert_reqs") != "none":
        options.setdefault("ssl_check_hostname", True)  # some versions of redis-py do not check it
    sentinel = {name.removeprefix("sentinel_"): given[name] for name in _OF_SENTINEL if name in given}
    return RedisAddress(kind, nodes, options, sentinel, base == "rediss")


def _read_scheme(url: str) -> tuple[str, str]:
    """How a URL begins, and the kind of address that follows a plus sign."""
    scheme, separator, _ = url.partition("://")
    if scheme.removesuffix("s") == "valkey":
        raise _wrong(url, "for Valkey, too, it starts with redis:// or rediss://")
    if not separator or scheme not in SCHEMES:
        raise _wrong(url, "it starts with neither redis:// nor rediss:// nor unix://, nor one of them with +cluster")
    base, _, kind = scheme.partition("+")
    return base, kind


def _read_host(text: str, default: int) -> tuple[str, int]:
    """A host and its port; raises ValueError."""
    parts = urlsplit(f"//{text}")
    if parts.path or parts.query or "," in text:
        raise ValueError(text)
    return unquote(parts.hostname or "localhost"), parts.port or default


def _check_options(url: str, base: str, kind: str, given: dict[str, str]) -> None:
    """Refuse options that are set here, that go with another kind of URL, or that name files that are not there."""
    for name, value in given.items():
        if name in _OWN_OPTIONS:
            raise _wrong(url, f"{name} is not an option here: RedisStore sets it itself, see its timeout")
        if name.startswith("ssl_") and base != "rediss":
            raise _wrong(url, f"{name} is an option of TLS: with it, the URL starts with {_with_tls(base, kind)}")
        if name in _OF_SENTINEL and kind != "sentinel":
            raise _wrong(url, f"{name} is an option of Sentinel: with it, the URL starts with redis+sentinel://")
        if name in _FILES and not os.path.isfile(value):
            raise _wrong(url, f"there is no file {value}, which {name} names")
    if kind == "sentinel" and not given.get("service"):
        raise _wrong(url, "Sentinel needs the name of the service that it watches, such as ?service=mymaster")


def _with_tls(base: str, kind: str) -> str:
    return f"rediss{'+' * bool(kind)}{kind}://"


def _check_database(url: str, kind: str, database: str) -> None:
    if database and not (database.isascii() and database.isdecimal()):
        raise _wrong(url, "what follows the host and the slash is not the number of a database")
    if kind == "cluster" and database.strip("0"):
        raise _wrong(url, "a cluster has no databases: leave out the number after the slash")


def _parse(url: str, plain: str, kind: str) -> dict[str, Any]:
    """The options in a URL of one server, as redis-py reads and checks them."""
    import redis  # an extra: most users do not have it
    from redis.cluster import REDIS_ALLOWED_KEYS
    from redis.connection import Connection, parse_url

    try:
        read: Any = parse_url
        options: dict[str, Any] = read(plain)
        options.pop("connection_class", Connection)(**options)  # takes them without connecting
    except (TypeError, ValueError, redis.RedisError):  # the text may show a part of the password
        raise _wrong(url, "it has an option, after the question mark, that redis-py does not take") from None
    for name in ("host", "db") if kind == "cluster" else ("host",):
        options.pop(name, None)
    if kind == "cluster" and (strange := options.keys() - set(REDIS_ALLOWED_KEYS)):
        raise _wrong(url, f"{min(strange)} is not an option of redis-py for a cluster")
    return options


def _wrong(url: str, reason: str) -> AuthorError:
    advice = "; in a password, / is written as %2F, # as %23 and @ as %40" if "@" in url else ""
    return AuthorError(
        f"this is not an address of Redis: {reason}. Write redis://host:6379/0, or rediss:// for TLS{advice}"
    )
