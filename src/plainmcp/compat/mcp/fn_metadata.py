"""The pydantic model of a tool's arguments, for programs that replace it; it is made when it is asked for."""

from typing import Any

import msgspec

from ...errors import ToolError
from ...foreign.annotations import signature_of

__all__ = ["FuncMetadata"]


class FuncMetadata:
    """The arguments and the output of a tool, as the SDK describes them."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        self._arg_model: Any = None

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The output schema."""
        return self._tool.output_schema  # type: ignore[no-any-return]

    @output_schema.setter
    def output_schema(self, schema: dict[str, Any] | None) -> None:
        """Announce another output schema, or None."""
        self._tool.output_schema = schema

    @property
    def arg_model(self) -> Any:
        """The model of the arguments. A model that is set here reads the arguments from then on."""
        if self._arg_model is None:
            self._arg_model = _model_of(self._tool.fn, self._tool.context_kwarg)
        return self._arg_model

    @arg_model.setter
    def arg_model(self, model: Any) -> None:
        """Read the arguments by a model from now on."""
        self._arg_model = model
        self._tool.change(bind=lambda raw: _bind(model, raw))


def _bind(model: Any, raw: Any) -> dict[str, Any]:
    arguments = raw if isinstance(raw, dict) else msgspec.json.decode(raw) if raw else {}
    try:
        bound: dict[str, Any] = model.model_validate(arguments or {}).model_dump_one_level()
    except ValueError as error:  # pydantic's ValidationError is one
        raise ToolError(str(error)) from error
    return bound


def _model_of(function: Any, context: str | None) -> Any:
    """A pydantic model with a field for each parameter."""
    from pydantic import BaseModel, ConfigDict, create_model  # only programs that have pydantic ask for the model

    class ArgModelBase(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)

        def model_dump_one_level(self) -> dict[str, Any]:
            return {name: getattr(self, name) for name in type(self).model_fields}

    fields: dict[str, Any] = {}
    for one in signature_of(function, evaluate=True).parameters.values():
        if one.name != context:
            hint = Any if one.annotation is one.empty else one.annotation
            fields[one.name] = (hint, ... if one.default is one.empty else one.default)
    return create_model(f"{function.__name__}Arguments", __base__=ArgModelBase, **fields)
