"""`func_metadata` of the official SDK: the arguments and the results of a function by pydantic models.

A program makes one for a tool of its own, or changes that of a registered one. The classes of `mcp` 1 and 2 differ in
what a result is converted to.
"""

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

from ...foreign.classes import wire_type_of
from ...values.normalize import normalize_tool_result
from .argument_models import ArgModelBase, model_of_arguments, parse_texts, signature_of
from .exceptions import MCPDeprecationWarning
from .loaded_types import to_loaded
from .output import POLICY
from .output_models import StrictJsonSchema, output_of
from .types import CallToolResult
from .wire_model import to_wire

__all__ = ["ArgModelBase", "FuncMetadata", "NewerFuncMetadata", "StrictJsonSchema"]

_RESULTS = ("CallToolResult", "InputRequiredResult")


class FuncMetadata:
    """The arguments and the output of a function, as `mcp` 1 has them."""

    is_newer: ClassVar[bool] = False

    def __init__(
        self,
        *,
        arg_model: Any,
        output_schema: dict[str, Any] | None = None,
        output_model: Any = None,
        wrap_output: bool = False,
    ) -> None:
        self.arg_model = arg_model
        self.output_schema = output_schema
        self.output_model = output_model
        self.wrap_output = wrap_output

    @classmethod
    def of_function(cls, func: Any, skip_names: Sequence[str] = (), structured_output: bool | None = None) -> Self:
        """The metadata of a function, without some of its parameters; raises InvalidSignature."""
        model = model_of_arguments(func, skip_names)
        if structured_output is False:
            return cls(arg_model=model)
        output = output_of(func, signature_of(func).return_annotation, structured_output, cls.is_newer)
        return cls(
            arg_model=model,
            output_schema=output.schema,
            output_model=output.model,
            wrap_output=output.is_wrapped,
        )

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """Arguments in which lists and objects are not texts."""
        return parse_texts(self.arg_model, data)

    def validate_arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments to call the function with; raises pydantic's ValidationError."""
        validated = self.arg_model.model_validate(self.pre_parse_json(arguments))
        return validated.model_dump_one_level()  # type: ignore[no-any-return]

    async def call_fn(
        self,
        fn: Callable[..., Any],
        fn_is_async: bool,
        arguments: dict[str, Any],
        arguments_to_pass_directly: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function with arguments that have been validated."""
        value = fn(**{**arguments, **(arguments_to_pass_directly or {})})
        return await value if fn_is_async or inspect.isawaitable(value) else value

    async def call_fn_with_arg_validation(
        self,
        fn: Callable[..., Any],
        fn_is_async: bool,
        arguments_to_validate: dict[str, Any],
        arguments_to_pass_directly: dict[str, Any] | None,
        pre_validated: dict[str, Any] | None = None,
    ) -> Any:
        """Validate arguments, and call the function with them."""
        if self.is_newer:
            text = "call_fn_with_arg_validation is deprecated: call validate_arguments and call_fn"
            warnings.warn(text, MCPDeprecationWarning, stacklevel=2)
        arguments = self.validate_arguments(arguments_to_validate) if pre_validated is None else pre_validated
        return await self.call_fn(fn, fn_is_async, arguments, arguments_to_pass_directly)

    def convert_result(self, result: Any) -> Any:
        """What the function returned as content, with its data if it has an output schema."""
        if type(result).__name__ in _RESULTS and (wire_type_of(type(result)) or self.is_newer):
            if self.output_model is not None and type(result).__name__ == "CallToolResult":
                self.output_model.model_validate(to_wire(result).get("structuredContent"))
            return result
        content = [to_loaded(block) for block in CallToolResult(**_whole(result)).content]
        data = None
        if self.output_schema is not None:
            validated = self.output_model.model_validate({"result": result} if self.wrap_output else result)
            data = validated.model_dump(mode="json", by_alias=True)
        return self.to_result(content, data)

    def to_result(self, content: list[Any], data: dict[str, Any] | None) -> Any:
        """A result of content and data; `mcp` 1 has only the content if there is no data."""
        return content if data is None else (content, data)


class NewerFuncMetadata(FuncMetadata):
    """The arguments and the output of a function, as `mcp` 2 has them."""

    is_newer = True

    def to_result(self, content: list[Any], data: dict[str, Any] | None) -> Any:
        """A whole result."""
        return to_loaded(CallToolResult(content=content, structuredContent=data))


def _whole(value: Any) -> dict[str, Any]:
    """The result of a value in the form of the wire, without its data."""
    return {"content": to_wire(normalize_tool_result(value, policy=POLICY).content)}
