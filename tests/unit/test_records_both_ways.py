"""Records as an argument and as a result: what is listed for each, what arrives, and what is sent."""

import enum
from dataclasses import InitVar, dataclass, field, make_dataclass
from typing import Annotated, Any, Generic, Literal, Never, NotRequired, TypeVar

import jsonschema_rs
import pydantic
import pytest
from pydantic import BaseModel
from typing_extensions import ReadOnly, TypedDict

from plainmcp import Policy, Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

POLICIES = [Policy.standard, Policy.fastmcp, Policy.lean, Policy.standard.replace(output_defaults="show")]


class Both:
    """A server with a tool that takes a hint, and one that returns it."""

    def __init__(self, hint: Any, policy: Policy = Policy.standard, **options: Any) -> None:
        self.taken: list[Any] = []
        self.returned: Any = None
        self.server = Server("both", policy=policy, **options)

        def take(it: Any) -> None:
            self.taken.append(it)

        def give() -> Any:
            return self.returned

        take.__annotations__ = {"it": hint}
        give.__annotations__ = {"return": hint}
        self.server.tool(take)
        self.server.tool(give)

    def has_data(self, revision: str) -> bool:
        """Whether results have data on a revision."""
        return Client(self.server, revision).revision.structured != "none"

    def listed(self, revision: str = "2025-11-25") -> tuple[Any, Any]:
        """The schema of the argument, and that of the result."""
        give, take = Client(self.server, revision).list_tools()
        return take["inputSchema"]["properties"]["it"], give.get("outputSchema")

    def take(self, json: Any, revision: str = "2025-11-25") -> Any:
        """The value that arrives for JSON, or the text of the error."""
        client = Client(self.server, revision)
        schema = next(one["inputSchema"] for one in client.list_tools() if one["name"] == "take")
        result = client.call("take", it=json)
        assert jsonschema_rs.is_valid(schema, {"it": json}) is not result.get("isError", False)
        return result["content"][0]["text"] if result.get("isError") else self.taken.pop()

    def give(self, value: Any, revision: str = "2025-11-25") -> Any:
        """The data that is sent for a value, or the text of the error."""
        self.returned = value
        client = Client(self.server, revision)
        schema = next(one.get("outputSchema") for one in client.list_tools() if one["name"] == "give")
        result = client.call("give")
        if not result.get("isError") and schema is not None:
            jsonschema_rs.validator_for(schema).validate(result["structuredContent"])
        return result.get("structuredContent", result["content"][0]["text"])


# Variables of __init__ ----------------------------------------------------------------------------


@dataclass
class Box:
    size: int
    scale: InitVar[int] = 2
    area: int = field(init=False, default=0)

    def __post_init__(self, scale: int) -> None:
        self.area = self.size * scale


@pydantic.dataclasses.dataclass
class ModelBox:
    size: int
    scale: InitVar[int] = 2
    area: int = field(init=False, default=0)

    def __post_init__(self, scale: int) -> None:
        self.area = self.size * scale


class Shelf(BaseModel):
    box: Box


class ModelShelf(BaseModel):
    box: ModelBox


@dataclass
class PlainShelf:
    box: Box


BOXES: list[tuple[Any, Any]] = [
    (Box, Box(3, 4)),
    (ModelBox, ModelBox(3, 4)),
    (Shelf, Shelf(box=Box(3, 4))),
    (ModelShelf, ModelShelf(box=ModelBox(3, 4))),
    (PlainShelf, PlainShelf(Box(3, 4))),
]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("hint", "value"), BOXES)
def test_a_variable_of_init_is_taken_and_not_sent(hint: Any, value: Any, policy: Policy, revision: str) -> None:
    """V38"""
    both = Both(hint, policy)
    taken, usual, sent = {"size": 3, "scale": 4}, {"size": 3}, {"size": 3, "area": 12}
    if hint not in (Box, ModelBox):
        taken, usual, sent = ({"box": box} for box in (taken, usual, sent))  # type: ignore[assignment]
    assert both.take(taken, revision) == value
    assert both.take(usual, revision) != value
    if both.has_data(revision):
        assert both.give(value, revision) == sent


def test_a_variable_of_init_is_listed_for_arguments_only() -> None:
    """V38"""
    number = {"type": "integer"}
    taken = {
        "type": "object",
        "properties": {"size": number, "scale": {**number, "default": 2}},
        "required": ["size"],
    }
    sent = {"type": "object", "properties": {"size": number, "area": number}, "required": ["size", "area"]}
    assert Both(Box).listed() == (taken, sent)
    assert Both(ModelBox).listed() == (taken, sent)
    for hint in (Shelf, ModelShelf, PlainShelf):
        assert Both(hint).listed() == tuple(
            {"type": "object", "properties": {"box": box}, "required": ["box"]} for box in (taken, sent)
        )


# Members of enums ---------------------------------------------------------------------------------


class Pet(enum.Enum):
    CAT = "cat"
    DOG = "dog"
    ONE = 1


class Answer(enum.Enum):
    YES = True


class Owner(BaseModel):
    pet: Literal[Pet.CAT]
    others: list[Literal[Pet.DOG, Pet.ONE, "fish", 2]] = []
    known: dict[Literal[Pet.CAT, Pet.ONE], int] = {}
    best: Literal[Answer.YES] | None = None


class Cat(BaseModel):
    kind: Literal[Pet.CAT]
    lives: int


class Dog(BaseModel):
    kind: Literal[Pet.DOG]
    name: str


class Home(BaseModel):
    pet: Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_member_of_an_enum_in_a_literal_is_taken_by_its_value(revision: str, lenient: bool) -> None:
    """V39"""
    both = Both(Owner, lenient_arguments=lenient)
    whole = {"pet": "cat", "others": ["dog", 1, "fish", 2], "known": {"cat": 3, "1": 4}, "best": True}
    taken = both.take(whole, revision)
    assert taken == Owner(
        pet=Pet.CAT, others=[Pet.DOG, Pet.ONE, "fish", 2], known={Pet.CAT: 3, Pet.ONE: 4}, best=Answer.YES
    )
    assert both.take({"pet": "cat"}, revision) == Owner(pet=Pet.CAT)
    assert both.take({"pet": "dog", "others": [True]}, revision) == (
        'it.pet: expected "cat"\nit.others[0]: expected one of "dog", 1, "fish", 2, got a boolean'
    )
    if both.has_data(revision):
        assert both.give(taken, revision) == whole


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_member_of_an_enum_chooses_among_models(revision: str) -> None:
    """V39"""
    both = Both(Home)
    cat, dog = {"pet": {"kind": "cat", "lives": 9}}, {"pet": {"kind": "dog", "name": "Rex"}}
    assert both.take(cat, revision) == Home(pet=Cat(kind=Pet.CAT, lives=9))
    assert both.take(dog, revision) == Home(pet=Dog(kind=Pet.DOG, name="Rex"))
    assert both.take({"pet": {"kind": "fish"}}, revision) == 'it.pet.kind: expected one of "cat", "dog"'
    if both.has_data(revision):
        assert both.give(Home(pet=Dog(kind=Pet.DOG, name="Rex")), revision) == dog


# Keys without a name ------------------------------------------------------------------------------

T = TypeVar("T")
INTEGER = {"type": "integer"}


class Prices(TypedDict, extra_items=int):
    shop: str


class Derived(Prices):
    city: NotRequired[str]


class Reopened(Prices, closed=False):  # type: ignore[call-arg]
    """Says nothing of other keys again."""


class Closed(Prices, closed=True):
    """Has no other keys."""


class Never_(TypedDict, extra_items=Never):
    shop: str


class Kept(TypedDict, extra_items=ReadOnly[list[Literal["a", "b"]]]):
    shop: str


class Boxed(TypedDict, Generic[T], extra_items=T):
    shop: str


class Tree(TypedDict, extra_items="Tree"):  # type: ignore[call-arg]
    name: str


class Whole(TypedDict, extra_items=pydantic.PositiveInt):
    shop: str


class Nothing(TypedDict, extra_items=None):
    shop: str


class Shop(BaseModel):
    prices: Prices


@dataclass
class Street:
    shops: list[Prices]


class DataUser(TypedDict):
    name: str


class Users(TypedDict, extra_items=DataUser):
    shop: str


# The hint, the schema for the other keys, JSON that fits, JSON that does not, and what the error says.
OTHER_KEYS: list[tuple[Any, Any, Any, Any, str]] = [
    (Prices, INTEGER, {"tea": 3}, {"tea": "dear"}, "it.tea: expected an integer, got a string"),
    (Derived, INTEGER, {"city": "Oslo", "tea": 3}, {"tea": None}, "it.tea: expected an integer, got null"),
    (Kept, {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, {"x": ["a"]}, {"x": ["c"]},
     'it.x[0]: expected one of "a", "b"'),
    (Boxed[int], INTEGER, {"tea": 3}, {"tea": "dear"}, "it.tea: expected an integer, got a string"),
    (Whole, {**INTEGER, "exclusiveMinimum": 0}, {"tea": 3}, {"tea": 0}, "it.tea: expected an integer > 0"),
    (Nothing, {"type": "null"}, {"tea": None}, {"tea": 0}, "it.tea: expected null, got an integer"),
    (Closed, False, {}, {"tea": 3}, "it.tea: no such field; the fields are shop"),
    (Never_, False, {}, {"tea": 3}, "it.tea: no such field; the fields are shop"),
]  # fmt: skip


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("hint", "schema", "fits", "misfits", "problem"), OTHER_KEYS)
def test_other_keys_of_a_typed_dict_are_listed_taken_and_sent(
    hint: Any, schema: Any, fits: Any, misfits: Any, problem: str, revision: str
) -> None:
    """V34"""
    both = Both(hint)
    taken, sent = both.listed()
    assert taken["additionalProperties"] == schema and sent["additionalProperties"] == schema
    whole = {"shop": "Tea & Co", **fits}
    assert both.take(whole, revision) == whole
    assert both.take({"shop": "Tea & Co", **misfits}, revision) == problem
    if both.has_data(revision):
        assert both.give(whole, revision) == whole


@pytest.mark.parametrize("revision", REVISIONS)
def test_so_are_those_of_typed_dicts_inside(revision: str) -> None:
    """V34"""
    prices = {"shop": "Tea & Co", "tea": 3, "two words": 4, "self": 5, "make": 6}
    for hint, json, value in (
        (Shop, {"prices": prices}, Shop(prices=prices)),
        (Street, {"shops": [prices]}, Street([prices])),
        (dict[str, Prices], {"a": prices}, {"a": prices}),
    ):
        both = Both(hint)
        assert both.take(json, revision) == value
        if both.has_data(revision):
            assert both.give(value, revision) == json
    tree = {"name": "oak", "left": {"name": "ash", "right": {"name": "elm"}}}
    both = Both(Tree)
    assert both.take(tree, revision) == tree
    assert both.take({"name": "oak", "left": {"right": {}}}, revision) == (
        "it.left.name: missing; it takes a string\nit.left.right.name: missing; it takes a string"
    )
    if both.has_data(revision):
        assert both.give(tree, revision) == tree


def test_what_is_sent_under_other_keys_is_filtered_by_their_type() -> None:
    """V34"""
    users = {"shop": "Tea & Co", "ada": {"name": "Ada", "password": "hunter2"}}
    assert Both(Users).give(users) == {"shop": "Tea & Co", "ada": {"name": "Ada"}}


@pytest.mark.parametrize("hint", [Reopened, DataUser])
def test_a_typed_dict_that_says_nothing_of_other_keys_drops_them(hint: Any) -> None:
    """V34"""
    both = Both(hint)
    whole = {"shop": "Tea & Co"} if hint is Reopened else {"name": "Ada"}
    assert "additionalProperties" not in both.listed()[0]
    assert both.take({**whole, "tea": 3}) == whole
    assert both.give({**whole, "tea": 3}) == whole


def test_a_field_may_have_any_name() -> None:
    """V34"""
    hint = make_dataclass("Car", [("make", str), ("keys", int), ("node", Literal[Pet.CAT])])
    assert Both(hint).take({"make": "Volvo", "keys": 2.0, "node": "cat"}) == hint("Volvo", 2, Pet.CAT)
