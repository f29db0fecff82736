"""Puts an endpoint together by its settings: above all, where its sessions live."""

from ...errors import AuthorError
from ...protocol.core import Core, check_key
from .challenges import PLAIN, Challenges
from .endpoint import Endpoint
from .open_responses import OpenResponses
from .sessions.interface import Sessions
from .sessions.memory import MemorySessions
from .settings import Settings

__all__ = ["make_endpoint"]


def make_endpoint(core: Core, settings: Settings, challenges: Challenges = PLAIN) -> Endpoint:
    """The endpoint of a server, by its settings; raises AuthorError."""
    if settings.sessions == "signed":
        check_key(core, 'sessions="signed"')
    responses = OpenResponses(core, settings)
    return Endpoint(core, settings, _make_sessions(core, settings, responses), responses, challenges)


def _make_sessions(core: Core, settings: Settings, responses: OpenResponses) -> Sessions:
    store = core.store if settings.store is None else settings.store
    if store is not None:
        if settings.stateless or settings.sessions != "memory":
            raise AuthorError("this server has a store for its sessions: leave out stateless= and sessions=")
        if core.store is not None and store != core.store:
            raise AuthorError("this server has another store: leave out the store= or --store of the application")
        from .sessions.shared import SharedSessions  # loaded for those who share

        return SharedSessions(core, store, settings, responses.unread)
    if settings.sessions == "signed":
        from .sessions.signed import SignedSessions  # loaded for those who sign

        return SignedSessions(core, settings)
    if settings.stateless:
        from .sessions.none import NoSessions

        return NoSessions(core)
    return MemorySessions(core, settings, responses.unread)
