"""What a function returns as a pydantic model, as the official SDK makes it: for programs that have such models."""

import inspect
import json
import types
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    is_typeddict,
)

import typing_extensions  # pydantic needs it
from pydantic import (
    BaseModel,
    ConfigDict,
    PydanticUserError,
    RootModel,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import SchemaError

from ...foreign.annotations import hints_of
from ...foreign.classes import wire_type_of
from .exceptions import InvalidSignature
from .output import is_content
from .wire_model import Model

__all__ = ["Output", "StrictJsonSchema", "output_of"]

_NO_DATA: Any = object()
_PLAIN = (str, int, float, bool, bytes, types.NoneType)


class StrictJsonSchema(GenerateJsonSchema):
    """Generates JSON Schemas; what cannot be written in one is an error, not a warning."""

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """Raise a ValueError."""
        raise ValueError(f"JSON schema warning: {kind} - {detail}")


class Output(NamedTuple):
    """The model of what a function returns, its schema, and whether the value is in a member `result`."""

    model: Any = None
    schema: dict[str, Any] | None = None
    is_wrapped: bool = False


def output_of(function: Any, returns: Any, structured_output: bool | None, is_newer: bool) -> Output:
    """The output of a function with a return hint; of `mcp` 2 if `is_newer`. Raises InvalidSignature."""
    name = function.__name__
    if returns is inspect.Signature.empty:
        if structured_output:
            raise InvalidSignature(f"Function {name}: return annotation required for structured output")
        return Output()
    if get_origin(returns) in (Final, ClassVar) or returns in (Final, ClassVar):
        raise InvalidSignature(f"Function {name}: return annotation contains an invalid type qualifier")
    hint = _without_results(name, returns, is_newer)
    if hint is _NO_DATA or (is_newer and not structured_output and is_content(hint)):
        return Output()
    try:
        model, is_wrapped = _model_of(name, hint, is_newer)
        if model is not None:
            schema = TypeAdapter(model).json_schema(schema_generator=StrictJsonSchema)
            return Output(model, _with_root(schema), is_wrapped)
    except (TypeError, ValueError, NameError, PydanticUserError, SchemaError, ValidationError):
        pass  # the hint describes no data
    if structured_output:
        shown = getattr(hint, "__name__", hint)
        raise InvalidSignature(f"Function {name}: return type {shown} is not serializable for structured output")
    return Output()


def _without_results(name: str, returns: Any, is_newer: bool) -> Any:
    """The hint of the data: of `Annotated[CallToolResult, Weather]` it is Weather."""
    bare, marks = _unwrap(returns)
    choices = list(get_args(bare)) if _is_union(bare) else [returns]
    if is_newer:
        choices = [one for one in choices if not _is_input_required(one)]
    if not choices:
        return _NO_DATA
    if len(choices) == 1:
        returns = choices[0]
        bare, marks = _unwrap(returns)
    if _is_result(bare):
        return next((one for one in marks if isinstance(one, type) or get_origin(one)), _NO_DATA)
    if len(choices) > 1 and any(_is_result(_unwrap(one)[0]) for one in choices):
        raise InvalidSignature(f"Function {name}: CallToolResult cannot be used in Union or Optional types")
    return returns if len(choices) == 1 else Union[tuple(choices)]  # noqa: UP007


def _unwrap(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())


def _is_input_required(hint: Any) -> bool:
    return any(one.__name__ == "InputRequiredResult" for one in getattr(hint, "__mro__", ()))


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType)


def _is_result(hint: Any) -> bool:
    return isinstance(hint, type) and wire_type_of(hint) == "CallToolResult"


def _model_of(name: str, hint: Any, is_newer: bool) -> tuple[Any, bool]:
    """The model of a hint, and whether the value is wrapped; no model for a class without hints."""
    bare, _ = _unwrap(hint)
    origin, arguments = get_origin(bare), get_args(bare)
    if origin is dict and arguments and arguments[0] is str:
        return create_model(f"{name}DictOutput", __base__=RootModel[hint]), False
    if bare is None or bare in _PLAIN or origin is not None or not isinstance(bare, type):
        return create_model(f"{name}Output", result=(hint, ...)), True
    if issubclass(bare, BaseModel | Model):
        return bare, False
    if is_typeddict(bare):
        return (_root_of_dict(bare) if is_newer else _model_of_dict(bare)), False
    hints = hints_of(bare)
    if not hints:
        return None, False
    fields: dict[str, Any] = {
        field: (kind, getattr(bare, field)) if hasattr(bare, field) else kind for field, kind in hints.items()
    }
    return create_model(bare.__name__, __config__=ConfigDict(from_attributes=True), **fields), False


def _root_of_dict(kind: Any) -> Any:
    """A model of a TypedDict as `mcp` 2 has it; pydantic takes those of the standard library from Python 3.12 on."""
    make: Any = typing_extensions.TypedDict
    made: Any = make(kind.__name__, hints_of(kind), total=kind.__total__)
    made.__doc__, made.__pydantic_config__ = kind.__doc__, ConfigDict(validate_by_name=True, validate_by_alias=True)
    of_root: Any = RootModel.__class_getitem__(made)
    return create_model(kind.__name__, __base__=of_root, __doc__=kind.__doc__)


def _model_of_dict(kind: Any) -> Any:
    """A model of a TypedDict as `mcp` 1 has it: a key that is not required may be null."""
    hints = {
        field: get_args(hint)[0] if get_origin(hint) in (Required, NotRequired) else hint
        for field, hint in hints_of(kind).items()
    }
    fields: dict[str, Any] = {
        field: hint if field in kind.__required_keys__ else (hint, None) for field, hint in hints.items()
    }
    return create_model(kind.__name__, **fields)


def _with_root(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose root is an object, not a reference to one, as a model that contains itself has it."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    definitions = dict(schema["$defs"])
    definition = definitions.pop(reference.removeprefix("#/$defs/"))
    is_used = f'"{reference}"' in json.dumps(definition)
    rest = {"$defs": schema["$defs"] if is_used else definitions} if is_used or definitions else {}
    return {**definition, **{key: value for key, value in schema.items() if key not in ("$ref", "$defs")}, **rest}
