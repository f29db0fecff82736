"""How long clients may keep results, as `mcp` 2 has it: a hint for each method whose results can be kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..registration import refuse

__all__ = ["CACHEABLE_METHODS", "CacheHint", "to_caches"]

CACHEABLE_METHODS = frozenset(
    (
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "server/discover",
        "tools/list",
    )
)
"""The methods whose results have `ttlMs` and `cacheScope`."""


@dataclass(frozen=True)
class CacheHint:
    """How long a client may keep a result, and for whom: `public` is for every caller."""

    ttl_ms: int = 0
    scope: str = "private"

    def __post_init__(self) -> None:
        if self.ttl_ms < 0:
            raise ValueError(f"ttl_ms must be >= 0, got {self.ttl_ms}")
        if self.scope not in ("public", "private"):
            raise ValueError(f"scope must be 'public' or 'private', got {self.scope!r}")


def to_caches(hints: Mapping[Any, Any] | None) -> dict[str, tuple[int, str]]:
    """The hints of a server by method, as plainmcp has them; raises ValueError or TypeError."""
    unknown = sorted(repr(method) for method in hints or {} if method not in CACHEABLE_METHODS)
    if unknown:
        refuse(
            f"cache_hints keys must be cacheable methods: {', '.join(sorted(CACHEABLE_METHODS))}; not {unknown[0]}"
        )
    for method, hint in (hints or {}).items():
        if not isinstance(hint, CacheHint):
            raise TypeError(f"cache_hints[{method!r}] must be a CacheHint, got {type(hint).__name__}")
    return {method: (hint.ttl_ms, hint.scope) for method, hint in (hints or {}).items()}
