"""Records that cannot be generated: classes that hold themselves, tagged unions, defaults, and the like."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import attrs
import msgspec
import pydantic
from hypothesis import strategies as st
from pydantic import BaseModel
from typing_extensions import TypeAliasType

from property.containers import list_of, optional, union
from property.kinds import Kind, anything, text
from property.leaves import leaf
from property.records import record

__all__ = ["FIXED"]

NAME = leaf(str, text)
COUNT = leaf(int, st.integers(-9, 9))

# Records that hold themselves ---------------------------------------------------------------------


@dataclass
class Tree:
    name: str
    below: "list[Tree]"


class ModelTree(BaseModel):
    name: str
    below: "list[ModelTree]"


class StructTree(msgspec.Struct):
    name: str
    below: "list[StructTree]"


class TypedTree(TypedDict):
    name: str
    below: "list[TypedTree]"


@dataclass
class Chain:
    value: int
    next: "Chain | None"


def _tree(made: Any, make: Callable[..., Any], read: Callable[[Any, str], Any] = getattr, **about: Any) -> Kind:
    def holds(value: Any) -> bool:
        if make is dict and not (isinstance(value, dict) and value.keys() == {"name", "below"}):
            return False
        return isinstance(value, dict if make is dict else made) and all(map(holds, read(value, "below")))

    def told(value: Any, data: Any) -> bool:
        below = read(value, "below")
        return (
            isinstance(data, dict)
            and data.keys() == {"name", "below"}
            and data["name"] == read(value, "name")
            and len(data["below"]) == len(below)
            and all(map(told, below, data["below"]))
        )

    leaves = st.builds(lambda name: make(name=name, below=[]), text)
    fits = st.recursive(
        leaves,
        lambda inner: st.builds(lambda n, b: make(name=n, below=b), text, st.lists(inner, max_size=2)),
        max_leaves=4,
    )
    lie = made.model_construct if issubclass(made, BaseModel) else make
    misses = anything | st.builds(lambda name, below: lie(name=name, below=below), text | anything, anything)
    return Kind(hint=made, code=made.__name__, fits=fits, misses=misses, holds=holds, told=told, **about)


def _chain() -> Kind:
    def holds(value: Any) -> bool:
        return value is None or (isinstance(value, Chain) and type(value.value) is int and holds(value.next))

    def told(value: Any, data: Any) -> bool:
        if value is None or data is None:
            return value is data
        return data.keys() == {"value", "next"} and data["value"] == value.value and told(value.next, data["next"])

    fits = st.recursive(st.none(), lambda inner: st.builds(Chain, st.integers(-9, 9), inner), max_leaves=4)
    some = fits.filter(lambda value: value is not None)
    return Kind(
        hint=Chain, code="Chain", fits=some, misses=anything, holds=lambda v: v is not None and holds(v), told=told
    )


# Records that are told apart by a tag -------------------------------------------------------------


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


class Get(msgspec.Struct, tag=True):
    key: str


class Put(msgspec.Struct, tag=True):
    key: str
    value: int


def _animals() -> Kind:
    cat = record("Cat", Cat, {"lives": COUNT}, Cat, also={"kind": lambda value: "cat"})
    dog = record("Dog", Dog, {"name": NAME}, Dog, also={"kind": lambda value: "dog"})
    found = union(cat, dog)
    return dataclasses.replace(
        found,
        hint=Annotated[Cat | Dog, pydantic.Field(discriminator="kind")],
        code="Annotated[Cat | Dog, discriminator]",
    )


def _commands() -> Kind:
    get = record("Get", Get, {"key": NAME}, Get, also={"type": lambda value: "Get"}, by_pydantic=False)
    put = record(
        "Put", Put, {"key": NAME, "value": COUNT}, Put, also={"type": lambda value: "Put"}, by_pydantic=False
    )
    return union(get, put)


# Others -------------------------------------------------------------------------------------------


class Numbers(pydantic.RootModel[list[int]]):
    pass


class Defaults(BaseModel):
    """Fields with defaults, which are always sent."""

    name: str = "nobody"
    count: int | None = None
    tags: list[str] = []


@dataclass
class Lasting:
    name: str = "nobody"
    count: int | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


@attrs.define
class Private:
    """attrs keeps what begins with an underscore to itself."""

    name: str
    _secret: str = "hunter2"


def _numbers_model() -> Kind:
    return Kind(
        hint=Numbers,
        code="RootModel[list[int]]",
        fits=st.lists(st.integers(-9, 9), max_size=3).map(Numbers),
        misses=anything | st.builds(Numbers.model_construct, anything),
        holds=lambda value: isinstance(value, Numbers),
        told=lambda value, data: data == value.root,
        of_pydantic=True,
    )


WITH_DEFAULTS = {"name": NAME, "count": optional(COUNT), "tags": list_of(NAME)}


def _named(alias: Kind, name: str) -> Kind:
    """The same hint under a name of its own, as `type Name = ...` makes it."""
    return dataclasses.replace(alias, hint=TypeAliasType(name, alias.hint), code=name)


Nest = TypeAliasType("Nest", "int | list[Nest]")  # type: ignore[misc]


def _nest() -> Kind:
    """A named alias that contains itself."""

    def holds(value: Any) -> bool:
        return type(value) is int or (isinstance(value, list) and all(map(holds, value)))

    def told(value: Any, data: Any) -> bool:
        return bool(data == value)

    fits = st.recursive(st.integers(-9, 9), lambda inner: st.lists(inner, max_size=3), max_leaves=6)
    misses = anything | st.lists(anything, max_size=2)
    return Kind(hint=Nest, code="Nest", fits=fits, misses=misses, holds=holds, told=told, by_pydantic=False)


FIXED: list[Kind] = [
    _tree(Tree, Tree),
    _tree(ModelTree, ModelTree, of_pydantic=True),
    _tree(StructTree, StructTree, by_pydantic=False),
    _tree(TypedTree, dict, lambda value, name: value[name], by_pydantic=False),
    _chain(),
    _animals(),
    _commands(),
    _numbers_model(),
    record("Defaults", Defaults, WITH_DEFAULTS, Defaults),
    record("Lasting", Lasting, WITH_DEFAULTS, Lasting),
    record("Private", Private, {"name": NAME}, Private, by_pydantic=False, symmetric=False, open=True),
    _named(optional(COUNT), "MaybeCount"),
    _nest(),
]
