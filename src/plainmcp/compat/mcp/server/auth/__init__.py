"""`mcp.server.auth`: its names can be imported, and are refused when they are used."""

from typing import Any

from ....refused import refused_name

__all__: list[str] = []

_ADVICE: dict[str, str] = dict.fromkeys(
    (
        "AuthSettings",
        "TokenVerifier",
    ),
    "check callers in ASGI middleware, and pass asgi(principal=…), a function from a request's scope to its caller",
)


def __getattr__(name: str) -> Any:
    return refused_name(name, __name__, _ADVICE)
