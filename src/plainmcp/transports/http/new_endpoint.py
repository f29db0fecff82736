"""The choice of an endpoint by its settings: one that is alone, or one that shares a store with others."""

from ...errors import AuthorError
from ...protocol.core import Core
from .challenges import PLAIN, Challenges
from .endpoint import Endpoint
from .settings import Settings

__all__ = ["make_endpoint"]


def make_endpoint(core: Core, settings: Settings, challenges: Challenges = PLAIN) -> Endpoint:
    """The endpoint of a server; with a store, one that other processes share. Raises AuthorError."""
    needs_key = 'sessions="signed"' if settings.sessions == "signed" else "store=" if settings.store else None
    if needs_key and not core.is_key_shared and getattr(settings.store, "is_shared", True):
        raise AuthorError(
            f"{needs_key} needs the same Server(key=…) in all processes: draw it once with secrets.token_bytes(32), "
            "and keep it where you keep other secrets"
        )
    if settings.store is None:
        return Endpoint(core, settings, challenges)
    from .shared.endpoint import SharedEndpoint  # loaded for those who share

    return SharedEndpoint(core, settings, challenges)
