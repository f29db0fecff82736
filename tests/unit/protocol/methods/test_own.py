"""Methods that an author adds, at the wire: on every revision, with middleware, headers and extensions."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from mounted import META, speak
from plainmcp import Context, Depends, Server
from plainmcp.errors import AuthorError, InvalidParams, OptionError
from plainmcp.middleware import MiddlewareRequest
from plainmcp.revisions import MODERN, REVISIONS
from plainmcp.testing import Client, RpcError

BOOKS = "com.example/books"
INFO = {"io.modelcontextprotocol/serverInfo": {"name": "library", "version": "0.0.0"}}


class Wanted(msgspec.Struct):
    id: str
    copies: int = 1


@dataclass
class Found:
    title: str
    copies: int


def make_server(**options: Any) -> Server:
    server = Server("library")

    @server.method("books/find", **options)
    def find(wanted: Wanted, ctx: Context) -> Found:
        ctx.state["seen"] = True
        return Found(f"The {wanted.id}", wanted.copies)

    return server


def declaring() -> dict[str, Any]:
    return {"extensions": {BOOKS: {}}}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_method_answers_with_the_json_of_its_value_on_every_revision(revision: str) -> None:
    result = Client(make_server(), revision).request("books/find", {"id": "Castle", "copies": 2})
    more = {"resultType": "complete", "_meta": INFO} if revision in MODERN else {}
    assert result == {"title": "The Castle", "copies": 2, **more}


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({}, "Object missing required field `id` - at `$.params`"),
        ({"id": 7}, "Expected `str`, got `int` - at `$.params.id`"),
        ({"id": "a", "copies": "b"}, "Expected `int`, got `str` - at `$.params.copies`"),
    ],
)
@pytest.mark.parametrize("revision", REVISIONS)
def test_parameters_that_do_not_fit_are_refused(params: dict[str, Any], problem: str, revision: str) -> None:
    with pytest.raises(RpcError) as caught:
        Client(make_server(), revision).request("books/find", params)
    assert (caught.value.code, caught.value.message) == (-32602, problem)


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class StrictWithMeta(Strict, forbid_unknown_fields=True):
    meta: dict[str, Any] = msgspec.field(name="_meta", default_factory=dict)


@pytest.mark.parametrize("has_middleware", [False, True])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_type_without_unknown_fields_does_not_refuse_the_meta_of_the_protocol(
    revision: str, has_middleware: bool
) -> None:
    server = Server("library")
    server.method("books/find", params=Strict)(lambda strict: {"id": strict.id})
    server.method("books/meta", params=StrictWithMeta)(lambda strict: {"token": strict.meta["progressToken"]})
    if has_middleware:
        server.middleware(lambda request, call_next: request.params and call_next(request))
    client, meta = Client(server, revision), {"progressToken": 7}
    assert client.request("books/find", {"id": "Castle", "_meta": meta})["id"] == "Castle"
    assert client.request("books/meta", {"id": "Castle", "_meta": meta})["token"] == 7
    for params in ({"id": "Castle", "more": 1}, {"id": 1}):
        with pytest.raises(RpcError, match=r"at `\$\.params"):
            client.request("books/find", params)


def test_a_request_without_parameters_reaches_the_function() -> None:
    server = Server("library")

    @server.method("books/count")
    async def count(params: dict[str, Any]) -> dict[str, int]:
        return {"count": len(params)}

    @server.method("books/ready")
    def is_ready(ctx: Context) -> dict[str, bool]:
        return {"ready": True}

    for name, result in (("books/count", b'{"count":0}'), ("books/ready", b'{"ready":true}')):
        response = server.handle({"jsonrpc": "2.0", "id": 1, "method": name})
        assert response == b'{"jsonrpc":"2.0","id":1,"result":%b}' % result


def test_a_method_exists_on_its_revisions_only() -> None:
    server = make_server(revisions=["2025-11-25"])
    for revision in REVISIONS:
        if revision == "2025-11-25":
            assert Client(server, revision).request("books/find", {"id": "a"})["title"] == "The a"
            continue
        with pytest.raises(RpcError, match=r"^-32601: Method not found$"):
            Client(server, revision).request("books/find", {"id": "a"})


def test_an_extension_is_announced_and_must_be_declared() -> None:
    server = make_server(extension=BOOKS)
    client = Client(server, capabilities=declaring())
    assert client.request("server/discover")["capabilities"]["extensions"] == {BOOKS: {}}
    assert client.request("books/find", {"id": "a"})["title"] == "The a"
    with pytest.raises(RpcError) as caught:
        Client(server).request("books/find", {"id": 7})  # before its parameters are looked at
    assert (caught.value.code, caught.value.data) == (-32021, {"requiredCapabilities": declaring()})
    for revision in REVISIONS.keys() - set(MODERN):
        with pytest.raises(RpcError, match=r"^-32601: Method not found$"):
            Client(server, revision, capabilities=declaring()).request("books/find", {"id": "a"})


def test_what_the_author_announces_of_an_extension_stays() -> None:
    server = Server("library", extensions={BOOKS: {"search": True}})
    server.method("books/find", extension=BOOKS)(lambda: {})
    assert Client(server).request("server/discover")["capabilities"]["extensions"] == {BOOKS: {"search": True}}


@pytest.mark.parametrize(
    ("name", "status"),
    [("Castle", 200), ("=?base64?Q2FzdGxl?=", 200), ("Trial", 400), (None, 400)],
)
def test_a_header_repeats_the_parameter_that_names_its_object(name: str | None, status: int) -> None:
    app = make_server(mcp_name="id").asgi(stateless=True)
    body = {"jsonrpc": "2.0", "id": 1, "method": "books/find", "params": {"id": "Castle", "_meta": META}}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "books/find"}
    live = asyncio.run(speak(app, body, headers if name is None else {**headers, "Mcp-Name": name}))
    assert live.status == status
    answer = json.loads(live.body)
    if status == 200:
        assert answer["result"]["title"] == "The Castle"
    else:
        assert answer["error"] == {"code": -32020, "message": "the header Mcp-Name and params.id differ"}


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        (b'"x":1e999', "Number out of range - at `$.params[...]`"),
        (b'"x":"\xff"', "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
@pytest.mark.parametrize("method", ["books/find", "tools/list"])
def test_parameters_that_cannot_be_read_are_refused_for_middleware_and_headers_too(
    member: bytes, problem: str, method: str
) -> None:
    server = make_server(mcp_name="id")
    server.tool(lambda: "", name="t")
    server.middleware(lambda request, call_next: request.params and call_next(request))
    body = b'{"jsonrpc":"2.0","id":1,"method":"%b","params":{%b,"_meta":%b}}'
    message = body % (method.encode(), member, json.dumps(META).encode())
    expected = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": problem}}
    assert json.loads(server.handle(message) or b"") == expected
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    live = asyncio.run(speak(server.asgi(stateless=True), message, headers))
    assert (live.status, json.loads(live.body)) == (400, expected)


def test_middleware_does_not_add_meta_to_a_request_without_it() -> None:
    server = Server("library")

    @server.method("books/count")
    def count(params: dict[str, Any]) -> dict[str, Any]:
        return {"params": params}

    server.middleware(lambda request, call_next: request.params.update(more=1) or call_next(request))
    response = server.handle({"jsonrpc": "2.0", "id": 1, "method": "books/count"})
    assert response == b'{"jsonrpc":"2.0","id":1,"result":{"params":{"more":1}}}'


def test_middleware_sees_and_changes_a_request_and_its_value() -> None:
    server, seen = make_server(), []

    @server.middleware(methods=["books/find"])
    async def watch(request: MiddlewareRequest, call_next: Any) -> Any:
        seen.append((request.method, {**request.params}))
        request.params["copies"] += 1
        found = await call_next(request)
        return {"title": found.title, "copies": found.copies, "seen": request.state["seen"]}

    client = Client(server, "2025-11-25")
    assert client.request("books/find", {"id": "a", "copies": 2, "more": [1]}) == {
        "title": "The a",
        "copies": 3,
        "seen": True,
    }
    assert seen == [("books/find", {"id": "a", "copies": 2, "more": [1]})]


def test_errors_of_the_function_are_errors_of_the_protocol() -> None:
    server = Server("library")

    @server.method("books/find")
    def find(params: dict[str, Any]) -> Any:
        if params.get("crash"):
            raise RuntimeError("a secret")
        if params.get("list"):
            return [1]
        raise InvalidParams("no such book", {"id": 1})

    client = Client(server)
    with pytest.raises(RpcError) as caught:
        client.request("books/find")
    assert (caught.value.code, caught.value.message, caught.value.data) == (-32602, "no such book", {"id": 1})
    for params in ({"crash": True}, {"list": True}):
        with pytest.raises(
            RpcError, match=r"^-32603: Method books/find failed unexpectedly \(incident [0-9a-f]{8}\)\.$"
        ):
            client.request("books/find", params)


def test_scopes_and_dependencies_hold() -> None:
    server = Server("library")

    @server.method("books/lend", requires="lend")
    def lend(by: str = Depends(lambda: "ada")) -> dict[str, str]:
        return {"by": by}

    @dataclass(frozen=True)
    class Reader:
        scopes: tuple[str, ...]

    seen: list[str] = []
    for has_middleware in (False, True):
        if has_middleware:
            server.middleware(lambda request, call_next: seen.append(request.method) or call_next(request))
        with pytest.raises(RpcError) as caught:
            Client(server, principal=Reader(())).request("books/lend")
        assert caught.value.data == {"requiredScopes": ["lend"]} and seen == []
    assert Client(server, "2024-11-05", principal=Reader(("lend",))).request("books/lend") == {"by": "ada"}


@pytest.mark.parametrize(
    ("name", "function", "problem"),
    [
        ("tools/list", lambda: {}, "'tools/list' is a method of the protocol, which the server answers itself"),
        (
            "notifications/x",
            lambda: {},
            "'notifications/x' is not the name of a request; write one such as 'books/list'",
        ),
        ("", lambda: {}, "'' is not the name of a request; write one such as 'books/list'"),
        ("x\n", lambda: {}, "'x\\n' is not the name of a request; write one such as 'books/list'"),
        (
            "x",
            lambda a, b: {},
            "x: the function gets the parameters of a request as one object: give it one parameter",
        ),
        (
            "x",
            lambda **a: {},
            "x: the function gets the parameters of a request as one object: give it one parameter",
        ),
    ],
)
def test_what_cannot_be_a_method_is_refused(name: str, function: Any, problem: str) -> None:
    with pytest.raises(AuthorError) as caught:
        Server("library").method(name)(function)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"extension": ""}, "x: extension= is empty; leave it out"),
        ({"mcp_name": ""}, "x: mcp_name= is empty; leave it out"),
        ({"revisions": []}, "x: revisions= is empty; leave it out"),
        ({"timeout": -1}, "timeout is a number of seconds, more than 0; not -1"),
    ],
)
def test_options_that_say_nothing_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(AuthorError) as caught:
        Server("library").method("x", **options)(lambda: {})
    assert str(caught.value) == problem


def test_two_methods_do_not_have_one_name() -> None:
    server = make_server()
    with pytest.raises(AuthorError, match=r"^there is a method 'books/find' already$"):
        server.method("books/find")(lambda: {})


def test_a_type_that_cannot_be_decoded_is_refused() -> None:
    server = Server("library")
    with pytest.raises(AuthorError, match="the type of its parameters must be one that msgspec decodes"):
        server.method("x", params=int | list[int] | set[int])(lambda params: {})
    with pytest.raises(OptionError, match="has no option header="):
        server.method("x", header="id")  # type: ignore[call-arg]
