"""`_mcp_server` of `FastMCP`: its server as a low-level one, for programs that reach for it."""

from typing import Any

from ...server import Server
from . import types
from .decorators import Decorators
from .handlers import Handler, RequestHandlers
from .initialization import InitializationOptions, NotificationOptions, initialization_options_of
from .low_level import request_ctx
from .stdio_streams import serve_streams
from .wire_model import to_wire

__all__ = ["LowLevelView"]


class LowLevelView(Decorators):
    """A server with decorators, seen as a low-level one: a handler that is set here takes the place of its own."""

    def __init__(self, server: Server) -> None:
        """`served` is the server that transports serve."""
        self.served: Any = server
        self.request_handlers = RequestHandlers(server, self._native_handler_of)
        self.notification_handlers: dict[Any, Any] = {}

    def _native_handler_of(self, method: str) -> Handler:
        async def handle(request: Any) -> Any:
            params = {} if request is None or request.params is None else to_wire(request.params)
            return await self.served.ask_natively(method, params)

        return handle

    @property
    def name(self) -> str:
        """The server's name."""
        return self.served.info.name  # type: ignore[no-any-return]

    @name.setter
    def name(self, name: str) -> None:
        """Set the server's name."""
        self.served.info.name = name

    @property
    def version(self) -> str:
        """The server's version."""
        return self.served.info.version  # type: ignore[no-any-return]

    @version.setter
    def version(self, version: str) -> None:
        """Set the server's version."""
        self.served.info.version = version

    @property
    def instructions(self) -> str | None:
        """The instructions of the server."""
        return self.served.instructions  # type: ignore[no-any-return]

    @instructions.setter
    def instructions(self, instructions: str | None) -> None:
        """Set the instructions of the server."""
        self.served.instructions = instructions

    @property
    def website_url(self) -> str | None:
        """The page of the server."""
        return self.served.website_url  # type: ignore[no-any-return]

    @property
    def icons(self) -> Any:
        """The icons of the server."""
        return self.served.icons

    @property
    def middleware(self) -> Any:
        """The middleware of the server."""
        return self.served.middleware

    @property
    def request_context(self) -> Any:
        """The request that is being answered; raises LookupError outside of a handler."""
        return request_ctx.get()

    def get_capabilities(
        self, notification_options: NotificationOptions | None = None, experimental_capabilities: Any = None
    ) -> types.ServerCapabilities:
        """The capabilities of the server."""
        return types.ServerCapabilities(**self.served.announced_capabilities())

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, experimental_capabilities: Any = None
    ) -> InitializationOptions:
        """The options of the handshake."""
        return initialization_options_of(self.served)

    def streamable_http_app(self, **options: Any) -> Any:
        """An ASGI application of the server."""
        return self.served.streamable_http_app(**options)

    @property
    def session_manager(self) -> Any:
        """The session manager of the application."""
        return self.served.session_manager

    async def run(
        self, read_stream: Any, write_stream: Any, initialization_options: Any = None, **options: Any
    ) -> None:
        """Serve the streams of `stdio_server()`, or others that carry messages, until the client disconnects."""
        await serve_streams(self.served, read_stream, write_stream)
