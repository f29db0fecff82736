"""`mcp.server.sse`: the old transport, which can be imported so that a file loads, and is refused when it is used."""

from ...refused import refused_class

__all__ = ["SseServerTransport"]

SseServerTransport = refused_class(
    "SseServerTransport",
    __name__,
    "mount server.streamable_http_app(), or a StreamableHTTPSessionManager: clients of today speak streamable HTTP",
)
