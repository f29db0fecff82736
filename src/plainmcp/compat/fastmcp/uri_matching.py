"""Which URIs fit a template of FastMCP, and the URI that values make, for programs that match or make URIs.

`{name}` is one segment, `{name*}` any text with slashes, `{?a,b*}` the query, in which `b` may come several times.
A hyphen in a name is an underscore in the values. A server here matches with plainmcp's own, stricter templates.
"""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, quote, unquote

__all__ = ["build_regex", "expand_uri_template", "match_uri_template"]

_QUERY = re.compile(r"\{\?([^}]*)\}")
_VARIABLE = re.compile(r"\{([^{}?]+)\}")


@lru_cache(maxsize=1024)
def build_regex(template: str) -> re.Pattern[str] | None:
    """A pattern for the path of a template, with a group for each variable; None if it is no template.

    >>> build_regex("test://{user-id}/path").match("test://ann/path")["user_id"]
    'ann'
    """
    parts = _VARIABLE.split(_QUERY.sub("", template))
    pattern = "".join(_group_of(part) if at % 2 else re.escape(part) for at, part in enumerate(parts))
    try:
        return re.compile(f"{pattern}\\Z")
    except re.error:  # a name that is there twice, or is none
        return None


def match_uri_template(uri: str, uri_template: str, list_params: Collection[str] = ()) -> dict[str, Any] | None:
    """The values of a URI; None if it does not fit.

    >>> match_uri_template("test://a/x%20y?tag=b", "test://a/{x}{?tag,more}")
    {'x': 'x y', 'tag': 'b'}
    """
    pattern, (path, _, query) = build_regex(uri_template), str(uri).partition("?")
    found = None if pattern is None else pattern.match(path)
    if found is None:
        return None
    values: dict[str, Any] = {name: unquote(value) for name, value in found.groupdict().items()}
    given = parse_qs(query, keep_blank_values=True)
    for name, is_list in _query_of(uri_template):
        key = _key_of(name)
        if name in given and key not in values:
            values[key] = given[name] if is_list or key in list_params else given[name][0]
    return values


def expand_uri_template(uri_template: str, params: Mapping[str, Any]) -> str:
    """The URI that values make; a variable of the query without a value is left out.

    >>> expand_uri_template("test://{path}/info{?tags*}", {"path": "a/b", "tags": ["x", "y"]})
    'test://a%2Fb/info?tags=x&tags=y'
    """
    fields: list[str] = []
    for name, is_list in _query_of(uri_template):
        value = params.get(_key_of(name))
        values = [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
        texts = [quote(str(one), safe="") for one in values]
        fields += [f"{name}={one}" for one in (texts if is_list else [",".join(texts)][: len(texts)])]
    path = _VARIABLE.sub(lambda found: _expand(found[1], params) or found[0], _QUERY.sub("", uri_template))
    return f"{path}?{'&'.join(fields)}" if fields else path


def _group_of(name: str) -> str:
    wide = name.endswith("*")
    return f"(?P<{_key_of(name.removesuffix('*'))}>{'.+' if wide else '[^/]+'})"


def _expand(name: str, params: Mapping[str, Any]) -> str:
    value = params.get(_key_of(name.removesuffix("*")))
    return "" if value is None else quote(str(value), safe="/" if name.endswith("*") else "")


def _query_of(template: str) -> list[tuple[str, bool]]:
    """The variables of the query, and whether each may come several times."""
    names = [name.strip() for found in _QUERY.findall(template) for name in found.split(",")]
    return [(name.removesuffix("*"), name.endswith("*")) for name in names]


def _key_of(name: str) -> str:
    return name.replace("-", "_")
