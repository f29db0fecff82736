"""The arguments of prompts as FastMCP lists them: one that is not a text has its JSON Schema in its description."""

import inspect
from typing import Any

from ...schema import generate
from ...schema.signature import Parameter, Signature
from ...wire import codec

__all__ = ["describe_arguments"]


def describe_arguments(prompts: Any, name: str, read: Signature) -> None:
    """Add the JSON Schema to the descriptions of the arguments of a prompt that is registered."""
    definition = prompts.registered[name].definition
    notes = {one.name: _note_of(one) for one in read.parameters}
    for argument in definition.arguments or ():
        note = notes.get(argument.name)
        if note is not None:
            argument.description = f"{argument.description}\n\n{note}" if argument.description else note


def _note_of(parameter: Parameter) -> str | None:
    """What to say of a parameter whose values are not texts."""
    if parameter.annotation in (str, Any, inspect.Parameter.empty):
        return None
    bare = Parameter(parameter.name, parameter.annotation, True, inspect.Parameter.empty, None, None)
    schema = generate.input_schema([bare])["properties"][parameter.name]
    text = codec.encode(schema).decode()
    return f"Provide a value matching the following JSON schema: {text}. Encode non-string values as JSON."
