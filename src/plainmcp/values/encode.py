"""Any Python value -> JSON bytes: at C speed where that is exact, else by a walk that knows where it is.

The encoder writes first; a census of the value then vouches that nothing in it is of a kind the encoder
would write differently from us. Where it cannot vouch, the value is walked (see walk). Knows nothing of MCP.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from ..foreign import classes
from ..policy import Policy
from ..wire import codec
from .rules import Open, Rule, choose, is_leaf
from .walk import MAX_DEPTH, Walk

__all__ = ["Inexact", "Rules"]

_BRACKET = ord("[")  # bytes are searched for a number in a fifth of the time
_STRINGS = frozenset({str})
_CONTAINERS: frozenset[type] = frozenset({dict, list, tuple})
_PLAIN: frozenset[type] = _CONTAINERS | {str, int, float, bool, type(None)}
SHORT = 4_000
"""Up to how many bytes of JSON it takes less time to look at what was written than to count it."""
_NOTHING = type(None)


class Inexact(bytes):
    """JSON of a value that is in part only its str(), because there is no form for that part."""


class Rules:
    """The rules values are encoded by: one per class, chosen when it is first seen, the user's own first.

    >>> Rules().encode({"when": {3, 1, 2}}, Policy.standard)
    b'{"when":[1,2,3]}'
    """

    def __init__(self) -> None:
        self._serializers: dict[type, Open] = {}
        self._chosen: dict[type, Rule] = {}
        self._row_encoders: dict[type, Callable[[Any], bytes]] = {}
        self._encoder = msgspec.json.Encoder(enc_hook=self._hook)
        self._always_walk = False  # a scalar is encoded the user's way, and only a walk sees every scalar
        self._plain = _PLAIN  # the classes that nobody encodes another way

    def add(self, kind: type, to_jsonable: Open) -> None:
        """Encode values of a class, and of its subclasses, as whatever a function makes of them."""
        self._serializers[kind] = to_jsonable
        self._chosen.clear()
        self._always_walk = self._always_walk or is_leaf(kind)
        self._plain = self._plain - {one for one in _CONTAINERS if issubclass(one, kind)}

    @property
    def opaque(self) -> tuple[type, ...]:
        """The classes whose JSON only the user knows."""
        return tuple(self._serializers)

    def rule(self, kind: type) -> Rule:
        """The rule for a class."""
        rule = self._chosen.get(kind)
        if rule is None:
            rule = self._chosen[kind] = choose(kind, self._serializers)
        return rule

    def encode(self, value: Any, policy: Policy) -> bytes:
        """The value as compact JSON; raises NormalizeError with the path of what has no JSON form."""
        if not (policy.drop_none or self._always_walk):
            try:
                rule = self.rule(type(value))
                raw = self._encoded(value, rule)
                if type(value) is str or self._vouched(value, rule, raw, policy.unencodable == "error"):
                    return raw
            except Exception:  # the walk that follows meets the same trouble, and knows its path
                pass
        walk = Walk(self, policy)
        plain = walk.start(value)
        return msgspec.json.encode(plain) if walk.exact else Inexact(msgspec.json.encode(plain))

    def items(self, value: Any, policy: Policy) -> list[Any] | None:
        """What a list, set, generator or the like holds; None for a value that is one piece of data."""
        rule = self.rule(type(value))
        if not rule.many or rule.open is None:
            return None
        if rule.shape == "set":
            raw = self.encode(value, policy)
            plain: list[Any] = sorted(value, key=str) if type(raw) is Inexact else msgspec.json.decode(raw)
            return plain
        items: list[Any] = value if type(value) is list else Walk(self, policy).opened(rule, value)
        return items

    # At once ------------------------------------------------------------------------------------

    def _row_model(self, value: Any) -> type | None:
        """The class of the first in a list of models."""
        if type(value) is list and value and self.rule(type(value[0])).shape == "model":
            return type(value[0])
        return None

    def _encoded(self, value: Any, rule: Rule) -> bytes:
        """The value as an encoder has it: a model's own, where it is one."""
        if rule.shape == "model":
            return _bounded(_model_to_json(value))
        row = self._row_model(value)
        if row is not None and set(map(type, value)) == {row}:
            return _bounded(self._row_encoder(row)(value))
        return self._encoder.encode(value)

    def _row_encoder(self, kind: type) -> Callable[[Any], bytes]:
        encoder = self._row_encoders.get(kind)
        if encoder is None:
            encoder = self._row_encoders[kind] = classes.rows_to_json(kind)
        return encoder

    def _hook(self, value: Any) -> Any:
        """What the encoder asks of types it does not know."""
        rule = self.rule(type(value))
        if rule.shape == "scalar" and rule.open is not None:
            return rule.open(value)
        if rule.shape == "model":
            return msgspec.Raw(_bounded(_model_to_json(value)))
        raise TypeError(rule.shape)

    # The census ---------------------------------------------------------------------------------

    def _vouched(self, value: Any, rule: Rule, raw: bytes, finite: bool) -> bool:
        """Whether every array and object in the JSON was written from a value the encoder treats as we do.

        And, if it has to be `finite`, whether every null is somebody's None, since the encoder writes NaN so too.
        It counts level by level and stops as soon as it has met as many as the JSON holds, so the fields of a
        thousand flat rows are never looked at. Brackets inside strings only make it look further than it had to.
        The encoder takes a msgspec.Raw at its word, so where one might be among these the JSON itself is looked at.
        """
        nulls = raw.count(b"null") if finite and raw.find(b"null") >= 0 else 0
        if rule.shape in _SCALARS:
            return nulls == 0 or value is None
        if len(raw) <= SHORT and type(value) in _CONTAINERS:
            nones = _nones_among(value, self._plain, MAX_DEPTH)
            if nones is not None:
                return nulls == 0 or nulls == nones
        if nulls == 0 and raw.rfind(b"{") == 0 and _BRACKET not in raw and rule.shape in _RECORDS:
            return codec.is_json(raw)  # one flat record, a common answer
        expected = raw.count(b"{") + raw.count(b"[")
        level, met, nones = [value], 0, 0
        for _ in range(MAX_DEPTH):
            types = list(map(type, level))
            groups = self._containers(level, types)
            for rule, members in groups:
                if rule.shape not in _NATIVE or (nulls and rule.omits):
                    return False
                if rule.shape == "dict" and not set(map(type, chain.from_iterable(members))) <= _STRINGS:
                    return False
                met += len(members)
            nones += types.count(_NOTHING) if nulls else 0
            if met == expected or not groups:
                if nones != nulls and _nones_in(groups, nulls - nones) != nulls - nones:
                    return False
                return codec.is_json(raw)
            level = list(chain.from_iterable([_children(rule, members) for rule, members in groups]))
        return False

    def _containers(self, level: list[Any], types: list[type]) -> list[tuple[Rule, list[Any]]]:
        """What of a level is no scalar, grouped by class."""
        groups, kinds = [], set(types)
        for kind in kinds:
            rule = self.rule(kind)
            if rule.shape not in _SCALARS:
                groups.append((rule, level if len(kinds) == 1 else [v for v in level if type(v) is kind]))
        return groups


def _nones_among(value: Any, plain: frozenset[type], levels: int) -> int | None:
    """How many None there are in dicts, lists and scalars; None where there is anything else, or no end of levels."""
    if type(value) not in plain or not levels:
        return None
    if type(value) is dict:
        if not _STRINGS.issuperset(map(type, value)):
            return None
        value = list(value.values())
    kinds = set(map(type, value))
    if not kinds <= plain:
        return None
    nones: int = value.count(None) if _NOTHING in kinds else 0
    if not _CONTAINERS.isdisjoint(kinds):
        for item in value:
            if type(item) in _CONTAINERS:
                inside = _nones_among(item, plain, levels - 1)
                if inside is None:
                    return None
                nones += inside
    return nones


_SCALARS = frozenset({"leaf", "scalar"})
_RECORDS = frozenset({"fields", "model"})
_NATIVE = frozenset({"list", "dict", *_RECORDS})


def _nones_in(groups: list[tuple[Rule, list[Any]]], enough: int) -> int:
    """How many None there are inside containers that hold scalars only; it looks no further than there are enough."""
    nones = 0
    for rule, members in groups:
        columns: list[Iterator[Any]] = [map(attrgetter(name), members) for name in rule.names]
        columns = columns or [_children(rule, members)]
        for column in columns:
            nones += len([None for item in column if item is None])
            if nones >= enough:
                return nones
    return nones


def _children(rule: Rule, members: list[Any]) -> Iterator[Any]:
    match rule.shape:
        case "list":
            return chain.from_iterable(members)
        case "dict":
            return chain.from_iterable(map(dict.values, members))
        case "fields" | "model":
            return chain.from_iterable(map(_getter(rule.names), members))
    return iter(())


def _getter(names: tuple[str, ...]) -> Callable[[Any], Any]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]


def _model_to_json(value: Any) -> bytes:
    # A model holding what its fields do not allow raises here, and is then walked.
    raw: bytes = type(value).__pydantic_serializer__.to_json(value, by_alias=True, warnings="error")
    return raw


_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_TOO_MANY_DIGITS = b"0" * 4301


def _bounded(raw: bytes) -> bytes:
    """JSON of pydantic's, which alone writes integers nobody can read back."""
    if len(raw) > 4300 and _TOO_MANY_DIGITS in raw.translate(_DIGITS):
        raise ValueError
    return raw
