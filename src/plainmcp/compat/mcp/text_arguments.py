"""Lists and objects that a client sends as texts: the official SDK reads them also where a text is allowed."""

from functools import partial
from typing import Any

from ...protocol.features import ToolFeature
from ...schema import hints
from ...schema.signature import Signature
from ...wire import codec

__all__ = ["read_texts"]


def read_texts(tool: ToolFeature, read: Signature) -> None:
    """Let a registered tool read such texts; where a parameter takes no text, plainmcp reads them anyway."""
    names = [one.name for one in read.parameters if _takes_both(one.annotation)]
    if names:
        tool.bind = partial(_bind, tool.bind, names)


def _takes_both(hint: Any) -> bool:
    choices = hints.choices_of(hints.unwrap_all(hint))
    return str in choices and any(one not in (str, type(None)) for one in choices)


def _bind(bind: Any, names: list[str], arguments: Any) -> dict[str, Any]:
    given = arguments if isinstance(arguments, dict) else codec.decode(bytes(arguments)) if arguments else {}
    if isinstance(given, dict) and any(_is_json(given.get(name)) for name in names):
        changed = {name: _parse(value) if name in names else value for name, value in given.items()}
        arguments = changed if isinstance(arguments, dict) else codec.encode(changed)
    return bind(arguments)  # type: ignore[no-any-return]


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{")


def _parse(value: Any) -> Any:
    if not _is_json(value):
        return value
    try:
        return codec.decode(value.encode())
    except ValueError:
        return value
