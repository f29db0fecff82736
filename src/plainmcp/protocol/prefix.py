"""The prefix of a mounted server, in the names and the URIs of its features. Knows no features."""

import re

__all__ = ["HierarchicalPrefix", "Prefix", "prefix_name", "prefix_uri", "remove_prefix"]


class Prefix(str):
    """The prefix of a mounted server. URIs without `//` get it, too: `urn:isbn:1` becomes `urn:prefix/isbn:1`."""

    __slots__ = ()
    scheme = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:(?://)?)?")
    """What stands before the prefix; a URI that does not begin so does not get it."""


class HierarchicalPrefix(Prefix):
    """A prefix that URIs without `//` do not get: they stay as they are."""

    __slots__ = ()
    scheme = re.compile(r"[^:]+://")


def prefix_name(prefix: str, name: str) -> str:
    """The name of a tool or prompt of a mounted server.

    >>> prefix_name("weather", "forecast"), prefix_name("", "forecast")
    ('weather_forecast', 'forecast')
    """
    return f"{prefix}_{name}" if prefix else name


def prefix_uri(prefix: Prefix, uri: str) -> str:
    """The URI, or URI template, of a resource of a mounted server: the prefix is the first segment after the scheme.

    >>> [prefix_uri(Prefix("a"), uri) for uri in ("memo://notes", "memo:///x", "urn:isbn:1", "notes/{day}")]
    ['memo://a/notes', 'memo://a//x', 'urn:a/isbn:1', 'a/notes/{day}']
    >>> [prefix_uri(HierarchicalPrefix("a"), uri) for uri in ("memo://notes", "mailto:x")]
    ['memo://a/notes', 'mailto:x']
    """
    match = prefix.scheme.match(uri) if prefix else None
    return uri if match is None else f"{match[0]}{prefix}/{uri[match.end() :]}"


def remove_prefix(prefix: Prefix, name: str, *, is_uri: bool) -> str:
    """The name or the URI that a mounted server has for one of its features.

    >>> remove_prefix(Prefix("a"), "a_add", is_uri=False), remove_prefix(Prefix("a"), "memo://a/notes", is_uri=True)
    ('add', 'memo://notes')
    """
    if not prefix:
        return name
    if not is_uri:
        return name.removeprefix(f"{prefix}_")
    match = prefix.scheme.match(name)
    return name if match is None else match[0] + name[match.end() :].removeprefix(f"{prefix}/")
