"""What a return hint says: the schema that a policy lists for it, and the schema that every value of it fits.

Knows hints, and which classes are content. hint_schema makes the schema of one hint. Knows neither results nor
revisions; how a returned value is checked is decided in fit and output_check.
"""

import inspect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, get_args, get_origin

from ..errors import AuthorError
from ..foreign import classes
from ..types import Wire
from ..values.rules import has_own_form
from . import hint_schema, hints, type_tree
from .generics import class_of
from .subschemas import Schema, is_object, order_keywords, with_definitions

__all__ = [
    "BYTES",
    "data_schema",
    "fitting_classes",
    "has_no_json",
    "is_collection",
    "is_content",
    "is_data",
    "is_open",
    "is_pair",
    "may_be_result",
    "may_hold_content",
    "output_schema",
]

BYTES = (bytes, bytearray, memoryview)


def output_schema(
    annotation: Any,
    *,
    which: str,
    description: str | None = None,
    opaque: Collection[type] = (),
    drop_none: bool = False,
    show_defaults: bool = False,
    envelopes: bool = False,
) -> Schema | None:
    """The schema that is listed for a return hint; None if the policy wants none, or if it does not fix the JSON.

    `which` is the policy's `output_schema`; `opaque` are classes with a serializer of the author; with `drop_none`
    null is left out; with `show_defaults` a field with a default is optional, although it is always sent; with
    `envelopes` a hint that allows anything has no schema: its values may be results that the author made.

    >>> output_schema(list[int], which="all")
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if not _is_wanted(annotation, which) or (envelopes and is_open(annotation)):
        return None
    schema = data_schema(annotation, opaque=opaque, drop_none=drop_none, show_defaults=show_defaults)
    if schema is None or (which in ("model", "named") and not is_object(schema)):
        return None
    if not schema and (envelopes or hints.is_record(annotation)):
        return None  # it says nothing: of a model, for example, whose serializer has no return type
    return schema if description is None else order_keywords({**schema, "description": description})


def data_schema(
    hint: Any, *, opaque: Collection[type] = (), drop_none: bool = False, show_defaults: bool = False
) -> Schema | None:
    """The schema of the JSON of a hint; None if its values may be content, or if the hint cannot be read."""
    try:
        if not is_data(hint, opaque):
            return None
        make = hint_schema.for_output_with_defaults if show_defaults else hint_schema.for_output
        schema, definitions = make(hints.with_lists(hint), drop_none=drop_none)
    except AuthorError:
        return None
    return with_definitions(schema, definitions)


def _is_wanted(hint: Any, which: str) -> bool:
    inner = hints.unwrap_all(hint)
    match which:
        case "model":
            return isinstance(inner, type) and classes.is_pydantic(inner) and hasattr(inner, "model_fields")
        case "named":
            return hints.is_record(inner)
        case "typed":
            return any(map(hints.is_record, hints.parts_of(inner, inside=False)))
        case "all":
            # A list of anything may hold content (S004-21), so it has no schema.
            if is_collection(inner) and get_args(inner)[:1] in ((Any,), (object,)):
                return False
            return inner not in (list, tuple, set, frozenset, None, type(None), Any, object, inspect.Signature.empty)
        case "every":
            return inner not in (dict, list, tuple, set, frozenset, Any, object, inspect.Signature.empty)
    return False


# What the values of a hint may be -----------------------------------------------------------------


def is_data(hint: Any, opaque: Collection[type] = ()) -> bool:
    """Whether a value of this type is data, and the type alone fixes its JSON: no if a hint in it has no meaning."""
    try:
        if is_pair(hint) or _can_be_bytes(hint):
            return False
        return not any(is_content(kind) or has_no_json(kind, opaque) for kind in hints.parts_of(hint))
    except AuthorError:
        return False


def is_content(kind: Any) -> bool:
    """Whether a class in a hint is content, or a result."""
    return isinstance(kind, type) and bool(classes.wire_type_of(kind) or issubclass(kind, Wire))


def has_no_json(kind: Any, opaque: Collection[type] = ()) -> bool:
    """Whether an author, and not the type, decides the JSON of a class in a hint."""
    return isinstance(kind, type) and (issubclass(kind, tuple(opaque)) or has_own_form(kind))


def is_pair(hint: Any) -> bool:
    """Whether a value of this type could be (payload, structured)."""
    inner = hints.unwrap_all(hint)
    args = get_args(inner)
    if get_origin(inner) is not tuple or len(args) != 2 or args[1] is ...:
        return False
    seconds = [hints.unwrap_all(member) for member in hints.choices_of(args[1])]
    return any(second is Any or hints.is_record(second) or _is_mapping(second) for second in seconds)


def is_open(hint: Any) -> bool:
    """Whether a hint allows anything: also content in a list, or a dict of result keys.

    >>> is_open(list), is_open(dict[str, Any] | None), is_open(list[int])
    (True, True, False)
    """
    return may_hold_content(hint) or may_be_result(hint)


def may_hold_content(hint: Any) -> bool:
    """Whether a hint allows anything, or an array of anything.

    >>> may_hold_content(list), may_hold_content(list[int] | None)
    (True, False)
    """
    parts = hints.contents_of(hint, type_tree.is_collection)
    return any(part in _ANYTHING or (is_collection(part) and not get_args(part)) for part in parts)


def may_be_result(hint: Any) -> bool:
    """Whether a hint allows a dict of anything, so also one of result keys.

    >>> may_be_result(dict[str, Any]), may_be_result(dict[str, int])
    (True, False)
    """
    for inner in map(hints.unwrap_all, hints.choices_of(hint)):
        values = (int,) if class_of(inner) is Counter else get_args(inner)[1:]
        if _is_mapping(inner) and not hints.is_record(inner) and (not values or any(map(_allows_anything, values))):
            return True
    return False


def _allows_anything(hint: Any) -> bool:
    return any(hints.unwrap_all(choice) in _ANYTHING for choice in hints.choices_of(hint))


_ANYTHING = (Any, object)


def _can_be_bytes(hint: Any) -> bool:
    """Whether a value may be bytes, or a list of them: that is content under most policies."""
    return any(class_of(part) in BYTES for part in hints.contents_of(hint, type_tree.is_collection))


def is_collection(hint: Any) -> bool:
    """Whether values of a hint are arrays, those of classes with fields apart."""
    return type_tree.is_collection(class_of(hints.unwrap_all(hint)))


def _is_mapping(hint: Any) -> bool:
    kind = class_of(hint)
    return isinstance(kind, type) and issubclass(kind, Mapping)


def fitting_classes(hint: Any) -> frozenset[type]:
    """The classes of which every value fits a hint, so that none has to be checked: its scalars, and what is open.

    A float is not among them, because it may be written as null.

    >>> sorted(kind.__name__ for kind in fitting_classes(float | dict[str, Any] | list[int]))
    ['dict', 'int']
    """
    fitting: set[type] = set()
    for choice in hints.choices_of(hint):
        kind, args = class_of(choice), get_args(choice)
        if choice is None or (isinstance(choice, type) and choice in _SCALARS):
            fitting.add(_SCALARS[choice])
        elif kind in BYTES:
            fitting |= {*BYTES, str}  # bytes are a text in JSON
        elif is_content(kind):
            fitting.add(kind)
        elif kind in (dict, Mapping) and may_be_result(choice) and args[:1] in ((), (str,), *_ANYTHING_ALONE):
            fitting.add(dict)
        elif kind in (list, Sequence, Iterable) and args in ((), *_ANYTHING_ALONE):
            fitting |= {list, tuple}
    return frozenset(fitting)


_SCALARS: dict[Any, type] = {str: str, int: int, float: int, bool: bool, type(None): type(None), None: type(None)}
"""The scalars of hints, and the class of which every value fits."""
_ANYTHING_ALONE = tuple((one,) for one in _ANYTHING)
