"""Returned values without the fields that their declared type does not have.

Compiled once per tool from the tree of the return hint. Knows nodes and the rules for values; not JSON, schemas or
results. A value that does not fit its type at all stays as it is; the check of the output refuses it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

from ..errors import AuthorError
from ..foreign import classes
from ..policy import Policy
from ..values.encode import Rules
from ..values.rules import has_own_form
from ..values.unpack import Unpacker
from . import hint_schema, hints, pydantic
from .generics import class_of
from .nodes import Alias, Anything, Foreign, Items, Members, Node, Opaque, Record, Row, Union, nodes_of, parts_of
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
from .type_tree import tree_of_values
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
    tree = tree_of_values(hint, lambda kind: has_own_form(kind) or issubclass(kind, rules.opaque))
    shape = _Compiler(unpacker, keep=policy.extra_fields == "keep").shape(tree)
    return None if shape is keep_value else conform_by(shape, unpacker)


# Nodes --------------------------------------------------------------------------------------------


class _Compiler:
    """Compiles nodes to shapes; nodes that contain themselves have one shape."""

    def __init__(self, unpacker: Unpacker, *, keep: bool) -> None:
        self.unpacker, self.keep = unpacker, keep
        self.shapes: dict[tuple[Any, ...], Conform] = {}

    def shape(self, *nodes: Node) -> Conform:
        """The shape of values of one of these types."""
        choices, roots = _choices_of(nodes)
        key = (*map(id, choices), *roots)  # the tree keeps its nodes
        if key not in self.shapes:
            self.shapes[key] = alias = AliasShape()
            self.shapes[key] = alias.shape = self._compile(choices, roots)
        return self.shapes[key]

    def _compile(self, choices: list[Node], roots: tuple[type, ...]) -> Conform:
        if not choices or any(isinstance(one, Anything) for one in choices):
            return keep_value
        if len(choices) > 1:
            return self._compile_union(choices, roots)
        if not roots:
            return self._compile_single(choices[0])
        shape = self.shape(choices[0])
        return shape if shape is keep_value else lambda value: value if isinstance(value, roots) else shape(value)

    def _compile_single(self, node: Node) -> Conform:
        match node:
            case Foreign():
                return classes.dumper_of(node.hint)
            case Record():
                return self._compile_record(node)
            case Row():
                return self._compile_row(node)
            case Items():
                return self._compile_collection(ItemsShape, [node.item])
            case Members():
                return self._compile_collection(MembersShape, [node.value])
        return keep_value

    def _compile_collection(self, make: Callable[[Unpacker, Conform], Conform], items: list[Node]) -> Conform:
        """The shape of a collection whose items are of one of these types."""
        shape = self.shape(*items)
        return keep_value if shape is keep_value else make(self.unpacker, shape)

    def _compile_record(self, node: Record) -> RecordShape:
        kind = class_of(node.kind)
        self.shapes[id(node),] = record = RecordShape(self.unpacker, kind)  # for where it contains itself
        record.is_model = classes.is_pydantic(kind) and not any(map(_is_unknown_to_pydantic, nodes_of(node)))
        if self.keep or classes.has_extra_fields(kind) or node.rest is not None:
            record.rest = keep_value if node.rest is None else self.shape(node.rest)
        for name, field in node.fields.items():
            record.add(name, field, self.shape(field.node))
        return record

    def _compile_row(self, node: Row) -> Conform:
        kind = tuple if node.kind is None else class_of(node.kind)
        self.shapes[id(node),] = row = TupleShape(self.unpacker, kind, [one.fill for one in node.items])
        row.shapes = [self.shape(one.node) for one in node.items]
        is_kept = not row.is_struct and not any(row.defaults) and all(one is keep_value for one in row.shapes)
        return keep_value if is_kept else row

    def _compile_union(self, choices: list[Node], roots: tuple[type, ...]) -> Conform:
        """A union: a record by its class or its members, arrays and mappings as one of each."""
        shapes = [(choice, self.shape(choice)) for choice in choices]
        records = [shape for _, shape in shapes if isinstance(shape, RecordShape)]
        mappings = [choice for choice in choices if isinstance(choice, Members)]
        arrays = [choice for choice in choices if isinstance(choice, (Items, Row))]
        of_items = self._compile_collection(ItemsShape, [item for array in arrays for item in parts_of(array)])
        of_members = self._compile_collection(MembersShape, [mapping.value for mapping in mappings])
        by_class = {kind: shape for choice, shape in shapes for kind in _classes_of(choice)}
        if {of_items, of_members, *by_class.values(), *records} == {keep_value}:
            return keep_value
        by_class |= {record.kind: record for record in reversed(records)}
        tests = [self._mapping_test(mapping) for mapping in mappings]
        return UnionShape(self.unpacker, by_class, records, of_items, of_members, tests, roots)

    def _mapping_test(self, node: Members) -> Test:
        """A test whether the members of a value may be those of a mapping, by their keys and values."""
        is_key, is_value = _test_of(node.key, self.unpacker), _test_of(node.value, self.unpacker)
        return lambda members: all(is_key(key) and is_value(value) for key, value in members.items())


def _choices_of(nodes: Iterable[Node]) -> tuple[list[Node], tuple[type, ...]]:
    """The types that values of some types may be, without their names and unions; and the RootModels of them."""
    visited: list[Node] = []
    waiting = list(nodes)
    while waiting:
        node = waiting.pop(0)
        if node in visited:
            continue
        visited.append(node)
        if isinstance(node, (Union, Alias)):
            waiting = parts_of(node) + waiting
    choices = [node for node in visited if not isinstance(node, (Union, Alias))]
    return choices, tuple(class_of(node.kind) for node in visited if isinstance(node, Alias) and _is_root(node))


def _classes_of(node: Node) -> list[Any]:
    """The class by which a choice of a union is found, records apart; none if only its items or members tell."""
    match node:
        case Foreign():
            return [class_of(hints.unwrap_all(node.hint))]
        case Opaque() if isinstance(node.kind, type):
            return [node.kind]
        case Row() if node.kind is not None:
            return [class_of(node.kind)]
        case Items(item=Anything()) | Members(value=Anything(), key=Anything()):
            return [node.make]
    return []


def _is_root(node: Alias) -> bool:
    return getattr(class_of(node.kind), "__pydantic_root_model__", False) is True


def _is_unknown_to_pydantic(node: Node) -> bool:
    return isinstance(node, (Record, Row, Opaque)) and classes.is_unknown_to_pydantic(class_of(node.kind))


# Tests --------------------------------------------------------------------------------------------


def _test_of(node: Node, unpacker: Unpacker) -> Test:
    """A test whether a value may be of a type, without a look inside: by its class, or as an array or an object."""
    match node:
        case Union():
            tests = [_test_of(one, unpacker) for one in node.members]
            return lambda value: any(test(value) for test in tests)
        case Alias():
            is_inner, root = _test_of(node.inner, unpacker), class_of(node.kind) if _is_root(node) else ()
            return lambda value: isinstance(value, root) or is_inner(value)
        case Foreign():
            return _test_of(node.inner, unpacker)
        case Record() | Members():
            return lambda value: unpacker.members_of(value) is not None
        case Items() | Row():
            return lambda value: isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        case Opaque():
            return _test_of_class(node)
    return _is_anything


def _test_of_class(node: Opaque) -> Test:
    kind = class_of(node.kind)
    if kind is Literal:
        return lambda value: value in get_args(node.kind)
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return _is_anything
    if classes.is_for_pydantic(kind):
        return pydantic.test_of(node.hint)
    is_within = _limits_of(node.hint) if hints.is_atom(kind) and node.hint is not kind else _is_anything
    return lambda value: isinstance(value, (int, float) if kind is float else kind) and is_within(value)


def _limits_of(hint: Any) -> Test:
    """A test whether a text or a number is within the limits in its Annotated."""
    try:
        return Validator(hint_schema.for_output(hint)[0]).is_valid
    except AuthorError:
        return _is_anything


def _is_anything(value: Any) -> bool:
    return True
