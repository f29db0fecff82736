"""`requires=` and `implies=`: what is refused before the handler runs, on every transport and by HTTP statuses."""

import asyncio
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

import protected
from plainmcp import Context, Depends, Server
from plainmcp.auth import Principal
from plainmcp.errors import AuthorError, OptionError
from plainmcp.protocol.scopes import check_scopes, compile_missing, scopes_of
from plainmcp.testing import Client
from plainmcp.transports.stdio import StdioPipes
from protected import APPS, Answer, ask, mount
from speaking import initialize as initialize_message
from speaking import message
from ways import REVISIONS, WAYS, send


def verify(token: str) -> Principal | None:
    """A token is its subject and its scopes, in base64."""
    subject, *scopes = urlsafe_b64decode(token).decode().split("~")
    return Principal("https://a", subject, None, frozenset(scopes))


def token_of(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode()


def call(app: Any, token: str | None = None, *args: Any, **params: Any) -> Answer:
    """Call a tool, or another method, with a token such as ada~notes:read."""
    return protected.call(app, None if token is None else token_of(token), *args, **params)


def initialize(app: Any, token: str, revision: str = "2025-11-25") -> dict[str, str]:
    """Open a session with a token such as ada~notes:read."""
    return protected.initialize(app, token_of(token), revision)


def refusing(**options: Any) -> Server:
    """A server with one of everything that requires a scope; none of it may run."""
    server = Server("notes", "1.0", **options)

    def never() -> Any:
        raise AssertionError("it must not run")

    @server.tool(requires="notes:write")
    def write(text: str) -> str:
        return never()  # type: ignore[no-any-return]

    @server.tool(requires="notes:write")
    async def write_with_context(text: str, ctx: Context) -> str:
        await ctx.info("it must not be sent")
        return never()  # type: ignore[no-any-return]

    @server.tool(requires="notes:write")
    def write_with_dependency(text: str, other: Any = Depends(never)) -> str:
        return never()  # type: ignore[no-any-return]

    @server.resource("memo://notes", requires=["notes:read", "notes:write"])
    def notes() -> str:
        return never()  # type: ignore[no-any-return]

    @server.resource("memo://notes/{id}", requires=lambda request: ["notes:read", f"note:{request.arguments['id']}"])
    def note(id: str) -> str:
        return never()  # type: ignore[no-any-return]

    @server.prompt(requires="notes:write")
    def review(text: str) -> str:
        return never()  # type: ignore[no-any-return]

    @server.completion("review", "text")
    def complete(typed: str) -> list[str]:
        return never()  # type: ignore[no-any-return]

    return server


def pass_on(request: Any, call_next: Any) -> Any:
    raise AssertionError("middleware runs only for those who may call")


CASES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "tool": ("tools/call", {"name": "write", "arguments": {"text": "x"}}, ["notes:write"]),
    "wrong arguments": ("tools/call", {"name": "write", "arguments": {"txt": "x"}}, ["notes:write"]),
    "context": ("tools/call", {"name": "write_with_context", "arguments": {"text": "x"}}, ["notes:write"]),
    "dependency": ("tools/call", {"name": "write_with_dependency", "arguments": {"text": "x"}}, ["notes:write"]),
    "resource": ("resources/read", {"uri": "memo://notes"}, ["notes:read", "notes:write"]),
    "template": ("resources/read", {"uri": "memo://notes/7"}, ["notes:read", "note:7"]),
    "prompt": ("prompts/get", {"name": "review", "arguments": {"text": "x"}}, ["notes:write"]),
    "completion": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "text", "value": "a"}},
        ["notes:write"],
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", [way for way in WAYS if way not in (*APPS, "stdio")])
def test_without_http_it_is_a_json_rpc_error(way: str, revision: str, case: str) -> None:
    method, params, scopes = CASES[case]
    assert send(way, refusing(), method, revision, **params)["error"] == {
        "code": -32600,
        "message": f"this requires the scopes {' '.join(scopes)}",
        "data": {"requiredScopes": scopes},
    }


def on_stdio(server: Server, messages: list[Any], **options: Any) -> list[Any]:
    """The responses to messages on standard input and output, in the order of their ids."""
    lines, written = [json.dumps(message).encode() + b"\n" for message in messages], []
    pieces = [b"".join(lines), b""]
    server.run(streams=StdioPipes(lambda size: pieces.pop(0), written.append), **options)
    responses = [json.loads(line) for line in written]
    return sorted((one for one in responses if isinstance(one, list) or "id" in one), key=str)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("principal", [Principal(subject="ada"), {"scopes": "notes:list"}, "ada"])
def test_on_standard_input_the_scopes_of_a_principal_hold_too(principal: Any, case: str) -> None:
    """P35"""
    method, params, scopes = CASES[case]
    [response] = on_stdio(refusing(), [message("2026-07-28", method, params)], principal=principal)
    assert response["error"] == {
        "code": -32600,
        "message": f"this requires the scopes {' '.join(scopes)}",
        "data": {"requiredScopes": scopes},
    }


def test_with_its_scopes_a_principal_on_standard_input_is_the_caller() -> None:
    """P35: any object, as a verifier returns it."""
    server, seen = Server("s"), []

    @server.tool(requires="notes:write")
    def write(ctx: Context) -> str:
        seen.append(ctx.principal)
        return "written"

    principals = [Principal(subject="ada", scopes=["notes:write"]), {"name": "ada", "scopes": "notes:write"}]
    asked = message("2026-07-28", "tools/call", {"name": "write", "arguments": {}})
    for principal in principals:
        [response] = on_stdio(server, [asked], principal=principal)
        assert response["result"]["content"] == [{"type": "text", "text": "written"}]
    assert seen[0] is principals[0] and seen[1] is principals[1]


def test_the_user_who_starts_a_server_on_standard_input_is_trusted() -> None:
    """P35: without a principal nothing is required, and no function of `requires=` is asked about nobody."""
    server = Server("s")

    @server.tool(requires="notes:write")
    def write(ctx: Context) -> str:
        return f"written by {ctx.principal}"

    @server.resource("memo://{name}", requires=lambda request: f"memo:{request.principal.subject}")
    def memo(name: str) -> str:
        return name

    @server.prompt(requires="notes:write")
    def review(text: str) -> str:
        return text

    @server.completion("review", "text")
    def complete(typed: str) -> list[str]:
        return ["abc"]

    reference = {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "text", "value": "a"}}
    asked = {
        "tools/call": {"name": "write", "arguments": {}},
        "resources/read": {"uri": "memo://a"},
        "prompts/get": {"name": "review", "arguments": {"text": "x"}},
        "completion/complete": reference,
    }
    for revision in REVISIONS:
        hello = [initialize_message(revision)] if revision == "2025-11-25" else []
        messages = [message(revision, name, params, id=id) for id, (name, params) in enumerate(asked.items(), 1)]
        responses = on_stdio(server, [*hello, *messages])
        assert ["error" in one for one in responses] == [False] * (len(hello) + 4)
    subscribe = message("2025-11-25", "resources/subscribe", {"uri": "memo://a"}, id=5)
    assert "error" not in on_stdio(server, [initialize_message("2025-11-25"), subscribe])[-1]


def test_a_batch_on_standard_input_is_checked_in_the_same_way() -> None:
    """P35"""
    hello = {**initialize_message("2025-03-26"), "id": 100}
    for principal, ran_to_the_end in ((None, True), (Principal(subject="ada"), False)):
        server, ran = batch_server()
        answers, _ = on_stdio(server, [hello, PARTS[:2]], principal=principal)
        assert [one.get("error", {}).get("code") for one in answers] == [None, None if ran_to_the_end else -32600]
        assert ran == (["plain", "write"] if ran_to_the_end else ["plain"])


def test_a_loop_of_the_program_may_say_who_the_client_is() -> None:
    """P35: run_async as well."""
    server = refusing()
    written: list[bytes] = []
    asked = message("2026-07-28", "tools/call", {"name": "write", "arguments": {"text": "x"}})
    pieces = [json.dumps(asked).encode() + b"\n", b""]
    pipes = StdioPipes(lambda size: pieces.pop(0), written.append)
    asyncio.run(server.run_async(streams=pipes, principal=Principal(subject="ada")))
    assert json.loads(written[0])["error"]["data"] == {"requiredScopes": ["notes:write"]}


def test_a_caller_and_a_function_that_finds_it_are_not_mixed_up() -> None:
    with pytest.raises(OptionError, match=r"principal= must be the caller, such as a Principal; a function"):
        Server("s").run(principal=lambda scope: "ada")
    with pytest.raises(OptionError, match=r"with http=, principal= must be a function of the scope .* not Principal"):
        Server("s").run(http="127.0.0.1:0", principal=Principal(subject="ada"))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("has_middleware", [False, True])
@pytest.mark.parametrize("kind", APPS)
def test_over_http_it_is_a_403_with_all_scopes(kind: str, has_middleware: bool, case: str) -> None:
    """R26-AUTH-10, R26-AUTH-11: before the handler, its dependencies and middleware run, and without a stream."""
    method, params, scopes = CASES[case]
    is_called = has_middleware and case != "completion"  # middleware is around other methods as always
    app = mount(kind, refusing(middleware=[pass_on] if is_called else []), auth=verify)
    answer = call(app, "ada~other", method=method, **params) if method != "tools/call" else tool(app, params)
    assert (answer.status, answer.headers["content-type"]) == (403, "application/json")
    assert f'scope="{" ".join(scopes)}"' in str(answer.challenge) and "insufficient_scope" in str(answer.challenge)
    assert answer.json["error"]["data"] == {"requiredScopes": scopes}


def tool(app: Any, params: dict[str, Any], token: str = "ada~other") -> Any:
    return call(app, token, params["name"], **params["arguments"])


@pytest.mark.parametrize("case", ["tool", "context", "resource", "prompt", "template"])
@pytest.mark.parametrize("kind", APPS)
def test_it_is_a_403_with_a_session_too(kind: str, case: str) -> None:
    """R2511-AUTH-10."""
    method, params, scopes = CASES[case]
    app = mount(kind, refusing(), auth=verify)
    headers = initialize(app, "ada~other")
    answer = ask(app, {"jsonrpc": "2.0", "id": 9, "method": method, "params": params}, headers)
    assert (answer.status, answer.json["id"]) == (403, 9)
    assert f'scope="{" ".join(scopes)}"' in str(answer.challenge)
    uri = params.get("uri")
    if uri is not None:
        message = {"jsonrpc": "2.0", "id": 9, "method": "resources/subscribe", "params": {"uri": uri}}
        assert ask(app, message, headers).status == 403


def test_a_listen_request_names_the_scopes_of_all_its_resources() -> None:
    app = refusing().asgi(auth=verify)
    uris = ["memo://notes", "memo://notes/7", "memo://unknown"]
    answer = call(app, "ada", method="subscriptions/listen", notifications={"resourceSubscriptions": uris})
    assert (answer.status, answer.headers["content-type"]) == (403, "application/json")
    assert 'scope="notes:read notes:write note:7"' in str(answer.challenge)


@pytest.mark.parametrize("kind", APPS)
def test_a_caller_without_a_token_gets_a_401_with_the_scopes_to_log_in_with(kind: str) -> None:
    app = mount(kind, refusing(), auth=verify, anonymous=True)
    answer = call(app, None, "write", text="x")
    assert (answer.status, answer.challenge) == (401, 'Bearer scope="notes:write"')
    assert call(mount(kind, refusing()), None, "write", text="x").status == 401


@pytest.mark.parametrize("kind", APPS)
def test_lists_show_what_requires_a_scope(kind: str) -> None:
    answer = call(mount(kind, refusing(), auth=verify), "ada", method="tools/list")
    assert [one["name"] for one in answer.json["result"]["tools"]][:1] == ["write"]


# What is allowed ----------------------------------------------------------------------------------


def allowing(**options: Any) -> Server:
    server = Server("notes", "1.0", **options)

    @server.tool(requires="notes:read")
    def read() -> str:
        return "read"

    @server.resource(
        "memo://{id}", requires=lambda request: f"note:{request.arguments['id']}", cache=(1000, "public")
    )
    def note(id: str) -> str:
        return id

    return server


@pytest.mark.parametrize("kind", APPS)
def test_with_its_scopes_it_runs(kind: str) -> None:
    app = mount(kind, allowing(), auth=verify)
    assert call(app, "ada~notes:read", "read").status == 200
    answer = call(app, "ada~note:7", method="resources/read", uri="memo://7")
    assert answer.json["result"]["contents"][0]["text"] == "7"
    assert call(app, "ada~note:7", method="resources/read", uri="memo://8").status == 403


def test_what_only_some_may_read_is_private_without_being_asked() -> None:
    """R26-CACHE-05."""
    server = allowing()

    @server.resource("memo://own", visible=lambda principal: principal is not None, cache=(1000, "public"))
    def own() -> str:
        return "own"

    @server.resource("memo://all", cache=(1000, "public"))
    def shared() -> str:
        return "all"

    ada = Principal(subject="ada", scopes=frozenset({"note:7"}))
    with closing(Client(server, "2026-07-28", principal=ada)) as client:
        scopes = [client.request("resources/read", {"uri": f"memo://{one}"})["cacheScope"] for one in ("7", "own")]
        public = client.request("resources/read", {"uri": "memo://all"})["cacheScope"]
        listed = client.request("resources/list", {})["cacheScope"]
    assert (scopes, public, listed) == (["private", "private"], "public", "private")


@pytest.mark.parametrize(
    ("implies", "granted", "is_allowed"),
    [
        (None, "notes:write", False),
        ({"notes:write": ["notes:read"]}, "notes:write", True),
        ({"notes:write": ["notes:read"]}, "other", False),
        ({"admin": ["notes:write"], "notes:write": ["notes:read"]}, "admin", True),
        ({"admin": ["*"]}, "admin", True),
        ({"admin": ["*"]}, "*", False),
        ({"a": ["b"], "b": ["a"]}, "a", False),
        (lambda granted, scope: f"{scope.split(':')[0]}:*" in granted, "notes:*", True),
        (lambda granted, scope: f"{scope.split(':')[0]}:*" in granted, "other:*", False),
    ],
)
@pytest.mark.parametrize("kind", APPS)
def test_a_broader_scope_satisfies_a_narrower_one(kind: str, implies: Any, granted: str, is_allowed: bool) -> None:
    """R26-AUTH-12; the challenge names the narrow one."""
    answer = call(mount(kind, allowing(implies=implies), auth=verify), f"ada~{granted}", "read")
    assert answer.status == (200 if is_allowed else 403)
    assert is_allowed or 'scope="notes:read"' in str(answer.challenge)


@pytest.mark.parametrize("kind", APPS)
def test_the_scope_of_every_request_may_be_implied_too(kind: str) -> None:
    class Issued:
        scopes = ("notes:read",)

        def verify(self, token: str) -> Principal | None:
            return verify(token)

    app = mount(kind, allowing(implies={"notes:write": ["notes:read"]}), auth=Issued())
    assert [call(app, f"ada~{scope}", "read").status for scope in ("notes:write", "x")] == [200, 403]


def test_a_mounted_server_keeps_its_requirements_and_its_hierarchy() -> None:
    outer = Server("outer", "1", implies={"root": ["notes:write"]})
    outer.mount(allowing(implies={"notes:write": ["notes:read"]}), "in")
    app = outer.asgi(auth=verify)
    statuses = [call(app, f"ada~{scope}", "in_read").status for scope in ("root", "notes:write", "x")]
    assert statuses == [200, 200, 403]
    assert call(app, "ada~note:7", method="resources/read", uri="memo://in/7").status == 200


def test_middleware_that_changes_a_request_does_not_get_around_a_requirement() -> None:
    server = refusing()

    @server.tool
    def harmless(text: str) -> str:
        return text

    @server.middleware
    def redirect(request: Any, call_next: Any) -> Any:
        request.params["name"] = "write"
        return call_next(request)

    for kind in APPS:
        answer = call(mount(kind, server, auth=verify), "ada", "harmless", text="x")
        assert (answer.status, answer.json["error"]["code"]) == (403, -32600)


def batch_server() -> tuple[Server, list[str]]:
    """A server whose tools note that they run."""
    server, ran = Server("s"), list[str]()

    @server.tool
    def plain() -> str:
        ran.append("plain")
        return "plain"

    @server.tool(requires=["notes:write", "notes:read"])
    def write() -> str:
        ran.append("write")
        return "written"

    @server.resource("memo://{name}", requires=lambda request: f"memo:{request.arguments['name']}")
    def memo(name: str) -> str:
        ran.append(name)
        return name

    return server, ran


def part(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


PARTS = [
    part(1, "tools/call", name="plain", arguments={}),
    part(2, "tools/call", name="write", arguments={}),
    part("three", "resources/read", uri="memo://a"),
    part(4, "resources/subscribe", uri="memo://b"),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    part(5, "tools/call", name="unknown"),
]
NEEDED = ["notes:write", "notes:read", "memo:a", "memo:b"]


@pytest.mark.parametrize("kind", APPS)
def test_a_batch_that_lacks_scopes_is_refused_before_anything_runs(kind: str) -> None:
    """All scopes of all its requests in one challenge: a client that steps up can send all of it again."""
    server, ran = batch_server()
    app = mount(kind, server, auth=verify)
    headers = initialize(app, "ada", "2025-03-26")
    answer = ask(app, PARTS, headers)
    assert (answer.status, ran) == (403, [])
    assert answer.challenge is not None and f'scope="{" ".join(NEEDED)}"' in answer.challenge
    error = {
        "code": -32600,
        "message": "this requires the scopes notes:write notes:read memo:a memo:b",
        "data": {"requiredScopes": NEEDED},
    }
    assert json.loads(answer.body) == [{"jsonrpc": "2.0", "id": id, "error": error} for id in (1, 2, "three", 4, 5)]


@pytest.mark.parametrize("kind", APPS)
def test_an_anonymous_batch_is_a_401(kind: str) -> None:
    server, ran = batch_server()
    app = mount(kind, server, auth=verify, anonymous=True)
    answer = ask(app, PARTS, protected.initialize(app, None, "2025-03-26"))
    assert (answer.status, ran) == (401, [])
    assert answer.challenge is not None and "error" not in answer.challenge


@pytest.mark.parametrize("kind", APPS)
def test_a_batch_with_all_scopes_runs(kind: str) -> None:
    server, ran = batch_server()
    app = mount(kind, server, auth=lambda token: Principal(subject=token, scopes=frozenset(NEEDED)))
    answer = ask(app, PARTS[:4], initialize(app, "ada", "2025-03-26"))
    assert (answer.status, ran) == (200, ["plain", "write", "a"])


def test_a_batch_has_the_error_of_its_part_where_there_is_no_status() -> None:
    server, ran = batch_server()
    connection = server.connect(principal=Principal(subject="ada"))
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    connection.handle(part(0, "initialize", **hello))
    answers = json.loads(connection.handle(PARTS[:2]) or b"")
    assert [one.get("error", {}).get("code") for one in answers] == [None, -32600]
    assert ran == ["plain"]


# The host's own principals ------------------------------------------------------------------------


@dataclass(frozen=True)
class User:
    name: str
    scopes: tuple[str, ...] = ()


@pytest.mark.parametrize(
    "principal",
    [User("ada", ("notes:read",)), {"name": "ada", "scopes": ["notes:read"]}, {"scopes": "a notes:read b"}],
)
@pytest.mark.parametrize("kind", APPS)
def test_a_principal_of_the_host_has_its_scopes_in_an_attribute(kind: str, principal: Any) -> None:
    assert call(mount(kind, allowing(), principal=lambda _: principal), None, "read").status == 200


@pytest.mark.parametrize("principal", [User("ada"), "ada", {"name": "ada"}, object(), 7])
@pytest.mark.parametrize("kind", APPS)
def test_without_scopes_it_is_refused(kind: str, principal: Any) -> None:
    answer = call(mount(kind, allowing(), principal=lambda _: principal), None, "read")
    assert answer.status == 403
    assert answer.challenge is not None and "resource_metadata" not in answer.challenge


def test_scopes_of_nothing() -> None:
    assert scopes_of(None) == scopes_of("ada") == frozenset()


# Authors ------------------------------------------------------------------------------------------


async def later(request: Any) -> str:
    return "x"


@pytest.mark.parametrize(
    "requires", ["a b", 'a"b', "a\\b", "", ["a", 3], ["é"], 3, later, "offline_access", "a\r\nb"]
)
def test_a_requirement_that_cannot_be_sent_is_refused_at_registration(requires: Any) -> None:
    """R26-AUTH-13."""
    with pytest.raises(AuthorError):
        Server("s", "1").tool(requires=requires)(lambda: None)


@pytest.mark.parametrize("implies", [3, {"a": "b"}, {"a b": ["c"]}, {"a": ["b c"]}])
def test_a_hierarchy_that_cannot_work_is_refused(implies: Any) -> None:
    with pytest.raises(AuthorError):
        compile_missing(implies)


@pytest.mark.parametrize("value", [3, [3], object(), (one for one in "ab"), "offline_access"])
@pytest.mark.parametrize("kind", APPS)
def test_a_function_that_returns_something_else_refuses_the_request(kind: str, value: Any, caplog: Any) -> None:
    server = Server("s", "1")

    @server.tool(requires=lambda request: value)
    def never() -> None:
        raise AssertionError

    answer = call(mount(kind, server, auth=verify), "ada", "never")
    assert "content" not in answer.json.get("result", {}) or answer.json["result"]["isError"]
    assert "the function of requires=" in caplog.text


@pytest.mark.parametrize("id", ["a b", 'a"', "a\\b", "é", "a\r\nb", ""])
@pytest.mark.parametrize("kind", APPS)
def test_arguments_that_cannot_be_part_of_a_scope_are_refused(kind: str, id: str, caplog: Any) -> None:
    server = Server("s", "1")

    @server.tool(requires=lambda request: request.arguments["id"] and [f"note:{request.arguments['id']}"])
    def read(id: str) -> str:
        raise AssertionError("it must not run")

    answer = call(mount(kind, server, auth=verify), "ada~note:a", "read", id=id)
    assert (answer.status, answer.json["error"]["code"], caplog.text) == (400, -32602, "")


def test_a_function_sees_the_request() -> None:
    seen: list[Any] = []
    server = Server("s", "1")

    def scopes(request: Any) -> None:
        seen.append((request.method, request.name, request.arguments, request.principal, request.headers))

    @server.tool(requires=scopes)
    def add(a: int = 0) -> int:
        return a

    ada = Principal(subject="ada")
    with closing(Client(server, "2026-07-28", principal=ada)) as client:
        client.call("add", {"a": 1})
        client.call("add")
    assert seen == [("tools/call", "add", {"a": 1}, ada, {}), ("tools/call", "add", {"a": 0}, ada, {})]


class Depth(Enum):
    SHORT = "short"
    FULL = "full"


class Order(BaseModel):
    item: str
    count: int = 1


@dataclass
class Place:
    shelf: int
    name: str = "main"


def deep(request: Any) -> list[str]:
    """The scopes for arguments as a function has them; text in their place would require none."""
    arguments = request.arguments
    return [scope for scope, is_needed in {
        "deep": arguments["deep"] is True,
        "full": arguments["depth"] is Depth.FULL,
        "many": arguments["count"] > 10,
        "old": arguments["day"] < date(2000, 1, 1),
        f"item:{arguments['order'].item}": arguments["order"].count > 1,
        f"shelf:{arguments['place'].shelf}": arguments["place"].name == "main",
    }.items() if is_needed]  # fmt: skip


def find(
    deep: bool = False,
    depth: Depth = Depth.SHORT,
    count: int = 1,
    day: date = date(2020, 1, 1),
    order: Order = Order(item="none"),  # noqa: B008
    place: Place = Place(0, "none"),  # noqa: B008
) -> str:
    return "found"


CONVERTED = [
    ({}, []),
    ({"deep": "true"}, ["deep"]),
    ({"deep": True}, ["deep"]),
    ({"deep": "false"}, []),
    ({"depth": "full"}, ["full"]),
    ({"count": "11"}, ["many"]),
    ({"day": "1999-12-31"}, ["old"]),
    ({"order": {"item": "rose", "count": "2"}}, ["item:rose"]),
    ({"place": {"shelf": "7"}}, ["shelf:7"]),
    ({"place": {"shelf": 7, "name": "other"}}, []),
]


@pytest.mark.parametrize("has_middleware", [False, True])
@pytest.mark.parametrize(("arguments", "scopes"), CONVERTED)
@pytest.mark.parametrize("kind", APPS)
def test_a_function_gets_the_arguments_as_the_tool_does(
    kind: str, arguments: dict[str, Any], scopes: list[str], has_middleware: bool
) -> None:
    """P25: "true" passed a test for True, and ran as True."""
    server = Server("s", "1", middleware=[lambda request, call_next: call_next(request)] if has_middleware else [])
    server.tool(requires=deep)(find)
    app = mount(kind, server, auth=verify)
    answer = call(app, "ada", "find", **arguments)
    assert (answer.status, answer.json.get("error", {}).get("data")) == (
        (403, {"requiredScopes": scopes}) if scopes else (200, None)
    )
    assert call(app, "~".join(["ada", *scopes]), "find", **arguments).status == 200
    headers = initialize(app, "ada", "2025-03-26")
    batch = [part(1, "tools/call", name="find", arguments=arguments)]
    assert ask(app, batch, headers).status == (403 if scopes else 200)


@pytest.mark.parametrize("way", WAYS)
def test_what_does_not_fit_is_not_asked_about_and_does_not_run(way: str) -> None:
    """P25"""
    server = Server("s", "1")

    @server.tool(requires=lambda request: request.arguments["deep"] and ["deep"])
    def read(deep: bool) -> str:
        raise AssertionError("it must not run")

    for arguments in ({"deep": "perhaps"}, {}, {"deep": True, "other": 1}):
        answer = send(way, server, "tools/call", "2025-11-25", name="read", arguments=arguments)
        assert answer["result"]["isError"] and "requiredScopes" not in str(answer)


@pytest.mark.parametrize("kind", APPS)
def test_the_variables_of_a_template_are_converted_for_all_its_methods(kind: str) -> None:
    """P25"""
    server = Server("s", "1")

    @server.resource("memo://{number}{?deep}", requires=lambda request: ["deep"] * request.arguments["deep"])
    def memo(number: int, deep: bool = False) -> str:
        return str(number)

    app = mount(kind, server, auth=verify, max_standing=1)
    for uri, status in {"memo://7?deep=true": 403, "memo://7?deep=false": 200, "memo://7": 200}.items():
        headers = initialize(app, "ada")
        for method in ("resources/read", "resources/subscribe"):
            message = {"jsonrpc": "2.0", "id": 9, "method": method, "params": {"uri": uri}}
            assert ask(app, message, headers).status == status, (uri, method)
    for method in ("resources/read", "resources/subscribe"):
        message = {"jsonrpc": "2.0", "id": 9, "method": method, "params": {"uri": "memo://seven"}}
        assert ask(app, message, headers).json["error"]["message"] == "Resource not found"
    listen = {"resourceSubscriptions": ["memo://7?deep=true", "memo://seven", "memo://8"]}
    answer = call(app, "ada", method="subscriptions/listen", notifications=listen)
    assert (answer.status, answer.json["error"]["data"]) == (403, {"requiredScopes": ["deep"]})


@pytest.mark.parametrize("kind", APPS)
def test_for_a_completion_the_arguments_that_are_known_are_converted(kind: str) -> None:
    """P25: what is still being typed stays a text."""
    server, seen = Server("s", "1"), list[Any]()

    def scopes(request: Any) -> list[str]:
        seen.append(request.arguments)
        return ["deep"] if request.arguments["deep"] is True else []

    @server.prompt(requires=scopes)
    def review(topic: str, deep: bool = False, day: date | None = None) -> str:
        return topic

    @server.completion("review", "day")
    def days(typed: str) -> list[str]:
        return ["2026-01-01"]

    app = mount(kind, server, auth=verify)
    asked = {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "day", "value": "2026-"}}
    for context, status in (({"deep": "true"}, 403), ({"deep": "false"}, 200), ({}, 200)):
        answer = call(app, "ada", method="completion/complete", **asked, context={"arguments": context})
        assert answer.status == status
    assert seen == [{"deep": deep, "day": "2026-"} for deep in (True, False, False)]


def test_defaults_are_those_of_the_function_and_hidden_parameters_are_not_shown() -> None:
    """P25"""
    seen: list[Any] = []
    server = Server("s", "1")

    def note(request: Any) -> None:
        seen.append(request.arguments)

    @server.tool(requires=note)
    def read(
        a: int = Field(3, ge=1),
        b: list[str] = Field(default_factory=lambda: ["x"]),  # noqa: B008
        c: Annotated[int, Field(description="a number")] = 5,
        d: str = Depends(lambda: "secret"),
        ctx: Context = None,  # type: ignore[assignment]
    ) -> str:
        return "read"

    with closing(Client(server, "2026-07-28")) as client:
        client.call("read", {"a": "4"})
        client.call("read")
    assert seen == [{"a": 4, "b": ["x"], "c": 5}, {"a": 3, "b": ["x"], "c": 5}]


def test_a_plan_without_a_function_binds_as_before() -> None:
    """P25: what needs no function pays nothing for it."""
    server = Server("s", "1")
    server.tool(find)
    with closing(Client(server, "2026-07-28")) as client:
        client.call("find")
    [plan] = server.registry.tools.registered["find"].plans.values()
    assert plan._bind == plan.bind and plan.checks == ()


def test_scopes_keep_their_order_and_come_once() -> None:
    assert check_scopes(["b", "a", "b"], "x") == ("b", "a")
    assert check_scopes({"b", "a"}, "x") == ("a", "b")
