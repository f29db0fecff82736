"""The arguments of prompts as FastMCP lists them: one that is not a text has its JSON Schema in its description."""

import inspect
from functools import partial
from typing import Any

from ...errors import ArgumentsError
from ...protocol.features import PromptFeature
from ...schema import generate
from ...schema.signature import Parameter, Signature
from ...wire import codec

__all__ = ["describe_arguments", "ignore_others"]


def describe_arguments(prompts: Any, name: str, read: Signature) -> None:
    """Add the JSON Schema to the descriptions of the arguments of a prompt that is registered."""
    definition = prompts.registered[name].definition
    notes = {one.name: _note_of(one) for one in read.parameters}
    for argument in definition.arguments or ():
        note = notes.get(argument.name)
        if note is not None:
            argument.description = f"{argument.description}\n\n{note}" if argument.description else note


def ignore_others(prompt: PromptFeature, read: Signature) -> None:
    """Let a registered prompt ignore arguments that it has no parameter for."""
    if not read.open:
        prompt.bind = partial(_bind, prompt.bind, {one.name for one in read.parameters})


def _bind(bind: Any, names: set[str], arguments: Any) -> dict[str, Any]:
    try:
        return bind(arguments)  # type: ignore[no-any-return]
    except ArgumentsError:
        given = codec.decode(bytes(arguments)) if arguments else None
        if not isinstance(given, dict) or names.issuperset(given):
            raise
        known = codec.encode({name: value for name, value in given.items() if name in names})
        return bind(known)  # type: ignore[no-any-return]


def _note_of(parameter: Parameter) -> str | None:
    """What to say of a parameter whose values are not texts."""
    if parameter.annotation in (str, Any, inspect.Parameter.empty):
        return None
    bare = Parameter(parameter.name, parameter.annotation, True, inspect.Parameter.empty, None, None)
    schema = generate.input_schema([bare])["properties"][parameter.name]
    text = codec.encode(schema).decode()
    return f"Provide a value matching the following JSON schema: {text}. Encode non-string values as JSON."
