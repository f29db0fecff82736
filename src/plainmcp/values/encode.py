"""Any Python value as JSON bytes: by the encoders of msgspec and pydantic where these are exact, else by a walk.

The encoder writes first. A census of the value then checks that nothing in it is of a type that the encoder writes
differently from us. Where it finds one, the value is walked (see walk). Knows nothing of MCP.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from ..foreign import classes
from ..policy import Policy
from ..wire import codec
from .rules import Open, Rule, choose, is_leaf
from .walk import MAX_DEPTH, Walk

__all__ = ["RULES", "Inexact", "Rules"]

_BRACKET = ord("[")  # bytes are searched for a number in a fifth of the time
_STRINGS = frozenset({str})
_CONTAINERS: frozenset[type] = frozenset({dict, list, tuple})
_PLAIN: frozenset[type] = _CONTAINERS | {str, int, float, bool, type(None)}
_PLAIN_SCALARS = _PLAIN - _CONTAINERS
SHORT = 4_000
"""Up to how many bytes of JSON it is faster to look at each value than to count arrays and objects."""
_NONE_TYPE = type(None)

# The policy fields that leave the encoders free to write a value themselves: they obey the field, or it does not
# change the JSON of a value. A policy that differs from `standard` in any other field is obeyed by the walk alone.
_DIRECT = frozenset(
    {
        "accept", "arguments_text", "bytes_as", "check_return", "contents_extras", "docstring", "empty_structured",
        "envelope", "error_text", "extra_arguments", "extra_fields", "file_block", "item_order", "json_style",
        "key_case", "list_content", "list_order", "non_object", "object_text", "output_defaults", "output_root",
        "output_schema", "pair", "prompt_pair", "resource_json_mime", "schema_closed", "schema_default",
        "schema_form", "structured", "title_from", "unencodable", "unserializable", "validate_output",
        "withheld_text", "wrap_key", "wrap_mark", "wrap_meta", "wrap_objects",
    }
)  # fmt: skip


class Inexact(bytes):
    """JSON of a value that is in part only its str(), because there is no form for that part."""


class Rules:
    """The rules by which values are encoded: one per class, chosen when it is first seen, the user's own first.

    >>> Rules().encode({"when": {3, 1, 2}}, Policy.standard)
    b'{"when":[1,2,3]}'
    """

    def __init__(self) -> None:
        self._serializers: dict[type, Open] = {}
        self._rules_by_class: dict[type, Rule] = {}
        self._row_encoders: dict[type, Callable[[Any], bytes]] = {}
        self._encoder = msgspec.json.Encoder(enc_hook=self._encode_unknown)
        self._always_walk = False  # a serializer of the user is for scalars, and only a walk sees every scalar
        self._plain = _PLAIN  # the classes without a serializer of the user

    def add(self, kind: type, to_jsonable: Open) -> None:
        """Encode values of a class, and of its subclasses, by a function."""
        self._serializers[kind] = to_jsonable
        self._rules_by_class.clear()
        self._always_walk = self._always_walk or is_leaf(kind)
        self._plain = self._plain - {one for one in _CONTAINERS if issubclass(one, kind)}

    @property
    def opaque(self) -> tuple[type, ...]:
        """The classes that have a serializer of the user."""
        return tuple(self._serializers)

    def rule_of(self, kind: type) -> Rule:
        """The rule for a class."""
        rule = self._rules_by_class.get(kind)
        if rule is None:
            rule = self._rules_by_class[kind] = choose(kind, self._serializers)
        return rule

    def encode(self, value: Any, policy: Policy) -> bytes:
        """The value as compact JSON; raises NormalizeError with the path of what has no JSON form."""
        if policy.changed <= _DIRECT and not self._always_walk:
            try:
                rule = self.rule_of(type(value))
                raw = self._encode_directly(value, rule)
                if type(value) is str or self._is_exact(value, rule, raw, policy.unencodable == "error"):
                    return raw
            except Exception:  # the walk below fails at the same place, and knows its path
                pass
        walk = Walk(self, policy)
        plain = walk.convert(value)
        return msgspec.json.encode(plain) if walk.exact else Inexact(msgspec.json.encode(plain))

    def items_of(self, value: Any, policy: Policy) -> list[Any] | None:
        """The items of a list, set, generator or the like; None for a value that is one piece of data."""
        rule = self.rule_of(type(value))
        if not rule.many or rule.open is None:
            return None
        if rule.shape == "set":
            raw = self.encode(value, policy)
            plain: list[Any] = sorted(value, key=str) if type(raw) is Inexact else msgspec.json.decode(raw)
            return plain
        items: list[Any] = value if type(value) is list else Walk(self, policy).open(rule, value)
        return items

    # Direct encoding ----------------------------------------------------------------------------

    def _row_class_of(self, value: Any) -> type | None:
        """The class of the first item, if the value is a list of models."""
        if type(value) is list and value and self.rule_of(type(value[0])).shape == "model":
            return type(value[0])
        return None

    def _encode_directly(self, value: Any, rule: Rule) -> bytes:
        """The value as its encoder writes it: a model by pydantic, all else by msgspec."""
        if rule.shape == "model":
            return _check_integers(_model_to_json(value, rule))
        row = self._row_class_of(value)
        if row is not None and set(map(type, value)) == {row}:
            load = self.rule_of(row).load
            if load is not None:
                for one in value:
                    load(one)
            return _check_integers(self._row_encoder_of(row)(value))
        return self._encoder.encode(value)

    def _row_encoder_of(self, kind: type) -> Callable[[Any], bytes]:
        encoder = self._row_encoders.get(kind)
        if encoder is None:
            encoder = self._row_encoders[kind] = classes.rows_encoder_of(kind)
        return encoder

    def _encode_unknown(self, value: Any) -> Any:
        """The form of a value whose type the encoder does not know."""
        rule = self.rule_of(type(value))
        if rule.shape == "scalar" and rule.open is not None:
            return rule.open(value)
        if rule.shape == "model":
            return msgspec.Raw(_check_integers(_model_to_json(value, rule)))
        raise TypeError(rule.shape)

    # The census ---------------------------------------------------------------------------------

    def _is_exact(self, value: Any, rule: Rule, raw: bytes, finite: bool) -> bool:
        """Whether the encoder wrote exactly the JSON that a walk would give.

        If the value has to be `finite`, every null must come from a None, since the encoder writes NaN as null too.
        It copies a msgspec.Raw without a check, so where there may be one the JSON itself is checked.
        """
        nulls = raw.count(b"null") if finite and raw.find(b"null") >= 0 else 0
        if rule.shape in _SCALARS:
            return nulls == 0 or value is None
        is_flat_json = nulls == 0 and raw.rfind(b"{") == 0 and _BRACKET not in raw
        is_flat = is_flat_json and rule.shape in _RECORDS and not rule.defaults  # a common result
        if not is_flat and len(raw) <= SHORT:
            nones = self._count_nones(value, MAX_DEPTH)
            if nones is not None:
                return nulls in (0, nones)
        if not (is_flat or self._has_native_types(value, raw, nulls)):
            return False
        return rule.shape == "model" or codec.is_json(raw)  # a closed model has no place for a Raw

    def _count_nones(self, value: Any, levels: int) -> int | None:
        """How many None there are in dicts, lists, records and scalars; None where there is anything else.

        It looks at each value, so it is for short JSON. Also None where there are too many levels.
        """
        members = self._members_of(value) if levels else None
        if members is None:
            return None
        kinds = set(map(type, members))
        nones = members.count(None) if _NONE_TYPE in kinds else 0
        if kinds <= self._plain and _CONTAINERS.isdisjoint(kinds):
            return nones
        for item in members:
            kind = type(item)
            if kind in _PLAIN_SCALARS or (kind not in _CONTAINERS and self._is_scalar(kind)):
                continue
            inner = self._count_nones(item, levels - 1)
            if inner is None:
                return None
            nones += inner
        return nones

    def _members_of(self, value: Any) -> Sequence[Any] | None:
        """The values in a dict, a list or a record that the encoder treats as we do; None for anything else."""
        kind = type(value)
        if kind in self._plain:
            if kind is not dict:
                return value if kind in _CONTAINERS else None
            return list(value.values()) if _STRINGS.issuperset(map(type, value)) else None
        rule = self.rule_of(kind)
        if rule.shape not in _RECORDS or rule.omits or (rule.defaults and not rule.defaults <= vars(value).keys()):
            return None
        members: tuple[Any, ...] = _getter_of(rule.names)(value)
        return members

    def _is_scalar(self, kind: type) -> bool:
        """Whether the encoder writes the values of a class as one piece, and not as JSON that they have already."""
        return kind is not msgspec.Raw and self.rule_of(kind).shape in _SCALARS

    def _has_native_types(self, value: Any, raw: bytes, nulls: int) -> bool:
        """Whether every array and object in the JSON was written from a value that the encoder treats as we do.

        It counts level by level and stops as soon as it has seen as many as the JSON holds, so the fields of a
        thousand flat rows are never looked at. Brackets inside strings only make it look further than needed.
        """
        expected = raw.count(b"{") + raw.count(b"[")
        level, count, nones = [value], 0, 0
        for _ in range(MAX_DEPTH):
            types = list(map(type, level))
            groups = self._group_containers(level, types)
            if not all(_is_native(rule, members, nulls) for rule, members in groups):
                return False
            count += sum(len(members) for _, members in groups)
            nones += types.count(_NONE_TYPE) if nulls else 0
            if count == expected or not groups:
                return nones == nulls or _count_member_nones(groups, nulls - nones) == nulls - nones
            level = list(chain.from_iterable([_children_of(rule, members) for rule, members in groups]))
        return False

    def _group_containers(self, level: list[Any], types: list[type]) -> list[tuple[Rule, list[Any]]]:
        """The values of a level that are not scalars, grouped by class."""
        groups, kinds = [], set(types)
        for kind in kinds:
            rule = self.rule_of(kind)
            if rule.shape not in _SCALARS:
                groups.append((rule, level if len(kinds) == 1 else [v for v in level if type(v) is kind]))
        return groups


RULES = Rules()
"""The rules without a serializer of a user."""


def _is_native(rule: Rule, members: list[Any], nulls: int) -> bool:
    """Whether the encoder writes values of one class as we do."""
    if rule.shape not in _NATIVE or (nulls and rule.omits):
        return False
    if rule.defaults and not all(rule.defaults <= vars(member).keys() for member in members):
        return False
    return rule.shape != "dict" or set(map(type, chain.from_iterable(members))) <= _STRINGS


_SCALARS = frozenset({"leaf", "scalar"})
_RECORDS = frozenset({"fields", "model"})
_NATIVE = frozenset({"list", "dict", *_RECORDS})


def _count_member_nones(groups: list[tuple[Rule, list[Any]]], enough: int) -> int:
    """How many None there are inside containers that hold scalars only; it stops when there are enough."""
    nones = 0
    for rule, members in groups:
        columns: list[Iterator[Any]] = [map(attrgetter(name), members) for name in rule.names]
        columns = columns or [_children_of(rule, members)]
        for column in columns:
            nones += len([None for item in column if item is None])
            if nones >= enough:
                return nones
    return nones


def _children_of(rule: Rule, members: list[Any]) -> Iterator[Any]:
    match rule.shape:
        case "list":
            return chain.from_iterable(members)
        case "dict":
            return chain.from_iterable(map(dict.values, members))
        case "fields" | "model":
            return chain.from_iterable(map(_getter_of(rule.names), members))
    return iter(())


def _getter_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]


def _model_to_json(value: Any, rule: Rule) -> bytes:
    if rule.load is not None:
        rule.load(value)
    # A field may hold a value that its type does not allow: pydantic writes what we would, but for bytes as text.
    raw: bytes = type(value).__pydantic_serializer__.to_json(value, by_alias=True, warnings=False)
    return raw


_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_TOO_MANY_DIGITS = b"0" * 4301
_MANY_DIGITS = b"0" * 10  # of every 430th byte: most JSON need not be searched whole


def _check_integers(raw: bytes) -> bytes:
    """JSON of pydantic without integers that are too long to be read back; raises ValueError."""
    is_suspect = len(raw) > 4300 and _MANY_DIGITS in raw[::430].translate(_DIGITS)
    if is_suspect and _TOO_MANY_DIGITS in raw.translate(_DIGITS):
        raise ValueError
    return raw
