"""Observers at the wire: on every transport they see each request begin and end, and never break one."""

import asyncio
import contextvars
import json
import logging
import threading
from collections.abc import Callable
from functools import wraps
from itertools import product
from typing import Any

import pytest

from mounted import Live, modern, session, speak
from plainmcp import Context, Depends, Server, ToolError
from plainmcp.errors import AuthorError
from plainmcp.observe import RequestFacts, SessionFacts
from plainmcp.protocol.dispatch import dispatch, dispatch_observed
from plainmcp.testing import Client
from speaking import initialize, message
from ways import REVISIONS, WAYS, send

current = contextvars.ContextVar("current", default="nothing")


class Observed:
    """An observer with the list of what it saw; it sets a context variable for the request."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.facts: list[RequestFacts] = []

    def __call__(self, facts: RequestFacts) -> Callable[[RequestFacts], None]:
        self.log.append(("begins", facts.method, facts.name))
        current.set(f"the request {facts.request_id}")
        return self.end

    def end(self, facts: RequestFacts) -> None:
        self.log.append((facts.method, facts.name, facts.outcome, facts.error_code, current.get()))
        self.facts.append(facts)

    @property
    def ends(self) -> list[Any]:
        return [one for one in self.log if one[0] not in ("begins", "initialize", "notifications/initialized")]


def make_server(observer: Any, *, inside: list[str] | None = None) -> Server:
    server = Server("s", observe=observer)
    inside = [] if inside is None else inside

    @server.tool
    def echo(text: str) -> str:
        inside.append(current.get())
        return text

    @server.tool
    async def echo_async(text: str, ctx: Context) -> str:
        inside.append(current.get())
        await asyncio.sleep(0)
        await ctx.progress(1)
        inside.append(await asyncio.to_thread(current.get))
        inside.append(await asyncio.create_task(read()))
        return text

    async def read() -> str:
        return current.get()

    async def look(text: str) -> str:
        inside.append(current.get())
        await asyncio.sleep(0)
        inside.append(current.get())
        return text

    @server.tool(name="echo_wrapped")
    @wraps(look)
    def echo_wrapped(text: str) -> Any:
        return look(text)

    @server.tool
    def fail() -> str:
        raise ToolError("no")

    @server.tool
    def crash() -> str:
        raise RuntimeError("secret")

    @server.resource("note://{id}")
    def note(id: str) -> str:
        return id

    return server


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("tool", ["echo", "echo_async", "echo_wrapped"])
def test_an_observer_sees_a_call_and_its_variables_reach_the_handler(way: str, revision: str, tool: str) -> None:
    observer, inside = Observed(), []
    response = send(
        way, make_server(observer, inside=inside), "tools/call", revision, name=tool, arguments={"text": "x"}
    )
    assert response["result"]["content"][0]["text"] == "x"
    id = response["id"]
    assert ("begins", "tools/call", tool) in observer.log
    assert observer.ends == [("tools/call", tool, "ok", None, f"the request {id}")]
    assert set(inside) == {f"the request {id}"}
    assert current.get() == "nothing"


OUTCOMES: dict[str, tuple[str, dict[str, Any], tuple[str, int | None]]] = {
    "a tool error": ("tools/call", {"name": "fail"}, ("tool_error", None)),
    "an incident in a tool": ("tools/call", {"name": "crash"}, ("tool_error", None)),
    "arguments that do not fit": ("tools/call", {"name": "echo", "arguments": {"txt": 1}}, ("tool_error", None)),
    "an unknown tool": ("tools/call", {"name": "none"}, ("error", -32602)),
    "a parameter of a wrong type": ("tools/call", {"name": 5}, ("error", -32602)),
    "an unknown method": ("tools/cull", {}, ("error", -32601)),
    "a list": ("tools/list", {}, ("ok", None)),
    "a resource": ("resources/read", {"uri": "note://5"}, ("ok", None)),
}


def can_be_sent(what: str, way: str, revision: str) -> bool:
    """Whether a client can send it: on 2026-07-28 a header has to repeat the name, which is a text there."""
    return what != "a parameter of a wrong type" or revision != "2026-07-28" or way not in ("asgi", "wsgi")


@pytest.mark.parametrize(
    ("what", "way", "revision"), [case for case in product(OUTCOMES, WAYS, REVISIONS) if can_be_sent(*case)]
)
def test_every_outcome_is_seen_on_every_transport(what: str, way: str, revision: str) -> None:
    method, params, (outcome, code) = OUTCOMES[what]
    observer = Observed()
    send(way, make_server(observer), method, revision, **params)
    ((seen, _, *rest),) = observer.ends
    assert (seen, *rest[:2]) == (method, outcome, code)
    assert observer.facts[-1].duration > 0


def test_a_result_that_contains_isError_is_not_an_error() -> None:
    observer = Observed()
    server = Server("s", observe=observer)

    @server.tool
    def look() -> dict[str, bool]:
        return {"isError": True}

    server.handle(message("2025-11-25", "tools/call", {"name": "look"}))
    assert observer.ends[0][2] == "ok"


def test_messages_that_cannot_be_read_are_seen() -> None:
    observer = Observed()
    server = make_server(observer)
    server.handle(b"{")
    server.handle(b'{"jsonrpc":"2.0","id":1}')
    server.handle(b"[]", revision="2025-03-26")
    connection = server.connect()
    connection.handle(initialize("2025-03-26"))
    connection.handle(b'[1,{"jsonrpc":"2.0","id":3,"method":"ping"}]')
    assert [one[:4] for one in observer.ends] == [
        (None, None, "error", -32700),
        (None, None, "error", -32600),
        (None, None, "error", -32600),
        (None, None, "error", -32600),
        ("ping", None, "ok", None),
    ]


def test_each_request_of_a_batch_is_seen_with_its_own_variables() -> None:
    observer, inside = Observed(), []
    connection = make_server(observer, inside=inside).connect()
    connection.handle(initialize("2025-03-26"))
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
    connection.handle([{**call, "id": 7}, {"jsonrpc": "2.0", "method": "notifications/progress"}, {**call, "id": 8}])
    assert observer.ends == [
        ("tools/call", "echo", "ok", None, "the request 7"),
        ("notifications/progress", None, "ok", None, "the request None"),
        ("tools/call", "echo", "ok", None, "the request 8"),
    ]
    assert inside == ["the request 7", "the request 8"]


def test_notifications_are_seen_over_http_on_both_kinds_of_revisions() -> None:
    observer = Observed()

    async def run() -> None:
        app = make_server(observer).asgi()
        await session(app)
        body, headers = modern("notifications/cancelled", requestId=1)
        del body["id"]
        assert (await speak(app, body, headers)).status == 202

    asyncio.run(run())
    assert [one[:4] for one in observer.log if one[0] != "begins"] == [
        ("initialize", None, "ok", None),
        ("notifications/initialized", None, "ok", None),
        ("notifications/cancelled", None, "ok", None),
    ]


def test_a_client_that_disconnects_cancels_the_request() -> None:
    observer = Observed()
    server, started = Server("s", observe=observer), threading.Event()

    @server.tool
    async def wait(ctx: Context) -> str:
        started.set()
        await asyncio.sleep(30)
        return "late"

    async def run() -> None:
        live = Live(server.asgi(), *modern("tools/call", name="wait"))
        await asyncio.to_thread(started.wait, 5)
        live.hang_up()
        await live.done()
        await asyncio.sleep(0.05)

    asyncio.run(run())
    assert observer.ends == [("tools/call", "wait", "cancelled", None, "the request 1")]


def test_a_plain_handler_that_is_cancelled_is_seen_once() -> None:
    observer = Observed()
    server, started, go_on = Server("s", observe=observer), threading.Event(), threading.Event()

    @server.tool
    def wait() -> str:
        started.set()
        go_on.wait(5)
        return "late"

    connection = server.connect(lambda message: None)
    connection.handle(initialize("2025-11-25"))
    body = message("2025-11-25", "tools/call", {"name": "wait"}, id=5)
    thread = threading.Thread(target=lambda: connection.handle(body))
    thread.start()
    started.wait(5)
    connection.handle({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
    go_on.set()
    thread.join(5)
    assert [one[:3] for one in observer.ends] == [
        ("notifications/cancelled", None, "ok"),
        ("tools/call", "wait", "cancelled"),
    ]


def test_a_call_that_takes_too_long_is_a_tool_error() -> None:
    observer = Observed()
    server = Server("s", observe=observer)

    @server.tool(timeout=0.05)
    async def wait() -> str:
        await asyncio.sleep(30)
        return "late"

    server.handle(message("2025-11-25", "tools/call", {"name": "wait"}))
    assert observer.ends[0][2] == "tool_error"
    assert 0.04 < observer.facts[0].duration < 5


def test_a_listen_request_ends_when_it_is_cancelled_or_the_server_ends() -> None:
    observer = Observed()
    connection = make_server(observer).connect(lambda message: None)
    for id in (1, 2):
        connection.handle(message("2026-07-28", "subscriptions/listen", {"notifications": {}}, id=id))
    assert observer.ends == []
    cancel = {"requestId": 1}
    connection.handle({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    connection.close()
    assert [one for one in observer.ends if one[0] == "subscriptions/listen"] == [
        ("subscriptions/listen", None, "cancelled", None, "the request 1"),
        ("subscriptions/listen", None, "ok", None, "the request 2"),
    ]


def test_a_listen_request_that_is_refused_over_http_is_an_error() -> None:
    observer = Observed()

    async def run() -> Live:
        body, headers = modern("subscriptions/listen", notifications={})
        return await speak(make_server(observer).asgi(), body, {**headers, "accept": "application/json"})

    live = asyncio.run(run())
    assert live.status == 406
    assert observer.ends == [("subscriptions/listen", None, "error", -32600, "the request 1")]


@pytest.mark.parametrize("way", WAYS)
def test_the_variables_reach_middleware_dependencies_and_the_log(way: str, caplog: pytest.LogCaptureFixture) -> None:
    observer, inside = Observed(), []
    server = Server("s", observe=observer)

    @server.middleware
    async def around(request: Any, call_next: Any) -> Any:
        inside.append(current.get())
        return await call_next(request)

    @server.middleware
    def around_plain(request: Any, call_next: Any) -> Any:
        inside.append(current.get())
        return call_next(request)

    @server.middleware
    def look(request: Any) -> Any:
        inside.append(current.get())
        try:
            yield
        finally:
            inside.append(current.get())

    def open_database() -> Any:
        inside.append(current.get())
        try:
            yield "database"
        finally:
            inside.append(current.get())

    @server.tool
    def crash(database: str = Depends(open_database)) -> str:
        inside.append(current.get())
        raise RuntimeError("no")

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            inside.append(current.get())

    handler = Handler()
    logging.getLogger("plainmcp").addHandler(handler)
    try:
        id = send(way, server, "tools/call", name="crash")["id"]
    finally:
        logging.getLogger("plainmcp").removeHandler(handler)
    assert inside == [f"the request {id}"] * 8


@pytest.mark.parametrize("way", WAYS)
def test_an_incident_begins_with_the_frame_of_the_author(way: str, caplog: pytest.LogCaptureFixture) -> None:
    server = make_server(Observed())

    @server.tool
    async def crash_async() -> str:
        await asyncio.sleep(0)
        raise RuntimeError("secret")

    for tool in ("crash", "crash_async"):
        caplog.clear()
        send(way, server, "tools/call", name=tool)
        (record,) = [record for record in caplog.records if "incident" in record.getMessage()]
        assert record.exc_info is not None and record.exc_info[2] is not None
        assert record.exc_info[2].tb_frame.f_code.co_name == tool


@pytest.mark.parametrize("way", ["asgi", "handle_async"])  # elsewhere the steps of a call have contexts of their own
@pytest.mark.parametrize("is_observed", [False, True])
def test_an_observer_changes_nothing_about_the_variables_of_others(way: str, is_observed: bool) -> None:
    """What middleware and dependencies set, the handler finds: also in the variable that the observer has set."""
    server = Server("s", observe=Observed() if is_observed else ())
    other = contextvars.ContextVar("other", default="nothing")
    seen: list[str] = []

    @server.middleware
    def before(request: Any) -> Any:
        other.set("by middleware")
        yield

    async def open_database() -> Any:
        token = current.set("by a dependency")
        yield "database"
        current.reset(token)

    @server.tool
    async def look(database: str = Depends(open_database)) -> str:
        seen.extend([other.get(), current.get()])
        return database

    response = send(way, server, "tools/call", name="look")
    assert response["result"]["content"][0]["text"] == "database"
    assert seen == ["by middleware", "by a dependency"]


@pytest.mark.parametrize("way", WAYS)
def test_the_parameters_of_a_handler_may_have_any_name(way: str) -> None:
    server = make_server(Observed())

    @server.tool
    def plain(variables: str, function: str, args: str, kwargs: str) -> str:
        return variables + function + args + kwargs

    @server.tool
    async def asynchronous(variables: str, function: str, self: str, step: str) -> str:
        return variables + function + self + step

    arguments = {"variables": "a", "function": "b"}
    for name, more in (("plain", ("args", "kwargs")), ("asynchronous", ("self", "step"))):
        whole = {**arguments, more[0]: "c", more[1]: "d"}
        response = send(way, server, "tools/call", name=name, arguments=whole)
        assert response["result"]["content"][0]["text"] == "abcd"


def test_a_server_without_observers_has_the_plain_dispatch() -> None:
    assert Server("s").dispatch is dispatch
    assert Server("s", observe=lambda facts: None).dispatch is dispatch_observed


def test_several_observers_begin_in_order_and_end_in_reverse() -> None:
    log: list[str] = []

    def make(name: str) -> Any:
        def observe(facts: RequestFacts) -> Any:
            log.append(f"{name} begins")
            return lambda facts: log.append(f"{name} ends")

        return observe

    server = Server("s", observe=[make("a"), make("b")])
    server.observe(make("c"))
    server.observe(lambda facts: None)
    server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert log == ["a begins", "b begins", "c begins", "c ends", "b ends", "a ends"]


@pytest.mark.parametrize("error", [RuntimeError("broken"), SystemExit(1)])
@pytest.mark.parametrize("way", WAYS)
def test_an_observer_that_raises_is_logged_and_breaks_nothing(
    way: str, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    observer = Observed()

    def broken(facts: RequestFacts) -> Any:
        raise error

    def broken_at_the_end(facts: RequestFacts) -> Any:
        return broken

    server = make_server([broken, observer, broken_at_the_end])
    response = send(way, server, "tools/call", name="echo", arguments={"text": "x"})
    assert response["result"]["content"][0]["text"] == "x"
    assert len(observer.ends) == 1
    texts = [record.getMessage() for record in caplog.records if "The observer" in record.getMessage()]
    assert len(texts) == 2 and "broken" in texts[0]


def test_a_function_that_cannot_observe_is_refused() -> None:
    async def coroutine(facts: RequestFacts) -> None: ...

    def generator(facts: RequestFacts) -> Any:
        yield

    for observer, text in ((coroutine, "an async function"), (generator, "a generator function"), (5, "not int")):
        with pytest.raises(AuthorError, match=text):
            Server("s", observe=[observer])  # type: ignore[list-item]


def test_observers_come_before_the_application() -> None:
    server = Server("s")
    server.asgi()
    with pytest.raises(AuthorError, match=r"before server\.asgi"):
        server.observe(lambda facts: None)


def test_observers_of_a_mounted_server_are_not_called() -> None:
    outer, inner = Observed(), Observed()
    server = Server("outer", observe=outer)
    server.mount(make_server(inner), "in")
    server.handle(message("2025-11-25", "tools/call", {"name": "in_echo", "arguments": {"text": "x"}}))
    assert outer.ends == [("tools/call", "in_echo", "ok", None, "the request 1")]
    assert inner.log == []


def test_a_handler_that_calls_the_server_is_a_request_of_its_own() -> None:
    observer = Observed()
    server = make_server(observer)

    @server.tool
    async def outer() -> str:
        raw = await server.handle_async(
            message("2025-11-25", "tools/call", {"name": "echo", "arguments": {"text": "x"}}, 5)
        )
        assert raw is not None
        return str(json.loads(raw)["result"]["content"][0]["text"]) + current.get()

    response = send("asgi", server, "tools/call", name="outer")
    assert response["result"]["content"][0]["text"] == "xthe request 1"
    inner, outer_facts = observer.facts
    assert (inner.name, inner.transport, outer_facts.name, outer_facts.transport) == ("echo", None, "outer", "tcp")


# Sessions -----------------------------------------------------------------------------------------


def watch_sessions(server: Server) -> list[Any]:
    log: list[Any] = []

    @server.observe_sessions
    def observe(facts: SessionFacts) -> Callable[[SessionFacts], None]:
        log.append(("begins", facts.transport))
        return lambda facts: log.append(
            (facts.transport, facts.revision, facts.client.get("name"), facts.duration >= 0)
        )

    return log


def test_the_sessions_of_http_are_seen_from_the_handshake_to_the_end() -> None:
    server = Server("s")
    log = watch_sessions(server)

    async def run() -> None:
        app = server.asgi()
        headers = await session(app)
        await session(app, "2025-06-18")
        assert log[1:] == [("begins", "tcp")]
        assert (await speak(app, headers=headers, method="DELETE")).status == 204
        assert log[2:] == [("tcp", "2025-11-25", "t", True)]
        app.close()
        app.close()
        bad = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        assert (await speak(app, bad)).status == 200

    asyncio.run(run())
    assert log == [("begins", "tcp")] * 2 + [("tcp", "2025-11-25", "t", True), ("tcp", "2025-06-18", "t", True)]


def test_a_handshake_over_the_limit_is_an_error_and_no_session() -> None:
    observer = Observed()
    server = make_server(observer)
    log = watch_sessions(server)

    async def run() -> int:
        app = server.asgi(max_sessions=1, max_sessions_per_caller=1)
        headers = await session(app)
        await speak(app, message("2025-11-25", "ping"), headers)  # a session in use is not replaced
        return (await speak(app, initialize("2025-11-25"))).status

    assert asyncio.run(run()) in (429, 503)
    assert observer.log[-1][:4] == ("initialize", None, "error", -32603)
    assert log == [("begins", "tcp")]


def test_the_session_of_standard_input_lasts_as_long_as_the_connection() -> None:
    server = Server("s")
    log = watch_sessions(server)
    send("stdio", server, "ping", "2025-11-25")
    assert log == [("begins", "pipe"), ("pipe", "2025-11-25", "t", True)]


def test_a_client_in_memory_has_no_transport() -> None:
    observer = Observed()
    server = make_server(observer)
    Client(server, "2025-11-25").call("echo", text="x")
    assert observer.facts[-1].transport is None
    assert observer.facts[-1].client["name"]
