"""Fixed keys: the verifier of callers who send a secret that was given to them. Keeps digests, and no key."""

import re
from collections.abc import Collection, Mapping
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from ..errors import AuthorError
from ..protocol.option_check import with_checked_options
from ..protocol.scopes import check_scopes
from .principal import Principal

__all__ = ["Keys"]

MIN_KEY = 16
"""The shortest key, in characters."""

_KEY = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_NONE: tuple[bytes, Principal | None] = (b"\0" * 32, None)
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_BLANKS = re.compile("[ \t]+")
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_ADVICE = 'print(secrets.token_urlsafe(32)) makes one; it may be written as "sha256:" and its digest in hexadecimal'


class Keys:
    """A verifier of fixed keys: `Keys({"<key>": "ada", "<other key>": Principal(subject="bot", scopes=["read"])})`.

    A key comes in the header `Authorization: Bearer <key>`, and with `header="X-API-Key"` in that one too. Every
    caller needs `scopes`. Raises AuthorError for keys that are short or have characters that no header may have.
    """

    inline = True
    cache_seconds = 3600.0

    @with_checked_options("Keys", 'write Keys({"<key>": "ada"})')
    def __init__(
        self, keys: Mapping[str, Principal | str], *, header: str | None = None, scopes: Collection[str] = ()
    ) -> None:
        if not keys:
            raise AuthorError('Keys takes a dict of keys and their owners, such as Keys({"<key>": "ada"})')
        if header is not None and not _HEADER.fullmatch(header):
            raise AuthorError(f'header= is the name of a header, such as "X-API-Key"; not {header!r}')
        pairs = [(_digest_of(key), _principal_of(owner)) for key, owner in keys.items()]
        self._principals: dict[bytes, tuple[bytes, Principal | None]] = {pair[0]: pair for pair in pairs}
        if len(self._principals) != len(keys):
            raise AuthorError("two of the keys are the same")
        self.header = header
        self.scopes = check_scopes(scopes, "scopes=")

    @classmethod
    def from_file(cls, file: Any, *, header: str | None = None, scopes: Collection[str] = ()) -> "Keys":
        """The keys in a text file; each line is a name, a key and the scopes of its owner. Raises AuthorError.

        Empty lines, and those that start with #, are left out.
        """
        keys: dict[str, Principal | str] = {}
        try:
            lines = Path(file).read_text("utf-8-sig").split("\n")  # other characters do not end a line
        except (OSError, UnicodeError) as error:
            raise AuthorError(f"the file of keys cannot be read: {error}") from None
        for number, line in enumerate(lines, 1):
            name, *rest = _BLANKS.split(line.strip(" \t")) if line.strip(" \t") else ["#"]
            if name.startswith("#"):
                continue
            if not name.isprintable():
                raise AuthorError(f"{file}, line {number}: the name has characters that no one sees")
            if not rest:
                raise AuthorError(f"{file}, line {number}: a line is a name, a key, and perhaps scopes")
            key, *granted = rest
            try:
                _digest_of(key)
                owner = Principal(subject=name, scopes=frozenset(check_scopes(granted, "the scopes")))
            except AuthorError as error:
                raise AuthorError(f"{file}, line {number}: {error}") from None
            if key in keys:
                raise AuthorError(f"{file}, line {number}: the key is there twice")
            keys[key] = owner
        if not keys:
            raise AuthorError(f"{file} has no keys; a line is a name, a key, and perhaps scopes")
        return cls(keys, header=header, scopes=scopes)

    def verify(self, token: str) -> Principal | None:
        """The owner of a key; None if there is no such key.

        The time that it takes shows nothing about other keys: digests are compared, and in constant time.
        """
        digest = sha256(token.encode()).digest()
        known, principal = self._principals.get(digest, _NONE)
        return principal if compare_digest(known, digest) else None


def _digest_of(key: Any) -> bytes:
    """The digest of a key, or the one that takes its place; the errors do not show it."""
    digest = _DIGEST.fullmatch(key) if isinstance(key, str) else None
    if digest is not None:
        return bytes.fromhex(digest[1])
    if not isinstance(key, str) or len(key) < MIN_KEY or not _KEY.fullmatch(key):
        raise AuthorError(f"a key has at least {MIN_KEY} characters: letters, digits and -._~+/ only. {_ADVICE}")
    return sha256(key.encode()).digest()


def _principal_of(owner: Any) -> Principal:
    if isinstance(owner, str) and owner:
        return Principal(subject=owner)
    if not isinstance(owner, Principal):
        raise AuthorError(f"the owner of a key is a name or a Principal, not {type(owner).__name__}")
    return owner
