"""An access log: an observer that logs a line for each request.

It has no secrets: neither headers nor arguments, results, session ids or the texts of errors.
"""

import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal
from urllib.parse import urlsplit

from ..errors import AuthorError
from ..protocol.facts import RequestFacts

__all__ = ["ACCESS_LOGGER", "digest_of", "log_access"]

ACCESS_LOGGER = "plainmcp.access"
"""The name of the logger of the access log."""

Observer = Callable[[RequestFacts], Callable[[RequestFacts], None] | None]

MAX_TEXT = 200
"""How many characters of a name, an address or an id are logged."""
_CREDENTIALS = ("authorization", "cookie", "key", "password", "secret", "token")
_NAMES = ("id", "subject", "sub", "username", "name", "client", "client_id")


def log_access(
    format: Literal["plain", "json"] = "plain",
    *,
    logger: logging.Logger | None = None,
    caller: Callable[[Any], str | None] | None = None,
) -> Observer:
    """An observer that logs one line for each request: what was asked, how it ended, how long it took, and who asked.

    `caller` returns the name to log for a principal; by default it is a text itself, or its id, subject or name. The
    logger is plainmcp.access, and the level INFO.
    """
    if format not in ("plain", "json"):
        raise AuthorError(f'an access log is "plain" or "json", not {format!r}')
    log = logger or logging.getLogger(ACCESS_LOGGER)
    name_of = caller or _caller_of
    write = _to_line if format == "plain" else _to_json

    def observe(facts: RequestFacts) -> Callable[[RequestFacts], None] | None:
        return end if log.isEnabledFor(logging.INFO) else None

    def end(facts: RequestFacts) -> None:
        log.info("%s", write(_entry_of(facts, name_of)))

    return observe


def _entry_of(facts: RequestFacts, name_of: Callable[[Any], str | None]) -> dict[str, Any]:
    """The parts of a line, without those that are not known."""
    principal = facts.principal
    client = [str(facts.client[key])[:MAX_TEXT] for key in ("name", "version") if facts.client.get(key)]
    entry = {
        "method": facts.method or facts.http_method,
        "name": facts.feature or (None if facts.name is None else _to_safe_name(facts.name)),
        "outcome": facts.outcome,
        "code": facts.error_code,
        "status": facts.http_status,
        "duration_ms": round(facts.duration * 1000, 3),
        "caller": None if principal is None else _hide_credential(name_of(principal), facts),
        "address": facts.address,
        "id": facts.request_id,
        "session": None if facts.session_id is None else digest_of(facts.session_id),
        "client": "/".join(client) or None,
        "revision": facts.revision if facts.method is not None else None,
        "transport": facts.transport,
    }
    return {key: _limit(value) for key, value in entry.items() if value is not None}


def _to_line(entry: dict[str, Any]) -> str:
    """A line for people: method, name, outcome and duration, then the rest by name.

    >>> _to_line({"method": "tools/call", "name": "add", "outcome": "error", "code": -32602, "duration_ms": 1.5})
    'tools/call add error -32602 1.500 ms'
    """
    first = [entry.get("method"), entry.get("name"), entry.get("outcome"), entry.get("code"), entry.get("status")]
    rest = [
        f"{key}={_to_word(entry[key])}" for key in ("caller", "address", "session", "id", "client") if key in entry
    ]
    took = f"{entry['duration_ms']:.3f} ms"
    return " ".join([*(_to_word(one) for one in first if one is not None), took, *rest])


def _to_word(value: Any) -> str:
    """A value without blanks, line ends and control characters, or in quotes: it cannot look like another part.

    >>> print(_to_word("add"), _to_word("a b"), _to_word('x" ok\\n'), _to_word("\\x1b[2J"), _to_word(7))
    add "a b" "x\\" ok\\n" "\\u001b[2J" 7
    """
    text = str(value)
    is_plain = text.isascii() and text.isprintable() and not any(one in text for one in ' "=\\') and text
    return text if is_plain else json.dumps(text)


def _to_json(entry: dict[str, Any]) -> str:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": now, **entry})


def _limit(value: Any) -> Any:
    """A text or an id within the limit; other values stay as they are."""
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 10**18):
        return value
    text = str(value)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _to_safe_name(name: str) -> str:
    """A name, or a URI without user, query and fragment, which may hold secrets.

    >>> _to_safe_name("https://ann:pw@example.com/a?sig=1#x"), _to_safe_name("add")
    ('https://example.com/a', 'add')
    """
    if ":" not in name:
        return name
    try:
        parts = urlsplit(name)
    except ValueError:
        return name.partition(":")[0] + ":…"
    authority = f"//{parts.netloc.rpartition('@')[2]}" if parts.netloc or "://" in name else ""
    return f"{parts.scheme}:{authority}{parts.path}" if parts.scheme else name.partition("?")[0]


def _caller_of(principal: Any) -> str | None:
    """The name of a principal: a text or a number itself, or its id, subject or name; None if it has none."""
    if isinstance(principal, (str, int)):
        return str(principal)
    for key in _NAMES:
        value = principal.get(key) if isinstance(principal, dict) else getattr(principal, key, None)
        if isinstance(value, (str, int)) and value != "":
            return str(value)
    return None


def _hide_credential(name: str | None, facts: RequestFacts) -> str | None:
    """The name of a caller; a digest of it, if the request carries it as its credential."""
    if not name:
        return name
    for header, value in facts.headers.items():
        if any(word in header for word in _CREDENTIALS) and name in (value, *re.split(r"[\s;,=]+", value)):
            return digest_of(name)
    return name


def digest_of(secret: str) -> str:
    """A short digest: the same for the same secret, which it does not reveal.

    >>> digest_of("secret")
    '#2bb80d53'
    """
    return f"#{sha256(secret.encode(errors='replace')).hexdigest()[:8]}"
