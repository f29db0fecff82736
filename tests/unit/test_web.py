"""The request and the response of routes, by themselves; test_asgi_routes has them at the wire."""

import pytest

from plainmcp.errors import ParseError
from plainmcp.web import HttpRequest, HttpResponse


def test_a_request_reads_its_body() -> None:
    request = HttpRequest(method="POST", path="/", body=b'{"a": 1}')
    assert request.json() == {"a": 1} and request.text == '{"a": 1}'
    assert HttpRequest(method="POST", path="/", body=b"\xff").text == "\ufffd"
    for body in (b"", b"{", b"NaN"):
        with pytest.raises(ParseError):
            HttpRequest(method="POST", path="/", body=body).json()


def test_a_response_has_defaults() -> None:
    assert HttpResponse() == HttpResponse(b"", 200, {})
