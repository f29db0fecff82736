"""The metadata of a tool that is registered: what is changed in it is changed where the tool is listed and called.

The pydantic models in it are made when they are asked for.
"""

from functools import cached_property
from typing import Any

import msgspec

from .exceptions import ToolError

__all__ = ["ToolMetadata"]


class ToolMetadata:
    """The arguments and the output of a tool; the rest is that of its function."""

    def __init__(self, tool: Any, given: Any = None) -> None:
        self._tool = tool
        if given is not None:
            self._of_function = given
            self.arg_model = given.arg_model

    @cached_property
    def _of_function(self) -> Any:
        """The metadata of the function."""
        from . import func_metadata  # it loads pydantic, for programs that ask for a model

        kind = func_metadata.NewerFuncMetadata if self._tool.is_newer else func_metadata.FuncMetadata
        left_out = [self._tool.context_kwarg] if self._tool.context_kwarg else []
        return kind.of_function(self._tool.fn, left_out)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of_function, name)

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
        return self._of_function.arg_model

    @arg_model.setter
    def arg_model(self, model: Any) -> None:
        """Read the arguments by a model from now on."""
        self._of_function.arg_model = model
        self._tool.change(bind=lambda raw: _bind(self._of_function, raw))


def _bind(metadata: Any, raw: Any) -> dict[str, Any]:
    arguments = raw if isinstance(raw, dict) else msgspec.json.decode(raw) if raw else {}
    try:
        return metadata.validate_arguments(arguments or {})  # type: ignore[no-any-return]
    except ValueError as error:  # pydantic's ValidationError is one
        raise ToolError(str(error)) from error
