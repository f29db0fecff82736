"""The headers of a request: read once, and compared with the parameters that they repeat."""

from typing import Any

import msgspec
import pytest

from mounted import META
from plainmcp.errors import HeaderMismatch
from plainmcp.transports.http import headers
from plainmcp.transports.http.headers import Headers
from plainmcp.wire import jsonrpc


def view(**given: str) -> Headers:
    return Headers([(name.replace("_", "-").lower().encode(), value.encode()) for name, value in given.items()])


def message(method: str = "tools/list", meta: Any = META, **params: Any) -> jsonrpc.Envelope:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **({"_meta": meta} if meta else {})}}
    return jsonrpc.decode_message(msgspec.json.encode(body))


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
