"""The choice of an endpoint by its settings: where its sessions are, and whether other processes share them."""

from ...errors import AuthorError
from ...protocol.core import Core
from .challenges import PLAIN, Challenges
from .endpoint import Endpoint
from .settings import Settings
from .stateless import SignedEndpoint, StatelessEndpoint

__all__ = ["make_endpoint"]


def make_endpoint(core: Core, settings: Settings, challenges: Challenges = PLAIN) -> Endpoint:
    """The endpoint of a server, by its settings; raises AuthorError."""
    needs_key = 'sessions="signed"' if settings.sessions == "signed" else "store=" if settings.store else None
    if needs_key and not core.is_key_shared and getattr(settings.store, "is_shared", True):
        raise AuthorError(
            f"{needs_key} needs the same Server(key=…) in all processes: draw it once with secrets.token_bytes(32), "
            "and keep it where you keep other secrets"
        )
    if settings.store is not None:
        from .shared.endpoint import SharedEndpoint  # loaded for those who share

        return SharedEndpoint(core, settings, challenges)
    if settings.sessions == "signed":
        return SignedEndpoint(core, settings, challenges)
    kind = StatelessEndpoint if settings.stateless else Endpoint
    return kind(core, settings, challenges)
