"""Puts an endpoint together by its settings: above all, where its sessions live."""

from ...errors import AuthorError
from ...protocol.core import Core
from .challenges import PLAIN, Challenges
from .endpoint import Endpoint
from .open_responses import OpenResponses
from .sessions.interface import Sessions
from .sessions.memory import MemorySessions
from .settings import Settings

__all__ = ["make_endpoint"]


def make_endpoint(core: Core, settings: Settings, challenges: Challenges = PLAIN) -> Endpoint:
    """The endpoint of a server, by its settings; raises AuthorError."""
    needs_key = 'sessions="signed"' if settings.sessions == "signed" else "store=" if settings.store else None
    if needs_key and not core.is_key_shared and getattr(settings.store, "is_shared", True):
        raise AuthorError(
            f"{needs_key} needs the same Server(key=…) in all processes: draw it once with secrets.token_bytes(32), "
            "and keep it where you keep other secrets"
        )
    responses = OpenResponses(core, settings)
    return Endpoint(core, settings, _make_sessions(core, settings, responses), responses, challenges)


def _make_sessions(core: Core, settings: Settings, responses: OpenResponses) -> Sessions:
    if settings.store is not None:
        from .sessions.shared import SharedSessions  # loaded for those who share

        return SharedSessions(core, settings, responses.unread)
    if settings.sessions == "signed":
        from .sessions.signed import SignedSessions  # loaded for those who sign

        return SignedSessions(core, settings)
    if settings.stateless:
        from .sessions.none import NoSessions

        return NoSessions(core)
    return MemorySessions(core, settings, responses.unread)
