"""The options of FastMCP's servers that have another form in plainmcp."""

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.testing import Client


def test_the_time_of_cache_hints_is_in_seconds() -> None:
    page = Client(FastMCP("x", cache_ttl=60, cache_scope="public"), "2026-07-28").request("tools/list")
    assert (page["ttlMs"], page["cacheScope"]) == (60_000, "public")
    page = Client(FastMCP("x", cache_ttl=1), "2026-07-28").request("tools/list")
    assert (page["ttlMs"], page["cacheScope"]) == (1_000, "private")


@pytest.mark.parametrize("seconds", [0, -5])
def test_a_time_is_positive(seconds: int) -> None:
    with pytest.raises(ValueError, match="cache_ttl must be a positive integer"):
        FastMCP("x", cache_ttl=seconds)


def test_a_scope_needs_a_time() -> None:
    with pytest.raises(ValueError, match="cache_scope requires cache_ttl"):
        FastMCP("x", cache_scope="public")
