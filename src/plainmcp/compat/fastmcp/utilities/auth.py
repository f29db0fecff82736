"""`fastmcp.utilities.auth`: scopes in a setting."""

import json
from contextlib import suppress
from typing import Any

__all__ = ["parse_scopes"]


def parse_scopes(value: Any) -> list[str] | None:
    """The scopes in a list, in a JSON array, or in a text with commas or spaces between them.

    >>> parse_scopes("read, write"), parse_scopes(None)
    (['read', 'write'], None)
    """
    if value is None:
        return None
    scopes = value
    if isinstance(value, str):
        scopes = value.replace(",", " ").split()
        if value.strip().startswith("["):
            with suppress(ValueError):
                scopes = json.loads(value)
    return [str(scope).strip() for scope in scopes if str(scope).strip()]
