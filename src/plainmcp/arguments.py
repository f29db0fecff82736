"""JSON arguments -> keyword arguments: at once when they fit, else with every problem named.

Compiled once per function. Knows parameters and their hints; what a model is told about one value that does
not fit is worked out in fitting.
"""

import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from . import codec, fitting, hints, phrases
from .errors import ArgumentsError, AuthorError
from .fitting import Read
from .hints import Parameter
from .phrases import Misfit

__all__ = ["Binder", "compile"]

MANY = 20
"""How many problems are told at once."""

Given = dict[str, Any] | msgspec.Raw | bytes | None


def compile(
    parameters: Iterable[Parameter], *, open: bool = False, lenient: bool = True, reserved: Collection[str] = ()
) -> "Binder":
    """What binds arguments to these parameters; raises AuthorError for a hint that nothing can read.

    `open` passes on arguments that are no parameter, except those `reserved`; `lenient` takes "3" for an integer.

    >>> compile([Parameter("days", int, True)]).bind({"days": "3"})
    {'days': 3}
    """
    return Binder(list(parameters), open, lenient, frozenset(reserved))


class Binder:
    """The parameters of one function, ready to take arguments."""

    def __init__(self, parameters: list[Parameter], open: bool, lenient: bool, reserved: frozenset[str]) -> None:
        self._parameters = parameters
        self._names = [parameter.name for parameter in parameters]
        self._open = open
        self._reserved = reserved
        self._fills = [(one.name, one.fill) for one in parameters if one.fill is not None]
        self._hints = {one.name: _taken(one) for one in parameters}
        self._readers = {one.name: _reader(one, self._hints[one.name], lenient) for one in parameters}
        natives = {name: hint for name, hint in self._hints.items() if fitting.is_native(hint)}
        # What msgspec cannot read is let through, and read afterwards.
        self._later = [(name, read) for name, read in self._readers.items() if name not in natives]
        self._natives = natives
        parts = {part for hint in natives.values() for part in hints.parts(hint)}
        # Only where they are needed: each costs as much as the rest of the call.
        mappings = any(isinstance(part, type) and issubclass(part, Mapping) for part in parts)
        self._options: dict[str, Any] = {"str_keys": True} if mappings else {}
        if any(map(hints.text_type, parts)):
            self._options["dec_hook"] = fitting.read_text
        plain = all(name.isidentifier() and not name.startswith("_") for name in self._names)
        simple = plain and not (open or self._later or self._fills or self._options)
        self.bind: Callable[[Given], dict[str, Any]] = self._bind
        """The keyword arguments: only what was given, since defaults are the function's own.

        Raises ArgumentsError.
        """
        if simple:
            self.bind = _at_once(_reads(parameters, natives), all(one.required for one in parameters), self._bind)

    @cached_property
    def _form(self) -> Any:
        """What msgspec reads data into: made for the first that needs it, since most arguments are read at once."""
        form = _form(self._parameters, self._natives)
        codec.reader(form)
        return form

    def _bind(self, arguments: Given) -> dict[str, Any]:
        given = arguments if type(arguments) is dict else _opened(arguments)
        try:
            bound: dict[str, Any] = msgspec.convert({"given": given}, self._form, **self._options).given
            if len(bound) != len(given):
                bound = self._with_others(given, bound)
            for name, read in self._later:
                if name in bound:
                    bound[name] = read(bound[name])
        except (msgspec.ValidationError, Misfit, RecursionError, UnicodeError):
            bound = self._bind_patiently(given)
        for name, fill in self._fills:
            if name not in bound:
                bound[name] = fill()
        return bound

    def _with_others(self, given: dict[str, Any], bound: dict[str, Any]) -> dict[str, Any]:
        if not self._open or not self._reserved.isdisjoint(given):
            raise Misfit([])
        return {**given, **bound}

    def _bind_patiently(self, given: dict[str, Any]) -> dict[str, Any]:
        """As `bind`, but parameter by parameter, so that all problems are found."""
        problems: list[str] = []
        bound = {}
        for name, value in given.items():
            if name in self._readers:
                try:
                    bound[name] = self._readers[name](value)
                except Misfit as misfit:
                    problems += [f"{phrases.place((name, *keys))}: {said}" for keys, said in misfit.problems]
            elif self._open and name not in self._reserved:
                bound[name] = value
            else:
                problems.append(self._unknown(name))
        for parameter in self._parameters:
            if parameter.required and parameter.name not in given:
                wanted = phrases.expected(self._hints[parameter.name])
                problems.append(f"{parameter.name}: missing; it takes {wanted}")
        if problems:
            raise ArgumentsError(problems[:MANY] + ["and more"] * (len(problems) > MANY))
        return bound

    def _unknown(self, name: Any) -> str:
        near = phrases.nearest(name, self._names)
        known = f"the parameters are {', '.join(self._names)}" if self._names else "there are none"
        return f"{phrases.place((name,))}: no such parameter; " + (f"did you mean {near}?" if near else known)


def _taken(parameter: Parameter) -> Any:
    """The hint of what may be given: null too where that is the default, as in `limit: int = None`."""
    hint = hints.with_lists(parameter.annotation, given=True)
    return typing.Optional[hint] if parameter.default is None else hint  # noqa: UP045 - a hint at run time


def _reader(parameter: Parameter, hint: Any, lenient: bool) -> Read:
    try:
        return fitting.reader(hint, lenient)
    except AuthorError as error:
        raise AuthorError(f"parameter {parameter.name}: {error}") from error


def _form(parameters: list[Parameter], natives: dict[str, Any]) -> Any:
    """A struct around a TypedDict of the parameters: names may be any, and what comes out has only what was given.

    msgspec keeps what it knows of a struct from call to call, and works it out anew for a bare TypedDict.
    """
    keys = {}
    for one in parameters:
        hint = natives.get(one.name, Any)
        keys[one.name] = typing.Required[hint] if one.required else typing.NotRequired[hint]
    return msgspec.defstruct("Form", [("given", typing.TypedDict("Arguments", keys))])  # type: ignore[operator]


def _reads(parameters: list[Parameter], natives: dict[str, Any]) -> Callable[[Any], msgspec.Struct]:
    """A decoder straight from JSON, for parameters that need nothing more: a third of the time of the way round."""
    fields: list[Any] = []
    for one in parameters:
        hint = natives[one.name]
        fields.append((one.name, hint) if one.required else (one.name, hint | msgspec.UnsetType, msgspec.UNSET))
    form = msgspec.defstruct("Arguments", fields, forbid_unknown_fields=True, kw_only=True)
    return codec.reader(form)


_MISFITS = (msgspec.MsgspecError, TypeError, RecursionError, UnicodeError)  # TypeError: not raw but data


def _at_once(read: Callable[[Any], msgspec.Struct], all_required: bool, otherwise: Callable[[Given], Any]) -> Any:
    """What binds raw arguments in one go if they fit, and otherwise leaves them to those who know how to complain."""
    asdict, unset = msgspec.structs.asdict, msgspec.UNSET

    def bind(arguments: Given) -> dict[str, Any]:
        try:
            values = asdict(read(arguments))
        except _MISFITS:
            return otherwise(arguments)  # type: ignore[no-any-return]
        return values if all_required else {name: value for name, value in values.items() if value is not unset}

    return bind


def _opened(arguments: Any) -> dict[str, Any]:
    """Arguments as a dict, from JSON or from nothing at all: None, null, or no bytes."""
    if isinstance(arguments, (bytes, msgspec.Raw)):
        try:
            arguments = msgspec.json.decode(arguments) if arguments else None
        except (msgspec.DecodeError, ValueError, RecursionError):
            raise ArgumentsError(["arguments: not JSON"]) from None
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise ArgumentsError([f"arguments: expected an object, got {phrases.kind_of(arguments)}"])
    return arguments
