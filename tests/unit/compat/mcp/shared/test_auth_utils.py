"""URLs of protected servers as the official SDK compares them."""

from itertools import product

import pytest
from mcp.shared import auth_utils as official

from plainmcp.compat.mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url

URLS = [
    "https://example.com",
    "https://example.com/",
    "HTTPS://EXAMPLE.com/API",
    "https://example.com/api",
    "https://example.com/api/",
    "https://example.com/api/v1?x=1#top",
    "https://example.com/api123",
    "https://example.com//",
    "https://example.com:8443/api",
    "http://example.com/api",
]


@pytest.mark.parametrize("url", URLS)
def test_a_server_has_the_same_url_as_there(url: str) -> None:
    assert resource_url_from_server_url(url) == official.resource_url_from_server_url(url)


@pytest.mark.parametrize(("requested", "configured"), list(product(URLS, URLS)))
def test_a_token_is_good_for_the_same_urls_as_there(requested: str, configured: str) -> None:
    ours = check_resource_allowed(requested, configured)
    assert ours == official.check_resource_allowed(requested, configured)
