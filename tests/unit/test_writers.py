"""What is copied into a twin and written is what would have been written anyway, or nothing is written."""

import enum
from collections import OrderedDict, deque
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
import msgspec
import numpy as np
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp import Policy, twins, writers
from plainmcp.errors import NormalizeError, OutputError
from plainmcp.jsonable import Inexact, Rules, never
from plainmcp.outputs import promise
from plainmcp.schema import of_output

RULES = Rules()
RULES._writer_for = lambda value, rule: never  # type: ignore[method-assign]  # they are to judge writers
MANY_ROWS = 10  # as many as are not looked at one by one
WRONG: Any = "s"  # in the place of a number
STRICT = Policy.standard.replace(unserializable="error")


class Word(enum.StrEnum):
    YES = "yes"


class Level(enum.IntEnum):
    LOW = 1


class Color(enum.Enum):
    RED = "red"
    NOTHING = None
    NOT_A_NUMBER = float("nan")
    PAIR = (1, 2)


class Text(str):
    __slots__ = ()


class Shout(str):
    __slots__ = ()

    def __plain__(self) -> str:
        return self.upper()


class Cents(int):
    def __plain__(self) -> str:
        return f"{int(self) / 100} EUR"


class Number(int):
    pass


class Ratio(float):
    pass


class Day(date):
    pass


class Key(UUID):
    pass


class Said:
    def __plain__(self) -> str:
        return "said"


@dataclass
class Inner:
    x: int
    y: str = ""


@dataclass
class Maybe:
    x: int
    y: str | None = None


@dataclass
class Longer(Inner):
    z: int = 0


@dataclass
class Renamed:
    x: int
    y: str = field(default="", metadata={"json": "why"})


@dataclass
class Spoken(Inner):
    def __plain__(self) -> Any:
        return {"x": 1, "y": "of its own"}


@attrs.define
class Attributes:
    x: int
    y: str = ""
    _z: int = 0


class Model(pydantic.BaseModel):
    x: int
    y: str = ""


class Named(pydantic.BaseModel):
    x: int
    y: str = pydantic.Field(default="", serialization_alias="why")


class LongerModel(Model):
    z: int = 0


SCALARS: list[Any] = [
    "a", "", "null", "[{", "é", "a\ud800b", 1, 0, -1, 2**53 + 1, 2**64, 10**30, 10**4400, 1.5, 1.0, -0.0, 1e15, 1e16,
    -1e300, 5e-324, float("nan"), float("inf"), True, False, None, "2026-07-28", "2026-07-28T00:00:00+00:00",
    "00000000-0000-0000-0000-000000000001", b"\xff", bytearray(b"a"), memoryview(b"a"),
    date(2026, 7, 28), Day(2026, 7, 28), datetime(2026, 7, 28, 1, 2, 3, 4), datetime(2026, 7, 28, tzinfo=UTC),
    datetime(1930, 1, 1, tzinfo=timezone(timedelta(seconds=1172))), time(1, 2), time(1, 2, tzinfo=UTC),
    datetime(1930, 1, 1, tzinfo=timezone(timedelta(seconds=3599))), time(1, tzinfo=timezone(timedelta(seconds=3599))),
    time(1, 2, tzinfo=ZoneInfo("Europe/Oslo")), datetime(2026, 7, 28, tzinfo=ZoneInfo("Europe/Oslo")),
    timedelta(1), UUID(int=1), Key(int=1), Decimal("1.50"), Decimal("NaN"), Fraction(1, 3), PurePosixPath("a/b"),
    Word.YES, Level.LOW, *Color, Text("a"), Shout("a"), Cents(150), Number(1), Ratio(1.5), Ratio("nan"), Said(),
    np.float64(1.5), np.int64(1), np.str_("a"), np.bool_(True), msgspec.UNSET, object(),
]  # fmt: skip
MANY: list[Any] = [
    [], ["a"], [1, 2.5], [1, None], [float("nan")], (1, 2), {1, 2}, {"b", "a", "c"}, deque([1]), range(2), [[1], [2]],
    [Cents(1)], [Text("a")], {}, {"a": 1}, {"a": 1.5, "b": None}, {1: 2}, {Word.YES: 1}, {Text("a"): 1},
    {Shout("a"): 1}, OrderedDict(a=1, b=2), {"x": 1, "y": "s"}, {"y": "s", "x": 1}, {"x": 1, "y": "s", "z": {2, 1}},
    Inner(1, "s"), Inner(Cents(1)), Inner(WRONG), Longer(1, "s", 2), Renamed(1, "s"), Spoken(1, "s"),
    Attributes(1, "s"),
    Model(x=1), LongerModel(x=1, z=2), Named(x=1), Model.model_construct(x=WRONG), Model.model_construct(y="s", x=1),
    [Inner(1), Inner(2)], [Inner(1), Longer(2)], [Inner(1), None], [Inner(1), {"x": 2, "y": "s"}], [Attributes(1)],
    [Model(x=1), Model(x=2)], [Model(x=1), LongerModel(x=2)], [Model.model_construct(x=WRONG)], [Named(x=1)],
    {"a": Inner(1)}, {"a": Model(x=1), "b": Model(x=2)}, {"a": [Inner(1)]},
]  # fmt: skip
moved = OrderedDict(a=1, b=2)
moved.move_to_end("a")
MANY.append(moved)

HINTS: list[Any] = [
    str, int, float, bool, date, datetime, time, UUID, str | None, int | None, float | None, date | None, int | str,
    float | str, int | float, bool | int, Literal["a", "b"], Literal[1, 2], Literal["a", None], Literal["a"] | None,
    Literal["a", None] | None, datetime | None, time | None,
    list[str], list[int], list[float], list[float | None], list[float] | None, list[list[int]], dict[str, int],
    dict[str, float | None], dict[str, float] | None, Inner, Inner | None, list[Inner], list[Inner | None],
    dict[str, Inner], dict[str, list[Inner]], Model, Model | None, list[Model], dict[str, Model], Named, list[Named],
]  # fmt: skip


def records(hint: Any) -> list[tuple[Any, Any]]:
    """Classes with one field of this hint, and what makes an instance of one without looking at its value."""
    plain = make_dataclass("Plain", [("before", str), ("v", hint), ("after", int, 3)])
    slotted = make_dataclass("Slotted", [("v", hint)], slots=True)
    kinds: list[tuple[Any, Any]] = [(plain, lambda v: plain("b", v)), (slotted, slotted)]
    if hint not in (Inner, Inner | None) and "Inner" not in str(hint):
        model = pydantic.create_model("Model", before=(str, "b"), v=(hint, ...))
        aliased = pydantic.create_model("Aliased", v=(hint, pydantic.Field(serialization_alias="theV")))
        kinds += [(kind, lambda v, kind=kind: kind.model_construct(v=v)) for kind in (model, aliased)]
    return kinds


def holders(kind: Any) -> list[tuple[Any, Any]]:
    """Hints that hold such a class, and what puts an instance in them."""
    table = make_dataclass("Table", [("title", str), ("rows", list[kind]), ("one", kind | None, None)])
    return [
        (kind, lambda one: one),
        (list[kind], lambda one: [one, one]),
        (list[kind], lambda one: [one] * MANY_ROWS),
        (list[list[kind]], lambda one: [[one], [], [one, one]] * MANY_ROWS),
        (table, lambda one: table("t", [one])),
        (table, lambda one: table("t", [one] * MANY_ROWS)),
        (list[table], lambda one: [table("t", [one, one], one), table("u", [])] * MANY_ROWS),
        (table, lambda one: table("t", [], one)),
        (dict[str, list[kind]], lambda one: {"a": [one], "b": []}),
        (dict[str, kind], lambda one: {"a": one, "b": one}),
    ]


@cache
def known(hint: Any) -> Any:
    """What writes values of a hint, and what checks them; None where a hint is not read quickly at all."""
    schema = of_output(hint, which="all")
    assert schema is not None
    check: Any = promise(hint, schema, handwritten=False)
    return check, getattr(check, "writer", None)


def assert_alike(hint: Any, value: Any) -> bool:
    """That a value is written as ever, or not written; gives whether it was."""
    check, writer = known(hint)
    if writer is None or not RULES.write_fields_of(writer.kinds):
        return False
    written = writer.written(value)
    if written is None:
        return False
    raw = RULES.encode(value, STRICT)
    assert type(raw) is not Inexact
    assert written == raw, (hint, value)
    check(value, raw)
    return True


@pytest.mark.parametrize("hint", HINTS, ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_whatever_stands_in_a_field_is_written_as_ever_or_not_at_all(hint: Any) -> None:
    written = 0
    for kind, make in records(hint):
        for held, put in holders(kind):
            for value in [*SCALARS, *MANY]:
                written += assert_alike(held, put(make(value)))
    assert written


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Inner, Inner(1, "a")),
        (Model, Model(x=1)),
        (Named, Named(x=1)),
        (list[Inner], [Inner(1), Inner(2)]),
        (list[Model], [Model(x=1), Model(x=2)]),
        (dict[str, Inner | None], {"a": Inner(1), "b": None}),
        (dict[str, float], {"a": 1.5}),
    ],
    ids=str,
)
def test_ordinary_values_are_written_quickly(hint: Any, value: Any) -> None:
    assert assert_alike(hint, value)


OPEN = [Any, dict, list, dict[str, Any], list[Any], dict[int, str], set[int], tuple[int, str], Decimal, Word, bytes]


@pytest.mark.parametrize(
    "hint", [*OPEN, Inner | Model, list[Inner | str], Annotated[int, msgspec.Meta(gt=1)]], ids=str
)
def test_a_hint_that_leaves_something_open_has_no_writer(hint: Any) -> None:
    assert writers.writer(hint) is None
    assert writers.writer(list[make_dataclass("Holder", [("v", hint)])]) is None  # type: ignore[misc]


class Loop(pydantic.BaseModel):
    inner: "list[Loop]" = []


@dataclass
class Ring:
    inner: "Ring | None" = None


@pytest.mark.parametrize("hint", [Loop, Ring, Renamed, Attributes])
def test_nor_has_a_class_with_another_form_than_its_fields(hint: Any) -> None:
    assert writers.writer(hint) is None


@pytest.mark.parametrize("hint", [Inner, Maybe, Model, Inner | None, list[Inner], dict[str, Model]], ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_whatever_is_returned_instead_is_written_as_ever_or_not_at_all(hint: Any) -> None:
    for value in [*SCALARS, *MANY]:
        assert_alike(hint, value)


# What instances may hold besides --------------------------------------------------------------------


class Cached(pydantic.BaseModel):
    x: int
    _private: int = 3

    @cached_property
    def double(self) -> int:
        return 2 * self.x


@dataclass
class Defaulted:
    x: int
    y: int | None = None
    z: str = "z"


def test_what_is_no_field_is_not_written() -> None:
    model, record = Cached(x=1), Defaulted(1)
    assert model.double == 2 and "double" in vars(model)
    record.more = {1, 2}  # type: ignore[attr-defined]
    for hint, value in ((Cached, model), (list[Cached], [model]), (Defaulted, record), (list[Defaulted], [record])):
        assert assert_alike(hint, value)


def test_a_field_that_was_deleted_is_not_written_with_its_default() -> None:
    record, other = Defaulted(1), Defaulted(2)
    del record.z
    assert not assert_alike(Defaulted, record)
    assert not assert_alike(list[Defaulted], [other, record])
    slotted = make_dataclass("Slotted", [("inner", Defaulted)], slots=True)
    assert not assert_alike(slotted, slotted(record))


def test_a_model_made_without_validation_keeps_the_order_of_its_fields() -> None:
    model = Model.model_construct(y="s", x=1)
    del model.x
    model.x = 2
    _, writer = known(Model)
    assert writer.written(model) == b'{"x":2,"y":"s"}'
    _, writer = known(list[Model])
    assert writer.written([model]) == b'[{"x":2,"y":"s"}]'


def test_an_attribute_with_a_will_of_its_own_is_left_to_those_who_look_closer() -> None:
    @dataclass
    class Lying:
        x: int

        def __getattribute__(self, name: str) -> Any:
            return 5 if name == "x" else object.__getattribute__(self, name)

    class Shadowed(Model):
        pass

    Shadowed.x = property(lambda self: 7)  # type: ignore[assignment]
    assert writers.writer(Lying) is None
    assert writers.writer(Shadowed) is None


def test_a_serializer_of_the_authors_has_the_last_word() -> None:
    rules = Rules()
    assert rules.write_fields_of({Inner})
    rules.add(Cents, str)
    assert rules.write_fields_of({Inner})
    assert not assert_alike(Inner, Inner(Cents(1)))
    rules.add(Inner, str)
    assert not rules.write_fields_of({Inner})
    rules = Rules()
    rules.add(date, str)
    assert not rules.write_fields_of({Inner})


# Any record ------------------------------------------------------------------------------------------


@dataclass
class Row:
    id: int
    name: str
    amount: float
    rank: int | float | None
    joined: date
    at: datetime | None
    tags: list[str]
    scores: dict[str, float | None]
    inner: Inner | None
    others: list[Inner]


class RowModel(pydantic.BaseModel):
    id: int
    name: str
    amount: float
    rank: float | None
    joined: date
    at: datetime | None
    tags: list[str]
    scores: dict[str, float | None]
    inner: Model | None
    others: list[Model]


text = st.text(max_size=5)
numbers = st.floats() | st.integers()
moments = st.none() | st.datetimes(timezones=st.none() | st.timezones())
common: dict[str, Any] = {
    "id": st.integers(),
    "name": text,
    "joined": st.dates(),
    "at": moments,
    "tags": st.lists(text, max_size=2),
}
rows = st.builds(
    Row,
    amount=numbers,
    rank=st.none() | numbers,
    scores=st.dictionaries(text, st.none() | numbers, max_size=2),
    inner=st.none() | st.builds(Inner, st.integers(), text),
    others=st.lists(st.builds(Inner, st.integers(), text), max_size=2),
    **common,
)
models = st.builds(
    RowModel,
    amount=st.floats(),
    rank=st.none() | st.floats(),
    scores=st.dictionaries(text, st.none() | st.floats(), max_size=2),
    inner=st.none() | st.builds(Model, x=st.integers(), y=text),
    others=st.lists(st.builds(Model, x=st.integers(), y=text), max_size=2),
    **common,
)


@given(st.lists(rows, max_size=10), st.lists(models, max_size=10))
def test_any_table_is_written_as_ever_or_not_at_all(of_dataclasses: list[Row], of_models: list[RowModel]) -> None:
    assert_alike(list[Row], of_dataclasses)
    assert_alike(list[RowModel], of_models)


def test_what_is_wrong_somewhere_is_told_by_those_who_look_closer() -> None:
    check, writer = known(list[Inner])
    value = [Inner(1), Inner(WRONG)]
    assert writer.written(value) is None
    with pytest.raises(OutputError, match=r"^\$\[1\]\.x: expected an integer, got a string$"):
        check(value, Rules().encode(value, STRICT))
    assert writer.written([Inner(1, "\ud800")]) is None
    with pytest.raises(NormalizeError, match=r"^\$\[0\]\.y: a lone surrogate"):
        Rules().encode([Inner(1, "\ud800")], STRICT)


# What is in the wrong place, or in too many -----------------------------------------------------------


@dataclass
class Basket:
    name: str
    items: list[str]


@pytest.mark.parametrize("early", [True, False])
def test_a_serializer_for_lists_is_asked_inside_records_too(early: bool) -> None:
    rules, basket = Rules(), Basket("a", ["x", "y"])
    if not early:
        rules.encode(basket, STRICT)
    rules.add(list, ", ".join)
    assert rules.encode(basket, STRICT) == b'{"name":"a","items":"x, y"}'
    assert not rules.write_fields_of([Basket])


class Label(pydantic.BaseModel):
    x: str


@pytest.mark.parametrize(
    "wrong", [timedelta(hours=1), bytearray(b"a"), b"a", Decimal("1.50"), UUID(int=1), msgspec.Raw(b'"a"\n')]
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_that_holds_another_class_in_a_text_is_written_as_in_a_list(wrong: Any) -> None:
    model = Label.model_construct(x=wrong)
    one, many = Rules().encode(model, STRICT), Rules().encode([model], STRICT)
    assert b"[" + one + b"]" == many == RULES.encode([model], STRICT) and b"\n" not in one


@pytest.mark.parametrize("hint", ["typing.Nope", "list[int", "{}['a']", "1 / 0"])
def test_a_hint_that_cannot_be_read_is_no_reason_to_look_twice(hint: str) -> None:
    kind = make_dataclass("Bad", [("v", int), ("w", hint, None)])
    assert writers.writer(kind) is None and writers.writer(list[kind]) is None  # type: ignore[valid-type]
    assert Rules().encode(kind(1), STRICT) == b'{"v":1,"w":null}'


class Key(UUID):
    def __plain__(self) -> str:
        return "a key"


@dataclass
class Keyed:
    v: UUID


def test_what_is_derived_from_a_uuid_is_none() -> None:
    for many in (1, MANY_ROWS):
        assert not assert_alike(list[Keyed], [Keyed(Key(int=1))] * many)


def test_a_class_that_stands_in_many_places_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = make_dataclass("Level0", [("x", int)])
    for level in range(1, 12):
        kind = make_dataclass(f"Level{level}", [("a", kind), ("b", kind), ("c", list[kind])])
    made: list[str] = []
    real = twins.struct

    def struct(kind: type, *given: Any) -> Any:
        made.append(kind.__name__)
        return real(kind, *given)

    monkeypatch.setattr(twins, "struct", struct)
    assert writers.writer(kind) is not None and len(made) == 12
    assert twins.twin(kind) is not kind and len(made) == 24


def test_records_deeper_than_values_may_be_are_left_to_those_who_count() -> None:
    kind: Any = make_dataclass("Level0", [("x", int)])
    value = kind(1)
    for level in range(1, 110):
        kind = make_dataclass(f"Level{level}", [("a", kind)])
        value = kind(value)
    assert writers.writer(kind) is None
    with pytest.raises(NormalizeError, match="nested more than 100 levels deep"):
        Rules().encode(value, STRICT)
