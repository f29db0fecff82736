"""Names that belong to another product can be imported, and are refused with advice when they are used."""

import importlib
from typing import Any

import pytest

from plainmcp.compat import mcp
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.errors import AuthorError


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("client", "Client"),
        ("client.session", "ClientSession"),
        ("client.stdio", "stdio_client"),
        ("client.streamable_http", "streamablehttp_client"),
        ("client.sse", "sse_client"),
        ("server.auth.provider", "OAuthAuthorizationServerProvider"),
        ("server.auth.settings", "ClientRegistrationOptions"),
    ],
)
def test_a_name_is_refused_when_it_is_used(module: str, name: str) -> None:
    refused = getattr(importlib.import_module(f"plainmcp.compat.mcp.{module}"), name)

    class Own(refused[int]):  # type: ignore[misc,name-defined]
        pass

    with pytest.raises(AuthorError, match=f"{name} is not supported by plainmcp; "):
        Own(1, a=2)


def test_a_name_that_no_version_has_is_missing() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = mcp.Nothing


@pytest.mark.parametrize("options", [{"auth": object()}, {"auth_server_provider": object()}, {"token_verifier": 1}])
def test_what_is_not_a_verifier_of_tokens_is_refused_by_the_server(options: Any) -> None:
    with pytest.raises(AuthorError, match="has verifiers of keys and tokens"):
        FastMCP("demo", **options)
