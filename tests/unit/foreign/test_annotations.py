"""What is read of annotations and signatures, and what becomes of those that cannot be evaluated."""

import typing
from dataclasses import dataclass
from typing import Any

import pytest

from plainmcp.foreign.annotations import all_annotations, evaluate_hint, hints_of, own_annotations, signature_of

if typing.TYPE_CHECKING:
    from nowhere import Unknown


@dataclass
class Base:
    a: int
    b: "Unknown"


@dataclass
class Derived(Base):
    b: str
    c: "int | None" = None


class Plain(Derived):
    """A class without annotations of its own."""


def test_annotations_are_those_of_the_class_or_of_all_its_bases() -> None:
    assert list(own_annotations(Base)) == ["a", "b"]
    assert own_annotations(Derived) == {"b": str, "c": "int | None"}
    assert own_annotations(Plain) == {}
    assert all_annotations(Plain) == {"b": str, "c": "int | None", "a": int}


def test_a_name_for_type_checkers_only_is_an_exception_only_when_it_is_evaluated() -> None:
    assert own_annotations(Base)["a"] is int
    with pytest.raises(NameError):
        hints_of(Base)
    assert hints_of(Derived.__init__)["c"] == int | None


def test_a_signature_is_read_with_and_without_its_texts() -> None:
    def known(a: "int", b: str = "x") -> "list[int]": ...  # type: ignore[empty-body]

    def unknown(a: "int", b: "Unknown") -> None: ...

    assert signature_of(known).parameters["a"].annotation == "int"
    assert signature_of(known, evaluate=True).return_annotation == list[int]
    read = signature_of(unknown, evaluate=True)
    assert [one.annotation for one in read.parameters.values()] == ["int", "Unknown"]


class Raising:
    @property
    def __signature__(self) -> Any:
        raise RuntimeError("not now")

    def __call__(self) -> None: ...


@pytest.mark.parametrize("target", [type, 5, Raising()], ids=["in C", "no function", "raising"])
@pytest.mark.parametrize("evaluate", [False, True])
def test_what_has_no_signature_is_one_kind_of_exception(target: Any, evaluate: bool) -> None:
    with pytest.raises(ValueError):
        signature_of(target, evaluate=evaluate)


def test_a_hint_is_evaluated_inside_and_out() -> None:
    assert evaluate_hint("list['Name']", {"Name": str}) == list[str]
    assert evaluate_hint(dict[str, "Name"], {}, {"Name": int}) == dict[str, int]  # type: ignore[name-defined]  # noqa: F821
    with pytest.raises(NameError):
        evaluate_hint("Unknown", {})
