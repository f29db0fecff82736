"""Principals: which are equal, and what is shown of them."""

import pytest

from plainmcp import Server
from plainmcp.auth import Principal
from plainmcp.errors import AuthorError
from plainmcp.policy import Policy
from plainmcp.values.encode import Rules


def test_the_same_user_with_another_token_is_equal() -> None:
    one = Principal("https://a", "ada", "app", ["read"], {"jti": "1"}, 10)
    assert one == Principal("https://a", "ada", "app", ["read", "write"], {"jti": "2"}, 99)
    assert hash(one) == hash(Principal("https://a", "ada", "app"))


@pytest.mark.parametrize(
    "other", [("https://b", "ada", "app"), ("https://a", "bob", "app"), ("https://a", "ada", "x")]
)
def test_another_issuer_subject_or_client_is_another_caller(other: tuple[str, str, str]) -> None:
    assert Principal("https://a", "ada", "app") != Principal(*other)
    assert Principal(subject="ada") != "ada"


def test_claims_are_not_shown() -> None:
    one = Principal("https://a", "ada", claims={"email": "ada@secret.example"}, scopes=["read"])
    assert "secret" not in repr(one) and "secret" not in str(one)
    assert b"secret" not in Rules().encode(one, Policy.standard)


def test_scopes_are_a_set() -> None:
    assert Principal(subject="ada", scopes="read write").scopes == {"read", "write"}  # type: ignore[arg-type]
    assert Principal(subject="ada", scopes=["read"]).scopes == {"read"}  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"subject": "ada", "scopes": 3}, {"subject": "ada", "scopes": [3]}])
def test_a_principal_that_cannot_be_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(AuthorError):
        Principal(**options)  # type: ignore[arg-type]


def test_a_handler_gets_it() -> None:
    server = Server("s", "1")
    assert server.list_tools(principal=Principal(subject="ada")) == []
