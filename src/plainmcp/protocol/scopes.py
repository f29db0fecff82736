"""Scopes: what a feature requires, what a caller has, and which scopes include others. Knows no tokens, no HTTP."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from inspect import iscoroutinefunction
from typing import Any

from ..errors import AuthorError, InsufficientScope, InvalidParams
from .request import Request

__all__ = [
    "Implies",
    "Missing",
    "Requirement",
    "ScopeRequest",
    "check_requirement",
    "check_scopes",
    "compile_missing",
    "require",
    "scopes_for",
    "scopes_of",
    "split_scopes",
]

_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")  # of RFC 6749; a quote would end the parameter of a header

Requirement = tuple[str, ...] | Callable[["ScopeRequest"], Any]
"""The scopes that a feature requires, or a function that returns them for a request."""
Implies = Mapping[str, Collection[str]] | Callable[[frozenset[str], str], bool]
"""Which scopes include others; or a function that says whether the scopes of a caller include one."""
Missing = Callable[[frozenset[str], tuple[str, ...]], bool]
"""Whether the scopes of a caller lack one of those that are required."""


class ScopeRequest:
    """A request, as the function of `requires=` sees it, before the function of the feature runs."""

    def __init__(self, request: Request, arguments: dict[str, Any]) -> None:
        self._request = request
        self._arguments = arguments

    @property
    def method(self) -> str:
        """The method, such as "resources/read"."""
        return self._request.method

    @property
    def name(self) -> str:
        """The name of the tool or the prompt, or the URI of the resource."""
        params = self._request.params
        return str(params.uri if isinstance(params.uri, str) else params.name)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments as the function of the feature gets them, with its defaults; for a template its variables."""
        return self._arguments

    @property
    def principal(self) -> Any:
        """The authenticated caller; None if no one has authenticated."""
        return self._request.principal

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of the request, by lowercase name; empty on other transports."""
        return self._request.header_values


# Options ------------------------------------------------------------------------------------------


def check_scopes(scopes: Any, where: str) -> tuple[str, ...]:
    """Scopes without repetitions, in their order; raises AuthorError for a text that cannot be a scope."""
    if not isinstance(scopes, (str, list, tuple, set, frozenset)):
        raise AuthorError(
            f'{where} takes scopes, such as "notes:read" or a list of them; not {type(scopes).__name__}'
        )
    ordered = sorted(scopes, key=str) if isinstance(scopes, (set, frozenset)) else scopes
    for scope in ordered if not isinstance(scopes, str) else (scopes,):
        if not isinstance(scope, str) or not _SCOPE.fullmatch(scope):
            raise AuthorError(f"{where} takes scopes without blanks, quotes and backslashes; not {scope!r}")
        if scope == "offline_access":  # R26-AUTH-13
            raise AuthorError(f"{where}: offline_access is between a client and its authorization server")
    return (scopes,) if isinstance(scopes, str) else tuple(dict.fromkeys(ordered))


def split_scopes(text: str) -> list[str]:
    """The scopes in a text: there are spaces between them (RFC 6749), and other blanks do not end one.

    >>> split_scopes("notes:read  notes:write"), len(split_scopes("notes:read\\u00a0admin"))
    (['notes:read', 'notes:write'], 1)
    """
    return [scope for scope in text.split(" ") if scope]


def check_requirement(requires: Any) -> Requirement | None:
    """The option `requires=` of a feature; raises AuthorError."""
    if requires is None:
        return None
    if callable(requires):
        if iscoroutinefunction(requires):
            raise AuthorError("requires= takes a plain function of the request, not an async one")
        function: Callable[[ScopeRequest], Any] = requires
        return function
    return check_scopes(requires, "requires=") or None


def compile_missing(*options: Any) -> Missing:
    """The function that compares scopes, by the options `implies=` of one or more servers; raises AuthorError."""
    mappings = [option for option in options if option and not callable(option)]
    functions = [option for option in options if callable(option)]
    for mapping in mappings:
        _check_mapping(mapping)

    @lru_cache(maxsize=256)  # callers have few different sets of scopes
    def expand(granted: frozenset[str]) -> tuple[frozenset[str], bool]:
        """The scopes with those that they include, and whether they include all."""
        scopes, new, has_all = set(granted), list(granted), False
        while new:
            one = new.pop()
            included = {scope for mapping in mappings for scope in mapping.get(one, ())}
            has_all = has_all or "*" in included
            new += included - scopes
            scopes |= included
        return frozenset(scopes), has_all

    def is_missing(granted: frozenset[str], required: tuple[str, ...]) -> bool:
        if granted.issuperset(required):
            return False
        scopes, has_all = expand(granted)
        return not has_all and not all(
            scope in scopes or any(includes(granted, scope) for includes in functions) for scope in required
        )

    return is_missing


def _check_mapping(mapping: Any) -> None:
    advice = 'implies= is a dict such as {"notes:write": ["notes:read"], "admin": ["*"]}, or a function'
    if not isinstance(mapping, Mapping):
        raise AuthorError(f"{advice}; not {type(mapping).__name__}")
    for scope, implied in mapping.items():
        if isinstance(implied, str):
            raise AuthorError(f"{advice}; the value for {scope!r} is a list")
        check_scopes([scope, *implied], "implies=")


# Requests -----------------------------------------------------------------------------------------


def scopes_of(principal: Any) -> frozenset[str]:
    """The scopes of a caller: its attribute `scopes`, or the item of a dict; a text has spaces between them.

    >>> sorted(scopes_of({"user": "ada", "scopes": "notes:read notes:write"}))
    ['notes:read', 'notes:write']
    """
    scopes = principal.get("scopes") if isinstance(principal, Mapping) else getattr(principal, "scopes", None)
    if type(scopes) is frozenset:
        return scopes
    return frozenset(split_scopes(scopes) if isinstance(scopes, str) else scopes or ())


def require(requirement: Requirement, is_missing: Missing, request: Request, arguments: Any) -> None:
    """Refuse a caller who lacks a scope that a request requires; raises InsufficientScope (R26-AUTH-10).

    The client on standard input is the user who has started the process, and has all of its rights anyway: unless
    the program says who that is, nothing is required (P35).
    """
    if request.principal is None and request.link is not None and request.link.transport == "pipe":
        return
    required = scopes_for(requirement, request, arguments)
    if required and is_missing(scopes_of(request.principal), required):
        raise InsufficientScope(required, is_anonymous=request.principal is None)


def scopes_for(requirement: Requirement, request: Request, arguments: Any) -> tuple[str, ...]:
    """The scopes that a request requires.

    Raises AuthorError if the author's function returns something else, and InvalidParams if a scope has characters
    that no scope has: they come from the arguments, so that no caller can have it.
    """
    if isinstance(requirement, tuple):
        return requirement
    scopes = requirement(ScopeRequest(request, arguments))
    for scope in (scopes,) if isinstance(scopes, str) else scopes if isinstance(scopes, (list, tuple)) else ():
        if isinstance(scope, str) and not _SCOPE.fullmatch(scope):
            raise InvalidParams("these arguments require a scope with characters that no scope can have")
    return () if scopes is None else check_scopes(scopes, "the function of requires=")
