"""The table of OpenTelemetry's names: which errors are faults of the server."""

import pytest

from plainmcp.otel.conventions import BUCKETS, CALLER_FAULTS, is_server_fault
from plainmcp.protocol.core import Core
from plainmcp.protocol.facts import RequestFacts
from plainmcp.wire.jsonrpc import encode_error


@pytest.mark.parametrize(
    ("code", "is_fault"),
    [
        (-32700, False), (-32600, False), (-32601, False), (-32602, False), (-32002, False),
        (-32603, True), (-32000, True), (-32001, True), (-32020, True), (-32042, True), (1, True),
    ],
)  # fmt: skip
def test_every_code_but_those_of_the_caller_is_a_fault_of_the_server(code: int, is_fault: bool) -> None:
    facts = RequestFacts(Core("s"), None, None, None)
    facts.end(encode_error(b"1", code, "x"))
    assert is_server_fault(facts) is is_fault
    assert (code in CALLER_FAULTS) is not is_fault


def test_a_request_that_runs_is_no_fault() -> None:
    assert not is_server_fault(RequestFacts(Core("s"), None, None, None))


def test_the_bounds_rise() -> None:
    assert list(BUCKETS) == sorted(set(BUCKETS)) and len(BUCKETS) == 14
