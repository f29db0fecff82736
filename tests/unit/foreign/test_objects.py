"""What a client receives for graphs, lazy texts, markup, cookies and charts: nothing is lost without a word (V32)."""

import http.cookies
from collections.abc import Callable
from typing import Any

import babel.support
import bs4
import lxml.etree
import networkx
import plotly.graph_objects
import pytest
import starlette.datastructures
import werkzeug.datastructures
from django import conf
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.forms.utils import ErrorDict, ErrorList
from django.http import HttpResponse, QueryDict
from django.utils.functional import SimpleLazyObject, empty, lazy
from django.utils.translation import gettext_lazy, ngettext_lazy

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client
from returning import Refused, Text, check_sent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def configured() -> None:
    """Settings of Django, which a test of an example may replace later in the same process.

    They stay until then: whoever looks at all objects of the process fails at settings without a value.
    """
    if conf.settings.configured:
        return

    def replace(**options: Any) -> None:
        conf.settings._wrapped = empty  # which also takes away this function
        conf.settings.configure(**options)

    conf.settings.configure(USE_I18N=False)
    vars(conf.settings)["configure"] = replace


PARTS = "make lists and dicts of it, or register a serializer"


def graph(kind: Any = networkx.Graph) -> Any:
    made = kind(name="roads")
    made.add_node("Oslo", people=700)
    made.add_edge("Oslo", "Bergen", km=463)
    return made


def query(rows: list[Any]) -> Any:
    """A query of Django that was made; its repr has the first 20 rows."""
    made: Any = QuerySet()
    made._result_cache = rows
    return made


class Town:
    def __str__(self) -> str:
        return "Oslo"


TREE = '<a k="1">one<b>two</b>three</a>'
CHART = {"x": [1, 2], "y": [3, 4], "type": "scatter"}
NODES = [{"id": "Oslo", "people": 700}, {"id": "Bergen"}]
ROAD = {"source": "Oslo", "target": "Bergen", "km": 463}

SENT: dict[str, tuple[Callable[[], Any], Any]] = {
    # Texts that are translated when they are read
    "gettext_lazy": (lambda: gettext_lazy("Good morning"), "Good morning"),
    "ngettext_lazy": (lambda: ngettext_lazy("%d town", "%d towns", 2) % 2, "2 towns"),
    "LazyProxy of babel": (lambda: babel.support.LazyProxy(lambda: "Good morning"), "Good morning"),
    # Other lazy values
    "a number of Django that is made later": (lambda: lazy(lambda: 3, int)(), 3),
    "a dict of Django that is made later": (lambda: lazy(lambda: {"a": 1}, dict)(), {"a": 1}),
    "a lazy dict": (lambda: SimpleLazyObject(lambda: {"a": 1}), {"a": 1}),
    "a lazy text": (lambda: SimpleLazyObject(lambda: "Oslo"), "Oslo"),
    # Collections of Django
    "a query": (lambda: query([Town()] * 25), [Text("Oslo")] * 25),
    "a query of values": (lambda: query([{"name": "Oslo"}] * 25), [{"name": "Oslo"}] * 25),
    "a page": (lambda: Paginator(["Oslo", "Rome", "Bern"], 2).page(1), ["Oslo", "Rome"]),
    "a paginator": (lambda: Paginator(["Oslo", "Rome", "Bern"], 2), [["Oslo", "Rome"], ["Bern"]]),
    "the errors of a field": (lambda: ErrorList(["too long"]), ["too long"]),
    "the errors of a form": (lambda: ErrorDict({"name": ErrorList(["too long"])}), {"name": ["too long"]}),
    "an error of a validator": (lambda: ValidationError(["too long"]), Text("['too long']")),
    "an answer": (lambda: HttpResponse("towns"), Refused(f"HttpResponse has no JSON form; {PARTS}")),
    # Names with several values
    "QueryDict": (lambda: QueryDict("a=1&a=2&b=3"), {"a": ["1", "2"], "b": ["3"]}),
    "QueryParams": (lambda: starlette.datastructures.QueryParams("a=1&a=2&b=3"), {"a": ["1", "2"], "b": "3"}),
    "Headers": (
        lambda: starlette.datastructures.Headers(raw=[(b"set-cookie", b"a"), (b"set-cookie", b"b"), (b"age", b"1")]),
        {"set-cookie": ["a", "b"], "age": "1"},
    ),
    "MultiDict": (lambda: werkzeug.datastructures.MultiDict([("a", "1"), ("a", "2")]), {"a": ["1", "2"]}),
    "CombinedMultiDict": (
        lambda: werkzeug.datastructures.CombinedMultiDict([werkzeug.datastructures.MultiDict({"a": "1"})]),
        {"a": "1"},
    ),
    "Headers of werkzeug": (lambda: werkzeug.datastructures.Headers([("a", "1")]), Text("a: 1\r\n\r\n")),
    "cookies": (lambda: http.cookies.SimpleCookie("a=1; b=2"), "Set-Cookie: a=1\r\nSet-Cookie: b=2"),
    "a cookie": (lambda: http.cookies.SimpleCookie("a=1")["a"], "Set-Cookie: a=1"),
    # Graphs
    "Graph": (
        graph,
        {"directed": False, "multigraph": False, "graph": {"name": "roads"}, "nodes": NODES, "edges": [ROAD]},
    ),
    "MultiDiGraph": (
        lambda: graph(networkx.MultiDiGraph),
        {
            "directed": True,
            "multigraph": True,
            "graph": {"name": "roads"},
            "nodes": NODES,
            "edges": [{"source": "Oslo", "target": "Bergen", "key": 0, "km": 463}],
        },
    ),
    "nodes": (lambda: graph().nodes, {"Oslo": {"people": 700}, "Bergen": {}}),
    "edges": (lambda: graph().edges, {'["Oslo","Bergen"]': {"km": 463}}),
    "neighbours": (lambda: graph().adj, {"Oslo": {"Bergen": {"km": 463}}, "Bergen": {"Oslo": {"km": 463}}}),
    "degrees": (lambda: graph().degree, {"Oslo": 1, "Bergen": 1}),
    # Markup
    "a page of HTML": (lambda: bs4.BeautifulSoup(TREE, "html.parser"), Text(TREE)),
    "a tag": (lambda: bs4.BeautifulSoup(TREE, "html.parser").b, Text("<b>two</b>")),
    "tags that were found": (lambda: bs4.BeautifulSoup(TREE, "html.parser").find_all("b"), [Text("<b>two</b>")]),
    "a text in HTML": (lambda: bs4.BeautifulSoup(TREE, "html.parser").b.string, "two"),
    "an element of lxml": (lambda: lxml.etree.fromstring(TREE), Refused(f"_Element has no JSON form; {PARTS}")),
    "attributes of lxml": (lambda: lxml.etree.fromstring(TREE).attrib, {"k": "1"}),
    # Charts
    "a line of plotly": (lambda: plotly.graph_objects.Scatter(x=[1, 2], y=[3, 4]), CHART),
    "a layout of plotly": (lambda: plotly.graph_objects.Layout(title="Roads"), {"title": {"text": "Roads"}}),
}


@pytest.mark.parametrize(("make", "form"), SENT.values(), ids=SENT)
def test_nothing_is_lost_without_a_word(make: Callable[[], Any], form: Any) -> None:
    """V32"""
    check_sent(make, form)


def test_a_graph_says_which_attribute_has_the_name_of_its_own_member() -> None:
    """V32"""
    server = Server("roads")
    server.tool(name="roads")(lambda: networkx.Graph([("Oslo", "Bergen", {"source": "a map"})]))
    problem = "an attribute of a graph's edge is called 'source', as its own; rename it"
    text = f"The result of roads was not valid and is withheld: $: {problem}"
    assert Client(server, "2025-11-25").call("roads") == {
        "content": [{"type": "text", "text": text}],
        "isError": True,
    }


def test_a_text_that_is_made_later_is_in_the_language_of_the_call() -> None:
    """V32"""
    languages = iter(["God morgen", "Buongiorno"])
    said = lazy(lambda: next(languages), str)()
    server = Server("morning")
    server.tool(name="morning")(lambda: said)
    texts = [Client(server).call("morning")["content"][0]["text"] for _ in range(2)]
    assert texts == ["God morgen", "Buongiorno"]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("hint", "make", "form"),
    [
        (str, lambda: gettext_lazy("Good morning"), "Good morning"),
        (list[str], lambda: [gettext_lazy("one")], ["one"]),
        (list[dict[str, str]], lambda: query([{"name": "Oslo"}]), [{"name": "Oslo"}]),
        (list[int], lambda: Paginator([1, 2], 2).page(1), [1, 2]),
        (dict[str, str | list[str]], lambda: starlette.datastructures.QueryParams("a=1&a=2"), {"a": ["1", "2"]}),
        (
            networkx.Graph,
            networkx.Graph,
            {"directed": False, "multigraph": False, "graph": {}, "nodes": [], "edges": []},
        ),
    ],
)
def test_a_declared_return_takes_these_values(hint: Any, make: Callable[[], Any], form: Any, revision: str) -> None:
    """V32"""
    server = Server("declared")

    def give() -> Any:
        return make()

    give.__annotations__ = {"return": hint}
    server.tool(give)
    result = Client(server, revision).call("give")
    assert not result.get("isError"), result
    if Client(server, revision).revision.structured != "none":
        assert result["structuredContent"] == (form if isinstance(form, dict) else {"result": form})
