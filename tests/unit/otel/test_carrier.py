"""The fields of a trace that a client sends: what is not well-formed is dropped, and never logged."""

import logging
import time

import pytest
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from plainmcp import Server, otel
from plainmcp.otel.carrier import check_fields
from speaking import message

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
GOOD = {
    "traceparent": [PARENT, PARENT.replace("00-", "cc-", 1)],
    "tracestate": ["a=1", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "1a-2f@foo=bar1 , b=c d", "a=" + "x" * 256],
    "baggage": ["a=1", "tenant=blue,plan=free", "k=%20x , l=", "k=v;p=1;q,l=2", "key=" + "v" * 4000],
}
BAD = {
    "traceparent": ["", "00-zz", PARENT + "\nforged line", PARENT.upper(), PARENT + "-00" * 9999],
    "tracestate": ["=", "a", "a=1,a=2", "A=1", "a=\n", "a=1," * 33, "a=" + "x" * 5000, "a=é", ","],
    "baggage": ["", "a", "a b=c", "a=b\nforged", "a=b," * 200, "a=" + "x" * 9000, "a=é", 'a="b"', "a=b;c d"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in GOOD for value in GOOD[name]])
def test_what_is_well_formed_stays(name: str, value: str) -> None:
    assert check_fields({name: value}) == {name: value}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in BAD for value in BAD[name]])
def test_what_is_not_is_dropped(name: str, value: str) -> None:
    assert check_fields({name: value}) == {}


def test_no_value_takes_long() -> None:
    blanks = " " * 4_000
    values = [f"a{blanks}={blanks}\x01", "a=b" + ";cccc" * 1_600 + "\x01", "a=b" + ";c " * 2_700, f"a=b;c{blanks}"]
    start = time.perf_counter()
    for value in values:
        check_fields({"baggage": value, "tracestate": value, "traceparent": value})
    assert time.perf_counter() - start < 0.2


@pytest.mark.parametrize("values", [GOOD, BAD])
def test_nothing_that_stays_is_logged(values: dict[str, list[str]], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = Server("s")
    otel.instrument(server)
    for name in values:
        for value in values[name]:
            fields = {"traceparent": PARENT, name: value}
            for propagator in (TraceContextTextMapPropagator(), W3CBaggagePropagator()):
                propagator.extract(check_fields(fields))
            server.handle(message("2025-11-25", "ping", {"_meta": fields}))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
