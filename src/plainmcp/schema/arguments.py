"""JSON arguments -> keyword arguments: at once when they fit, else with every problem named.

Compiled once per function. Knows parameters and their hints; what becomes of one value, and what a model is told
about it, is worked out in fitting.
"""

import json
import typing
from collections.abc import Callable, Collection, Iterable
from typing import Any

import msgspec

from ..errors import ArgumentsError, AuthorError
from ..wire import codec
from . import coercion, wording
from .coercion import Coercer
from .coercion_errors import CoercionError
from .formats import MAX_DIGITS
from .hints import Parameter
from .subschemas import Keys, Schema
from .validator import Validator

__all__ = ["Binder", "compile"]

MANY = 20
"""How many problems are told at once."""

RawArguments = dict[str, Any] | msgspec.Raw | bytes | None


def compile(
    parameters: Iterable[Parameter],
    *,
    open: bool = False,
    lenient: bool = True,
    reserved: Collection[str] = (),
    schema: Schema | None = None,
    texts: bool = False,
) -> "Binder":
    """What binds arguments to these parameters; raises AuthorError for a hint that nothing can read.

    `open` passes on arguments that are no parameter, except those `reserved`; `lenient` takes "3" for an integer;
    `schema` is one that was written by hand, which arguments have to keep as well; with `texts` all of them are
    strings, as those of a prompt are.

    >>> compile([Parameter("days", int, True)]).bind({"days": "3"})
    {'days': 3}
    """
    return Binder(list(parameters), open, lenient, frozenset(reserved), schema, texts)


class Binder:
    """The parameters of one function, ready to take arguments."""

    def __init__(
        self,
        parameters: list[Parameter],
        open: bool,
        lenient: bool,
        reserved: frozenset[str],
        schema: Schema | None,
        texts: bool,
    ) -> None:
        self._names = [parameter.name for parameter in parameters]
        self._open = open
        self._reserved = reserved
        self._texts = texts
        self._fills = [(one.name, one.fill) for one in parameters if one.fill is not None]
        self._required = [one.name for one in parameters if one.required]
        self._written = None if schema is None else Validator(schema)
        hints = {one.name: _hint_of(one) for one in parameters}
        self._coercers = {one.name: _coercer_of(one, hints[one.name], lenient) for one in parameters}
        plain = all(name.isidentifier() and not name.startswith("_") for name in self._names)
        native = all(read.is_native for read in self._coercers.values())
        self.bind: Callable[[RawArguments], dict[str, Any]] = self._bind
        """The keyword arguments: only what was given, since defaults are the function's own.

        Raises ArgumentsError.
        """
        if plain and native and not (open or self._fills or schema or texts):
            self.bind = _bind_directly(
                _decoder_of(parameters, hints), all(one.required for one in parameters), self._bind
            )

    def _bind(self, arguments: RawArguments) -> dict[str, Any]:
        given = arguments if type(arguments) is dict else _decode_arguments(arguments)
        if self._written is not None:
            # A schema written by hand may ask for more than the function's hints.
            broken = self._written.find_problems(given, members="parameter")
            _raise_if_any([f"{wording.format_path(one.keys)}: {one.text}" for one in broken])
        problems: list[str] = []
        bound = {}
        for name, value in given.items():
            if self._texts and not isinstance(value, str):
                problems.append(
                    f"{wording.format_path((name,))}: expected a string, got {wording.describe_kind(value)}"
                )
            elif name in self._coercers:
                try:
                    bound[name] = self._coercers[name](value)
                except CoercionError as error:
                    problems += [f"{wording.format_path((name, *keys))}: {said}" for keys, said in error.places]
            elif self._open and name not in self._reserved:
                bound[name] = value
            else:
                problems.append(self._describe_unknown(name))
        for name in self._required:
            if name not in given:
                problems.append(f"{name}: missing; it takes {self._coercers[name].expected}")
        _raise_if_any(problems)
        for name, fill in self._fills:
            if name not in bound:
                bound[name] = fill()
        return bound

    def _describe_unknown(self, name: Any) -> str:
        near = wording.find_nearest(name, self._names)
        known = f"the parameters are {', '.join(self._names)}" if self._names else "there are none"
        return f"{wording.format_path((name,))}: no such parameter; " + (f"did you mean {near}?" if near else known)


def _raise_if_any(problems: list[str]) -> None:
    if problems:
        raise ArgumentsError(problems[:MANY] + ["and more"] * (len(problems) > MANY))


def _hint_of(parameter: Parameter) -> Any:
    """The hint of what may be given: null too where that is the default, as in `limit: int = None`."""
    hint = parameter.annotation
    return typing.Optional[hint] if parameter.default is None else hint  # noqa: UP045 - a hint at run time


def _coercer_of(parameter: Parameter, hint: Any, lenient: bool) -> Coercer:
    try:
        return coercion.coercer_of(hint, lenient)
    except AuthorError as error:
        raise AuthorError(f"parameter {parameter.name}: {error}") from error


def _decoder_of(parameters: list[Parameter], hints: dict[str, Any]) -> Callable[[Any], msgspec.Struct]:
    """A decoder straight from JSON, for parameters that need nothing more: a third of the time of the way round."""
    fields: list[Any] = []
    for one in parameters:
        hint = hints[one.name]
        fields.append((one.name, hint) if one.required else (one.name, hint | msgspec.UnsetType, msgspec.UNSET))
    form = msgspec.defstruct("Arguments", fields, forbid_unknown_fields=True, kw_only=True)
    return codec.decoder_of(form)


def _bind_directly(
    read: Callable[[Any], msgspec.Struct], all_required: bool, otherwise: Callable[[RawArguments], Any]
) -> Any:
    """What binds raw arguments in one go if they fit, and otherwise leaves them to those who know how to complain."""
    asdict, unset = msgspec.structs.asdict, msgspec.UNSET

    def bind(arguments: RawArguments) -> dict[str, Any]:
        try:
            values = asdict(read(arguments))
        except Exception:  # data instead of JSON, or whatever an author's class raises: it is found out again
            return otherwise(arguments)  # type: ignore[no-any-return]
        return values if all_required else {name: value for name, value in values.items() if value is not unset}

    return bind


# JSON ---------------------------------------------------------------------------------------------


def _decode_arguments(arguments: Any) -> dict[str, Any]:
    """Arguments as a dict, from JSON or from nothing at all: None, null, or no bytes."""
    if isinstance(arguments, (bytes, msgspec.Raw)):
        try:
            arguments = msgspec.json.decode(arguments) if arguments else None
        except (msgspec.DecodeError, ValueError, RecursionError):
            _raise_if_any(_numbers_out_of_range(bytes(arguments)) or ["arguments: not JSON"])
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise ArgumentsError([f"arguments: expected an object, got {wording.describe_kind(arguments)}"])
    return arguments


class _TooLarge:
    """Stands for a number that Python does not read."""

    def __init__(self, words: str) -> None:
        self.words = words


def _numbers_out_of_range(raw: bytes) -> list[str]:
    """The places of numbers that Python does not read, in JSON that is otherwise well formed."""

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
            problems.append(f"{wording.format_path(keys) or 'arguments'}: expected {part.words}")
        inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [((*keys, key), item) for key, item in inside]
    return problems
