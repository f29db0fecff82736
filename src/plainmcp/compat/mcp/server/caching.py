"""`mcp.server.caching` of `mcp` 2."""

from ..caching import CACHEABLE_METHODS, CacheHint

__all__ = ["CACHEABLE_METHODS", "CacheHint"]
