"""Claims: the forms of scopes, and numbers that are not times."""

from typing import Any

import pytest

from plainmcp.auth import Principal
from plainmcp.auth.claims import (
    TokenRefused,
    check_times,
    decode_object,
    principal_of,
    scopes_of_claims,
    to_canonical,
)
from plainmcp.protocol.scopes import scopes_of


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({"scope": "a b"}, {"a", "b"}),
        ({"scope": ["a", "b"]}, {"a", "b"}),
        ({"scp": "a b"}, {"a", "b"}),
        ({"scp": ["a"], "scope": "b"}, {"a", "b"}),
        ({"scopes": ["a", 3, None]}, {"a"}),
        ({"scope": {"a": 1}, "scp": 3}, set()),
        ({}, set()),
    ],
)
def test_scopes_come_in_several_forms(claims: dict[str, Any], scopes: set[str]) -> None:
    assert scopes_of_claims(claims) == scopes


BLANKS = [
    "\t",
    "\n",
    "\r",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u00a0",
    "\u1680",
    "\u2003",
    "\u2028",
    "\u2029",
    "\u3000",
]


@pytest.mark.parametrize("blank", BLANKS)
def test_only_a_space_ends_a_scope(blank: str) -> None:
    """P28: RFC 6749, 3.3. Other characters that Unicode calls blanks are part of a scope that no one requires."""
    text = f"notes:read{blank}admin  notes:write "
    expected = {f"notes:read{blank}admin", "notes:write"}
    for name in ("scope", "scp", "scopes"):
        assert scopes_of_claims({name: text}) == expected
    assert Principal(subject="ada", scopes=text).scopes == expected  # type: ignore[arg-type]
    assert scopes_of({"scopes": text}) == expected


@pytest.mark.parametrize("levels", [128, 129, 990, 100_000])
def test_json_of_others_nests_as_deep_as_a_message(levels: int) -> None:
    """P27"""
    raw = b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"
    if levels <= 128:
        assert list(decode_object(raw)) == ["a"]
    else:
        with pytest.raises(ValueError, match="not a JSON object"):
            decode_object(raw)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff", b'{"a": NaN}', "\ud800", None, 3, {}, b"\xef\xbb\xbf{}"])
def test_what_is_no_json_object_is_a_value_error(raw: Any) -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        decode_object(raw)


@pytest.mark.parametrize("value", [True, "1", [1], float("nan"), float("inf"), -float("inf"), 10**400, -(10**400)])
@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
def test_a_time_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(TokenRefused):
        check_times({"exp": 100, name: value}, 50, 0)


def test_a_token_without_an_expiry_may_be_allowed() -> None:
    assert check_times({}, 50, 0, needs_expiry=False) is None


def test_a_client_is_a_caller_too() -> None:
    assert principal_of({"client_id": "bot"}, "https://a", 9.0).identity == ("https://a", None, "bot")


def test_uris_are_compared_without_their_case_where_it_has_no_meaning() -> None:
    assert to_canonical("urn:X") == "urn:X"
    assert to_canonical("https://A/") == "https://a"
    assert to_canonical("https://A/b//") == "https://a/b/"
