"""One JSON value -> the Python value a hint asks for, or everything that is wrong with it.

The slow and patient way: it knows the place of every problem and what would have done. `lenient` reads JSON
that came as a string, and whole numbers with a decimal point, where the hint leaves no doubt about them.
"""

import re
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec

from . import adapters, hints, phrases
from .errors import AuthorError

__all__ = ["Misfit", "Read", "is_native", "read_text", "reader"]

_REFUSED = (msgspec.ValidationError, UnicodeError)  # the latter for a lone surrogate in a key
_UNREADABLE = (msgspec.DecodeError, ValueError, RecursionError)

Read = Callable[[Any], Any]
Keys = tuple[Any, ...]


class Misfit(Exception):
    """A value does not fit its hint; `problems` are the keys that lead to what is wrong, and what is."""

    def __init__(self, problems: list[tuple[Keys, str]]) -> None:
        super().__init__(problems)
        self.problems = problems


def reader(hint: Any, lenient: bool) -> Read:
    """What reads values of a hint; raises AuthorError for a hint that nothing reads, Misfit for such values.

    >>> reader(list[int], lenient=True)("[1, 2]")
    [1, 2]
    """
    if hints.speaks_pydantic(hint):
        return _pydantic_reader(hint, lenient)
    _check_known(hint)
    if is_native(hint):
        return lambda value: _read(hint, value, lenient)
    if not hints.is_union(hint):
        raise AuthorError("a union inside this hint cannot be told apart in JSON; tag its classes, or use one")
    members = hints.members(hint)
    strict = [(member, reader(member, False)) for member in members]
    patient = [(member, reader(member, True)) for member in members] if lenient else []
    return lambda value: _first_fit(hint, [strict, patient], value)


def is_native(hint: Any) -> bool:
    """Whether msgspec reads a hint at once."""
    try:
        msgspec.json.Decoder(hint)
    except TypeError:
        return False
    return not hints.speaks_pydantic(hint)


def _check_known(hint: Any) -> None:
    for kind in hints.parts(hint):
        known = not isinstance(kind, type) or hints.text_type(kind) is not None
        if not known and isinstance(msgspec.inspect.type_info(kind), msgspec.inspect.CustomType):
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
    problems: list[tuple[Keys, str]] = []
    repaired = _repaired(hint, value, (), lenient, problems)
    if problems:
        raise Misfit(problems)
    return _convert(hint, repaired)


def _repaired(hint: Any, value: Any, keys: Keys, lenient: bool, problems: list[tuple[Keys, str]]) -> Any:
    """A value that fits, if need be after small repairs; else whatever, and its problems are added."""
    try:
        _convert(hint, value)
        return value
    except RecursionError:
        problems.append((keys, "nested too deep"))
        return value
    except _REFUSED as error:
        refusal = str(error)
    if lenient:
        meant = _meant(hint, value)
        if meant is not value:
            return _repaired(hint, meant, keys, lenient, problems)
    known = len(problems)
    children = list(_children(hint, value, keys, problems))
    mended = {key: _repaired(inner, value[key], (*keys, key), lenient, problems) for key, inner in children}
    if len(problems) > known:
        return value
    if mended:
        whole = {**value, **mended} if isinstance(value, dict) else [*mended.values()]
        try:
            _convert(hint, whole)
            return whole
        except _REFUSED as error:
            refusal = str(error)
    problems.append((keys, _complaint(hint, value, refusal)))
    return value


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


def _children(hint: Any, value: Any, keys: Keys, problems: list[tuple[Keys, str]]) -> Iterator[tuple[Any, Any]]:
    """The keys of what a list or an object holds, each with its hint; fields that are missing are problems."""
    fitting = [member for member in map(hints.bare, hints.members(hint)) if _is_shaped(member, value)]
    if len(fitting) != 1:  # nobody knows which of several it was meant to be
        return
    [chosen] = fitting
    if isinstance(value, list):
        yield from enumerate(_items(chosen, value))
    elif hints.is_record(chosen):
        for name, (inner, required) in hints.fields(chosen, given=True).items():
            if name in value:
                yield name, inner
            elif required:
                problems.append(((*keys, name), f"missing; it takes {phrases.expected(inner)}"))
    else:
        args = get_args(chosen)
        yield from ((key, args[1]) for key in value if len(args) == 2)


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


# Complaining --------------------------------------------------------------------------------------

_LIMIT = re.compile(r"Expected `(\w+)` (.+)")
_NAMES: dict[str, Any] = {"int": int, "str": str, "float": float, "array": list, "object": dict}


def _complaint(hint: Any, value: Any, refusal: str) -> str:
    """What msgspec refused, in other words: its own may repeat the value."""
    refusal = refusal.partition(" - at ")[0]
    limit = _LIMIT.fullmatch(refusal)
    if limit:
        return f"expected {phrases.expected(_NAMES[limit[1]]) if limit[1] in _NAMES else limit[1]} {limit[2]}"
    wanted = f"expected {phrases.expected(hint)}"
    if refusal.startswith("Invalid"):
        return wanted + _hint_at(value, phrases.allowed_values(hint))
    if refusal.startswith(("Expected", "Object", "Integer", "Number", "'utf-8'")):
        return f"{wanted}, got {phrases.kind_of(value)}"
    return phrases.unless_told(refusal, value) or wanted  # an author's own __post_init__ speaks


def _hint_at(value: Any, allowed: list[Any]) -> str:
    near = phrases.nearest(value, allowed)
    return "" if near is None else f"; did you mean {phrases.options([near])}?"


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
    return (
        len(value.keys() - hints.fields(hint, given=True)) if isinstance(value, dict) and hints.is_record(hint) else 0
    )


def _pydantic_reader(hint: Any, lenient: bool) -> Read:
    validate = adapters.validator(hint, lenient=lenient)

    def read(value: Any) -> Any:
        try:
            return validate(msgspec.json.encode(value), value)
        except (TypeError, UnicodeError):
            raise Misfit([((), "this is not JSON")]) from None
        except adapters.Refused as refused:
            meant = _json_in(value) if lenient and not _takes_text(hint) else None
            if meant is None:
                raise Misfit(refused.problems) from None
        try:
            return validate(msgspec.json.encode(meant), meant)
        except adapters.Refused as refused:
            raise Misfit(refused.problems) from None

    return read


def _json_in(value: Any) -> Any:
    """The list or object that a string holds; else None."""
    try:
        meant = msgspec.json.decode(value) if isinstance(value, str) else None
    except _UNREADABLE:
        return None
    return meant if isinstance(meant, (list, dict)) else None
