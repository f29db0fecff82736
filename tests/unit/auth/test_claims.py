"""Claims: the forms of scopes, and numbers that are not times."""

from typing import Any

import pytest

from plainmcp.auth.claims import TokenRefused, check_times, principal_of, scopes_of_claims, to_canonical


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
