"""Spans and metrics by the SDK of OpenTelemetry, in memory, against the names of the conventions for MCP."""

import asyncio
import logging
import subprocess
import sys
import threading
from typing import Any

import pytest
from opentelemetry import baggage, metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from mounted import Live, modern, session, speak
from plainmcp import Context, Server, ToolError, otel
from plainmcp.errors import AuthorError, InternalError, OptionError
from speaking import initialize, message
from ways import REVISIONS, WAYS, send

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


class Telemetry:
    """The SDK with exporters in memory."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    @property
    def span(self) -> ReadableSpan:
        """The span of the one request beside the handshake."""
        (span,) = [span for span in self.spans if span.name not in ("initialize", "notifications/initialized")]
        return span

    def points(self, name: str) -> list[Any]:
        """The data points of a histogram."""
        data = self.reader.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data is not None else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name and metric.unit == "s"
            for point in metric.data.data_points
        ]


def make_server(**options: Any) -> tuple[Server, Telemetry]:
    telemetry, server = Telemetry(), Server("s")
    otel.instrument(server, tracer_provider=telemetry.tracers, meter_provider=telemetry.meters, **options)

    @server.tool
    def add(a: int, b: int) -> int:
        with telemetry.tracers.get_tracer("mine").start_as_current_span("inside"):
            return a + b

    @server.tool
    async def add_async(a: int, b: int, ctx: Context) -> int:
        await asyncio.sleep(0)
        with telemetry.tracers.get_tracer("mine").start_as_current_span("inside"):
            return await asyncio.to_thread(lambda: a + b)

    @server.tool
    def quiet() -> str:
        return "secret result"

    @server.tool
    def fail() -> str:
        raise ToolError("no")

    @server.tool
    def refuse() -> str:
        raise InternalError("broken")

    @server.resource("note://{id}")
    def note(id: str) -> str:
        return id

    @server.prompt
    def ask(about: str, length: str = "short") -> str:
        return about

    return server, telemetry


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


# Spans --------------------------------------------------------------------------------------------


def test_a_call_over_http_has_the_attributes_of_the_conventions() -> None:
    server, telemetry = make_server()
    app = server.asgi()

    async def run() -> None:
        async def with_client(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "client": ("192.0.2.7", 4711), "http_version": "1.1"}, receive, send)

        await speak(with_client, *modern("tools/call", id=7, name="quiet", arguments={}))

    asyncio.run(run())
    span = telemetry.span
    assert (span.name, span.kind) == ("tools/call quiet", SpanKind.SERVER)
    assert attributes(span) == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "quiet",
        "gen_ai.operation.name": "execute_tool",
        "jsonrpc.request.id": "7",
        "mcp.protocol.version": "2026-07-28",
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "network.protocol.version": "1.1",
        "client.address": "192.0.2.7",
        "client.port": 4711,
    }
    assert span.status.status_code is StatusCode.UNSET
    assert span.parent is None and not span.links
    assert span.instrumentation_scope is not None and span.instrumentation_scope.name == "plainmcp"


def test_a_session_is_named_on_handshake_revisions_only() -> None:
    server, telemetry = make_server()

    async def run() -> str:
        app = server.asgi()
        headers = await session(app)
        await speak(app, message("2025-11-25", "tools/call", {"name": "quiet"}, id="x"), headers)
        await speak(app, *modern("tools/call", name="quiet"))
        return headers["mcp-session-id"]

    id = asyncio.run(run())
    first, ready, old, new = telemetry.spans
    assert [span.name for span in (first, ready)] == ["initialize", "notifications/initialized"]
    assert (attributes(first)["mcp.protocol.version"], attributes(first)["mcp.session.id"]) == ("2025-11-25", id)
    assert "jsonrpc.request.id" not in attributes(ready)
    assert (attributes(old)["mcp.session.id"], attributes(old)["jsonrpc.request.id"]) == (id, "x")
    assert "mcp.session.id" not in attributes(new)


def test_session_ids_can_be_left_out() -> None:
    server, telemetry = make_server(session_ids=False)

    async def run() -> None:
        await session(server.asgi())

    asyncio.run(run())
    assert all("mcp.session.id" not in attributes(span) for span in telemetry.spans)


OTHERS: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    "a prompt": (
        "prompts/get",
        {"name": "ask", "arguments": {"about": "cats"}},
        "prompts/get ask",
        {"gen_ai.prompt.name": "ask"},
    ),
    "a resource": ("resources/read", {"uri": "note://5"}, "resources/read", {"mcp.resource.uri": "note://5"}),
    "a list": ("tools/list", {}, "tools/list", {}),
    "a list with a name": ("tools/list", {"name": "x"}, "tools/list", {}),
}


@pytest.mark.parametrize("what", OTHERS)
def test_the_names_of_other_methods(what: str) -> None:
    method, params, name, expected = OTHERS[what]
    server, telemetry = make_server()
    server.handle(message("2026-07-28", method, params))
    assert telemetry.span.name == name
    found = attributes(telemetry.span)
    base = {"mcp.method.name": method, "jsonrpc.request.id": "1", "mcp.protocol.version": "2026-07-28"}
    assert found == {**base, **expected}


def test_what_a_client_makes_up_is_in_no_name_and_no_metric() -> None:
    server, telemetry = make_server()
    for number in range(3):
        server.handle(message("2025-11-25", "tools/call", {"name": f"made up {number}"}))
        server.handle(message("2025-11-25", f"made/up/{number}" + "x" * 5_000))
    assert {span.name for span in telemetry.spans} == {"tools/call", "_OTHER"}
    assert {attributes(span).get("gen_ai.tool.name") for span in telemetry.spans} >= {"made up 0", "made up 1"}
    assert max(len(str(value)) for span in telemetry.spans for value in attributes(span).values()) < 600
    points = telemetry.points("mcp.server.operation.duration")
    assert [(point.attributes["mcp.method.name"], point.count) for point in points] == [
        ("tools/call", 3),
        ("_OTHER", 3),
    ]
    assert all("gen_ai.tool.name" not in point.attributes for point in points)


ERRORS: dict[str, tuple[str, dict[str, Any], str, StatusCode]] = {
    "an unknown method": ("none", {}, "-32601", StatusCode.UNSET),
    "an unknown tool": ("tools/call", {"name": "none"}, "-32602", StatusCode.UNSET),
    "an unknown resource": ("resources/read", {"uri": "x://1"}, "-32002", StatusCode.UNSET),
    "a fault of the server": ("tools/call", {"name": "refuse"}, "-32603", StatusCode.ERROR),
    "a tool error": ("tools/call", {"name": "fail"}, "tool_error", StatusCode.ERROR),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors_are_classified(what: str) -> None:
    method, params, kind, status = ERRORS[what]
    server, telemetry = make_server()
    server.handle(message("2025-11-25", method, params))
    found = attributes(telemetry.span)
    assert (found["error.type"], telemetry.span.status.status_code) == (kind, status)
    assert found.get("rpc.response.status_code") == (kind if kind.startswith("-") else None)
    (point,) = telemetry.points("mcp.server.operation.duration")
    assert point.attributes["error.type"] == kind


def test_a_cancelled_request_has_a_span_without_an_error() -> None:
    server, telemetry = make_server()
    started = threading.Event()

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
    assert telemetry.span.name == "tools/call wait"
    assert "error.type" not in attributes(telemetry.span)


def test_requests_of_http_without_a_message_have_no_span() -> None:
    server, telemetry = make_server()

    async def run() -> None:
        app = server.asgi()
        assert (await speak(app, b"{")).status == 400
        assert (await speak(app, {}, {"host": "evil.example"})).status == 403

    asyncio.run(run())
    assert telemetry.spans == []
    assert telemetry.points("mcp.server.operation.duration") == []


# Data ---------------------------------------------------------------------------------------------


def test_arguments_and_results_are_recorded_only_on_request() -> None:
    call = message("2025-11-25", "tools/call", {"name": "quiet", "arguments": {"a": "secret argument"}})
    get = message("2025-11-25", "prompts/get", {"name": "ask", "arguments": {"about": "secret argument"}})
    server, telemetry = make_server()
    server.handle(call)
    server.handle(get)
    assert "secret" not in str([attributes(span) for span in telemetry.spans])
    server, telemetry = make_server(arguments=True, results=True)
    server.handle(get)
    server.handle(message("2025-11-25", "tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}))
    prompt, _, tool = telemetry.spans
    assert attributes(prompt)["gen_ai.prompt.variable.about"] == "secret argument"
    assert attributes(tool)["gen_ai.tool.call.arguments"] == '{"a": 1, "b": 2}'
    assert '"text": "3"' in attributes(tool)["gen_ai.tool.call.result"]


# Context ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("tool", ["add", "add_async"])
def test_spans_of_the_handler_are_inside_and_the_parent_is_in_meta(way: str, revision: str, tool: str) -> None:
    server, telemetry = make_server()
    meta = {"traceparent": TRACEPARENT, "tracestate": "a=1"}
    send(way, server, "tools/call", revision, name=tool, arguments={"a": 1, "b": 2}, _meta=meta)
    spans = {span.name: span for span in telemetry.spans}
    inside, outer = spans["inside"], spans[f"tools/call {tool}"]
    assert outer.context is not None and inside.parent is not None
    assert inside.parent.span_id == outer.context.span_id
    if way in ("asgi", "wsgi") and revision == "2026-07-28":
        return  # these ways write the _meta themselves: see below
    assert outer.parent is not None
    assert (f"{outer.context.trace_id:032x}", f"{outer.parent.span_id:016x}") == (TRACE, PARENT)
    assert outer.parent.trace_state.get("a") == "1"


def make_traced_app(**options: Any) -> tuple[Any, Any, Any, list[Any]]:
    """Telemetry, an application, the same with a span of its HTTP server around it, and the baggage its tool sees."""
    server, telemetry = make_server(**options)
    seen: list[Any] = []

    @server.tool
    def look() -> str:
        seen.append(baggage.get_baggage("tenant"))
        return ""

    app, tracer = server.asgi(), telemetry.tracers.get_tracer("http")

    async def instrumented(scope: Any, receive: Any, send: Any) -> None:
        with tracer.start_as_current_span("POST /mcp"):
            await app(scope, receive, send)

    return telemetry, app, instrumented, seen


def test_the_span_of_the_http_server_becomes_a_link() -> None:
    telemetry, _, instrumented, seen = make_traced_app()

    async def run() -> None:
        meta = {"traceparent": TRACEPARENT, "baggage": "tenant=blue"}
        await speak(instrumented, *modern("tools/call", meta=meta, name="look"))
        await speak(instrumented, *modern("tools/call", name="look"))
        await speak(instrumented, *modern("tools/call", meta={"traceparent": "00-zz"}, name="look"))

    asyncio.run(run())
    linked, first_http, child, second_http, odd, third_http = telemetry.spans
    assert seen == ["blue", None, None]
    assert linked.parent is not None and f"{linked.parent.span_id:016x}" == PARENT and linked.parent.is_remote
    assert [link.context.span_id for link in linked.links] == [first_http.context.span_id]  # type: ignore[union-attr]
    for span, http in ((child, second_http), (odd, third_http)):
        assert span.parent is not None and http.context is not None
        assert (span.parent.span_id, span.links) == (http.context.span_id, ())


def test_a_public_server_only_links_to_the_trace_of_a_client() -> None:
    telemetry, app, instrumented, seen = make_traced_app(public=True)

    async def run() -> None:
        meta = {"traceparent": TRACEPARENT, "baggage": "tenant=blue"}
        await speak(instrumented, *modern("tools/call", meta=meta, name="look"))
        await speak(app, *modern("tools/call", name="look"))

    asyncio.run(run())
    inside, http, alone = telemetry.spans
    assert inside.parent is not None and http.context is not None and http.context.trace_id != int(TRACE, 16)
    assert inside.parent.span_id == http.context.span_id
    assert [f"{link.context.span_id:016x}" for link in inside.links] == [PARENT]
    assert (alone.parent, list(alone.links), seen) == (None, [], [None, None])


def test_the_span_is_current_while_an_incident_is_logged() -> None:
    server, telemetry = make_server()
    seen: list[int] = []

    @server.tool
    def crash() -> str:
        raise RuntimeError("x")

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(trace.get_current_span().get_span_context().trace_id)

    handler = Handler()
    logging.getLogger("plainmcp").addHandler(handler)
    try:
        server.handle(message("2025-11-25", "tools/call", {"name": "crash"}))
    finally:
        logging.getLogger("plainmcp").removeHandler(handler)
    assert telemetry.span.context is not None
    assert seen == [telemetry.span.context.trace_id]
    assert not trace.get_current_span().get_span_context().is_valid


def test_many_calls_at_once_do_not_mix_their_spans() -> None:
    server, telemetry = make_server()

    async def run() -> None:
        app = server.asgi()
        calls = [
            speak(app, *modern("tools/call", id=id, name=name, arguments={"a": 1, "b": id}))
            for id in range(40)
            for name in ("add", "add_async")
        ]
        await asyncio.gather(*calls)

    asyncio.run(run())
    by_id = {span.context.span_id: span for span in telemetry.spans if span.context is not None}
    inside = [span for span in telemetry.spans if span.name == "inside"]
    parents = {by_id[span.parent.span_id].context.span_id for span in inside if span.parent}  # type: ignore[union-attr]
    assert len(inside) == len(parents) == 80


# Metrics ------------------------------------------------------------------------------------------


def test_the_duration_of_a_request_is_measured_in_seconds() -> None:
    server, telemetry = make_server()
    for _ in range(3):
        send("stdio", server, "tools/call", "2026-07-28", name="quiet")
    (point,) = telemetry.points("mcp.server.operation.duration")
    assert dict(point.attributes) == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "quiet",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": "2026-07-28",
        "network.transport": "pipe",
    }
    assert point.explicit_bounds == (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
    assert point.count == 3 and 0 < point.sum < 5


def test_the_duration_of_a_session_is_measured() -> None:
    server, telemetry = make_server()
    send("stdio", server, "ping", "2025-11-25")

    async def run() -> None:
        app = server.asgi()
        headers = await session(app)
        await speak(app, headers=headers, method="DELETE")

    asyncio.run(run())
    connection = server.connect()
    connection.handle(initialize("2025-06-18"))
    connection.close()
    points = telemetry.points("mcp.server.session.duration")
    assert [dict(point.attributes) for point in points] == [
        {"mcp.protocol.version": "2025-11-25", "network.transport": "pipe"},
        {"mcp.protocol.version": "2025-11-25", "network.transport": "tcp", "network.protocol.name": "http"},
        {"mcp.protocol.version": "2025-06-18"},
    ]
    assert points[0].explicit_bounds[:3] == (0.01, 0.02, 0.05)


# Around it ----------------------------------------------------------------------------------------


def test_without_providers_the_global_ones_are_used() -> None:
    server = Server("s")
    otel.instrument(server)
    assert server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"}) == b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert metrics.get_meter_provider() is not None


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match=r"otel\.instrument has no option argument=; did you mean arguments=\?"):
        otel.instrument(Server("s"), argument=True)  # type: ignore[call-arg]
    with pytest.raises(OptionError, match="arguments= takes True or False, not str"):
        otel.instrument(Server("s"), arguments="yes")  # type: ignore[arg-type]


def test_a_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "plainmcp.otel.recording", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(AuthorError, match=r"pip install 'plainmcp\[otel\]'"):
        otel.instrument(Server("s"))


@pytest.mark.slow
def test_nothing_is_imported_without_it() -> None:
    program = (
        "import sys, plainmcp; server = plainmcp.Server('s', observe=lambda facts: None); server.handle(b'{}');"
        "assert not [name for name in sys.modules if 'opentelemetry' in name or name.startswith('plainmcp.otel')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
