"""Errors for options that do not exist, values of a wrong type, and decorators without arguments."""

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, get_type_hints

import pytest

from plainmcp import Server
from plainmcp.compat import openmcp
from plainmcp.compat.mcp_serializer import MCPRegistry
from plainmcp.errors import AuthorError, OptionError
from plainmcp.protocol.habits import OPTIONS
from plainmcp.protocol.option_check import has_type
from plainmcp.protocol.options import HttpOptions, RunOptions
from plainmcp.transports.http.settings import Settings
from speaking import answer

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


class Station:
    """Something that measures."""

    def measure(self, days: int) -> int:
        return days

    @classmethod
    def nearest(cls, days: int) -> int:
        return days

    @staticmethod
    def average(days: int) -> int:
        return days

    def __call__(self, days: int) -> int:
        return days

    @property
    def height(self) -> int:
        return 1


def forecast(days: int) -> int:
    return days


# Decorators ---------------------------------------------------------------------------------------

IN_VAIN: dict[str, tuple[Callable[[Server], Any], str]] = {
    "a bare resource": (
        lambda s: s.resource(forecast),
        r'uri takes a text, .*; write @server.resource\("memo://notes"\)',
    ),
    "a resource of nothing": (lambda s: s.resource(), r'lacks uri; write @server.resource\("memo://notes"\)'),
    "a resource of None": (lambda s: s.resource(None), "uri takes a text, not NoneType"),
    "a resource of bytes": (lambda s: s.resource(b"memo://1"), "uri takes a text, not bytes"),
    "a resource and its function": (
        lambda s: s.resource("memo://1", forecast),
        "takes uri by position, and its options by name",
    ),
    "a resource that is text": (lambda s: s.resource("memo://1")("text"), "str cannot be called"),
    "a tool by its name": (lambda s: s.tool("forecast"), r"write @server.tool\(name='forecast'\)"),
    "a prompt by its name": (lambda s: s.prompt("forecast"), r"write @server.prompt\(name='forecast'\)"),
    "a tool of None": (lambda s: s.tool(None), "NoneType cannot be called"),
    "a prompt of None": (lambda s: s.prompt(None), "NoneType cannot be called"),
    "a tool of a number": (lambda s: s.tool(3), "int cannot be called; decorate a function"),
    "a prompt of a number": (lambda s: s.prompt(3), "int cannot be called; decorate a function"),
    "a decorated number": (lambda s: s.tool(name="x")(3), "int cannot be called"),
    "a tool and its name": (lambda s: s.tool(forecast, "x"), "takes function by position, and its options by name"),
    "a class": (lambda s: s.tool(Station), "Station is a class"),
    "a method in its class": (lambda s: s.tool(Station.measure), "a method without its object"),
    "a classmethod in its class": (lambda s: s.tool(vars(Station)["nearest"]), "cannot be called as it is"),
    "a property": (lambda s: s.tool(vars(Station)["height"]), "cannot be called as it is"),
    "a lambda": (lambda s: s.tool(lambda: 1), "a lambda has no name; pass name="),
    "annotations": (
        lambda s: s.tool(annotations={"readonly": True})(forecast),
        "unknown field `readonly`; the fields are title, readOnlyHint, destructiveHint",
    ),
    "a bare completion": (
        lambda s: s.completion(forecast),
        r'ref takes a text, .*; write @server.completion\("prompt", "argument"\)',
    ),
    "a completion of nothing": (lambda s: s.completion(), "lacks ref and argument"),
    "a completion of half": (lambda s: s.completion("brief"), "lacks argument"),
    "a completion of a function": (lambda s: s.completion(forecast, "city"), "ref takes a text"),
    "a completion that is none": (lambda s: s.completion("brief", "city")(3), "int cannot be called"),
    "a serializer of a name": (lambda s: s.serializer("Station", str), "kind takes a class, not str"),
    "a serializer that is none": (lambda s: s.serializer(Station, "str"), "to_jsonable takes a function, not str"),
    "half a serializer": (lambda s: s.serializer(Station), "lacks to_jsonable"),
    "a link that is no text": (lambda s: s.add_link(3), "uri takes a text, not int"),
    "a prompt that is no text": (lambda s: s.add_text_prompt("p", 3), "text takes a text, not int"),
    "a file prompt of nobody": (lambda s: s.add_file_prompt("p", __file__, role="me"), "a role is user or assistant"),
}


@pytest.mark.parametrize("what", IN_VAIN)
def test_a_decorator_that_would_register_nothing_says_what_to_write(what: str) -> None:
    """R*-TOOL-01: nothing is offered, and no function is replaced without a word"""
    register, said = IN_VAIN[what]
    server = Server("s")
    with pytest.raises(AuthorError, match=said):
        register(server)
    server.tool(forecast)
    for method, kind in LISTS.items():
        found = answer(server, "2025-11-25", method)
        assert len(found["result"][kind]) == (kind == "tools")


REGISTERED: dict[str, Callable[[Server], Any]] = {
    "bare": lambda s: s.tool(forecast),
    "called": lambda s: s.tool()(forecast),
    "with options": lambda s: s.tool(title="Forecast")(forecast),
    "function and options": lambda s: s.tool(forecast, title="Forecast"),
    "bound": lambda s: s.tool(Station().measure, name="forecast"),
    "bound to its class": lambda s: s.tool(Station.nearest, name="forecast"),
    "static": lambda s: s.tool(Station.average, name="forecast"),
    "static in its class": lambda s: s.tool(vars(Station)["average"], name="forecast"),
    "object": lambda s: s.tool(Station(), name="forecast"),
    "partial": lambda s: s.tool(functools.partial(forecast), name="forecast"),
    "lambda": lambda s: s.tool(lambda days: days, name="forecast"),
}


@pytest.mark.parametrize("what", REGISTERED)
def test_whatever_can_be_called_is_registered_and_given_back(what: str) -> None:
    server = Server("s")
    back = REGISTERED[what](server)
    assert callable(back) and back(days=3) == 3
    found = answer(server, "2025-11-25", "tools/call", {"name": "forecast", "arguments": {"days": 3}})
    assert found["result"]["content"][0]["text"] == "3"


def test_the_uri_of_a_resource_may_be_named() -> None:
    server = Server("s")

    @server.resource(uri="memo://1")
    def memo() -> str:
        return "kept"

    found = answer(server, "2025-11-25", "resources/read", {"uri": "memo://1"})
    assert found["result"]["contents"][0]["text"] == memo() == "kept"


@pytest.mark.parametrize("resource", [openmcp.MCPServer("s").resource, openmcp.resource, MCPRegistry().resource])
def test_a_bare_resource_is_refused_under_other_names_too(resource: Any) -> None:
    with pytest.raises(AuthorError, match="uri takes a text, not function; write @"):
        resource(forecast)
    with pytest.raises(AuthorError, match="lacks uri; write @"):
        resource()


# Options ------------------------------------------------------------------------------------------

UNKNOWN: dict[str, tuple[Callable[[Server], Any], str]] = {
    "Server": (
        lambda s: Server("s", verison="1"),
        r"^Server has no option verison=; did you mean version=\? The options are name, version, .*store\.$",
    ),
    "Server, of others": (
        lambda s: Server("s", debug=True),
        "Server has no option debug=: leave it out: the log has every exception",
    ),
    "Server, a port": (
        lambda s: Server("s", port=8000),
        r'Server has no option port=: server.run\(http="127.0.0.1:8000"\)',
    ),
    "Server, by position": (
        lambda s: Server("s", "1", "Title"),
        "Server takes name and version by position, and its options by name",
    ),
    "Server, nothing": (lambda s: Server(), r'Server lacks name; write Server\("weather", version="1.0.0"\)'),
    "run": (
        lambda s: s.run(htpp="127.0.0.1:0"),
        r"server.run has no option htpp=; did you mean http=\? The options are http, path, health, workers, grace, ",
    ),
    "run, a transport": (
        lambda s: s.run(transport="stdio"),
        r'server.run has no option transport=: server.run\(http="127.0.0.1:8000"\) serves over HTTP, server.run\(\) ',
    ),
    "run, a transport first": (
        lambda s: s.run("streamable-http"),
        r"'streamable-http' is not an address: server.run\(\) serves on standard",
    ),
    "run, a host": (
        lambda s: s.run(host="127.0.0.1", port=8000),
        r'no option host=: server.run\(http="127.0.0.1:8000"\)',
    ),
    "run, a path": (
        lambda s: s.run(http="127.0.0.1:0", mount_path="/"),
        r"no option mount_path=: ",
    ),
    "run, of HTTP": (lambda s: s.run(hosts=["a.example"]), r'hosts= goes with http=, such as http="127.0.0.1:8000"'),
    "run, workers": (lambda s: s.run(workers=2), "workers= goes with http="),
    "run, uvicorn": (lambda s: s.run(uvicorn={}), "uvicorn= goes with http="),
    "run, of pipes": (
        lambda s: s.run(http="127.0.0.1:0", max_line=100),
        "max_line= is for standard input and output",
    ),
    "uvicorn": (
        lambda s: s.run(http="127.0.0.1:0", uvicorn={"log_levl": "info"}),
        r"uvicorn= has no option log_levl=; did you mean log_level=\?",
    ),
    "uvicorn, a port": (
        lambda s: s.run(http="127.0.0.1:0", uvicorn={"port": 1}),
        r'uvicorn= has no option port=: server.run\(http="127.0.0.1:8000"\)',
    ),
    "asgi": (
        lambda s: s.asgi(max_boddy=1),
        r"server.asgi has no option max_boddy=; did you mean max_body=\? The options are path, health, principal, ",
    ),
    "asgi, a path": (lambda s: s.asgi(mount_path="/mcp"), "server.asgi has no option mount_path=: "),
    "asgi, by position": (lambda s: s.asgi("/mcp"), "server.asgi takes its options by name"),
    "wsgi": (lambda s: s.wsgi(orgins=[]), r"server.wsgi has no option orgins=; did you mean origins=\?"),
    "connect": (
        lambda s: s.connect(sned=print),
        r"server.connect has no option sned=; did you mean send=\? The options are send, principal\.",
    ),
    "tool": (
        lambda s: s.tool(inputSchema={}),
        r"@server.tool has no option inputSchema=; did you mean input_schema=\?",
    ),
    "tool, of others": (
        lambda s: s.tool(structured_output=True),
        "has no option structured_output=: write output_schema=True",
    ),
    "tool, a hint": (
        lambda s: s.tool(readOnlyHint=True),
        'no option readOnlyHint=: write it in annotations=, such as annotations={"readOnlyHint": True}',
    ),
    "resource": (
        lambda s: s.resource("memo://1", mimetype="text/plain"),
        r"@server.resource has no option mimetype=; did you mean mime_type=\?",
    ),
    "prompt": (lambda s: s.prompt(titel="T"), r"@server.prompt has no option titel=; did you mean title=\?"),
    "completion": (
        lambda s: s.completion("brief", "city", tiemout=1),
        r"@server.completion has no option tiemout=; did you mean timeout=\?",
    ),
    "add_file": (
        lambda s: s.add_file(__file__, maxsize=1),
        r"server.add_file has no option maxsize=; did you mean max_size=\?",
    ),
    "add_directory": (
        lambda s: s.add_directory("a://", ".", hiden=True),
        r"server.add_directory has no option hiden=; did you mean hidden=\?",
    ),
    "add_link": (
        lambda s: s.add_link("https://a.example", nmae="a"),
        r"server.add_link has no option nmae=; did you mean name=\?",
    ),
    "add_text_prompt": (
        lambda s: s.add_text_prompt("p", "t", rol="user"),
        r"server.add_text_prompt has no option rol=; did you mean role=\?",
    ),
    "add_file_prompt": (
        lambda s: s.add_file_prompt("p", __file__, rol="user"),
        r"server.add_file_prompt has no option rol=; did you mean role=\?",
    ),
}


@pytest.mark.parametrize("where", UNKNOWN)
def test_an_unknown_option_is_told_what_there_is_and_what_was_meant(where: str) -> None:
    use, said = UNKNOWN[where]
    with pytest.raises(AuthorError, match=said) as caught:
        use(Server("s"))
    assert isinstance(caught.value, TypeError) or "transport first" in where  # as Python itself would raise
    assert "__init__" not in str(caught.value)


WRONG: dict[str, tuple[Callable[[Server], Any], str]] = {
    "name": (lambda s: Server(3), "Server: name takes a text, not int"),
    "version": (lambda s: Server("s", version=1), "Server: version= takes a text, not int"),
    "page_size": (lambda s: Server("s", page_size="9"), "page_size= takes a whole number or None, not str"),
    "threads": (lambda s: Server("s", threads=True), "threads= takes a whole number, not bool"),
    "cache": (lambda s: Server("s", cache=9), r"cache= takes \(a whole number, a text\), not int"),
    "cache of one": (lambda s: Server("s", cache=(9,)), r"cache= takes \(a whole number, a text\)"),
    "key": (lambda s: Server("s", key="k" * 32), "key= takes bytes or None, not str"),
    "now": (lambda s: Server("s", now=3), "now= takes a function, not int"),
    "icons": (lambda s: Server("s", icons="a.png"), "icons= takes a list or None, not str"),
    "policy": (lambda s: Server("s", policy=3), "policy= takes a Policy or a text, not int"),
    "timeout": (lambda s: Server("s", timeout="5"), "timeout= takes a number or None, not str"),
    "no timeout": (lambda s: Server("s", timeout=0), "timeout is a number of seconds, more than 0; not 0"),
    "timeout of a tool": (
        lambda s: s.tool(timeout=-1)(forecast),
        "timeout is a number of seconds, more than 0; not -1",
    ),
    "timeout of a completion": (lambda s: s.completion("a", "b", timeout=-1), "timeout is a number of seconds"),
    "tool name": (lambda s: s.tool(name=3), "@server.tool: name= takes a text or None, not int"),
    "visible": (lambda s: s.tool(visible=False), "visible= takes a function or None, not bool"),
    "needs": (lambda s: s.tool(needs="sampling"), "needs= takes a dict, not str"),
    "replace": (lambda s: s.tool(replace="yes"), "replace= takes True or False, not str"),
    "output_schema": (
        lambda s: s.tool(output_schema="x"),
        "output_schema= takes a dict or True or False or None, not str",
    ),
    "render": (lambda s: s.tool(render=3), "render= takes 'json' or .* or a function or None, not int"),
    "meta": (lambda s: s.prompt(meta=[]), "meta= takes a dict or None, not list"),
    "size": (lambda s: s.resource("memo://1", size="9"), "size= takes a whole number or None, not str"),
    "http": (lambda s: s.run(http=True), "http= takes a text or a whole number or None, not bool"),
    "http pair": (lambda s: s.run(http=("127.0.0.1", 1)), "http= takes a text or a whole number or None, not tuple"),
    "http port": (lambda s: s.run(http=70_000), "'127.0.0.1:70000' is not an address to serve at"),
    "workers": (lambda s: s.run(http=0, workers="2"), "workers= takes a whole number, not str"),
    "uvicorn": (lambda s: s.run(http=0, uvicorn="x"), "uvicorn= takes a dict or None, not str"),
    "max_line": (lambda s: s.run(max_line="9"), "max_line= takes a whole number, not str"),
    "hosts": (lambda s: s.asgi(hosts="a.example"), "hosts= takes a list, not str"),
    "max_body": (lambda s: s.asgi(max_body=1.5), "max_body= takes a whole number, not float"),
    "max_body 0": (lambda s: s.asgi(max_body=0), "max_body is a number, and at least 1"),
    "principal": (lambda s: s.asgi(principal="ann"), "principal= takes a function or None, not str"),
    "async principal": (lambda s: s.wsgi(principal=later), "WSGI has no event loop; give a plain one"),
    "send": (lambda s: s.connect(3), "send takes a function or None, not int"),
}


async def later(environ: Any) -> str:
    return "ann"


@pytest.mark.parametrize("option", WRONG)
def test_a_value_an_option_does_not_take_is_the_authors_mistake(option: str) -> None:
    use, said = WRONG[option]
    with pytest.raises(AuthorError, match=said):
        use(Server("s"))


@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_an_option_elsewhere_is_not_mistaken_for_one_of_ours(name: str) -> None:
    """Advice about an option that we have would never be given; log_level is an option of run only."""
    server = Server("s")
    others = {"auth": (server.run, server.asgi), "log_level": (server.run,)}  # it is an option of these
    uses = [functools.partial(Server, "s"), server.run, server.asgi, server.tool, server.prompt]
    for use in [use for use in uses if use not in others.get(name, ())]:
        with pytest.raises(OptionError) as caught:
            use(**{name: 1})
        assert OPTIONS[name] in str(caught.value)


def test_the_settings_of_http_are_the_options_type_checkers_know() -> None:
    hints = get_type_hints(Settings)
    assert {field.name: hints[field.name] for field in fields(Settings)} == get_type_hints(HttpOptions)
    assert set(get_type_hints(RunOptions)) - set(hints) == {"principal", "auth", "anonymous", "max_line", "streams"}


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (str, ["", "a"], [b"a", None, 1]),
        (int, [0, 10**30], [1.0, True, "1"]),
        (float | None, [1, 1.5, None], [True, "1.5"]),
        (bool, [True], [1, None]),
        (Literal["a", "b"], ["a", "c"], [1, None]),
        (Callable[[Any], bool] | None, [len, Station, Station(), None], [1, "len"]),
        (Sequence[int], [[1], (1,)], ["1", b"1", {1}]),
        (Collection[str], [["a"], {"a"}, ("a",)], ["a", 1]),
        (Mapping[str, Any], [{}], [[], None]),
        (dict[str, Any] | bool | None, [{}, False, None], ["", 1]),
        (tuple[int, str], [(1, "a"), [1, "a"]], [(1,), 1, "ab1"]),
        (type, [int, Station], ["int", Station()]),
        (Any, [1, None, "a"], []),
    ],
)
def test_a_value_fits_the_hint_type_checkers_read(hint: Any, good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if not has_type(value, hint)] == []
    assert [value for value in bad if has_type(value, hint)] == []
