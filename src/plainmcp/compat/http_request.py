"""The HTTP request of a call, as far as FastMCP's servers read it: its headers and its query. Knows no framework."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

__all__ = ["HttpRequest", "http_request_of"]


class HttpRequest:
    """An HTTP request: `headers` by lowercase name; the names are looked up in any case."""

    method = "POST"

    def __init__(self, headers: Mapping[str, str], query: bytes = b"") -> None:
        self.headers = Headers(headers)
        self.query = query
        self.state: Any = type("State", (), {})()

    @property
    def query_params(self) -> dict[str, str]:
        """The parameters in the query of the URL; of one that comes twice, the last."""
        return dict(parse_qsl(self.query.decode("latin-1"), keep_blank_values=True))

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name."""
        pairs = (one.strip().partition("=") for one in self.headers.get("cookie", "").split(";"))
        return {name: value for name, is_pair, value in pairs if is_pair}


class Headers(dict[str, str]):
    """Headers whose names are looked up in any case."""

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a header, or a default."""
        return super().get(name.lower(), default)


def http_request_of(ctx: Any) -> HttpRequest:
    """The HTTP request of a context; raises RuntimeError if it came another way."""
    if not ctx.headers:
        raise RuntimeError("No active HTTP request found.")
    return HttpRequest(ctx.headers, ctx._request.headers.query)
