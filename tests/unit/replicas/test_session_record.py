"""What changes during a shared session: how changes are merged, and the dict in which handlers keep values."""

import math
from collections import UserDict
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp.protocol.session import Session
from plainmcp.replicas.session_record import KeptValues, RecordChange, SessionRecord


@dataclass
class Point:
    x: int = 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        Point(), date(2026, 1, 1), {1, 2}, (1, 2), b"x", math.nan, math.inf, {1: "x"}, {"x": (1,)}, "\ud800",
        nested(5_000), UserDict(), object(),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_value_that_is_not_json_is_refused_when_it_is_set_and_the_error_names_the_key(value: Any) -> None:
    kept = KeptValues({"cart": b"1"})
    for change in (
        lambda: kept.__setitem__("cart", value),
        lambda: kept.update(cart=value),
        lambda: kept.setdefault("new cart", value),
        lambda: kept.__ior__({"cart": value}),
    ):
        with pytest.raises(TypeError, match=r"ctx.session_state\['(new )?cart'\] is shared by several processes"):
            change()
    assert (kept, kept.finish()) == ({"cart": 1}, {})


@pytest.mark.parametrize("key", [1, None, ("a",), "\ud800"], ids=ascii)
def test_a_key_that_is_not_a_text_is_refused(key: Any) -> None:
    with pytest.raises(TypeError, match="its key must be a str"):
        KeptValues({})[key] = 1


def test_every_way_to_change_a_dict_counts() -> None:
    kept = KeptValues({name: b"1" for name in "abcdef"})
    kept["a"] = {"x": [1, None, True, 1.5, "é"]}
    del kept["b"]
    kept.update({"c": 2}, d=3)
    assert kept.setdefault("e", 9) == 1 and kept.setdefault("g") is None
    assert kept.pop("f") == 1 and kept.pop("f", 7) == 7
    kept |= {"h": 4}
    assert kept.popitem() == ("h", 4)
    with pytest.raises(KeyError):
        kept.pop("nothing")
    with pytest.raises(KeyError):
        del kept["nothing"]
    expected = {"b": None, "c": b"2", "d": b"3", "f": None, "g": b"null", "h": None}
    change = kept.finish()
    assert change == {"a": '{"x":[1,null,true,1.5,"é"]}'.encode(), **expected}
    emptied = KeptValues({"a": b"1", "b": b"2"})
    emptied.clear()
    with pytest.raises(KeyError):
        emptied.popitem()
    assert emptied.finish() == {"a": None, "b": None}


def test_a_change_inside_a_value_counts_only_if_the_value_is_set_again() -> None:
    kept = KeptValues({"seen": b"[1]"})
    kept["seen"].append(2)
    assert (kept["seen"], kept.finish()) == ([1, 2], {})
    again = KeptValues({"seen": b"[1]"})
    again["seen"].append(2)
    again["seen"] = again["seen"]
    assert again.finish() == {"seen": b"[1,2]"}


def test_nothing_is_set_after_the_end_of_a_request_because_nobody_would_save_it() -> None:
    kept = KeptValues({"a": b"1"})
    kept.finish()
    for late in (kept, KeptValues({"a": b"1"}, has_ended=True)):
        for change in (lambda late=late: late.__setitem__("b", 1), late.clear, late.popitem):
            with pytest.raises(RuntimeError, match="the request has ended"):
                change()
        assert late == {"a": 1}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), json_values))
def test_what_is_json_comes_back_as_it_was_set(values: dict[str, Any]) -> None:
    kept = KeptValues({})
    kept.update(values)
    state = RecordChange(values=kept.finish()).apply(SessionRecord())
    assert KeptValues(state.values) == values


def test_changes_of_different_keys_are_merged_and_of_one_key_the_later_wins() -> None:
    state = SessionRecord()
    for values in ({"a": b"1", "b": b"1"}, {"c": b"3"}, {"b": b"2", "a": None}):
        state = RecordChange(values=values).apply(state)
    assert (state.version, state.values) == (3, {"b": b"2", "c": b"3"})
    assert RecordChange(values={"a": None, "c": b"3"}).is_in(state)
    assert not RecordChange(values={"c": None}).is_in(state)
    assert RecordChange.between(Session(), Session()).is_in(state)


def test_a_state_that_the_store_has_lost_is_merged_with_what_it_has_since() -> None:
    known = SessionRecord(5, "error", ["memo://one"], origin="a", values={"a": b"1", "b": b"1"})
    assert known.complete(None) is known
    later = SessionRecord(1, None, ["memo://two"], origin="b", values={"b": b"2"})
    merged = known.complete(later)
    assert (merged.version, merged.level, merged.subscribed) == (6, "error", ["memo://one", "memo://two"])
    assert merged.values == {"a": b"1", "b": b"2"}
    whole = SessionRecord(6, None, ["memo://one"], origin="b", values={"a": b"3", "b": b"2"})
    assert known.complete(whole) is whole
