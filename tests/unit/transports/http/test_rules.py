"""The HTTP rules as pure functions, row by row: settings, who may call, headers, eras, statuses."""

from functools import partial
from typing import Any

import msgspec
import pytest

from mounted import META
from plainmcp.errors import (
    AuthorError,
    HeaderMismatch,
    InvalidParams,
    InvalidRequest,
    ProtocolError,
    UnsupportedRevision,
)
from plainmcp.protocol.core import Core
from plainmcp.revisions import HTTP_DEFAULT, Revision
from plainmcp.transports.http import headers, rules, security
from plainmcp.transports.http.headers import Headers
from plainmcp.transports.http.new_endpoint import make_endpoint
from plainmcp.transports.http.rules import HeaderFacts, Response
from plainmcp.transports.http.settings import Settings
from plainmcp.wire import jsonrpc

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def facts_of(headers: Headers) -> HeaderFacts:
    """The facts of a request by its headers."""
    accept, version, method = map(headers.get, (b"accept", b"mcp-protocol-version", b"mcp-method"))
    return rules.facts_of(accept, version, method)


def view(**given: str) -> Headers:
    return Headers([(name.replace("_", "-").lower().encode(), value.encode()) for name, value in given.items()])


def message(method: str = "tools/list", meta: Any = META, **params: Any) -> jsonrpc.Envelope:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **({"_meta": meta} if meta else {})}}
    return jsonrpc.decode_message(msgspec.json.encode(body))


# Settings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"origins": "https://a.example"}, "origins is a list"),
        ({"origins": ["a.example"]}, "origins such as"),
        ({"origins": ["https://a.example/"]}, "without a path"),
        ({"hosts": ["https://a.example"]}, "hosts holds names"),
        ({"hosts": "a.example"}, "hosts is a list"),
        ({"hosts": ["a.example:http"]}, "hosts holds names"),
        ({"hosts": ["*.example"]}, "hosts holds names"),
        ({"max_body": 0}, "max_body is a number"),
        ({"max_sessions": -1}, "max_sessions is a number"),
        ({"keep_alive_seconds": 0}, "keep_alive_seconds is a number"),
        ({"session_seconds": float("nan")}, "session_seconds is a number"),
        ({"session_idle_seconds": "60"}, "session_idle_seconds is a number"),
        ({"stateless": "yes"}, "stateless is True or False"),
    ],
)
def test_a_setting_that_makes_no_sense_is_the_authors_mistake(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AuthorError, match=complaint):
        Settings(**given)


# Origin and Host ----------------------------------------------------------------------------------

LOOPBACK, PUBLIC = "127.0.0.1", "192.0.2.7"
JSON = [(b"content-type", b"application/json")]


@pytest.mark.parametrize(
    ("local", "host", "origin", "settings"),
    [
        (LOOPBACK, "localhost:8000", None, {}),
        (LOOPBACK, "127.0.0.1:8000", "http://127.0.0.1:8000", {}),
        (LOOPBACK, "127.0.0.1:8000", "http://localhost:6274", {"origins": ["http://localhost:6274"]}),
        (LOOPBACK, "127.0.0.1:8000", "http://localhost:6274", {"origins": ["http://LOCALHOST:*"]}),
        (LOOPBACK, "127.0.0.1:8000", "http://localhost", {"origins": ["http://localhost:*"]}),
        (LOOPBACK, "127.0.0.1:8000", "http://[::1]:3000", {"origins": ["http://[::1]:*"]}),
        ("::1", "[::1]:8000", "http://[::1]:8000", {}),
        (LOOPBACK, "LocalHost", "http://LOCALHOST", {}),
        (LOOPBACK, "127.0.0.2:80", "http://127.0.0.2", {}),
        ("::1", "[2001:db8::1]:80", "http://[2001:db8::1]", {"hosts": ["2001:DB8:0::1"]}),
        ("::1", "[2001:db8::1]:80", "http://[2001:db8::1]", {"hosts": ["[2001:db8::1]"]}),
        (LOOPBACK, "my_service-1.internal:80", None, {"hosts": ["my_service-1.internal"]}),
        (LOOPBACK, "api.example", None, {"hosts": ["api.example"]}),
        (LOOPBACK, "api.example:444", "https://api.example:444", {"hosts": ["api.example"]}),
        (LOOPBACK, "api.example", "https://api.example:443", {"hosts": ["api.example"]}),
        (LOOPBACK, "localhost", "https://app.example", {"origins": ["https://app.example:443"]}),
        (LOOPBACK, "anything.example", "http://anything.example", {"hosts": ["*"]}),
        (LOOPBACK, "localhost", "https://app.example", {"origins": ["https://APP.example"]}),
        (LOOPBACK, "localhost", "https://app.example", {"origins": ["*"]}),
        (PUBLIC, "whatever.example", None, {}),
        (PUBLIC, "api.example", "https://app.example", {"origins": ["https://app.example"]}),
        (PUBLIC, "api.example", "https://api.example", {"hosts": ["api.example"]}),
        (None, "socket", None, {}),
    ],
)
def test_a_request_from_where_it_may_come_passes(
    local: str | None, host: str, origin: str | None, settings: dict[str, Any]
) -> None:
    """R*-HTTP-02"""
    allowed = Settings(**settings)
    security.check(host, origin, local, "http", frozenset(allowed.origins), frozenset(allowed.hosts))


@pytest.mark.parametrize(
    ("local", "host", "origin", "settings", "named"),
    [
        (LOOPBACK, "evil.example", None, {}, "hosts"),
        (LOOPBACK, "localhost.evil.example", None, {}, "hosts"),
        (LOOPBACK, "127.0.0.1.evil.example", None, {}, "hosts"),
        (LOOPBACK, None, None, {}, "hosts"),
        (LOOPBACK, "evil.example:8000", "http://evil.example:8000", {}, "hosts"),
        (LOOPBACK, "localhost:8000", "http://evil.example", {}, "origins"),
        (LOOPBACK, "localhost:8000", "null", {}, "origins"),
        (LOOPBACK, "localhost:8000", "", {}, "origins"),
        (PUBLIC, "evil.example", "http://evil.example", {}, "origins"),
        (PUBLIC, "api.example", "http://localhost:3000", {}, "origins"),
        (PUBLIC, "other.example", None, {"hosts": ["api.example"]}, "hosts"),
        (PUBLIC, "api.example", "https://app.example.evil", {"origins": ["https://app.example"]}, "origins"),
        (LOOPBACK, "127.0.0.1:8000", "http://127.0.0.1:8001", {}, "origins"),  # P23, and all the others
        (LOOPBACK, "127.0.0.1:8000", "http://localhost:8000", {}, "origins"),
        (LOOPBACK, "127.0.0.1:8000", "https://127.0.0.1:8000", {}, "origins"),
        (LOOPBACK, "localhost", "https://localhost", {}, "origins"),
        (LOOPBACK, "localhost", "https://localhost", {"hosts": ["api.example"]}, "origins"),
        (LOOPBACK, "localhost:8000", "http://localhost", {}, "origins"),
        (LOOPBACK, "api.example", "https://api.example:8443", {"hosts": ["api.example"]}, "origins"),
        (LOOPBACK, "api.example", "http://api.example:443", {"hosts": ["api.example"]}, "origins"),
        (LOOPBACK, "a.example", "https://b.example", {"hosts": ["a.example", "b.example"]}, "origins"),
        (LOOPBACK, "a.example", "https://b.example", {"hosts": ["*"]}, "origins"),
        (LOOPBACK, "localhost:1", "https://app.example:8443", {"origins": ["https://app.example"]}, "origins"),
        (LOOPBACK, "localhost:1", "http://app.example", {"origins": ["https://app.example"]}, "origins"),
        (LOOPBACK, "localhost:1", "https://localhost:2", {"origins": ["http://localhost:*"]}, "origins"),
        (LOOPBACK, "localhost:1", "http://localhost:2:3", {"origins": ["http://localhost:*"]}, "origins"),
        (LOOPBACK, "localhost:1", "http://localhost.evil.example:2", {"origins": ["http://localhost:*"]}, "origins"),
    ],
)
def test_a_request_a_browser_was_tricked_into_is_refused_by_a_text_that_names_the_setting(
    local: str, host: str | None, origin: str | None, settings: dict[str, Any], named: str
) -> None:
    """R*-HTTP-02"""
    allowed = Settings(**settings)
    with pytest.raises(InvalidRequest, match=f"the setting {named}"):
        security.check(host, origin, local, "http", frozenset(allowed.origins), frozenset(allowed.hosts))


NOT_LOOPBACK = [
    "", " ", ":", ":80", "[", "[]", "[]:80", "[::1", "::1", "::1]", "[::1]]", "[[::1]]", "[::1]evil.example",
    "[::1].evil.example", "[::1]:", "[::1]:x", "[::1]:80:90", "[::1]80", "[::1]@evil.example", "[::1%25lo]",
    "[::1%lo]", "[127.0.0.1]", "[localhost]", "[::1:]", "[:::1]", "[v1.::1]", "localhost:", "localhost:evil.example",
    "localhost:80:90", "localhost:80evil", "localhost:-1", "localhost:+80", "localhost:8_0", "localhost:65536",
    "localhost:000080", "localhost:\u0668\u0660", "localhost:\xb2", "localhost: 80", "localhost :80", "local host",
    "localhost\n", "localhost\r\n", "localhost\t:80", "localhost\0", "localhost,evil.example", "localhost/",
    "localhost/@evil.example", "localhost?", "localhost#", "localhost\\evil.example", "localhost;a", "localhost%00",
    "user@localhost", "user:password@localhost", "localhost@evil.example", "localhost:80@evil.example", "@localhost",
    "localhost.", "localhost..", ".localhost", "evil.localhost", "local\u017fhost", "localho\u017ft",
    "\uff4cocalhost", "127.0.0.1.", "127.1", "127.0.0.01", "0x7f.0.0.1", "2130706433", "127.0.0.1:",
    "127.0.0.1:80:90", "127.0.0.1:evil.example", "127.0.0.1 evil.example",
]  # fmt: skip


@pytest.mark.parametrize("name", NOT_LOOPBACK)
def test_what_only_begins_or_ends_like_this_machine_is_not_this_machine(name: str) -> None:
    """R*-HTTP-02: neither as a Host nor in an Origin"""
    with pytest.raises(InvalidRequest, match="the setting hosts"):
        security.check(name, None, LOOPBACK, "http", frozenset(), frozenset())
    with pytest.raises(InvalidRequest, match="the setting origins"):
        security.check("localhost", f"http://{name}", LOOPBACK, "http", frozenset(), frozenset())


@pytest.mark.parametrize(
    "origin",
    ["localhost", "//localhost", "://localhost", "http:/localhost", "http:localhost", "http:///localhost", "file://localhost",
     "http://localhost/", "http://localhost/evil", "http://evil.example://localhost", "http://http://localhost", "x://localhost",
     "http://localhost http://evil.example", " http://localhost", "http ://localhost", "httpx://localhost", "ws://localhost"],
)  # fmt: skip
def test_an_origin_is_a_scheme_and_a_host_and_nothing_else(origin: str) -> None:
    """R*-HTTP-02"""
    with pytest.raises(InvalidRequest, match="the setting origins"):
        security.check("localhost", origin, LOOPBACK, "http", frozenset(), frozenset())


def test_behind_tls_a_page_without_it_is_another_site() -> None:
    """P23: the scheme is part of an origin."""
    check = partial(security.check, origins=frozenset(), hosts=frozenset({"api.example"}))
    check("api.example", "https://api.example", PUBLIC, "https")
    check("api.example", "https://api.example", PUBLIC, "http")  # a proxy that does not say that it has TLS
    with pytest.raises(InvalidRequest, match="the setting origins"):
        check("api.example", "http://api.example", PUBLIC, "https")


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


# Media types --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "is_json"),
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
def test_a_body_says_that_it_is_json(given: str | None, is_json: bool) -> None:
    """P23"""
    assert rules.is_json(given) is is_json


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
    assert rules.accepts(accept, "application/json") is json
    assert rules.accepts(accept, "text/event-stream") is sse


# Headers ------------------------------------------------------------------------------------------


def test_a_name_in_a_schema_is_found_in_any_case_and_values_are_read_without_the_blanks_around_them() -> None:
    """R26-HDR-08"""
    given = Headers([(b"mcp-param-region", b" \teu\t ")])
    assert given.param("MCP-param-Region") == given.get(b"mcp-param-region") == "eu"
    assert given.get_unique(b"mcp-param-region") == b"eu"
    assert given.get(b"mcp-method") is given.get_unique(b"mcp-method") is given.param("Mcp-Param-Floor") is None


def test_lines_of_a_list_are_one_list() -> None:
    headers = Headers([(b"accept", b"text/html"), (b"accept", b"text/event-stream "), (b"x", b"a"), (b"x", b"b")])
    assert (headers.get(b"accept"), headers.get(b"x")) == ("text/html, text/event-stream", "b")


def test_a_header_that_others_route_by_is_given_once() -> None:
    given = Headers([(b"mcp-method", b"tools/list"), (b"mcp-method", b"tools/list")])
    with pytest.raises(HeaderMismatch, match="twice"):
        given.get_unique(b"mcp-method")


def test_names_that_wsgi_folded_are_found_again() -> None:
    given = Headers([(b"mcp-param-my-region", b"eu")], folded=True)
    assert given.param("Mcp-Param-My_Region") == given.get(b"mcp-param-my-region") == "eu"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("=?base64?SGVsbG8=?=", "Hello"),
        ("=?base64?5pel5pys?=", "日本"),
        ("=?base64??=", ""),
        ("SGVsbG8=", "SGVsbG8="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("SGVsbG8=?=", "SGVsbG8=?="),
    ],
)
def test_a_base64_value_is_decoded_and_any_other_is_meant_literally(value: str, text: str) -> None:
    """R26-HDR-07"""
    assert Headers([(b"mcp-name", value.encode())]).value_of(b"mcp-name", "Mcp-Name") == text


@pytest.mark.parametrize(
    "value", ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?=", "caf\xe9", "a\x00b", "a\x7fb"]
)
def test_a_value_that_is_not_well_made_is_refused(value: str) -> None:
    """R26-HDR-09"""
    with pytest.raises(HeaderMismatch):
        Headers([(b"mcp-param-region", value.encode("latin-1"))]).param("Mcp-Param-Region")


MAP = {"Mcp-Param-Region": ("region",), "Mcp-Param-Floor": ("where", "floor"), "Mcp-Param-Quick": ("quick",)}


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ({}, {}),
        ({"region": None}, {}),
        ({"region": None}, {"mcp_param_region": "eu"}),
        ({"where": 3}, {}),
        ({"region": "eu"}, {"mcp_param_region": "eu"}),
        ({"region": "Hello"}, {"MCP_PARAM_REGION": "=?base64?SGVsbG8=?="}),
        ({"where": {"floor": 42}}, {"mcp_param_floor": "42.0"}),
        ({"where": {"floor": 42.0}}, {"mcp_param_floor": "42"}),
        ({"where": {"floor": -7}}, {"mcp_param_floor": "-7"}),
        ({"quick": True}, {"mcp_param_quick": "true"}),
        ({"other": "x"}, {"mcp_param_other": "y"}),
    ],
)
def test_a_header_that_says_what_its_argument_says_passes(arguments: Any, given: dict[str, str]) -> None:
    """R26-HDR-10, R26-HDR-11, R26-HDR-12"""
    headers.match_params(view(**given), MAP, arguments)


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ({"region": "eu"}, {}),
        ({"region": ""}, {}),
        ({"region": "eu"}, {"mcp_param_region": "EU"}),
        ({"region": "eu"}, {"mcp_param_region": "us"}),
        ({"where": {"floor": 42}}, {"mcp_param_floor": "43"}),
        ({"where": {"floor": 42}}, {"mcp_param_floor": "0x2a"}),
        ({"where": {"floor": 2**53}}, {"mcp_param_floor": str(2**53)}),
        ({"where": {"floor": 1}}, {"mcp_param_floor": "1e9999"}),
        ({"quick": True}, {"mcp_param_quick": "1"}),
        ({"quick": True}, {"mcp_param_quick": "True"}),
        ({"region": ["eu"]}, {"mcp_param_region": "eu"}),
    ],
)
def test_a_header_that_says_something_else_is_refused(arguments: Any, given: dict[str, str]) -> None:
    """R26-HDR-10"""
    with pytest.raises(HeaderMismatch):
        headers.match_params(view(**given), MAP, arguments)


# Eras ---------------------------------------------------------------------------------------------


def checked(headers: Headers, envelope: jsonrpc.Envelope, wanted: Any = None) -> None:
    rules.check_modern(headers, facts_of(headers), envelope, envelope.meta, wanted)


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
    return rules.revision_without_session(headers, facts_of(headers))


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


# Statuses -----------------------------------------------------------------------------------------


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
    assert rules.status_of(failure, modern=True) == modern
    assert rules.status_of(failure, modern=False) == 200
    assert rules.status_unread(code, modern=False) == unread
    assert rules.status_of(jsonrpc.encode_result(b"1", {}), modern=True) == 200


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
