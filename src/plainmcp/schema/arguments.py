"""JSON arguments as keyword arguments of a function; where they do not fit, every problem is reported.

Compiled once per function. Knows parameters and their hints; a single value is converted in coercion.
"""

import json
import typing
from collections.abc import Callable, Collection, Sequence
from typing import Any

import msgspec

from ..errors import ArgumentsError
from ..wire import codec
from .coercion import Coercer, coercer_of
from .coercion_errors import CoercionError
from .formats import MAX_DIGITS
from .parameters import Parameter, naming
from .subschemas import Keys, Schema
from .validator import Validator
from .wording import describe_kind, find_nearest, format_path

__all__ = ["Binder"]

MANY = 20
"""How many problems are reported at once."""

RawArguments = dict[str, Any] | msgspec.Raw | bytes | None


class Binder:
    """Binds arguments to the parameters of one function; raises AuthorError for a hint that cannot be read from JSON.

    `others` is what arguments without a parameter have to be, except those `reserved`; without it they are refused,
    or with `ignore` ignored. `lenient` allows "3" for an integer; arguments must be valid by a `schema` that was
    written by hand; with `texts` all of them are strings, as for a prompt.

    >>> Binder([Parameter("days", int, True)]).bind({"days": "3"})
    {'days': 3}
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        *,
        others: Parameter | None = None,
        ignore: bool = False,
        lenient: bool = True,
        reserved: Collection[str] = (),
        schema: Schema | None = None,
        texts: bool = False,
    ) -> None:
        self._names = [parameter.name for parameter in parameters]
        self._others = None if others is None else _coercer_of(others, lenient)
        self._ignore = ignore
        self._reserved = reserved
        self._texts = texts
        self._fills = [(parameter.name, parameter.fill) for parameter in parameters if parameter.fill is not None]
        self._required = [parameter.name for parameter in parameters if parameter.required]
        self._validator = None if schema is None else Validator(schema)
        self._coercers = {parameter.name: _coercer_of(parameter, lenient) for parameter in parameters}
        self.bind: Callable[[RawArguments], dict[str, Any]] = self._bind
        """The keyword arguments, without those that were not sent: the function has its own defaults.

        Raises ArgumentsError.
        """
        if not (others or self._fills or schema or texts) and self._is_direct():
            all_required = len(self._required) == len(parameters)
            self.bind = _bind_directly(_decoder_of(parameters, ignore), all_required, self._bind)

    def _is_direct(self) -> bool:
        """Whether msgspec alone can decode the arguments."""
        plain = all(name.isidentifier() and not name.startswith("_") for name in self._names)
        return plain and all(coercer.is_native for coercer in self._coercers.values())

    def _bind(self, raw: RawArguments) -> dict[str, Any]:
        arguments = raw if type(raw) is dict else _decode_arguments(raw)
        if self._validator is not None:
            # A schema written by hand may ask for more than the function's hints.
            broken = self._validator.find_problems(arguments, members="parameter")
            _raise_if_any([f"{format_path(problem.keys)}: {problem.text}" for problem in broken])
        problems: list[str] = []
        bound: dict[str, Any] = {}
        for name, value in arguments.items():
            problems += self._bind_one(name, value, bound)
        for name in self._required:
            if name not in arguments:
                problems.append(f"{name}: missing; it takes {self._coercers[name].expected}")
        _raise_if_any(problems)
        for name, fill in self._fills:
            if name not in bound:
                bound[name] = fill()
        return bound

    def bind_known(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments where not all are there: what does not fit yet stays as it is."""
        bound: dict[str, Any] = {}
        for name, value in arguments.items():
            if self._bind_one(name, value, bound):
                bound[name] = value
        return bound

    def _bind_one(self, name: str, value: Any, bound: dict[str, Any]) -> list[str]:
        """Add an argument to those that are bound; the problems where it cannot be."""
        if self._texts and not isinstance(value, str):
            return [f"{format_path((name,))}: expected a string, got {describe_kind(value)}"]
        coercer = self._coercers.get(name, None if name in self._reserved else self._others)
        if coercer is not None:
            try:
                bound[name] = coercer(value)
            except CoercionError as error:
                return [f"{format_path((name, *keys))}: {text}" for keys, text in error.places]
            return []
        if self._ignore:
            return []
        near = find_nearest(name, self._names)
        known = f"the parameters are {', '.join(self._names)}" if self._names else "there are none"
        return [f"{format_path((name,))}: no such parameter; " + (f"did you mean {near}?" if near else known)]


def _raise_if_any(problems: list[str]) -> None:
    if problems:
        raise ArgumentsError(problems[:MANY] + ["and more"] * (len(problems) > MANY))


def _hint_of(parameter: Parameter) -> Any:
    """The hint of a parameter; null is allowed too where it is the default, as in `limit: int = None`."""
    hint = parameter.annotation
    return typing.Optional[hint] if parameter.default is None else hint  # noqa: UP045 - a hint at run time


def _coercer_of(parameter: Parameter, lenient: bool) -> Coercer:
    with naming(parameter):
        return coercer_of(_hint_of(parameter), lenient)


def _decoder_of(parameters: Sequence[Parameter], ignore: bool) -> Callable[[Any], msgspec.Struct]:
    """A decoder of JSON arguments; it takes a third of the time of binding them one by one."""
    fields: list[Any] = []
    for parameter in parameters:
        name, hint = parameter.name, _hint_of(parameter)
        fields.append((name, hint) if parameter.required else (name, hint | msgspec.UnsetType, msgspec.UNSET))
    form = msgspec.defstruct("Arguments", fields, forbid_unknown_fields=not ignore, kw_only=True)
    return codec.decoder_of(form)


def _bind_directly(
    read: Callable[[Any], msgspec.Struct], all_required: bool, otherwise: Callable[[RawArguments], Any]
) -> Any:
    """A function that binds raw arguments by a decoder if they fit, else by `otherwise`, which reports problems."""
    asdict, unset = msgspec.structs.asdict, msgspec.UNSET

    def bind(arguments: RawArguments) -> dict[str, Any]:
        try:
            values = asdict(read(arguments))
        except Exception:  # data instead of JSON, or an error of an author's class: `otherwise` finds it again
            return otherwise(arguments)  # type: ignore[no-any-return]
        return values if all_required else {name: value for name, value in values.items() if value is not unset}

    return bind


# JSON ---------------------------------------------------------------------------------------------


def _decode_arguments(arguments: Any) -> dict[str, Any]:
    """Arguments as a dict; None, null and no bytes are no arguments."""
    if isinstance(arguments, (bytes, msgspec.Raw)):
        try:
            arguments = msgspec.json.decode(arguments) if arguments else None
        except (msgspec.DecodeError, ValueError, RecursionError):
            _raise_if_any(_numbers_out_of_range(bytes(arguments)) or ["arguments: not JSON"])
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise ArgumentsError([f"arguments: expected an object, got {describe_kind(arguments)}"])
    return arguments


class _TooLarge:
    """Stands for a number that Python cannot read."""

    def __init__(self, expected: str) -> None:
        self.expected = expected


def _numbers_out_of_range(raw: bytes) -> list[str]:
    """The problems with numbers that Python cannot read, in JSON that is otherwise valid."""

    def read_float(text: str) -> Any:
        return _TooLarge("a number between -1.7e308 and 1.7e308") if abs(float(text)) == float("inf") else 0

    def read_int(text: str) -> Any:
        return _TooLarge(f"an integer of at most {MAX_DIGITS:,} digits") if len(text) > MAX_DIGITS else 0

    try:
        data = json.loads(raw, parse_float=read_float, parse_int=read_int)
    except (ValueError, RecursionError):
        return []
    problems: list[str] = []
    waiting: list[tuple[Keys, Any]] = [((), data)]
    while waiting:
        keys, part = waiting.pop()
        if isinstance(part, _TooLarge):
            problems.append(f"{format_path(keys) or 'arguments'}: expected {part.expected}")
        inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [((*keys, key), item) for key, item in inside]
    return problems
