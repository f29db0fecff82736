"""Where clients read about a protected server, as the official SDK says it."""

from typing import Any

import pytest
from mcp.server.auth import routes as official
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.testclient import TestClient

from plainmcp.compat.mcp.server.auth import routes

URLS = ["https://example.com", "https://example.com/", "https://example.com/mcp", "http://127.0.0.1:8000/a/b"]


@pytest.mark.parametrize("url", URLS)
def test_the_metadata_has_the_url_that_it_has_there(url: str) -> None:
    ours = routes.build_resource_metadata_url(AnyHttpUrl(url))
    theirs = official.build_resource_metadata_url(AnyHttpUrl(url))
    assert str(ours) == str(theirs) and type(ours) is AnyHttpUrl


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("details", [{}, {"scopes_supported": ["read"], "resource_name": "a"}])
def test_the_metadata_is_what_it_is_there(url: str, details: dict[str, Any]) -> None:
    answers = []
    for module in (routes, official):
        made: Any = module.create_protected_resource_routes(
            AnyHttpUrl(url), [AnyHttpUrl("https://login.example.com")], **details
        )
        client = TestClient(Starlette(routes=made))
        path = str(routes.build_resource_metadata_url(url)).partition("//")[2].partition("/")[2]
        answer = client.get(f"/{path}", headers={"origin": "https://page.example"})
        answers.append((answer.status_code, answer.json(), answer.headers.get("access-control-allow-origin")))
        assert client.post(f"/{path}").status_code == 405
    assert answers[0] == answers[1]
