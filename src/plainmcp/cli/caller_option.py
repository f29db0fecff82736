"""The option --principal: who calls a server in this process."""

from typing import Any

from ..auth.principal import Principal
from ..errors import AuthorError
from ..protocol.scopes import split_scopes
from .arguments import UsageError, json_or_text

__all__ = ["principal_of"]


def principal_of(text: str | None) -> Any:
    """The caller that --principal describes; raises UsageError.

    >>> principal_of("ada notes:read").scopes
    frozenset({'notes:read'})
    >>> principal_of('"ada"')
    'ada'
    """
    if text is None:
        return None
    value: Any = json_or_text(text, "--principal")
    if value is text:
        name, *scopes = split_scopes(text) or [""]
        value = {"subject": name, "scopes": scopes}
    try:
        return Principal(**value) if isinstance(value, dict) else value
    except (AuthorError, TypeError) as error:
        raise UsageError(f"--principal {text!r}: {error}") from None
