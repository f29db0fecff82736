"""Reads and calls a function as mcp-serializer does: arguments are cast, and failures have codes of their own.

Knows functions and error codes; what a returned value becomes is decided in results and resources.
"""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from inspect import Parameter as Inspected
from inspect import getdoc, isroutine
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw

from ...context import Context
from ...errors import InvalidParams, ProtocolError
from ...foreign.annotations import signature_of
from ...protocol.failures import log_incident
from ...schema import signature
from ...schema.parameters import Parameter
from ...schema.signature import Signature
from ...wire import codec
from .blocks import Data
from .casting import Cast, cast_of

__all__ = [
    "ARGUMENTS",
    "PROMPTS",
    "RESOURCES",
    "TOOLS",
    "CallError",
    "Kind",
    "UnsupportedResultTypeError",
    "bind_all",
    "compile_call",
    "internal_error",
    "missing_error",
    "read_function",
    "unknown_error",
]

Function: TypeAlias = Callable[..., Any]

ARGUMENTS = "_arguments"
"""The parameter of a compiled call that takes the arguments of a request as they were sent."""


class Kind(msgspec.Struct, frozen=True):
    """What the errors of a kind of feature say: the key of its name, the two codes with their messages."""

    word: str
    name_key: str
    failed: tuple[int, str]
    unknown: tuple[int, str]


TOOLS = Kind("tools", "tool_name", (-32001, "Tools call error"), (-32002, "Could not find tool"))
RESOURCES = Kind("resources", "uri", (-32003, "Resources fetch error"), (-32004, "Could not find resource"))
PROMPTS = Kind("prompts", "prompt_name", (-32006, "Prompts call error"), (-32007, "Could not find prompt"))

MISSING_VARIABLE = (-32005, "Parameter is required in resource template")
INVALID = InvalidParams.code
INTERNAL = ProtocolError.code


class CallError(ProtocolError):
    """An error with a code and data of mcp-serializer."""

    def __init__(self, code: int, message: str, data: Any) -> None:
        super().__init__(message, data)
        self.code = code  # type: ignore[misc]


class UnsupportedResultTypeError(Exception):
    """A function returned a value that its kind of feature cannot send."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"Unsupported result type: {type(value)}")


class ParameterTypeCastingError(Exception):
    """A variable of a URI cannot be cast to the type of its parameter."""


def internal_error(error: Exception, message: str = "Internal error") -> CallError:
    """The error for a value that cannot be sent. It is logged; a traceback is not sent."""
    log_incident("A result", error)
    return CallError(INTERNAL, message, {"error": str(error), "error_type": type(error).__name__})


def unknown_error(kind: Kind, name: Any, arguments: Any = None) -> CallError:
    """The error for a name that nothing is registered under."""
    return CallError(*kind.unknown, _data(kind, name, arguments, f"Key {name} not found"))


def missing_error(kind: Kind, name: Any, arguments: Any, function: str, parameter: str) -> CallError:
    """The error for a required parameter that a request does not have."""
    text = f"Required parameter {parameter} not found for function {function}"
    data = _data(kind, name, arguments, text, missing_parameter=parameter)
    if kind is RESOURCES:
        return CallError(*MISSING_VARIABLE, data)
    return CallError(INVALID, f"Required parameter not found for {kind.word}", data)


def _data(kind: Kind, name: Any, arguments: Any, error: str, **more: Any) -> Data:
    sent = {"arguments": arguments} if arguments and kind is not RESOURCES else {}
    return {kind.name_key: name, **sent, "error": error, **more}


# Functions ----------------------------------------------------------------------------------------


def read_function(function: Function) -> Signature:
    """The signature of a function; a parameter without a hint takes a text."""
    read = signature.read(function, context_type=Context, title_from="docstring")
    bare = {name for name, one in signature_of(function).parameters.items() if one.annotation is Inspected.empty}
    parameters = tuple(_as_text(one) if one.name in bare else one for one in read.parameters)
    title, description = _split_docstring(getdoc(function) if isroutine(function) else None)
    return msgspec.structs.replace(read, parameters=parameters, title=title, description=description)


def _split_docstring(doc: str | None) -> tuple[str | None, str | None]:
    """The title and the description of a docstring: a first line by itself, and the lines before the parameters."""
    lines = [line.strip() for line in (doc or "").strip().split("\n")]
    has_title = len(lines) == 1 or not lines[1]
    body = lines[1:] if has_title else lines
    end = next((index for index, line in enumerate(body) if _SECTION.match(line)), len(body))
    return (lines[0] or None) if has_title else None, " ".join(filter(None, body[:end])) or None


_SECTION = re.compile(r"(Args|Arguments|Parameters|Param):|:param|Parameters$")


def _as_text(parameter: Parameter) -> Parameter:
    return msgspec.structs.replace(parameter, annotation=str)


def bind_all(raw: Any) -> Data:
    """The arguments of a request as the one argument of a compiled call; raises InvalidParams."""
    arguments = codec.decode(bytes(raw)) if isinstance(raw, Raw | bytes) and raw else raw or None
    if arguments is not None and not isinstance(arguments, dict):
        raise InvalidParams("params.arguments is an object")
    return {ARGUMENTS: arguments or {}}


def compile_call(
    function: Function, read: Signature, kind: Kind, name: str | None, convert: Callable[[Any], Any]
) -> Function:
    """A function of the arguments as they were sent, which casts them, calls a function and converts its value.

    It raises CallError. The name is that of the feature; None where only the request has it.
    """
    casts = [(one.name, cast_of(_hint_of(one)), one) for one in read.parameters]

    def bind(arguments: Mapping[str, Any]) -> Data:
        bound = {key: value for key, value in arguments.items() if read.open and key not in read.reserved}
        for key, cast, parameter in casts:
            if key in arguments:
                bound[key] = _cast(cast, key, parameter, arguments)
            elif parameter.required:
                raise missing_error(kind, name, arguments, read.name, key)
        return bound

    def _cast(cast: Cast, key: str, parameter: Parameter, arguments: Mapping[str, Any]) -> Any:
        try:
            return cast(arguments[key])
        except Exception as error:
            hint, label = parameter.annotation, getattr(parameter.annotation, "__name__", str(parameter.annotation))
            text = f"Failed to cast parameter {key} to {hint} for function {read.name}. Error: {error}"
            if kind is RESOURCES:
                raise internal_error(ParameterTypeCastingError(text)) from None
            details = {
                "invalid_parameter_name": key,
                "invalid_parameter_value": arguments[key],
                "expected_parameter_type": label,
            }
            data = _data(kind, name, arguments, text, **details)
            raise CallError(INVALID, f"Invalid parameters for {kind.word}", data) from None

    @contextmanager
    def failing(arguments: Mapping[str, Any]) -> Generator[None]:
        try:
            yield
        except ProtocolError:
            raise
        except Exception as error:
            log_incident(f"Function {read.name}", error)
            text = f"Failed to call function {read.name}. Error: {error}"
            raise CallError(*kind.failed, _data(kind, name, arguments, text)) from error

    if read.is_async:

        async def call_async(_arguments: Data, **injected: Any) -> Any:
            bound = bind(_arguments)
            with failing(_arguments):
                value = await function(**bound, **injected)
            return convert(value)

        return call_async

    def call(_arguments: Data, **injected: Any) -> Any:
        bound = bind(_arguments)
        with failing(_arguments):
            value = function(**bound, **injected)
        return convert(value)

    return call


def _hint_of(parameter: Parameter) -> Any:
    """The hint of a parameter; null is allowed too where it is the default, as in `limit: int = None`."""
    return parameter.annotation | None if parameter.default is None else parameter.annotation
