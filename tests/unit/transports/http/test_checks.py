"""The checks of a request before its body is read, and of the headers that repeat parts of the body."""

from typing import Any

import msgspec
import pytest

from mounted import META
from plainmcp.errors import HeaderMismatch, InvalidParams, ProtocolError, UnsupportedRevision
from plainmcp.protocol.core import Core
from plainmcp.protocol.methods import METHODS
from plainmcp.revisions import HTTP_DEFAULT, Revision
from plainmcp.transports.http.checks import (
    HeaderFacts,
    accepts,
    check_modern,
    facts_of,
    is_json,
    revision_without_session,
)
from plainmcp.transports.http.headers import Headers
from plainmcp.transports.http.new_endpoint import make_endpoint
from plainmcp.transports.http.response import Response
from plainmcp.transports.http.settings import Settings
from plainmcp.wire import jsonrpc

LOOPBACK = "127.0.0.1"
JSON = [(b"content-type", b"application/json")]
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def known(headers: Headers) -> HeaderFacts:
    """The facts of a request by its headers."""
    accept, version, method = map(headers.get, (b"accept", b"mcp-protocol-version", b"mcp-method"))
    return facts_of(accept, version, method)


def view(**given: str) -> Headers:
    return Headers([(name.replace("_", "-").lower().encode(), value.encode()) for name, value in given.items()])


def message(method: str = "tools/list", meta: Any = META, **params: Any) -> jsonrpc.Envelope:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **({"_meta": meta} if meta else {})}}
    return jsonrpc.decode_message(msgspec.json.encode(body))


# Before the body is read --------------------------------------------------------------------------


def test_why_a_page_is_refused_is_logged_and_not_for_each_request(caplog: pytest.LogCaptureFixture) -> None:
    """P23: a browser hides the response from its user."""
    endpoint = make_endpoint(Core("s", "1"), Settings())
    for port in range(3):
        given = [(b"host", b"localhost"), (b"origin", b"http://localhost:%d" % port), *JSON]
        assert endpoint.preflight.check("OPTIONS", Headers(given), LOOPBACK).status == 403  # type: ignore[union-attr]
    why = "Origin 'http://localhost:0' is not allowed here; to allow it, name it in the setting origins"
    assert [record.getMessage() for record in caplog.records] == [f"a request was refused: {why}"]


@pytest.mark.parametrize("name", [b"host", b"origin"])
def test_a_second_host_or_origin_is_refused_even_where_the_first_is_known(name: bytes) -> None:
    endpoint = make_endpoint(Core("s", "1"), Settings())
    given = [(b"host", b"localhost"), (b"origin", b"http://localhost"), *JSON]
    assert isinstance(endpoint.preflight.check("POST", Headers(given), LOOPBACK), HeaderFacts)
    refusal = endpoint.preflight.check("POST", Headers([*given, (name, dict(given)[name])]), LOOPBACK)
    assert isinstance(refusal, Response) and refusal.status == 403 and b"given once" in refusal.body


def test_what_headers_were_judged_to_say_is_remembered_for_so_many_clients_and_not_for_ever() -> None:
    endpoint = make_endpoint(Core("s", "1"), Settings())
    for number in range(1_000):
        name = b"mcp-method" if number % 2 else b"accept"
        value = b"text/event-stream, x/%d" % number + b"x" * (number % 3 * 400)
        fit = endpoint.preflight.check("POST", Headers([(b"host", b"localhost"), (name, value), *JSON]), LOOPBACK)
        assert fit == HeaderFacts(number % 2 == 1, True, None, value.decode() if number % 2 else None, HTTP_DEFAULT)
    assert endpoint.preflight._judge.cache_info().currsize <= 128


def test_a_name_in_large_letters_is_judged_like_any_other() -> None:
    """R26-HDR-08"""
    endpoint = make_endpoint(Core("s", "1"), Settings())
    good = [(b"host", b"localhost"), (b"MCP-Method", b"ping"), (b"ACCEPT", b"text/event-stream"), *JSON]
    assert endpoint.preflight.check("POST", Headers(good), LOOPBACK) == HeaderFacts(
        False, True, None, "ping", HTTP_DEFAULT
    )
    refusal = endpoint.preflight.check("POST", Headers([*good, (b"Origin", b"https://evil.example")]), LOOPBACK)
    assert isinstance(refusal, Response) and refusal.status == 403
    with pytest.raises(HeaderMismatch, match="twice"):
        Headers([(b"Mcp-Name", b"a"), (b"mcp-name", b"a")]).get_unique(b"mcp-name")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, False),
        ("", False),
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("application/vnd.x+json", True),
        ("text/plain", False),
        ("multipart/form-data", False),
    ],
)
def test_a_body_says_that_it_is_json(given: str | None, expected: bool) -> None:
    """P23"""
    assert is_json(given) is expected


@pytest.mark.parametrize(
    ("accept", "json", "sse"),
    [
        (None, True, True),
        ("*/*", True, True),
        ("application/json", True, False),
        ("text/event-stream", False, True),
        ("application/json, text/event-stream", True, True),
        ("TEXT/*;q=0.1", False, True),
        ("application/json;q=0, text/event-stream", False, True),
        ("text/html", False, False),
    ],
)
def test_what_a_client_takes(accept: str | None, json: bool, sse: bool) -> None:
    assert accepts(accept, "application/json") is json
    assert accepts(accept, "text/event-stream") is sse


# The revision -------------------------------------------------------------------------------------


def checked(headers: Headers, envelope: jsonrpc.Envelope, wanted: Any = None) -> None:
    check_modern(headers, known(headers), envelope, envelope.meta, METHODS, wanted)


def ladder(method: str = "tools/call", meta: Any = META, version: Any = "2026-07-28", **more: Any) -> int | None:
    """The code of the first complaint about a modern request."""
    params = more.pop("params", {"name": "t", "arguments": {"region": "eu"}})
    given = {"mcp_method": method, "mcp_name": "t", "mcp_param_region": "eu", **more}
    if version is not None:
        given["mcp_protocol_version"] = version
    present = {name: value for name, value in given.items() if value is not None}
    known = {"t": {"Mcp-Param-Region": ("region",)}}
    headers = view(**present)
    try:
        checked(headers, message(method, meta, **params), known.get)
    except ProtocolError as error:
        return error.code
    return None


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, None),
        ({"meta": None}, -32602),
        ({"meta": {VERSION: "2026-07-28"}}, -32602),
        ({"meta": {CAPABILITIES: {}}}, -32602),
        ({"meta": {VERSION: 1, CAPABILITIES: {}}}, -32602),
        ({"meta": {**META, VERSION: "v999"}, "version": "v999"}, -32022),
        ({"meta": {**META, VERSION: "2025-11-25"}, "version": "2025-11-25"}, -32022),
        ({"meta": {**META, VERSION: "v999"}}, -32020),
        ({"version": None}, -32020),
        ({"mcp_method": None}, -32020),
        ({"mcp_method": "TOOLS/CALL"}, -32020),
        ({"mcp_name": None}, -32020),
        ({"mcp_name": "u"}, -32020),
        ({"mcp_name": "=?base64?dA==?="}, None),
        ({"mcp_name": "=?base64?dA?="}, -32020),
        ({"mcp_param_region": None}, -32020),
        ({"mcp_param_region": "us"}, -32020),
        ({"params": {"name": "t"}, "mcp_param_region": None}, None),
        ({"params": {"name": "unknown", "arguments": {"region": "eu"}}, "mcp_name": "unknown"}, None),
        ({"params": {"name": 3}}, None),
        ({"params": {}}, None),
        ({"meta": {**META, "io.modelcontextprotocol/logLevel": "loud"}, "mcp_param_region": "us"}, -32602),
        ({"method": "tools/list", "mcp_name": None, "params": {}}, None),
        ({"method": "prompts/get", "mcp_name": "p", "params": {"name": "p"}}, None),
        ({"method": "prompts/get", "params": {"name": "p"}}, -32020),
        ({"method": "resources/read", "mcp_name": "a:b", "params": {"uri": "a:b"}}, None),
        ({"method": "resources/read", "mcp_name": None, "params": {"uri": "a:b"}}, -32020),
        ({"method": "no/such", "mcp_name": None, "params": {}}, None),
    ],
)
def test_the_first_step_of_the_ladder_that_fails_answers(given: dict[str, Any], code: int | None) -> None:
    """R26-HDR-02, R26-HDR-03, R26-HDR-04, R26-HDR-05, R26-HDR-06, R26-HDR-10"""
    assert ladder(**given) == code


def test_initialize_under_a_modern_header_learns_which_versions_have_no_handshake() -> None:
    envelope = message("initialize", meta=None, protocolVersion="2025-11-25")
    with pytest.raises(InvalidParams) as refusal:
        headers = view(mcp_protocol_version="2026-07-28")
        checked(headers, envelope, lambda name: None)
    assert refusal.value.data == {"supported": ["2026-07-28"]}


def spoken(headers: Headers) -> Revision:
    return revision_without_session(headers, known(headers))


@pytest.mark.parametrize("name", [b"mcp-protocol-version", b"mcp-method", b"mcp-name"])
def test_a_header_the_body_repeats_is_given_once(name: bytes) -> None:
    said = {b"mcp-protocol-version": b"2026-07-28", b"mcp-method": b"tools/call", b"mcp-name": b"t"}
    headers = Headers([*said.items(), (name, said[name])])
    with pytest.raises(HeaderMismatch, match=f"{name.decode()} is given twice"):
        checked(headers, message("tools/call", name="t"))


def test_a_handshake_client_that_says_no_version_speaks_2025_03_26() -> None:
    """R2506-HDR-01, R2511-HDR-01, R26-HDR-01"""
    assert spoken(view()).name == "2025-03-26"
    assert spoken(view(mcp_protocol_version="2025-06-18")).name == "2025-06-18"


def test_a_version_header_nobody_serves_is_refused() -> None:
    """R2506-HDR-02, R2511-HDR-02"""
    with pytest.raises(UnsupportedRevision) as refusal:
        spoken(view(mcp_protocol_version="2024-01-01"))
    assert refusal.value.data["requested"] == "2024-01-01"
    assert refusal.value.data["supported"] == ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
