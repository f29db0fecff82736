"""The arguments of a function as a pydantic model, as the official SDK makes it: for programs that have such models.

Loaded only by these: servers read their arguments with plainmcp's own schemas.
"""

import inspect
import json
from collections.abc import Collection
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from ...foreign import annotations
from .exceptions import InvalidSignature

__all__ = ["ArgModelBase", "model_of_arguments", "parse_texts"]


class ArgModelBase(BaseModel):
    """The arguments of a function."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def model_dump_one_level(self) -> dict[str, Any]:
        """The arguments by their names; models in them stay models."""
        return {field.alias or name: getattr(self, name) for name, field in type(self).model_fields.items()}


def model_of_arguments(function: Any, left_out: Collection[str] = ()) -> type[ArgModelBase]:
    """A model with a field for each parameter of a function, except some; raises InvalidSignature."""
    fields: dict[str, Any] = {}
    for one in signature_of(function).parameters.values():
        if one.name.startswith("_"):
            raise InvalidSignature(f"Parameter {one.name} of {function.__name__} cannot start with '_'")
        if one.name in left_out:
            continue
        hint = one.annotation
        if hint is one.empty:
            hint = Annotated[Any, Field(title=one.name), WithJsonSchema({"title": one.name, "type": "string"})]
        name = one.name
        if callable(getattr(BaseModel, name, None)):  # a method of models cannot be a field as well
            name, hint = f"field_{name}", Annotated[hint, Field(alias=one.name)]
        fields[name] = hint if one.default is one.empty else (hint, one.default)
    model: type[ArgModelBase] = create_model(f"{function.__name__}Arguments", __base__=ArgModelBase, **fields)
    return model


def signature_of(function: Any) -> inspect.Signature:
    """The signature of a function with its hints; raises InvalidSignature for a hint that cannot be read."""
    signature = annotations.signature_of(function, evaluate=True)
    hints = [signature.return_annotation, *(one.annotation for one in signature.parameters.values())]
    if any(isinstance(hint, str) for hint in hints):
        raise InvalidSignature(f"Unable to evaluate type annotations for callable {function.__name__!r}")
    return signature


def parse_texts(model: type[BaseModel], arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments in which a text is read as JSON if its parameter does not take a text, and it is a list or an object.

    Some clients send lists and objects as texts.
    """
    hints = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    return {
        name: _parse(value) if isinstance(value, str) and hints.get(name, str) is not str else value
        for name, value in arguments.items()
    }


def _parse(text: str) -> Any:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(parsed, str | int | float) else parsed
