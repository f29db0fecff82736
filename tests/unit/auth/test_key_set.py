"""Where the keys of an issuer are found, and what becomes of those who wait for them."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from issuer import Issuer
from plainmcp.auth.fetch import NotThere
from plainmcp.auth.key_set import KeySet, discover
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


@pytest.mark.slow
def test_a_first_fetch_that_fails_fails_for_all_who_waited_for_it() -> None:
    """Each of them fetched again, one after the other, and threads waited for an issuer that does not answer."""
    issuer, fetches, is_down = Issuer(), list[float](), True

    def load() -> Any:
        fetches.append(time.monotonic())
        if is_down:
            time.sleep(1.2)
            raise Unavailable("it does not answer")
        return issuer.jwks()

    keys = KeySet(load)

    def find(number: int) -> str:
        try:
            return str(keys.find("RS256", f"unknown-{number}", None))
        except Unavailable as error:
            return str(error)

    started = time.monotonic()
    with ThreadPoolExecutor(10) as pool:
        texts = list(pool.map(find, range(10)))
    assert time.monotonic() - started < 2.2
    assert len(fetches) == 1
    assert sorted(set(texts)) == [
        "it does not answer",
        "the keys of the issuer could not be fetched a moment ago",
    ]
    is_down = False
    time.sleep(1)
    assert keys.find("RS256", "one", None)
