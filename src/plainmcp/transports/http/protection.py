"""The option `auth=`, compiled: how the callers of one application are found, refused, and shown where to log in."""

from typing import Any, NamedTuple

from ...errors import AuthorError
from ...protocol.core import Core
from .authentication import Authentication, Source, sources_of
from .challenges import Challenges
from .metadata import Metadata

__all__ = ["Protection", "protect"]


class Protection(NamedTuple):
    """What `auth=` adds to an application."""

    authentication: Authentication
    challenges: Challenges
    metadata: Metadata | None
    """None if no verifier has an issuer: a client that found metadata would start a login that does not exist."""


def protect(core: Core, auth: Any, *, anonymous: bool = False) -> Protection:
    """Compile the verifiers of `auth=`; raises AuthorError. With `anonymous`, callers may come without a token."""
    sources = sources_of(auth)
    names: dict[str, str] = {}
    for source in sources:
        names |= source.names
    scopes = tuple(dict.fromkeys(scope for source in sources for scope in source.scopes))
    metadata = _metadata_of(core, sources, [names.get(scope, scope) for scope in scopes])
    challenges = Challenges(None if metadata is None else metadata.url, scopes, names)
    return Protection(Authentication(core, sources, challenges, anonymous=anonymous), challenges, metadata)


def _metadata_of(core: Core, sources: list[Source], scopes: list[str]) -> Metadata | None:
    issuers = [issuer for source in sources for issuer in source.issuers]
    resource = next((source.resource for source in sources if source.resource is not None), None)
    if not issuers:
        return None
    if resource is None:
        raise AuthorError(
            "a verifier with an issuer needs resource=, the public URL of the server, such as "
            'resource="https://api.example.com/mcp": clients look there for how to log in'
        )
    return Metadata(resource, issuers, scopes, core.info.title or core.info.name)
