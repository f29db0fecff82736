"""Builds the ASGI or WSGI application of a server from its options: who calls, at which path, with which observers.

Each part is loaded for those who need it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from ..errors import OptionError
from ..protocol.core import Core
from ..protocol.options import HttpOptions
from .http.settings import Settings

if TYPE_CHECKING:
    from .asgi_routes import Beside
    from .http.protection import Protection
    from .http.routes import Routes

__all__ = ["AppOptions", "build_asgi", "build_wsgi"]


class AppOptions(msgspec.Struct, frozen=True):
    """The options of `server.asgi` and `server.wsgi`, apart from the settings of the endpoint."""

    where: str  # the name of that method, for errors
    routes: Callable[[], "Routes"]
    path: str | None
    health: str | None
    principal: Callable[[Any], Any] | None
    auth: Any
    anonymous: bool
    beside: "Beside | None" = None  # puts an application behind the routes; only run does

    def protect(self, server: Core) -> "Protection | None":
        """The verifiers of `auth=`, compiled; None without any. Raises AuthorError."""
        if self.health is not None and self.path is None:
            raise OptionError('health= goes with path=, such as path="/mcp": without a path, MCP answers at any path')
        if self.auth is None:
            if self.anonymous:
                raise OptionError(f"{self.where}: anonymous=True goes with auth=; without it, everyone is anonymous")
            return None
        if self.principal is not None:
            raise OptionError(f"{self.where}: auth= and principal= both say who is calling; give one of them")
        from .http.protection import protect

        return protect(server, self.auth, anonymous=self.anonymous)

    @property
    def has_callers(self) -> bool:
        """Whether it is known who is calling."""
        return self.auth is not None or self.principal is not None

    def caller_options(self, by_host: Any, by_auth: Any, protection: "Protection | None") -> dict[str, Any]:
        """The options of an application that say who is calling; the functions are those for its kind."""
        if protection is None:
            return {"identify": by_host(self.principal)}
        return {"identify": by_auth(protection.authentication), "challenges": protection.challenges}


def build_asgi(server: Core, options: AppOptions, **details: Unpack[HttpOptions]) -> Any:
    """The ASGI application; raises AuthorError."""
    settings = Settings(**details)
    from .asgi import ASGIApp as kind

    protection, caller = options.protect(server), {}
    if options.has_callers:
        from .callers_async import identify_by_auth, identify_by_host

        caller = options.caller_options(identify_by_host, identify_by_auth, protection)
    if server.observers:
        from .asgi_observed import ObservedASGIApp as kind
    app: Any = kind(server, settings, **caller)
    if options.path is not None:
        from .asgi_routes import with_routes

        app = with_routes(app, server, options.routes(), settings, options.path, options.health, options.beside)
    if protection is None:
        return app
    from .well_known import ASGIWellKnown

    return ASGIWellKnown(app, protection.metadata, is_mounted=options.path is None)


def build_wsgi(server: Core, options: AppOptions, **details: Unpack[HttpOptions]) -> Any:
    """The WSGI application; raises AuthorError."""
    settings = Settings(**details)
    from .wsgi import WSGIApp as kind

    protection, caller = options.protect(server), {}
    if options.has_callers:
        from .callers import identify_by_auth, identify_by_host

        caller = options.caller_options(identify_by_host, identify_by_auth, protection)
    if server.observers:
        from .wsgi_observed import ObservedWSGIApp as kind
    app: Any = kind(server, settings, **caller)
    if options.path is not None:
        from .wsgi_routes import WSGIPathApp

        app = WSGIPathApp(app, server, options.routes(), settings, options.path, options.health)
    if protection is None:
        return app
    from .well_known import WSGIWellKnown

    return WSGIWellKnown(app, protection.metadata, is_mounted=options.path is None)
