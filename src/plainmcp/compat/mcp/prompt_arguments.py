"""The arguments of prompts that are missing, as the official SDK reports them: all their names, with the code 0."""

from functools import partial
from typing import Any

from ...errors import ArgumentsError
from ...protocol.features import PromptFeature
from ...wire import codec
from ..coded_error import CodedError

__all__ = ["require_arguments"]


def require_arguments(prompt: PromptFeature, other_text: str | None) -> None:
    """Let a registered prompt name the arguments that are missing; other mistakes are described, or have one text."""
    names = [one.name for one in prompt.definition.arguments or () if one.required]
    prompt.bind = partial(_bind, prompt.bind, names, other_text)


def _bind(bind: Any, required: list[str], other_text: str | None, arguments: Any) -> dict[str, Any]:
    try:
        return bind(arguments)  # type: ignore[no-any-return]
    except ArgumentsError:
        given = codec.decode(bytes(arguments)) if arguments else None
        missing = [name for name in required if not isinstance(given, dict) or name not in given]
        if missing:
            raise CodedError(0, f"Missing required arguments: {{{', '.join(map(repr, missing))}}}") from None
        if other_text is not None:
            raise CodedError(0, other_text) from None
        raise
