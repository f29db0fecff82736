"""What is listed, in which order, and for whom; and who is notified of changes."""

from functools import partial
from typing import Any

import pytest

from plainmcp import Context, Server
from plainmcp.errors import AuthorError
from plainmcp.testing import Client
from speaking import ALL, HANDSHAKE, answer, client

every_revision = pytest.mark.parametrize("revision", ALL)
LISTS = {"tools/list": "tools", "resources/list": "resources", "prompts/list": "prompts"}


def offer(server: Server, name: str, **options: Any) -> None:
    server.tool(name=name, **options)(lambda: name)
    server.resource(f"memo://{name}", name=name, **options)(lambda: name)
    server.prompt(name=name, **options)(lambda: name)


def names(found: Any, kind: str) -> list[str]:
    return [one["name"] for one in found["result"][kind]]


@every_revision
@pytest.mark.parametrize("method", LISTS)
def test_a_list_depends_on_the_offer_and_the_caller_alone(revision: str, method: str) -> None:
    """R26-TOOL-03, R26-TOOL-04, R26-RES-03, R26-PROM-03: not on the connection, nor on what was called before."""
    server = Server("s")
    for name in ("b", "a", "c"):
        offer(server, name)
    offer(server, "root_only", visible=lambda principal: principal == "root")
    offer(server, "boom")
    kind = LISTS[method]
    first = answer(server, revision, method)
    assert names(first, kind) == ["a", "b", "boom", "c"]
    answer(server, revision, "tools/call", {"name": "a"})
    answer(server, revision, "tools/call", {"name": "nope"})
    line = client(server, revision)
    line.call("b")
    seen = {"tools": line.list_tools, "resources": line.list_resources, "prompts": line.list_prompts}[kind]()
    assert [one["name"] for one in seen] == names(answer(server, revision, method), kind) == names(first, kind)
    assert names(answer(server, revision, method, principal="root"), kind) == ["a", "b", "boom", "c", "root_only"]
    assert names(answer(server, revision, method, principal="guest"), kind) == names(first, kind)


@every_revision
def test_what_is_hidden_can_neither_be_called_nor_read_nor_got(revision: str) -> None:
    """R*-TOOL-10, R*-RES-08, R*-PROM-06."""
    server = Server("s")
    offer(server, "x", visible=lambda principal: principal == "root")
    asked = {"tools/call": {"name": "x"}, "resources/read": {"uri": "memo://x"}, "prompts/get": {"name": "x"}}
    for method, params in asked.items():
        assert "error" in answer(server, revision, method, params, principal="guest")
        assert "result" in answer(server, revision, method, params, principal="root")


def nest(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("meta", "problem"),
    [
        ({"a": object()}, "object is unsupported"),
        ({"a": "\ud800"}, "surrogates not allowed"),
        ({"a": nest(130)}, "nest more than 128 levels deep"),
        ({"a": nest(5_000)}, "nest more than 128 levels deep"),
    ],
)
def test_what_would_spoil_a_list_is_refused_when_it_is_registered(meta: Any, problem: str) -> None:
    """R*-TOOL-02: one feature must not keep all others from being listed"""
    server = Server("s")
    offer(server, "fine")
    for register in (
        server.tool(name="a", meta=meta),
        server.prompt(name="a", meta=meta),
        server.resource("memo://a", name="a", meta=meta),
        server.resource("memo://{a}", name="a", meta=meta),
    ):
        with pytest.raises(
            AuthorError, match=rf"the (tool|prompt|resource|resource template) '.*' cannot be listed .*{problem}"
        ):
            register(lambda a=None: "a")
    for method, kind in LISTS.items():
        assert names(answer(server, "2025-11-25", method), kind) == ["fine"]


@pytest.mark.parametrize("name", ["a", "A.b-c_9", "x" * 128])
def test_a_tool_may_be_called_this(name: str) -> None:
    """R2511-TOOL-09, R26-TOOL-09."""
    server = Server("s")
    server.tool(name=name)(lambda: name)
    assert client(server, "2026-07-28").list_tools()[0]["name"] == name


@pytest.mark.parametrize("name", ["", "a b", "a/b", "é", "x" * 129, "a\n", "a:b", "٣"])
def test_a_tool_may_not_be_called_that(name: str) -> None:
    """R2511-TOOL-09, R26-TOOL-09."""
    with pytest.raises(AuthorError):
        Server("s").tool(name=name)(lambda: None)


def test_names_are_used_once_and_case_counts() -> None:
    """R2511-TOOL-09, R26-TOOL-09."""
    server = Server("s")
    server.tool(name="a")(lambda: "small")
    server.tool(name="A")(lambda: "large")
    for add in (server.tool(name="a"), server.tool(name="A")):
        with pytest.raises(AuthorError, match="already"):
            add(lambda: None)
    assert client(server, "2025-11-25").call("A")["content"][0]["text"] == "large"
    server.tool(name="a", replace=True)(lambda: "new")
    assert client(server, "2025-11-25").call("a")["content"][0]["text"] == "new"


@pytest.mark.parametrize("uri", ["1a://x", "a b://x", "://x", "ä://x", "a_b:x", ""])
def test_a_scheme_is_one_of_rfc_3986(uri: str) -> None:
    """R2506-RES-11, R2511-RES-11, R26-RES-11."""
    with pytest.raises(AuthorError):
        Server("s").resource(uri)(lambda: "m")


@pytest.mark.parametrize("uri", ["memo://1", "a+b-c.9:x", "file:///a%20b", "urn:isbn:1", "https://example.com/"])
def test_a_uri_of_rfc_3986_is_taken(uri: str) -> None:
    """R2506-RES-11, R2511-RES-11, R26-RES-11."""
    server = Server("s")
    server.resource(uri)(lambda: "m")
    assert client(server, "2026-07-28").read(uri)["contents"][0]["uri"] == uri


@every_revision
def test_capabilities_say_what_there_is_when_they_are_asked_for(revision: str) -> None:
    """R*-TOOL-01, R*-RES-01, R*-PROM-01, R2503-COMP-01, R2506-COMP-01, R2511-COMP-01, R26-COMP-01, B-39."""
    server = Server("s")

    def declared() -> set[str]:
        if revision in HANDSHAKE:
            return set(client(server, revision).initialized["capabilities"])
        return set(answer(server, revision, "server/discover")["result"]["capabilities"])

    assert declared() == {"logging"}
    server.tool(name="t")(lambda: None)
    assert declared() == {"logging", "tools"}
    server.resource("memo://{x}")(lambda x: x)
    server.add_text_prompt("p", "text")
    assert declared() == {"logging", "tools", "resources", "prompts"}
    server.completion("memo://{x}", "x")(lambda typed: [])
    completes = set() if revision == "2024-11-05" else {"completions"}
    assert declared() == {"logging", "tools", "resources", "prompts"} | completes
    server.remove_tool("t")
    assert "tools" not in declared()


def numbers(count: int, typed: str) -> list[str]:
    return [str(n) for n in range(count)]


@every_revision
def test_at_most_a_hundred_suggestions_are_sent(revision: str) -> None:
    """R*-COMP-02."""
    for count in (0, 100, 101, 1000):
        server = Server("s")
        server.prompt(name="p")(lambda a: a)
        server.completion("p", "a")(partial(numbers, count))
        params = {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}
        found = answer(server, revision, "completion/complete", params)["result"]["completion"]
        assert (len(found["values"]), found["total"], found["hasMore"]) == (min(count, 100), count, count > 100)


@every_revision
def test_suggestions_can_be_made_with_a_context(revision: str) -> None:
    """R*-COMP-05: who asks may matter for what is suggested."""
    server = Server("s")
    server.prompt(name="p")(lambda a: a)

    @server.completion("p", "a")
    def suggest(typed: str, context: Context) -> list[str]:
        return [str(context.principal)]

    params = {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}
    found = answer(server, revision, "completion/complete", params, principal="ada")
    assert found["result"]["completion"]["values"] == ["ada"]


@every_revision
def test_a_cursor_survives_a_restart_and_what_happened_since(revision: str) -> None:
    """R*-PAGE-01."""

    def made(*given: str) -> Server:
        server = Server("s", page_size=2)
        for name in given:
            server.tool(name=name)(lambda: None)
        return server

    cursor = answer(made("a", "b", "c"), revision, "tools/list")["result"]["nextCursor"]
    later = made("c", "a", "bb", "b", "d")
    assert names(answer(later, revision, "tools/list", {"cursor": cursor}), "tools") == ["bb", "c"]
    assert names(answer(made("a"), revision, "tools/list", {"cursor": cursor}), "tools") == []


@every_revision
@pytest.mark.parametrize("cursor", ["", "x", "=", "AAAA", "\x00", "é" * 50, "A" * 10_000, 5, [], {}])
def test_a_made_up_cursor_is_refused(revision: str, cursor: object) -> None:
    """R*-PAGE-02."""
    server = Server("s", page_size=1)
    offer(server, "a")
    server.resource("t://{x}")(lambda x: x)
    for method in (*LISTS, "resources/templates/list"):
        assert answer(server, revision, method, {"cursor": cursor})["error"]["code"] == -32602


@every_revision
def test_a_cursor_of_null_is_none(revision: str) -> None:
    """B-37: many clients write null for what they leave out."""
    server = Server("s", page_size=1)
    offer(server, "a")
    for method in LISTS:
        assert answer(server, revision, method, {"cursor": None}) == answer(server, revision, method, {})


def test_pages_of_one_list_agree_on_who_may_keep_them() -> None:
    """R26-CACHE-04, R26-CACHE-05, R26-CACHE-03."""
    server = Server("s", page_size=1, cache=(1000, "public"))
    offer(server, "a")
    offer(server, "b", visible=lambda principal: principal == "root")
    for principal, pages in (("guest", 1), ("root", 2)):
        params: dict[str, Any] = {}
        for _ in range(pages):
            result = answer(server, "2026-07-28", "tools/list", params, principal=principal)["result"]
            assert (result["ttlMs"], result["cacheScope"]) == (1000, "private")
            params = {"cursor": result.get("nextCursor")}


@pytest.mark.parametrize("cache", [(-1, "public"), (1, "shared"), (0, ""), (0.5, "public"), ("1", "public")])
def test_cache_hints_that_make_no_sense_are_refused(cache: Any) -> None:
    """R26-CACHE-03."""
    with pytest.raises(AuthorError):
        Server("s", cache=cache)
    with pytest.raises(AuthorError):
        Server("s").resource("memo://1", cache=cache)(lambda: "m")


def test_a_word_nobody_knows_is_the_authors_error() -> None:
    server = Server("s")
    for add in (server.tool, server.prompt, lambda **said: server.resource("memo://1", **said)):
        with pytest.raises(
            AuthorError, match=r"has no option tilte=; did you mean title=\? The options are .*title, "
        ):
            add(tilte="T")(lambda: None)


def test_a_disabled_resource_is_not_read_by_a_template() -> None:
    server = Server("s")
    server.resource("memo://a")(lambda: "one")
    server.resource("memo://{name}")(lambda name: name)
    reader = Client(server)
    assert reader.read("memo://a")["contents"][0]["text"] == "one"
    server.disable(names={"memo://a"})
    with pytest.raises(Exception, match="Resource not found"):
        reader.read("memo://a")
    assert reader.read("memo://b")["contents"][0]["text"] == "b"
    server.enable(names={"memo://a"})
    assert reader.read("memo://a")["contents"][0]["text"] == "one"
