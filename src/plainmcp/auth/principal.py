"""Who is calling, as a verified token or key says it. Knows no token and does no I/O."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import AuthorError, PlainMCPError
from ..protocol.scopes import split_scopes

__all__ = ["MustWait", "Principal", "Unavailable"]


class Unavailable(PlainMCPError):
    """A token that cannot be checked at the moment, because its issuer does not answer; becomes a 503.

    `retry_after` is the number of seconds after which the client should try again.
    """

    def __init__(self, message: str, *, retry_after: int = 5) -> None:
        super().__init__(message)
        self.retry_after = max(1, int(retry_after))


class MustWait(Exception):
    """A token cannot be verified at once, but by waiting for its issuer."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Principal:
    """An authenticated caller.

    Two principals are equal if issuer, subject and client are: the same user with another token owns the same
    sessions. `claims` has everything that the token states; neither `repr` nor JSON shows it.
    """

    issuer: str | None = None
    subject: str | None = None
    client: str | None = None
    scopes: frozenset[str] = frozenset()
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expires: float | None = None
    """When the token expires, in seconds since 1970."""

    def __post_init__(self) -> None:
        if self.subject is None and self.client is None:
            raise AuthorError('a Principal needs a subject or a client, such as Principal(subject="ada")')
        given: Any = self.scopes
        scopes = split_scopes(given) if isinstance(given, str) else given
        if not isinstance(scopes, Iterable) or not all(isinstance(scope, str) for scope in scopes):
            raise AuthorError(f'scopes is a list of texts, such as ["notes:read"]; not {type(given).__name__}')
        object.__setattr__(self, "scopes", frozenset(scopes))

    @property
    def identity(self) -> tuple[str | None, str | None, str | None]:
        """The issuer, the subject and the client."""
        return self.issuer, self.subject, self.client

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Principal) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __plain__(self) -> dict[str, str | None]:
        return {"issuer": self.issuer, "subject": self.subject, "client": self.client}

    def __repr__(self) -> str:
        return f"Principal(issuer={self.issuer!r}, subject={self.subject!r}, client={self.client!r})"
