"""Declared return types at the wire: what is listed, what is sent, and that both agree."""

import dataclasses
import datetime
import enum
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Dict, Generic, List, NamedTuple, NotRequired, Optional, Self, Set, Tuple, TypeVar  # noqa: UP035
from typing import Literal as Choice

import attrs
import jsonschema_rs
import msgspec
import pandas
import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, RootModel
from typing_extensions import Protocol, TypeAliasType, TypedDict

from plainmcp import Policy, Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client
from plainmcp.types import CallToolResult, PromptMessage, TextContent

T = TypeVar("T")
SECRET = "hunter2"


@dataclasses.dataclass
class Forecast:
    city: str
    high: float = 20.5


@dataclasses.dataclass
class DataUser:
    name: str
    level: int = 1


@dataclasses.dataclass
class DataAdmin(DataUser):
    password: str = SECRET


class ModelUser(BaseModel):
    name: str
    level: int = 1


class ModelAdmin(ModelUser):
    password: str = SECRET


@attrs.define
class AttrsUser:
    name: str
    level: int = 1


@attrs.define
class AttrsAdmin(AttrsUser):
    password: str = SECRET


class StructUser(msgspec.Struct):
    name: str
    level: int = 1


class StructAdmin(StructUser):
    password: str = SECRET


class DictUser(TypedDict):
    name: str
    level: NotRequired[int]


class Pair(NamedTuple):
    user: DataUser
    rank: int


@dataclasses.dataclass
class Box(Generic[T]):
    item: T


@dataclasses.dataclass
class Tree:
    user: DataUser
    children: list["Tree"] = dataclasses.field(default_factory=list)


USERS = [(DataUser, DataAdmin), (ModelUser, ModelAdmin), (AttrsUser, AttrsAdmin), (StructUser, StructAdmin)]


def serve(hint: Any, value: Any, policy: Policy | str = "standard", **options: Any) -> Server:
    """A server with one tool `t` that declares a type and returns a value."""
    server = Server("s", policy=policy)

    def t() -> Any:
        return value() if callable(value) and not isinstance(value, type) else value

    t.__annotations__ = {"return": hint}
    server.tool(**options)(t)
    return server


def answers(hint: Any, value: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """The listed output schema and the result, under every profile and on every revision."""
    for profile in Policy.profiles:
        for revision in REVISIONS:
            client = Client(serve(hint, value, profile), revision)
            yield profile, revision, client.list_tools()[0].get("outputSchema"), client.call("t")


def check(hint: Any, value: Any, *, sends: Any = ...) -> None:
    """What is sent fits what is listed, and where anything is sent it is this."""
    for profile, revision, schema, result in answers(hint, value):
        if profile == "serializer" and result.get("isError"):
            continue  # it takes objects only
        assert not result.get("isError"), (profile, revision, result)
        data = result.get("structuredContent")
        if schema is not None:
            jsonschema_rs.validator_for(schema, validate_formats=True).validate(data)
        if data is not None and sends is not ...:
            wrapped = sends if isinstance(sends, dict) and data == sends else {"result": sends}
            assert data in (sends, wrapped), (profile, revision, data)
        assert SECRET not in str(result)


# What is listed is what is sent ---------------------------------------------------------------------

UNIONS: list[tuple[Any, Any, Any]] = [
    (Forecast | None, Forecast("Oslo"), {"city": "Oslo", "high": 20.5}),
    (Forecast | None, None, None),
    (Forecast | str, Forecast("Oslo"), {"city": "Oslo", "high": 20.5}),
    (Forecast | str, "rain", "rain"),
    (ModelUser | str, ModelUser(name="Ada"), {"name": "Ada", "level": 1}),
    (ModelUser | int, 3, 3),
    (StructUser | None, StructUser("Ada"), {"name": "Ada", "level": 1}),
    (AttrsUser | None, AttrsUser("Ada"), {"name": "Ada", "level": 1}),
    (DictUser | None, {"name": "Ada"}, {"name": "Ada"}),
    (dict[str, Forecast] | None, {"a": Forecast("Oslo")}, {"a": {"city": "Oslo", "high": 20.5}}),
    (dict[str, int] | None, {"a": 1}, {"a": 1}),
    (dict[str, int] | list[int], {"a": 1}, {"a": 1}),
    (dict[str, int] | list[int], [1], [1]),
    (dict | list, {"a": 1}, {"a": 1}),
    (dict | None, {"a": 1}, {"a": 1}),
    (Optional[dict], {"result": 1}, {"result": 1}),  # noqa: UP045
    (Forecast | list[Forecast], Forecast("Oslo"), {"city": "Oslo", "high": 20.5}),
    (Forecast | list[Forecast], [Forecast("Oslo")], [{"city": "Oslo", "high": 20.5}]),
    (Forecast | DataUser, DataUser("Ada"), {"name": "Ada", "level": 1}),
    (Box[int] | None, Box(3), {"item": 3}),
    (RootModel[dict[str, int] | None], RootModel[dict[str, int] | None]({"a": 1}), {"a": 1}),
    (Any, {"a": 1}, {"a": 1}),
]


@pytest.mark.parametrize(("hint", "value", "data"), UNIONS, ids=str)
def test_a_union_of_an_object_and_something_else_is_sent_as_it_is_listed(hint: Any, value: Any, data: Any) -> None:
    """S004-35, R2506-TOOL-06, R2511-TOOL-06, R26-TOOL-06"""
    check(hint, value, sends=data)


@pytest.mark.parametrize("policy", ["standard", "fastmcp", "lean"])
def test_an_optional_record_is_wrapped_where_its_schema_is(policy: str) -> None:
    for value in (Forecast("Oslo"), None):
        for revision in ("2025-06-18", "2025-11-25"):
            client = Client(serve(Forecast | None, value, policy), revision)
            assert client.list_tools()[0]["outputSchema"]["required"] == ["result"]
            assert client.call("t")["structuredContent"] == {"result": value and {"city": "Oslo", "high": 20.5}}
    newest = Client(serve(Forecast | None, Forecast("Oslo"), "lean"), "2026-07-28")
    assert "required" not in newest.list_tools()[0]["outputSchema"]
    assert newest.call("t")["structuredContent"] == {"city": "Oslo", "high": 20.5}


BY_HAND = {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]}


@pytest.mark.parametrize("policy", ["standard", "kubernetes", "lean"])
@pytest.mark.parametrize("value", [{"a": 1}, None], ids=str)
def test_so_is_data_under_a_schema_by_hand_that_is_not_only_for_objects(policy: str, value: Any) -> None:
    for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
        for returned in (value, CallToolResult(content=[], structuredContent=value)):
            client = Client(serve(Any, returned, policy, output_schema=BY_HAND), revision)
            schema, data = client.list_tools()[0]["outputSchema"], client.call("t")["structuredContent"]
            jsonschema_rs.validator_for(schema).validate(data)
            assert data == (value if revision == "2026-07-28" else {"result": value})


@pytest.mark.parametrize("policy", Policy.profiles)
@pytest.mark.parametrize(
    ("hint", "value", "inner"),
    [
        (int, 42, {"type": "integer"}),
        (Forecast | None, Forecast("Oslo"), {"anyOf": [{"type": "object"}, {"type": "null"}]}),
        (Forecast | None, None, {"anyOf": [{"type": "object"}, {"type": "null"}]}),
    ],
    ids=str,
)
def test_an_object_schema_by_hand_holds_what_is_not_an_object(policy: str, hint: Any, value: Any, inner: Any) -> None:
    """S004-26"""
    schema = {"type": "object", "properties": {"result": inner}, "required": ["result"]}
    if policy == "serializer":
        return  # it takes no scalars (S003)
    for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
        client = Client(serve(hint, value, policy, output_schema=schema), revision)
        data = client.call("t")["structuredContent"]
        assert data == {"result": {"city": "Oslo", "high": 20.5} if isinstance(value, Forecast) else value}


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (List, [1]),  # noqa: UP006
        (List[Dict], [{"a": 1}]),  # noqa: UP006
        (Dict, {"a": 1}),  # noqa: UP006
        (Optional[List], [1]),  # noqa: UP006, UP045
        (Tuple, (1, 2)),  # noqa: UP006
        (Set, {1}),  # noqa: UP006
        (Dict[str, List], {"a": [1]}),  # noqa: UP006
        (Box[List], Box([1])),  # noqa: UP006
    ],
    ids=str,
)
def test_bare_collections_of_typing_are_hints_like_others(hint: Any, value: Any) -> None:
    check(hint, value)


class SentModel(BaseModel):
    a: int
    b: int = 2
    c: list[int] = Field(default_factory=list, serialization_alias="see")
    hidden: int = Field(default=1, exclude=True)


class SentStruct(msgspec.Struct, tag="s"):
    a: int
    b: int = 2


class ShortStruct(msgspec.Struct, omit_defaults=True):
    a: int
    b: int = 2
    c: int | msgspec.UnsetType = msgspec.UNSET


@pytest.mark.parametrize("policy", ["standard", "fastmcp", "lean"])
@pytest.mark.parametrize(
    ("hint", "names"),
    [
        *((kind, ["name", "level"]) for kind, _ in USERS),
        (SentModel, ["a", "b", "see"]),
        (SentStruct, ["type", "a", "b"]),
        (ShortStruct, ["a"]),
        (DictUser, ["name"]),
    ],
    ids=str,
)
def test_what_is_always_sent_is_required(hint: Any, names: list[str], policy: str) -> None:
    assert Client(serve(hint, None, policy)).list_tools()[0]["outputSchema"]["required"] == names


class Place(NamedTuple):
    name: str
    level: int = 1


class PlaceRow(msgspec.Struct, array_like=True):
    name: str
    level: int = 1


class PlaceModel(BaseModel):
    place: Place


@pytest.mark.parametrize("kind", [Place, PlaceRow])
def test_so_are_the_items_of_an_array_that_are_always_sent(kind: Any) -> None:
    for hint, value, sent in (
        (kind, kind("Ada"), ["Ada", 1]),
        (kind, ["Ada"], ["Ada", 1]),
        (list[kind], [kind("Ada")], [["Ada", 1]]),
        (kind | None, kind("Ada"), ["Ada", 1]),
        (Box[kind], Box(kind("Ada")), {"item": ["Ada", 1]}),
        (PlaceModel, PlaceModel(place=Place("Ada")), {"place": ["Ada", 1]}),
    ):
        check(hint, value, sends=sent)
        listed = str(Client(serve(hint, value, "fastmcp")).list_tools()[0]["outputSchema"])
        assert "'minItems': 2" in listed and "'minItems': 1" not in listed


@pytest.mark.parametrize("kind", [kind for kind, _ in USERS])
def test_what_has_a_default_may_be_left_out_by_a_function_and_by_a_client(kind: Any) -> None:
    assert Client(serve(kind, {"name": "Ada"})).call("t")["structuredContent"] == {"name": "Ada", "level": 1}
    server = Server("s")

    def take(user: Any) -> None: ...

    take.__annotations__ = {"user": kind, "return": None}
    server.tool(take)
    assert Client(server).list_tools()[0]["inputSchema"]["properties"]["user"]["required"] == ["name"]


@dataclasses.dataclass
class Changed:
    both: tuple[DataUser, Forecast | DictUser]
    more: list[DataUser]


def test_a_tuple_is_not_sorted_where_lists_are_sorted_by_name() -> None:
    """S001-18: a list of named entries is sorted; the places of a tuple mean something."""
    ann, bob = {"name": "Ann", "level": 1}, {"name": "Bob", "level": 1}
    value = Changed((DataUser("Bob"), {"name": "Ann"}), [DataUser("Bob"), DataUser("Ann")])
    data = {"both": [bob, {"name": "Ann"}], "more": [ann, bob]}
    schema = {"type": "object", "properties": {"both": {"anyOf": [{"prefixItems": [{}, {}]}, {"type": "null"}]}}}
    wraps = Policy.kubernetes.replace(output_schema="all", non_object="wrap")
    for hint, returned, policy, sent in (
        (Changed, value, "kubernetes", data),
        (Changed, CallToolResult(content=[], structuredContent=value), "kubernetes", data),
        (Changed | None, value, wraps, {"result": data}),
        (dict[str, tuple[DataUser, DataUser]], {"a_b": value.more}, wraps, {"aB": [bob, ann]}),
        (dict[str, list[DataUser]], {"a_b": value.more}, wraps, {"aB": [ann, bob]}),
    ):
        client = Client(serve(hint, returned, policy), "2025-11-25")
        assert client.call("t").get("structuredContent") == sent
    by_hand = Client(serve(Any, {"both": [bob, ann], "all": [bob, ann]}, "kubernetes", output_schema=schema))
    assert by_hand.call("t")["structuredContent"] == {"both": [bob, ann], "all": [ann, bob]}


@dataclasses.dataclass
class Branch:
    is_root: bool
    sub_branches: list["Branch"]


class Leaf(BaseModel):
    leaf_color: str


def test_the_choices_of_a_union_are_listed_in_camel_case_where_that_is_sent() -> None:
    """S001-23"""
    branch = Branch(True, [Branch(False, [])])
    sent = {"isRoot": True, "subBranches": [{"is_root": False, "sub_branches": []}]}
    for hint, value, data in (
        (Branch | Leaf, branch, sent),
        (Branch | Leaf, Leaf(leaf_color="red"), {"leafColor": "red"}),
        (RootModel[Branch | Leaf], RootModel[Branch | Leaf](branch), sent),
        (Branch | None, branch, {"result": sent}),
    ):
        client = Client(serve(hint, value, "kubernetes", output_schema=True), "2025-11-25")
        assert client.call("t").get("structuredContent") == data
        jsonschema_rs.validator_for(client.list_tools()[0]["outputSchema"]).validate(data)


MaybeCount = TypeAliasType("MaybeCount", int | None)


class Nothing(enum.Enum):
    NOTHING = None
    SOME = "some"


@pytest.mark.parametrize(
    ("hint", "nothing"),
    [
        (MaybeCount, None),
        (MaybeCount | str, None),
        (RootModel[int | None] | str, RootModel[int | None](None)),
        (Choice["a", None] | int, None),
        (Choice[None], None),
        (Nothing, Nothing.NOTHING),
        (Nothing | int, Nothing.NOTHING),
        (Any, None),
    ],
    ids=str,
)
def test_a_member_is_not_required_where_it_may_be_null_and_nulls_are_left_out(hint: Any, nothing: Any) -> None:
    """S003-68"""
    model = pydantic.create_model("Model", item=(hint, ...), name=(str | int, ...))
    client = Client(serve(model, model(item=nothing, name="Ada"), "serializer"))
    assert client.list_tools()[0]["outputSchema"]["required"] == ["name"]
    assert client.call("t")["structuredContent"] == {"name": "Ada"}


@pytest.mark.parametrize(
    "value",
    [
        datetime.datetime(2026, 1, 2, 3),
        datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
        datetime.timedelta(seconds=1.5),
        -datetime.timedelta(days=1),
        datetime.time(3),
        datetime.time(3, 4, 5, 6),
    ],
    ids=repr,
)
def test_no_format_is_listed_that_a_value_may_not_keep(value: Any) -> None:
    model = pydantic.create_model("Model", it=(type(value), ...))
    record = dataclasses.make_dataclass("Record", [("it", type(value))])
    for hint, sent in ((model, model(it=value)), (list[model], [model(it=value)]), (record, record(value))):
        check(hint, sent)


def test_a_format_that_is_listed_is_checked() -> None:
    assert not Client(serve(datetime.date, "soon", "fastmcp")).call("t").get("structuredContent")


SCALARS: dict[str, tuple[Any, Any, Any]] = {
    "url": (pydantic.HttpUrl, pydantic.HttpUrl("https://example.com/a"), "https://example.com/a"),
    "database": (pydantic.PostgresDsn, pydantic.PostgresDsn("postgres://u@h:3/d"), "postgres://u@h:3/d"),
    "databases": (pydantic.MongoDsn, pydantic.MongoDsn("mongodb://h:1,i:2/d"), "mongodb://h:1,i:2/d"),
    "secret": (pydantic.SecretStr, pydantic.SecretStr(SECRET), "*" * 10),
    "secret bytes": (pydantic.SecretBytes, pydantic.SecretBytes(SECRET.encode()), "*" * 10),
    "year": (
        Annotated[datetime.date, PlainSerializer(lambda day: day.year, return_type=int)],
        datetime.date(2026, 1, 2),
        2026,
    ),
}


@pytest.mark.parametrize("name", SCALARS)
@pytest.mark.parametrize("family", ["dataclass", "attrs", "Struct", "TypedDict"])
def test_pydantic_s_own_scalars_are_sent_in_records_that_are_no_models(family: str, name: str) -> None:
    hint, value, sent = SCALARS[name]
    make: Any = {
        "dataclass": lambda: dataclasses.make_dataclass("Record", [("it", hint)]),
        "attrs": lambda: attrs.make_class("Record", {"it": attrs.field(type=hint)}),
        "Struct": lambda: msgspec.defstruct("Record", [("it", hint)]),
        "TypedDict": lambda: TypedDict("Record", {"it": hint}),  # type: ignore[operator]
    }
    record = make[family]()
    check(record, record(it=value), sends={"it": sent})
    client = Client(serve(record, record(it=value)), "2025-11-25")
    assert list(client.list_tools()[0]["outputSchema"]["properties"]) == ["it"]
    assert client.call("t")["structuredContent"] == {"it": sent}


@pytest.mark.parametrize("name", SCALARS)
def test_and_so_they_are_in_collections_and_alone(name: str) -> None:
    hint, value, sent = SCALARS[name]
    check(hint, value, sends=sent)
    check(hint | None, value, sends=sent)
    check(list[hint], [value], sends=[sent])
    check(tuple[hint, ...], (value,), sends=[sent])
    check(dict[str, hint], {"a": value}, sends={"a": sent})
    if name != "year":  # without its hint it is a date
        check(Any, {"it": value, "deep": [value]}, sends={"it": sent, "deep": [sent]})


class Rank(enum.IntEnum):
    LOW = 1


class Number(enum.Enum):
    ONE = 1


@pytest.mark.parametrize("rank", [Rank.LOW, Number.ONE, 1, True], ids=repr)
def test_what_is_keyed_by_other_than_text_is_sent_by_its_text(rank: Any) -> None:
    """R2506-TOOL-06, R2511-TOOL-06, R26-TOOL-06"""
    key, plain = "true" if rank is True else "1", {"name": "Ada", "level": 1}
    model = pydantic.create_model("Model", ranks=(dict[type(rank), int], ...))
    for user, _ in USERS:
        check(dict[type(rank), user], {rank: user(name="Ada")}, sends={key: plain})
    check(dict[type(rank), int], {rank: 2}, sends={key: 2})
    check(model, model(ranks={rank: 2}), sends={"ranks": {key: 2}})


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"enum": ["a"]}, '"a"'),
        ({"type": "integer"}, "an integer"),
        ({"const": "a"}, '"a"'),
        ({"pattern": "^a"}, "a string matching ^a"),
    ],
    ids=str,
)
def test_a_name_that_an_output_schema_by_hand_forbids_is_told_with_its_path(names: Any, expected: str) -> None:
    result = Client(serve(Any, {"c": 1}, output_schema={"type": "object", "propertyNames": names})).call("t")
    said = f"$.c: expected a name that is {expected}, got another name"
    assert result["content"][0]["text"] == f"The result of t was not valid and is withheld: {said}"


# A declared type filters ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("user", "admin"), USERS, ids=str)
def test_fields_that_the_declared_type_does_not_have_are_not_sent(user: Any, admin: Any) -> None:
    plain, sub = {"name": "Ada", "level": 1}, admin(name="Ada")
    outsider = {"name": "Ada", "level": 1, "password": SECRET}
    cases: list[tuple[Any, Any, Any]] = [
        (user, sub, plain),
        (user, outsider, plain),
        (user, DataAdmin("Ada"), plain),
        (user, ModelAdmin(name="Ada"), plain),
        (user | None, sub, plain),
        (user | str, sub, plain),
        (list[user], [sub, user(name="Ada")], [plain, plain]),
        (Sequence[user], [sub], [plain]),
        (tuple[user, ...], (sub,), [plain]),
        (tuple[int, user], (1, sub), [1, plain]),
        (Iterator[user], lambda: iter([sub]), [plain]),
        (dict[str, user], {"a": sub}, {"a": plain}),
        (Mapping[str, list[user]], {"a": [sub]}, {"a": [plain]}),
        (list[user] | dict[str, user], {"a": sub}, {"a": plain}),
        (user | list[user], [sub], [plain]),
        (Box[user], Box(sub), {"item": plain}),
        (Box[list[user]], Box([sub]), {"item": [plain]}),
        (Forecast | user, sub, plain),
        (Forecast | user, outsider, plain),
    ]
    for hint, value, data in cases:
        check(hint, value, sends=data)


def test_nor_are_keys_that_a_typed_dict_does_not_declare() -> None:
    value = {"name": "Ada", "password": SECRET}
    check(DictUser, value, sends={"name": "Ada"})
    check(list[DictUser], [value, {"name": "Bob", "level": 2}], sends=[{"name": "Ada"}, {"name": "Bob", "level": 2}])
    check(DictUser | None, value, sends={"name": "Ada"})
    check(DictUser | dict[str, int], value, sends={"name": "Ada"})
    check(DictUser | dict[str, str], {"name": "Ada", "more": "x"}, sends={"name": "Ada", "more": "x"})
    check(DictUser, ModelAdmin(name="Ada"), sends={"name": "Ada", "level": 1})


@pytest.mark.parametrize(
    ("hint", "fits"),
    [
        (Decimal, Decimal(1)),
        (datetime.date, datetime.date(2026, 1, 2)),
        (list[str], ["a"]),
        (tuple[str, ...], ("a",)),
        (dict[str, str], {"a": "b"}),
        (ModelUser, ModelUser(name="Ada")),
        (pydantic.SecretStr, pydantic.SecretStr("x")),
        (pydantic.EmailStr, "ada@example.com"),
        (pydantic.AwareDatetime, datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)),
        (Choice["a", "b"], "a"),
        (Decimal | None, None),
        (Annotated[str, msgspec.Meta(max_length=3)], "abc"),
        (Annotated[str, Field(pattern="^[a-c]+$")], "abc"),
        (Annotated[str, Field(max_length=3)] | int, 5),
    ],
    ids=str,
)
def test_a_dict_is_a_mapping_only_if_its_values_may_be_those_of_the_mapping(hint: Any, fits: Any) -> None:
    """Else it is the record that it has the members of, and what the record does not declare is not sent."""
    check(DictUser | dict[str, hint], {"name": "Ada", "password": SECRET}, sends={"name": "Ada"})
    check(DictUser | dict[str, hint] | None, {"name": "Ada", "password": SECRET}, sends={"name": "Ada"})
    for value in ({"name": fits, "more": fits}, {"some": fits}):
        data = Client(serve(DictUser | dict[str, hint], value)).call("t")["structuredContent"]
        assert data.get("result", data).keys() == value.keys()


class HasLength(Protocol):
    length: int


@pytest.mark.parametrize("hint", [dict, *(dict[str, one] for one in (Any, object, int | Any, HasLength))], ids=str)
def test_a_dict_is_a_mapping_whose_values_may_be_anything(hint: Any) -> None:
    check(DictUser | hint, {"name": "Ada", "more": [1]}, sends={"name": "Ada", "more": [1]})


class Numbers(RootModel[list[int]]):
    pass


def test_a_model_of_a_list_is_a_value_of_a_mapping_too() -> None:
    record = dataclasses.make_dataclass("Record", [("name", str, "nobody")])
    for value in ({"a": Numbers([1])}, {"a": [1]}):
        check(record | dict[str, Numbers], value, sends={"a": [1]})


class Holder(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    data: DataUser
    struct: StructUser | None = None
    many: list[AttrsUser] = []


def test_nor_where_two_families_of_types_meet() -> None:
    plain = {"name": "Ada", "level": 1}
    check(Numbers | list[ModelUser], [ModelAdmin(name="Ada")], sends=[plain])
    check(Numbers | list[ModelUser], Numbers([1, 2]), sends=[1, 2])
    holder = Holder(data=DataAdmin("Ada"), struct=StructAdmin("Ada"), many=[AttrsAdmin("Ada")])
    check(Holder, holder, sends={"data": plain, "struct": plain, "many": [plain]})


def test_nor_in_a_pair_of_a_text_and_its_data() -> None:
    for hint, value in (
        (tuple[str, ModelUser], ("Ada", ModelAdmin(name="Ada"))),
        (tuple[str, DataUser], ("Ada", DataAdmin("Ada"))),
        (tuple[ModelUser, DictUser], (ModelAdmin(name="Ada"), {"name": "Ada", "password": SECRET})),
    ):
        for _, _, _, result in answers(hint, value):
            assert SECRET not in str(result)
    result = Client(serve(tuple[str, ModelUser], ("Ada!", ModelAdmin(name="Ada")))).call("t")
    assert result["content"] == [{"type": "text", "text": "Ada!"}]
    assert result["structuredContent"] == {"name": "Ada", "level": 1}


def test_a_tuple_that_is_listed_is_not_taken_for_a_pair() -> None:
    for policy, data in (("standard", {"result": ["a", {"name": "Ada"}]}), ("lean", ["a", {"name": "Ada"}])):
        client = Client(serve(tuple[str, DictUser] | None, ("a", {"name": "Ada"}), policy), "2026-07-28")
        assert client.call("t")["structuredContent"] == data


def test_nor_in_what_a_resource_reads() -> None:
    server = Server("s")

    @server.resource("users://all")
    def everybody() -> list[DataUser]:
        return [DataAdmin("Ada")]

    @server.resource("users://{name}")
    def somebody(name: str) -> ModelUser:
        return ModelAdmin(name=name)

    client = Client(server)
    assert client.read("users://all")["contents"][0]["text"] == '[{"name": "Ada", "level": 1}]'
    assert client.read("users://Ada")["contents"][0]["text"] == '{"name": "Ada", "level": 1}'


@pytest.mark.parametrize(("user", "admin"), USERS, ids=str)
def test_nor_in_what_a_prompt_says(user: Any, admin: Any) -> None:
    plain = '{"name": "Ada", "level": 1}'
    for hint, value, said in (
        (user, admin(name="Ada"), [("user", plain)]),
        (user | None, admin(name="Ada"), [("user", plain)]),
        (list[user], [admin(name="Ada"), user(name="Ada")], [("user", plain)] * 2),
        (tuple[str, user], ("assistant", admin(name="Ada")), [("assistant", plain)]),
        (dict[str, user], {"a": admin(name="Ada")}, [("user", f'{{"a": {plain}}}')]),
        (list[str | user], ["Who?", admin(name="Ada")], [("user", "Who?"), ("user", plain)]),
        (PromptMessage, PromptMessage(role="user", content=TextContent(text="Who?")), [("user", "Who?")]),
        (list[PromptMessage], [{"role": "assistant", "content": "Me."}], [("assistant", "Me.")]),
    ):
        server = Server("s")

        def ask(value: Any = value) -> Any:
            return value

        ask.__annotations__ = {"return": hint}
        server.prompt(functools.partial(ask, value), name="ask")
        messages = Client(server).get_prompt("ask")["messages"]
        assert [(message["role"], message["content"]["text"]) for message in messages] == said


def test_nor_anything_further_inside() -> None:
    plain = {"name": "Ada", "level": 1}
    check(Pair, Pair(DataAdmin("Ada"), 1), sends=[plain, 1])
    tree = Tree(DataAdmin("Ada"), [Tree(DataUser("Ada"), [Tree(DataAdmin("Ada"))])])
    leaf: dict[str, Any] = {"user": plain, "children": []}
    check(Tree, tree, sends=leaf | {"children": [leaf | {"children": [leaf]}]})
    model = pydantic.create_model("Team", owner=(ModelUser, ...), users=(list[DataUser], ...))
    team = model(owner=ModelAdmin(name="Ada"), users=[DataAdmin("Ada")])
    check(model, team, sends={"owner": plain, "users": [plain]})
    check(set[Frozen], {FrozenAdmin("Ada")}, sends=[{"name": "Ada"}])
    check(
        set[Frozen], {FrozenAdmin("Ada"), Frozen("Ada"), FrozenAdmin("Bob")}, sends=[{"name": "Ada"}, {"name": "Bob"}]
    )


class Row(msgspec.Struct, array_like=True):
    rank: int
    user: DataUser


class LongRow(Row, array_like=True):
    password: str = SECRET


class TaggedRow(msgspec.Struct, array_like=True, tag=True):
    user: DataUser


class GenericRow(msgspec.Struct, Generic[T], array_like=True):
    item: T


class RowTree(msgspec.Struct, array_like=True):
    user: DataUser
    next: "RowTree | None" = None
    below: list["RowTree"] = []


class NamedTree(NamedTuple):
    user: DataUser
    next: "NamedTree | None"
    below: "list[NamedTree]"


def test_nor_in_structs_that_are_arrays_and_in_named_tuples_that_hold_themselves() -> None:
    plain, admin = {"name": "Ada", "level": 1}, DataAdmin("Ada")
    leaf, named = [plain, None, []], NamedTree(admin, None, [])
    for hint, value, data in (
        (Row, Row(1, admin), [1, plain]),
        (Row, LongRow(1, DataUser("Ada")), [1, plain]),
        (Row, [1, admin], [1, plain]),
        (Row | None, Row(1, admin), [1, plain]),
        (Row | TaggedRow, TaggedRow(admin), ["TaggedRow", plain]),
        (Row | list[DataUser], [admin], [plain]),
        (Box[Row], Box(LongRow(1, admin)), {"item": [1, plain]}),
        (dict[str, list[Row]], {"a": [LongRow(1, admin)]}, {"a": [[1, plain]]}),
        (GenericRow[DataUser], GenericRow(admin), [plain]),
        (RowTree, RowTree(admin, RowTree(admin), [RowTree(admin)]), [plain, leaf, [leaf]]),
        (NamedTree, NamedTree(admin, named, [named]), [plain, leaf, [leaf]]),
        (NamedTree | None, named, leaf),
    ):
        check(hint, value, sends=data)
    [block] = Client(serve(Row, LongRow(1, admin))).call("t")["content"]  # it is one thing, as it is without a hint
    assert block["text"] == '[1, {"name": "Ada", "level": 1}]'


def test_what_is_said_in_annotated_need_not_have_a_hash() -> None:
    said = Annotated[DataUser, {"unit": "person"}]
    for hint in (list[said], tuple[said], dict[str, said]):  # type: ignore[valid-type]
        value = {"a": DataAdmin("Ada")} if "dict" in str(hint) else [DataAdmin("Ada")]
        assert SECRET not in str(Client(serve(hint, value)).call("t"))


@dataclasses.dataclass(frozen=True)
class Frozen:
    name: str


@dataclasses.dataclass(frozen=True)
class FrozenAdmin(Frozen):
    password: str = SECRET


def test_the_member_of_a_union_is_told_by_its_class_then_by_its_tag_then_by_its_fields() -> None:
    class Cat(TypedDict):
        kind: Choice["cat"]
        lives: int

    class Dog(TypedDict):
        kind: Choice["dog"]
        lives: int
        tricks: NotRequired[list[str]]

    check(Cat | Dog, {"kind": "cat", "lives": 9, "tricks": [SECRET]}, sends={"kind": "cat", "lives": 9})
    dog = {"kind": "dog", "lives": 1, "tricks": ["sit"]}
    check(Cat | Dog, {**dog, "password": SECRET}, sends=dog)
    check(DataUser | ModelUser | None, ModelAdmin(name="Ada"), sends={"name": "Ada", "level": 1})


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


def test_what_allows_or_declares_nothing_keeps_everything() -> None:
    more = {"name": "Ada", "more": [1]}
    for hint, value in (
        (Open, Open(name="Ada", more=[1])),  # type: ignore[call-arg]
        (Open, more),
        (Any, more),
        (dict[str, Any], more),
        (DataUser | dict[str, Any], more),
        (object, more),
    ):
        for profile, _, _, result in answers(hint, value):
            assert profile == "serializer" or not result.get("isError"), result
            assert result.get("structuredContent", more) == more
    server = Server("s")
    server.tool(name="t")(lambda: DataAdmin("Ada"))
    assert Client(server).call("t")["structuredContent"] == {"name": "Ada", "level": 1, "password": SECRET}


def test_a_policy_sends_what_is_not_declared_all_the_same() -> None:
    policy = Policy.standard.replace(extra_fields="keep")
    for user, admin in USERS:
        data = Client(serve(user, admin(name="Ada"), policy)).call("t")["structuredContent"]
        assert data == {"name": "Ada", "level": 1, "password": SECRET}
        assert Client(serve(user, {"name": "Ada", "x": 1}, policy)).call("t")["structuredContent"]["x"] == 1


def test_a_type_that_cannot_be_resolved_filters_by_the_names_of_its_fields() -> None:
    user = dataclasses.make_dataclass("User", [("name", "Nowhere")])  # a type hint that nobody defines
    admin = dataclasses.make_dataclass("Admin", [("password", str)], bases=(user,))
    assert Client(serve(user, admin("Ada", SECRET))).call("t")["structuredContent"] == {"name": "Ada"}


def test_a_class_with_a_form_of_its_own_keeps_it() -> None:
    class Spoken(DataUser):
        def __plain__(self) -> Any:
            return {"name": self.name.upper(), "level": 1, "password": SECRET}

    check(DataUser, Spoken("Ada"), sends={"name": "ADA", "level": 1})
    server = serve(DataUser, DataAdmin("Ada"))
    server.serializer(DataUser, lambda user: user.name)
    client = Client(server)
    assert "outputSchema" not in client.list_tools()[0]
    assert client.call("t")["structuredContent"] == {"result": "Ada"}


class Position:
    def __plain__(self) -> Any:
        return {"north": 1}


def test_so_does_a_class_that_stands_beside_a_record_with_defaults_only() -> None:
    record = dataclasses.make_dataclass("Record", [("name", str, "nobody")])
    for hint, value in (
        (Position | record, Position()),
        (None | Position | record, Position()),
        (pandas.Series | record, pandas.Series({"north": 1})),
        (Token | record, Token()),
    ):
        server = serve(hint, value)
        server.serializer(Token, lambda token: {"north": 1})
        assert Client(server).call("t")["structuredContent"] == {"north": 1}
        server = serve(list[hint], [value, record()])
        server.serializer(Token, lambda token: {"north": 1})
        assert Client(server).call("t")["structuredContent"] == {"result": [{"north": 1}, {"name": "nobody"}]}


class Token:
    """Becomes what a serializer makes of it."""


def test_a_cycle_under_a_declared_type_is_told_with_its_path(caplog: pytest.LogCaptureFixture) -> None:
    tree = Tree(DataUser("Ada"))
    tree.children.append(tree)
    assert Client(serve(Tree, tree)).call("t")["isError"]
    assert "$.children[0]: a cycle: it holds $ again" in caplog.text


# Profiles -------------------------------------------------------------------------------------------


class Color(enum.Enum):
    RED = "red"


def test_a_fastmcp_client_is_told_what_is_wrapped_by_its_own_keyword() -> None:
    for hint, value in ((int, 1), (list[int], [1]), (Forecast | None, None), (Color, Color.RED)):
        [tool] = Client(serve(hint, value, "fastmcp")).list_tools()
        assert tool["outputSchema"]["x-fastmcp-wrap-result"] is True
    [tool] = Client(serve(Forecast, Forecast("Oslo"), "fastmcp")).list_tools()
    assert "x-fastmcp-wrap-result" not in tool["outputSchema"]
    [tool] = Client(serve(list[Forecast], [], "standard")).list_tools()
    assert "x-fastmcp-wrap-result" not in tool["outputSchema"]


@pytest.mark.parametrize("schema", [{"type": "integer"}, {"type": "array"}, {}, BY_HAND], ids=str)
def test_S004_34_fastmcp_refuses_an_output_schema_that_is_not_an_object(schema: Any) -> None:
    with pytest.raises(AuthorError, match='"type": "object" at its root'):
        serve(Any, 1, "fastmcp", output_schema=schema)
    serve(Any, 1, "standard", output_schema=schema)


@pytest.mark.parametrize("policy", Policy.profiles)
def test_no_profile_sends_a_result_that_breaks_its_schema(policy: str) -> None:
    broken = ModelUser.model_construct(name=3, level="x")  # type: ignore[arg-type]
    client = Client(serve(ModelUser, broken, policy))
    if "outputSchema" in client.list_tools()[0]:
        assert client.call("t")["isError"]


# What an author's function writes -----------------------------------------------------------------


class WritesList(BaseModel):
    x: int

    @pydantic.model_serializer
    def write(self):
        return [self.x]


class WrapsList(BaseModel):
    x: int

    @pydantic.model_serializer(mode="wrap")
    def write(self, handler):
        return [handler(self)]


class WritesObject(BaseModel):
    x: int

    @pydantic.model_serializer
    def write(self):
        return {"y": self.x}


class WritesField(BaseModel):
    x: int
    y: int = 2

    @pydantic.field_serializer("x")
    def write(self, value):
        return [value]


class Holds(BaseModel):
    one: WritesList
    more: list[WrapsList] = []


@dataclasses.dataclass
class DataHolds:
    one: WritesList


@pytest.mark.parametrize(
    ("hint", "value", "listed", "sent"),
    [
        (WritesList, WritesList(x=1), None, {"result": [1]}),
        (WrapsList, WrapsList(x=1), None, {"result": [{"x": 1}]}),
        (WritesObject, WritesObject(x=1), None, {"y": 1}),
        (
            WritesField,
            WritesField(x=1),
            {"type": "object", "properties": {"x": {}, "y": {"type": "integer"}}, "required": ["x", "y"]},
            {"x": [1], "y": 2},
        ),
        (
            Holds,
            Holds(one=WritesList(x=1), more=[WrapsList(x=2)]),
            {
                "type": "object",
                "properties": {"one": {}, "more": {"type": "array", "items": {}}},
                "required": ["one", "more"],
            },
            {"one": [1], "more": [[{"x": 2}]]},
        ),
        (
            DataHolds,
            DataHolds(WritesList(x=1)),
            {"type": "object", "properties": {"one": {}}, "required": ["one"]},
            {"one": [1]},
        ),
        (
            dict[str, WritesList],
            {"a": WritesList(x=1)},
            {"type": "object", "additionalProperties": {}},
            {"a": [1]},
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_serializer_that_does_not_say_what_it_returns_promises_nothing(hint, value, listed, sent):
    client = Client(serve(hint, value, "standard"), "2025-11-25")
    assert client.list_tools()[0].get("outputSchema") == listed
    result = client.call("t")
    assert (result.get("isError"), result["structuredContent"]) == (None, sent)


class Shade(str, enum.Enum):  # noqa: UP042 - many are written so
    RED = "red"


class Painted(BaseModel):
    where: Path | Shade
    address: IPv4Address | Shade


def test_an_enum_of_texts_in_a_union_of_a_model_is_its_value() -> None:
    server = Server("x", "1")

    @server.tool
    def paint() -> Painted:
        return Painted(where=Shade.RED, address=Shade.RED)

    assert Client(server).call("paint")["structuredContent"] == {"where": "red", "address": "red"}


class Named(TypedDict):
    name: str


@pytest.mark.parametrize(
    "hint",
    [
        Named | None | dict[int, str],
        dict[int, str] | Named,
        Named | dict[float, Any],
        Named | None | dict[Fraction, str],
        Named | dict[datetime.date, str],
        dict[Choice["a", "b"], str] | Named,
        Named | dict[IPv4Address, str],
        Named | dict[Color, str],
    ],
)
def test_a_record_in_a_union_with_a_dict_of_other_keys_sends_only_its_fields(hint: Any) -> None:
    server = Server("x", "1")

    def look() -> Any:
        return {"name": "ann", "password": SECRET}

    look.__annotations__["return"] = hint
    server.tool(look)
    assert SECRET not in json.dumps(Client(server).call("look"))
    number = server.tool(name="number")
    number(lambda: {1: "x"})
    assert Client(server).call("number")["structuredContent"] == {"1": "x"}


@dataclasses.dataclass
class Spot:
    x: int
    y: int = 3


def test_an_argument_that_is_returned_keeps_the_defaults_of_its_class() -> None:
    server = Server("x", "1")

    @server.tool
    def same(spot: Spot) -> Spot:
        return spot

    @server.tool
    def several(spots: list[Spot]) -> dict[str, list[Spot]]:
        return {"spots": spots}

    client = Client(server)
    assert client.call("same", spot={"x": 1})["structuredContent"] == {"x": 1, "y": 3}
    assert client.call("several", spots=[{"x": 1}, {"x": 2, "y": 5}])["structuredContent"] == {
        "spots": [{"x": 1, "y": 3}, {"x": 2, "y": 5}]
    }


class Sheet(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str


class Bag(BaseModel, Generic[T]):
    item: T


def test_a_set_of_models_in_a_model_is_sent_sorted() -> None:
    server = Server("x", "1")

    @server.tool
    def bag() -> Bag[set[Sheet]]:
        return Bag[set[Sheet]](item={Sheet(name="b"), Sheet(name="a"), Sheet(name="c")})

    assert Client(server).call("bag")["structuredContent"] == {"item": [{"name": one} for one in "abc"]}


@dataclasses.dataclass
class Folder:
    name: str
    inside: "list[Self]" = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class SecretFolder(Folder):
    password: str = SECRET


def test_what_a_type_does_not_declare_is_not_sent_where_self_stands_either() -> None:
    server = Server("s")

    @server.tool
    def tree() -> Folder:
        return SecretFolder("root", [SecretFolder("leaf")])

    data = Client(server).call("tree")["structuredContent"]
    assert data == {"name": "root", "inside": [{"name": "leaf", "inside": []}]}
