"""One JSON value -> the Python value a hint asks for, or everything that is wrong with it.

The slow and patient way: it knows the place of every problem and what would have done. `lenient` reads JSON
that came as a string, and whole numbers with a decimal point, where the hint leaves no doubt about them.
"""

import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args, get_origin

import msgspec

from . import adapters, codec, hints, phrases
from .errors import AuthorError
from .phrases import Keys, Misfit

__all__ = ["Read", "is_native", "read_text", "reader"]

MAX_STEPS = 10_000
MAX_PROBLEMS = 50
"""How many parts of one value are looked at, and how many problems are noted, before patience ends."""

_REFUSED = (msgspec.ValidationError, UnicodeError)  # the latter for a lone surrogate in a key
_UNREADABLE = (msgspec.DecodeError, ValueError, RecursionError)

Read = Callable[[Any], Any]


def reader(hint: Any, lenient: bool) -> Read:
    """What reads values of a hint; raises AuthorError for a hint that nothing reads, Misfit for such values.

    >>> reader(list[int], lenient=True)("[1, 2]")
    [1, 2]
    """
    if hints.is_atom(hint):
        return _atom_reader(hint, lenient)
    if hints.speaks_pydantic(hint):
        return _pydantic_reader(hint, lenient)
    _check_known(hint)
    refusal = _refusal(hint)
    if refusal is None:
        return lambda value: _read(hint, value, lenient)
    if not hints.is_union(hint):
        raise AuthorError(refusal)
    members = hints.members(hint)
    strict = [(member, reader(member, False)) for member in members]
    patient = [(member, reader(member, True)) for member in members] if lenient else []
    return lambda value: _first_fit(hint, [strict, patient], value)


@cache
def _atom_reader(hint: Any, lenient: bool) -> Read:
    """One for all parameters of a hint: there may be thousands."""
    return lambda value: _read(hint, value, lenient)


def is_native(hint: Any) -> bool:
    """Whether msgspec reads a hint at once."""
    return hints.is_atom(hint) or (_refusal(hint) is None and not hints.speaks_pydantic(hint))


def _refusal(hint: Any) -> str | None:
    """Why msgspec does not read a hint: it cannot tell the choices of a union apart, mostly."""
    try:
        codec.reader(hint)
    except TypeError as error:
        return str(error)
    return None


def _check_known(hint: Any) -> None:
    if hints.is_atom(hint):
        return
    for kind in hints.parts(hint):
        known = not isinstance(kind, type) or hints.is_atom(kind) or hints.text_type(kind) is not None
        try:
            known = known or not isinstance(msgspec.inspect.type_info(kind), msgspec.inspect.CustomType)
        except TypeError as error:
            raise AuthorError(str(error)) from error
        if not known:
            raise AuthorError(f"{kind.__name__} cannot be read from JSON; use a dataclass, a TypedDict or a model")


def read_text(kind: type, value: Any) -> Any:
    """What msgspec asks of a class it does not know: a path, an address."""
    if not isinstance(value, str):
        raise TypeError("Expected `str`")
    try:
        return kind(value)
    except ValueError:
        raise ValueError("Invalid text") from None


def _convert(hint: Any, value: Any) -> Any:
    return msgspec.convert(value, hint, dec_hook=read_text, str_keys=True)


# Repairing ----------------------------------------------------------------------------------------


def _read(hint: Any, value: Any, lenient: bool) -> Any:
    patience = _Patience(lenient)
    repaired = patience.repaired(hint, value, ())
    if patience.problems:
        raise Misfit(patience.problems)
    return _convert(hint, repaired)


class _Patience:
    """One look at one value, part by part. It has an end, since the value may be large and wrong all over."""

    def __init__(self, lenient: bool) -> None:
        self.lenient = lenient
        self.problems: list[tuple[Keys, str]] = []
        self.steps = 0

    def at_end(self) -> bool:
        return self.steps >= MAX_STEPS or len(self.problems) > MAX_PROBLEMS

    def repaired(self, hint: Any, value: Any, keys: Keys) -> Any:
        """A value that fits, if need be after small repairs; else whatever, and its problems are noted."""
        self.steps += 1
        if self.steps == MAX_STEPS:
            self.problems.append((keys, "too much before this was wrong to look any further"))
        if self.at_end():
            return value
        try:
            _convert(hint, value)
            return value
        except RecursionError:
            self.problems.append((keys, "nested too deep"))
            return value
        except _REFUSED as error:
            refusal = str(error)
        meant = _meant(hint, value) if self.lenient else value
        if meant is not value:
            return self.repaired(hint, meant, keys)
        known = len(self.problems)
        mended = self.mended(hint, value, keys)
        if mended is not None and len(self.problems) == known:
            try:
                _convert(hint, mended)
                return mended
            except _REFUSED as error:
                refusal = str(error)
        if len(self.problems) == known:
            self.problems.append((keys, phrases.refused(hint, value, refusal)))
        return value

    def mended(self, hint: Any, value: Any, keys: Keys) -> Any:
        """A list or an object with what it holds repaired; None for anything else."""
        children = self.children(hint, value, keys)
        mended: dict[Any, Any] = {}
        for key, inner in children:
            if self.at_end():
                return None
            mended[key] = self.repaired(inner, value[key], (*keys, key))
        if not mended:
            return None
        return {**value, **mended} if isinstance(value, dict) else [*mended.values()]

    def children(self, hint: Any, value: Any, keys: Keys) -> list[tuple[Any, Any]]:
        """The keys of what a list or an object holds, each with its hint; fields that are missing are noted."""
        fitting = [member for member in map(hints.bare, hints.members(hint)) if _is_shaped(member, value)]
        if len(fitting) != 1:  # nobody knows which of several it was meant to be
            return []
        [chosen] = fitting
        if isinstance(value, list):
            return list(enumerate(_items(chosen, value)))
        if not hints.is_record(chosen):
            args = get_args(chosen)
            return [(key, args[1]) for key in value] if len(args) == 2 else []
        fields = hints.fields(chosen, given=True)
        for name, (inner, required) in fields.items():
            if required and name not in value:
                self.problems.append(((*keys, name), f"missing; it takes {phrases.expected(inner)}"))
        return [(name, inner) for name, (inner, _) in fields.items() if name in value]


def _meant(hint: Any, value: Any) -> Any:
    """What a value must have been meant as: the JSON in a string, the integer in 3.0; else the value itself."""
    if type(value) is float and value.is_integer():
        return int(value) if _fits(hint, int(value)) else value
    if not isinstance(value, str) or _takes_text(hint):
        return value
    try:
        meant = msgspec.json.decode(value)
    except _UNREADABLE:
        return value
    # A list or an object is what was meant even if something in it is wrong, and that is worth telling.
    return meant if isinstance(meant, (list, dict)) or (type(meant) is not str and _fits(hint, meant)) else value


def _fits(hint: Any, value: Any) -> bool:
    try:
        _convert(hint, value)
    except (*_REFUSED, RecursionError):
        return type(value) is float and value.is_integer() and _fits(hint, int(value))
    return True


def _takes_text(hint: Any) -> bool:
    """Whether a string could be meant as a string."""
    texts = any(isinstance(value, str) for value in phrases.allowed_values(hint))
    return texts or any(hints.bare(member) in (str, Any) for member in hints.members(hint))


def _is_shaped(hint: Any, value: Any) -> bool:
    """Whether a hint is for arrays, or for objects, as the value is one."""
    kind = get_origin(hint) or hint
    if not isinstance(kind, type):
        return False
    if isinstance(value, dict):
        tag = kind.__struct_config__.tag if issubclass(kind, msgspec.Struct) else None
        tagged = tag is None or value.get(kind.__struct_config__.tag_field) == tag  # type: ignore[attr-defined]
        return (hints.is_record(kind) and tagged) or issubclass(kind, Mapping)
    return isinstance(value, list) and hasattr(kind, "__iter__") and not issubclass(kind, (str, Mapping, bytes))


def _items(hint: Any, value: list[Any]) -> list[Any]:
    """The hint of each item."""
    args = get_args(hint)
    if hasattr(hint, "_fields"):
        return list(typing.get_type_hints(hint, include_extras=True).values())[: len(value)]
    if get_origin(hint) is tuple and args[-1:] != (...,):
        return list(args) if len(args) == len(value) else []
    return [args[0]] * len(value) if args else []


# Other readers ------------------------------------------------------------------------------------


def _first_fit(hint: Any, rounds: list[list[tuple[Any, Read]]], value: Any) -> Any:
    """A union that msgspec cannot tell apart: the first choice that fits, those that know all its fields first."""
    for choices in rounds:
        for _, read in sorted(choices, key=lambda choice: _unknown_fields(choice[0], value)):
            try:
                return read(value)
            except Misfit:
                continue
    raise Misfit([((), f"expected {phrases.expected(hint)}, got {phrases.kind_of(value)}")])


def _unknown_fields(hint: Any, value: Any) -> int:
    if not isinstance(value, dict) or not hints.is_record(hint):
        return 0
    return len(value.keys() - hints.fields(hint, given=True))


def _pydantic_reader(hint: Any, lenient: bool) -> Read:
    validate = adapters.validator(hint, lenient=lenient)

    def read(value: Any) -> Any:
        try:
            return validate(msgspec.json.encode(value), value)
        except (TypeError, UnicodeError):
            raise Misfit([((), "this is not JSON")]) from None
        except Misfit:
            meant = _json_in(value) if lenient and not _takes_text(hint) else None
            if meant is None:
                raise
        return validate(msgspec.json.encode(meant), meant)

    return read


def _json_in(value: Any) -> Any:
    """The list or object that a string holds; else None."""
    try:
        meant = msgspec.json.decode(value) if isinstance(value, str) else None
    except _UNREADABLE:
        return None
    return meant if isinstance(meant, (list, dict)) else None
