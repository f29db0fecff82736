"""`mcp.client`: its names can be imported, and are refused when they are used."""

from typing import Any

from ...refused import refused_name

__all__: list[str] = []

_ADVICE: dict[str, str] = dict.fromkeys(
    (
        "Client",
        "ClientSession",
    ),
    "keep the client in a program of its own, or use plainmcp.testing.Client in tests",
)


def __getattr__(name: str) -> Any:
    return refused_name(name, __name__, _ADVICE)
