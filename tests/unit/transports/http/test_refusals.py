"""The statuses of responses with an error."""

import pytest

from plainmcp.transports.http.refusals import status_of, status_unread
from plainmcp.wire import jsonrpc


@pytest.mark.parametrize(
    ("code", "modern", "unread"),
    [
        (-32700, 400, 400),
        (-32600, 400, 400),
        (-32601, 404, 200),
        (-32602, 400, 200),
        (-32603, 200, 200),
        (-32020, 400, 200),
        (-32021, 400, 200),
        (-32022, 400, 200),
        (-32002, 200, 200),
        (7, 200, 200),
    ],
)
def test_an_error_has_the_status_of_its_era(code: int, modern: int, unread: int) -> None:
    """R26-HTTP-28"""
    failure = jsonrpc.encode_error(b"1", code, "no")
    assert status_of(failure, modern=True) == modern
    assert status_of(failure, modern=False) == 200
    assert status_unread(code, modern=False) == unread
    assert status_of(jsonrpc.encode_result(b"1", {}), modern=True) == 200
