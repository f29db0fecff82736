"""Graphs, lazy values, cookies, time zones and parts of charts as plainer values.

Knows how objects of other packages, and of rare modules of the standard library, are taken apart, and imports none of
these. Arrays, tables and rows are in frames.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import NormalizeError

__all__ = ["OPENERS"]


# networkx -----------------------------------------------------------------------------------------


def _open_graph(graph: Any) -> dict[str, Any]:
    """The members that networkx gives a graph in JSON, in its `node_link_data`."""
    keyed = {"keys": True} if graph.is_multigraph() else {}
    ends = ("source", "target", *(["key"] if keyed else []))
    return {
        "directed": graph.is_directed(),
        "multigraph": graph.is_multigraph(),
        "graph": graph.graph,
        "nodes": [_join("node", {"id": node}, attributes) for node, attributes in graph.nodes(data=True)],
        "edges": [
            _join("edge", dict(zip(ends, names, strict=True)), attributes)
            for *names, attributes in graph.edges(data=True, **keyed)
        ],
    }


def _join(part: str, own: dict[str, Any], attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    for name in own:
        if name in attributes:
            raise NormalizeError("$", f"an attribute of a graph's {part} is called {name!r}, as its own; rename it")
    return {**own, **attributes}


# Django -------------------------------------------------------------------------------------------


def _evaluate_promise(promise: Any) -> Any:
    """The value of a function that was to be called later: mostly a translated text.

    It is made again at each reading, in the language that is active then.
    """
    function, arguments, named, *_ = _state_of(promise)
    return function(*arguments, **named)


def _unwrap_lazy_object(lazy: Any) -> Any:
    """The object that stands behind a lazy one, such as `request.user`."""
    return _state_of(lazy)[0]


def _state_of(value: Any) -> Any:
    """What an object is made of, by which it can be pickled."""
    reduce: Any = type(value).__reduce__
    return reduce(value)[1]


# The standard library -----------------------------------------------------------------------------


def _open_zone(zone: Any) -> str:
    """The key of a time zone, by which it can be made again."""
    if zone.key is None:
        raise NormalizeError("$", "a ZoneInfo that was read from a file has no key; give from_file one")
    return str(zone.key)


OPENERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("networkx", "Graph"): _open_graph,
    ("networkx", "OutEdgeDataView"): list,
    ("networkx", "DiDegreeView"): dict,
    ("django", "Promise"): _evaluate_promise,
    ("django", "LazyObject"): _unwrap_lazy_object,
    ("sqlalchemy", "Query"): list,  # its text is the SQL
    ("plotly", "BasePlotlyType"): lambda part: part.to_plotly_json(),
    ("zoneinfo", "ZoneInfo"): _open_zone,
    ("http", "BaseCookie"): str,  # as a dict, it has everything but the values
    ("http", "Morsel"): str,
}
"""By package and class: a function that turns a value into a plainer one."""
