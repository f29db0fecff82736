"""The option --store: what several processes of a server share, by an address, or by the name of an object."""

import os
from typing import Any

from ..errors import AuthorError
from ..protocol.core import is_store
from .load import LoadError, format_user_traceback, load_object

__all__ = ["store_of"]

_FORMS = "write redis://host:6379/0, sqlite:///notes.db or module:object"


def store_of(text: str) -> Any:
    """The store that --store names; raises AuthorError or LoadError. What is wrong is named without a password.

    >>> store_of("sqlite:///notes.db") == store_of(f"sqlite:///{os.path.abspath('notes.db')}")
    True
    """
    scheme, separator, rest = text.partition("://")
    if scheme.partition(":")[0] == "sqlite":
        return _open_file(rest if separator else None)
    if separator:
        from ..redis import SCHEMES, RedisStore  # needs an extra

        if scheme not in SCHEMES and not scheme.startswith("valkey"):
            raise AuthorError(f"--store: no store has an address that starts with {scheme}://; {_FORMS}")
        return RedisStore(text)
    module, _, name = text.rpartition(":")
    if not all(part.isidentifier() for part in f"{module}.{name}".split(".")):
        raise AuthorError(f"--store: this is neither an address nor the name of an object; {_FORMS}")
    if module.endswith(".py"):
        raise AuthorError(f"--store: write the name of the module, not of its file: {module[:-3]}:{name}")
    return _find(text)


def _open_file(rest: str | None) -> Any:
    """The store in a file, by what follows sqlite:// in its address."""
    from ..store.sqlite import SQLiteStore  # for those who use it

    if rest is None or not rest.startswith("/"):
        raise AuthorError(
            "--store: a path follows sqlite:/// as in sqlite:///notes.db, or sqlite:////var/lib/notes.db"
        )
    path = rest[1:]
    if "?" in path:
        raise AuthorError("--store: the address of a file has no options: leave out the question mark")
    try:
        return SQLiteStore(path)
    except AuthorError as error:
        is_absolute = not os.path.isabs(path) and os.path.isdir(os.path.dirname(rest))
        advice = f"; an absolute path has four slashes: sqlite:///{rest}" if is_absolute else ""
        raise AuthorError(f"--store: {error}{advice}") from None


def _find(name: str) -> Any:
    """The store that an object is, or returns when it is called."""
    value = load_object(name)
    if not is_store(value) and callable(value):
        try:
            value = value()
        except Exception as error:
            raise LoadError(f"--store: {name} failed\n\n{format_user_traceback(error)}") from error
    if not is_store(value):
        raise AuthorError(f"--store: {name} must be a plainmcp.store.Store, or return one: it is {_describe(value)}")
    return value


def _describe(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
