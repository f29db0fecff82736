"""Returned values without the fields that their declared type does not have.

Compiled once per tool from the return hint. Knows hints and the rules for values; not JSON, schemas or results. A
value that does not fit its type at all stays as it is; the check of the output refuses it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from ..errors import AuthorError
from ..foreign import classes
from ..policy import Policy
from ..values.encode import Rules
from ..values.families import is_array
from ..values.rules import has_own_form
from ..values.unpack import Unpacker
from . import hint_schema, hints, pydantic, records
from .generics import class_of, is_alias
from .shapes import (
    AliasShape,
    Conform,
    ItemsShape,
    MembersShape,
    RecordShape,
    Test,
    TupleShape,
    UnionShape,
    conform_by,
    keep_value,
)
from .validator import Validator

__all__ = ["Conform", "compile"]


def compile(hint: Any, rules: Rules, policy: Policy) -> Conform | None:
    """A function that makes values conform to a hint; None where the hint declares no fields.

    >>> from dataclasses import make_dataclass
    >>> User = make_dataclass("User", [("name", str)])
    >>> Admin = make_dataclass("Admin", [("password", str)], bases=(User,))
    >>> compile(User, Rules(), Policy.standard)(Admin("Ada", "secret"))
    {'name': 'Ada'}
    """
    unpacker = Unpacker(rules, policy)
    shape = _Compiler(unpacker, keep=policy.extra_fields == "keep").shape(hint)
    return None if shape is keep_value else conform_by(shape, unpacker)


# Hints --------------------------------------------------------------------------------------------


class _Compiler:
    """Compiles hints to shapes; a class that contains itself has one shape."""

    def __init__(self, unpacker: Unpacker, *, keep: bool) -> None:
        self.unpacker, self.keep = unpacker, keep
        self.records: dict[Any, RecordShape] = {}
        self.tuples: dict[Any, Conform] = {}
        self.started: dict[Any, Conform] = {}

    def shape(self, hint: Any) -> Conform:
        return self._compile_once(hint) if is_alias(hint) else self._compile(hint)

    def _compile_once(self, hint: Any) -> Conform:
        """The shape of a hint that may contain itself."""
        if not hints.has_hash(hint):  # because of its metadata in Annotated
            return self._compile(hint)
        if hint not in self.started:
            self.started[hint] = alias = AliasShape()
            self.started[hint] = alias.shape = self._compile(hint)
        return self.started[hint]

    def _compile(self, hint: Any) -> Conform:
        choices = [hint] if _has_serializer(hint) else [_unwrap(choice) for choice in hints.choices_of(hint)]
        return self._compile_single(choices[0]) if len(choices) == 1 else self._compile_union(choices)

    def _compile_single(self, hint: Any) -> Conform:
        if _has_serializer(hint):
            return classes.dumper_of(hint)
        kind = class_of(hint)
        if kind is Any or not isinstance(kind, type) or self._has_own_form(kind):
            return keep_value
        if getattr(kind, "__pydantic_root_model__", False):
            inner = self.shape(_root_of(kind))
            return inner if inner is keep_value else lambda value: value if isinstance(value, kind) else inner(value)
        if hints.is_record(kind):
            return self._compile_record(hint, kind)
        items = _item_fields_of(hint)
        if items is not None:
            return self._compile_tuple(hint, kind, items)
        make = MembersShape if issubclass(kind, Mapping) else ItemsShape
        return self._compile_collection(make, [_item_hint_of(hint)])

    def _compile_collection(self, make: Callable[[Unpacker, Conform], Conform], items: list[Any]) -> Conform:
        """The shape of a collection whose items are of one of these types."""
        shape: Conform = keep_value
        if items:
            shape = self._compile_once(items[0] if len(items) == 1 else Union[tuple(items)])  # noqa: UP007 - at run time
        return keep_value if shape is keep_value else make(self.unpacker, shape)

    def _compile_tuple(self, hint: Any, kind: type, items: list[records.RecordField]) -> Conform:
        key: Any = object() if kind is tuple else hint  # only a class can contain itself
        if key not in self.tuples:
            self.tuples[key] = shape = TupleShape(self.unpacker, kind, [item.fill for item in items])
            shape.shapes = [self.shape(item.hint) for item in items]
            if not shape.is_struct and not any(shape.defaults) and all(one is keep_value for one in shape.shapes):
                self.tuples[key] = keep_value
        return self.tuples[key]

    def _has_own_form(self, kind: type) -> bool:
        """Whether the author defines what values of a class become."""
        return has_own_form(kind) or issubclass(kind, self.unpacker.rules.opaque)

    def _compile_record(self, hint: Any, kind: type) -> "RecordShape":
        if hint not in self.records:
            self.records[hint] = record = RecordShape(self.unpacker, kind)
            extra = records.extra_sent_by(hint)
            if self.keep or classes.has_extra_fields(kind) or extra is not None:
                record.rest = keep_value if extra is None else self.shape(extra)
            for field in records.fields_sent_by(hint):
                record.add(field, self.shape(field.hint))
        return self.records[hint]

    def _compile_union(self, choices: list[Any]) -> Conform:
        """A union: a record by its class or its members, arrays and mappings as one of each."""
        roots = tuple(choice for choice in choices if getattr(choice, "__pydantic_root_model__", False))
        choices = [_unwrap(one) for choice in choices for one in hints.choices_of(_root_of(choice))]
        if any(choice in (Any, object) for choice in choices):
            return keep_value
        shapes = [(choice, self._compile_single(choice)) for choice in choices]
        record_shapes = [shape for _, shape in shapes if isinstance(shape, RecordShape)]
        others = [choice for choice, shape in shapes if not isinstance(shape, RecordShape)]
        mappings = [choice for choice in others if _is_a(choice, Mapping)]
        of_items = self._compile_collection(ItemsShape, _array_items_of(others))
        of_members = self._compile_collection(MembersShape, list(map(_item_hint_of, mappings)))
        by_class = _shapes_by_class(shapes)
        if not any(
            (
                record_shapes,
                of_items is not keep_value,
                of_members is not keep_value,
                set(by_class.values()) - {keep_value},
            )
        ):
            return keep_value
        by_class |= {shape.kind: shape for shape in reversed(record_shapes)}
        tests = [self._mapping_test(mapping) for mapping in mappings]
        return UnionShape(self.unpacker, by_class, record_shapes, of_items, of_members, tests, roots)

    def _mapping_test(self, hint: Any) -> Test:
        """A test whether the members of a value may be those of a mapping, by their keys and values."""
        arguments = get_args(hint)
        keys = [_test_of(one, self.unpacker) for one in hints.choices_of(arguments[0] if arguments else Any)]
        values = [_test_of(one, self.unpacker) for one in hints.choices_of(_item_hint_of(hint))]
        return lambda members: all(
            any(test(key) for test in keys) and any(test(value) for test in values) for key, value in members.items()
        )


def _shapes_by_class(shapes: list[tuple[Any, Conform]]) -> dict[type, Conform]:
    """The choices of a union that are plain classes and keep every value, tuples of a class, or have a serializer."""
    by_class: dict[type, Conform] = {}
    for choice, shape in shapes:
        if _has_serializer(choice):
            kind = hints.unwrap_all(choice)
            by_class[class_of(kind)] = shape
        elif shape is keep_value and isinstance(choice, type) and not get_origin(choice):
            by_class[choice] = keep_value
        elif isinstance(shape, TupleShape) and shape.kind is not tuple:
            by_class[shape.kind] = shape
    return by_class


def _has_serializer(hint: Any) -> bool:
    """Whether a serializer of pydantic in its Annotated decides what the values of a hint become."""
    return any(map(classes.is_serializer, getattr(hint, "__metadata__", ())))


def _unwrap(hint: Any) -> Any:
    """A hint without its wrappers, except for a serializer."""
    return hint if _has_serializer(hint) else hints.unwrap_all(hint)


def _array_items_of(choices: list[Any]) -> list[Any]:
    """The hints of the items of all arrays among some hints."""
    arrays = [one for one in choices if _is_array(one)]
    return [item.hint for array in arrays for item in _item_fields_of(array) or [_item_of(_item_hint_of(array))]]


def _is_array(hint: Any) -> bool:
    return (_is_a(hint, Iterable) and not _is_a(hint, Mapping)) or is_array(class_of(hint))


def _test_of(hint: Any, unpacker: Unpacker) -> Test:
    """A test whether a value may be of a hint, without a look inside: by its class, or as an array or an object."""
    inner = hints.unwrap_all(hint)
    kind = class_of(inner)
    if kind is Literal:
        return lambda value: value in get_args(inner)
    if kind is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return _is_anything
    if getattr(kind, "__pydantic_root_model__", False):
        roots = [_test_of(one, unpacker) for one in hints.choices_of(_root_of(kind))]
        return lambda value: isinstance(value, kind) or any(test(value) for test in roots)
    if hints.is_record(kind) or issubclass(kind, Mapping):
        return lambda value: unpacker.members_of(value) is not None
    if _is_a(kind, Iterable):
        return lambda value: isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
    if classes.is_for_pydantic(kind):
        return pydantic.test_of(hint)
    is_within = _limits_of(hint) if hints.is_atom(inner) and inner is not hint else _is_anything
    return lambda value: isinstance(value, (int, float) if kind is float else kind) and is_within(value)


def _limits_of(hint: Any) -> Test:
    """A test whether a text or a number is within the limits in its Annotated."""
    try:
        return Validator(hint_schema.for_output(hint)[0]).is_valid
    except AuthorError:
        return _is_anything


def _is_anything(value: Any) -> bool:
    return True


def _root_of(hint: Any) -> Any:
    """The hint of the root of a RootModel; any other hint itself."""
    fields: Any = getattr(hint, "model_fields", {}) if getattr(hint, "__pydantic_root_model__", False) else {}
    return fields["root"].annotation if fields else hint


def _is_a(hint: Any, kind: type) -> bool:
    """Whether a hint is a collection of a kind; a text is not a collection."""
    origin = class_of(hint)
    return isinstance(origin, type) and issubclass(origin, kind) and not issubclass(origin, (str, bytes))


def _item_hint_of(hint: Any) -> Any:
    """The hint of an array's items or a mapping's values."""
    args, place = get_args(hint), 1 if _is_a(hint, Mapping) else 0
    return args[place] if _is_a(hint, Iterable) and len(args) > place else Any


def _item_fields_of(hint: Any) -> list[records.RecordField] | None:
    """The items of a tuple with a fixed length, or of an array-like Struct; None for any other hint."""
    args = get_args(hint)
    if is_array(class_of(hint)):
        return records.fields_sent_by(hint)
    if not _is_a(hint, tuple) or args[-1:] == (...,) or not args:
        return None
    return list(map(_item_of, args))


def _item_of(hint: Any) -> records.RecordField:
    return records.RecordField(None, hint, None, None)
