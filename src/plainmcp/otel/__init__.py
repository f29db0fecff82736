"""OpenTelemetry: a span for each request, and the durations of requests and sessions. Extra `plainmcp[otel]`.

Needs opentelemetry-api only; an SDK of the program decides where spans and metrics go.
"""

from typing import Any

from ..errors import AuthorError
from ..protocol.option_check import with_checked_options
from ..server import Server

__all__ = ["instrument"]


@with_checked_options("otel.instrument", "write otel.instrument(server)")
def instrument(
    server: Server,
    *,
    tracer_provider: Any = None,
    meter_provider: Any = None,
    arguments: bool = False,
    results: bool = False,
    session_ids: bool = True,
    public: bool = False,
) -> None:
    """Record a span and a duration for each request of a server, by the conventions of OpenTelemetry for MCP.

    Without a TracerProvider or a MeterProvider, the global ones are used. `arguments` and `results` put the data of
    tools and prompts into spans, which may be secret; `session_ids=False` leaves out the ids of sessions. With
    `public`, the trace of a client is a link and not the parent, so that it does not decide what is sampled. Call
    this before `server.asgi()` or `server.wsgi()`. Raises AuthorError if opentelemetry-api is not installed.
    """
    try:
        from .recording import Recorder  # loaded for those who have the extra
    except ImportError as error:
        raise AuthorError("plainmcp.otel takes opentelemetry-api: pip install 'plainmcp[otel]'") from error
    recorder = Recorder(
        tracer_provider,
        meter_provider,
        arguments=arguments,
        results=results,
        session_ids=session_ids,
        public=public,
    )
    server.observe(recorder.begin_request)
    server.observe_sessions(recorder.begin_session)
