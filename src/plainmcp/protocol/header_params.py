"""The arguments of a tool that are also sent as HTTP headers, from its input schema when the tool is registered.

Knows the `x-mcp-header` annotation and where it is allowed; transports/http compares headers with arguments.
"""

import re
from collections.abc import Iterator
from typing import Any

from ..errors import AuthorError
from ..schema.subschemas import Schema, walk

__all__ = ["ANNOTATION", "paths_of", "texts_of"]

ANNOTATION = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TYPES = ("string", "integer", "boolean")


def paths_of(schema: Schema, where: str) -> dict[str, tuple[str, ...]]:
    """The path of property names to each annotated argument, by header name; raises AuthorError (R26-HDR-13).

    >>> paths_of({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}, "it")
    {'Mcp-Param-Region': ('region',)}
    """
    reachable = list(_find_annotated(schema, ()))
    if sum(ANNOTATION in one for one, _ in walk(schema)) != len(reachable):
        # Clients drop a whole tool for such an annotation, so the author should learn of it first.
        raise AuthorError(f"{where}: {ANNOTATION} may only stand on a property, or a property of one")
    paths: dict[str, tuple[str, ...]] = {}
    for path, inner in reachable:
        name = _check_name(inner, f"{where}: {'.'.join(path)}")
        if any(name.lower() == other.lower() for other in paths):
            raise AuthorError(f"{where}: {ANNOTATION} {name[len('Mcp-Param-') :]!r} is given twice")
        paths[name] = path
    return paths


def texts_of(schema: Schema, arguments: Any, where: str) -> dict[str, str]:
    """The headers that a client has to send with these arguments; raises AuthorError for a wrong schema.

    >>> region = {"type": "string", "x-mcp-header": "Region"}
    >>> texts_of({"type": "object", "properties": {"region": region}}, {"region": "north"}, "it")
    {'Mcp-Param-Region': 'north'}
    """
    texts: dict[str, str] = {}
    for name, path in paths_of(schema, where).items():
        value = arguments
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, (str, int)):
            texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts


def _find_annotated(schema: Schema, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every annotated property that is reached by `properties` alone."""
    properties: Any = schema.get("properties")
    if not isinstance(properties, dict):
        return
    for name, inner in properties.items():
        if isinstance(inner, dict):
            if ANNOTATION in inner:
                yield (*path, name), inner
            yield from _find_annotated(inner, (*path, name))


def _check_name(schema: Schema, where: str) -> str:
    name: Any = schema[ANNOTATION]
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise AuthorError(f"{where}: {ANNOTATION} is a header name: letters, digits and !#$%&'*+-.^_`|~")
    if schema.get("type") not in _TYPES:
        raise AuthorError(f"{where}: {ANNOTATION} may only stand on a string, an integer or a boolean")
    return f"Mcp-Param-{name}"
