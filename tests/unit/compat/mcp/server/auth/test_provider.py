"""Verifiers of tokens that ask an object of the program."""

import asyncio

from mcp.server.auth import provider as official

from plainmcp.compat.mcp.server.auth.provider import AccessToken, ProviderTokenVerifier, principal_components


class Provider:
    async def load_access_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="c", scopes=[]) if token == "good" else None


def test_a_token_is_what_the_object_says() -> None:
    verifier = ProviderTokenVerifier(Provider())
    found = asyncio.run(verifier.verify_token("good"))
    assert found.client_id == "c" and asyncio.run(verifier.verify_token("other")) is None


def test_a_caller_is_who_it_is_there() -> None:
    for fields in ({}, {"subject": "ada"}, {"subject": "ada", "claims": {"iss": "https://login.example.com"}}):
        ours = AccessToken(token="t", client_id="c", scopes=[], **fields)  # type: ignore[arg-type]
        theirs = official.AccessToken(token="t", client_id="c", scopes=[], **fields)  # type: ignore[arg-type]
        assert principal_components(ours) == official.principal_components(theirs)
