"""The server people use: the core, and the ways to drive it. Everything else is in the rooms it opens onto."""

from collections.abc import Callable
from typing import Any

from . import revisions
from .revisions import Revision
from .server import Core
from .transports import drive
from .transports.connection import Connection

__all__ = ["Server"]


class Server(Core):
    """An MCP server: register plain functions, then hand it messages or mount it.

    >>> server = Server("greeter", "1.0")
    >>> @server.tool
    ... def greet(name: str) -> str:
    ...     return f"Hello, {name}!"
    >>> server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    b'{"jsonrpc":"2.0","id":1,"result":{}}'
    """

    def handle(self, message: Any, *, revision: str | Revision | None = None, principal: Any = None) -> bytes | None:
        """Answer one message, in bytes, text or data; no loop, no socket, no lifespan.

        `revision` says what is spoken when the message does not say so itself.
        """
        if revision is not None:
            revision = _revision(revision)
        begun = self.begin(message, revision=revision, principal=principal)
        return begun if begun is None or isinstance(begun, bytes) else drive.run(begun)

    async def handle_async(
        self, message: Any, *, revision: str | Revision | None = None, principal: Any = None
    ) -> bytes | None:
        """The same in an event loop."""
        from .transports import looped  # an event loop is loaded for those who need one

        return await looped.run(
            self.receive(message, revision=_revision(revision), principal=principal),
            threads=looped.threads_of(self),
        )

    def connect(self, send: Callable[[bytes], None] | None = None, *, principal: Any = None) -> Connection:
        """A connection that remembers its handshake; `send` is called with notifications and questions."""
        return Connection(self, send, principal=principal)


def _revision(given: str | Revision | None) -> Revision | None:
    return revisions.named(given) if isinstance(given, str) else given
