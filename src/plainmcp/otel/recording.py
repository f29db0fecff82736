"""The observers that record spans and durations. Knows the API of OpenTelemetry; conventions has the names.

What a request carries in its `_meta` is the parent of its span. The span of the HTTP server around it is then a link.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from opentelemetry import context as contexts
from opentelemetry import metrics, trace
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ..observe import RequestFacts, SessionFacts
from . import conventions
from .carrier import check_fields

__all__ = ["Recorder"]

_propagator = CompositePropagator([TraceContextTextMapPropagator(), W3CBaggagePropagator()])


class Recorder:
    """Records each request as a span and a duration, and each session as a duration."""

    def __init__(
        self,
        tracer_provider: trace.TracerProvider | None,
        meter_provider: metrics.MeterProvider | None,
        *,
        arguments: bool,
        results: bool,
        session_ids: bool,
        public: bool,
    ) -> None:
        self._tracer = trace.get_tracer("plainmcp", tracer_provider=tracer_provider)
        meter = metrics.get_meter("plainmcp", meter_provider=meter_provider)
        self._requests = _make_histogram(meter, conventions.OPERATION_DURATION, "The duration of a request")
        self._sessions = _make_histogram(meter, conventions.SESSION_DURATION, "The duration of a session")
        self._arguments = arguments
        self._results = results
        self._session_ids = session_ids
        self._context_of = _context_of_public if public else _context_of

    def begin_request(self, facts: RequestFacts) -> Callable[[RequestFacts], None] | None:
        """Start the span of a request and make it the current one; returns a function that ends it.

        An HTTP request that brought no message is not one of MCP, so it has no span.
        """
        if facts.method is None:
            return None
        parent, links = self._context_of(facts)
        attributes = conventions.request_attributes(facts)
        span = self._tracer.start_span(
            conventions.span_name(facts), parent, SpanKind.SERVER, attributes=attributes, links=links
        )
        contexts.attach(trace.set_span_in_context(span, parent))  # for this request only: see protocol/observation
        return partial(self._end_request, span)

    def _end_request(self, span: Span, facts: RequestFacts) -> None:
        self._requests.record(facts.duration, conventions.metric_attributes(facts))
        if span.is_recording():
            span.set_attributes(conventions.end_attributes(facts))
            if self._session_ids:
                span.set_attributes(conventions.session_id_attributes(facts))
            span.set_attributes(conventions.data_attributes(facts, arguments=self._arguments, results=self._results))
            if conventions.is_server_fault(facts):
                span.set_status(Status(StatusCode.ERROR))
        span.end()

    def begin_session(self, facts: SessionFacts) -> Callable[[SessionFacts], None]:
        """Return a function that records the duration of a session at its end."""
        return self._end_session

    def _end_session(self, facts: SessionFacts) -> None:
        self._sessions.record(facts.duration, conventions.session_attributes(facts))


def _make_histogram(meter: metrics.Meter, name: str, description: str) -> Any:
    return meter.create_histogram(
        name, unit="s", description=description, explicit_bucket_boundaries_advisory=list(conventions.BUCKETS)
    )


def _context_of(facts: RequestFacts) -> tuple[contexts.Context, list[Link]]:
    """The context of a span, with what the client sent as its parent; and a link to the span around it."""
    current, carrier = contexts.get_current(), check_fields(facts.trace_context)
    around = trace.get_current_span(current).get_span_context()
    links = [Link(around)] if around.is_valid and _sent_span(carrier).is_valid else []
    return (_propagator.extract(carrier, current) if carrier else current), links


def _context_of_public(facts: RequestFacts) -> tuple[contexts.Context, list[Link]]:
    """The context of a span without what the client sent, which is only a link."""
    sent = _sent_span(check_fields(facts.trace_context))
    return contexts.get_current(), [Link(sent)] if sent.is_valid else []


def _sent_span(carrier: dict[str, str]) -> SpanContext:
    """The span that a client names as the parent; an invalid one if it names none."""
    return trace.get_current_span(_propagator.extract(carrier, contexts.Context())).get_span_context()
