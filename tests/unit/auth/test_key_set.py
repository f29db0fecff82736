"""Where the keys of an issuer are found."""

import json
from typing import Any

import pytest

from plainmcp.auth.fetch import NotThere
from plainmcp.auth.key_set import discover
from plainmcp.auth.principal import Unavailable


def fetching(documents: dict[str, Any], seen: list[str]) -> Any:
    def fetch(url: str) -> bytes:
        seen.append(url)
        if url not in documents:
            raise NotThere("not there")
        document = documents[url]
        return document if isinstance(document, bytes) else json.dumps(document).encode()

    return fetch


@pytest.mark.parametrize(
    ("issuer", "urls"),
    [
        (
            "https://a.example",
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ],
        ),
        (
            "https://a.example/realms/x",
            [
                "https://a.example/.well-known/oauth-authorization-server/realms/x",
                "https://a.example/.well-known/openid-configuration/realms/x",
                "https://a.example/realms/x/.well-known/openid-configuration",
            ],
        ),
        (
            "https://x.auth0.com/",
            [
                "https://x.auth0.com/.well-known/oauth-authorization-server",
                "https://x.auth0.com/.well-known/openid-configuration",
            ],
        ),
    ],
)
def test_the_metadata_is_looked_for_in_three_places(issuer: str, urls: list[str]) -> None:
    seen: list[str] = []
    document = {"issuer": issuer, "jwks_uri": "https://keys.example/jwks"}
    assert discover(issuer, fetching({urls[-1]: document, urls[0]: b"<html>"}, seen)) == "https://keys.example/jwks"
    assert seen == urls
    with pytest.raises(Unavailable, match="has no metadata"):
        discover(issuer, fetching({}, seen))


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://evil.example", "jwks_uri": "https://a.example/jwks"},
        {"issuer": "https://a.example/", "jwks_uri": "https://a.example/jwks"},
        {"issuer": "https://a.example"},
        {"issuer": "https://a.example", "jwks_uri": "http://a.example/jwks"},
        {"issuer": "https://a.example", "jwks_uri": "file:///etc/passwd"},
        {"issuer": "https://a.example", "jwks_uri": 3},
    ],
)
def test_metadata_of_another_issuer_or_without_safe_keys_is_refused(document: Any) -> None:
    url = "https://a.example/.well-known/oauth-authorization-server"
    with pytest.raises(Unavailable):
        discover("https://a.example", fetching({url: document}, []))
