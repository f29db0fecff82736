"""What a generated hint is: the hint, values that fit it, and what a test can say of them without asking plainmcp."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from hypothesis import strategies as st

__all__ = ["Kind", "Values", "anything", "either", "shared", "text"]

Values = st.SearchStrategy[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """A hint, and what a test has to know of it."""

    hint: Any
    code: str  # as somebody would write it
    fits: Values  # values of this hint
    misses: Values  # values that may fit or not: of another type, or nearly right
    holds: Callable[[Any], bool]  # whether a value is of this hint, all the way down
    told: Callable[[Any, Any], bool]  # whether some data is the JSON of a value that fits
    named: bool = False  # a record, whose JSON is an object
    open: bool = False  # says too little of its values to promise anything
    hashable: bool = False  # may be in a set
    key: bool = False  # may be the key of a dict
    taken: bool = True  # may be the hint of a parameter
    exact: bool = True  # what its schema allows is taken; not so where pydantic's own schema allows too much
    symmetric: bool = True  # what is sent for a value can be given as an argument, and is that value again
    of_pydantic: bool = False  # only pydantic can read it
    by_pydantic: bool = True  # pydantic can read it

    def __repr__(self) -> str:
        return self.code

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.code)  # Hypothesis would print every field


def shared(parts: Iterable[Kind], **about: Any) -> dict[str, Any]:
    """What is so of a hint because it is so of the hints it holds, and what is said about it besides."""
    parts = list(parts)
    return {
        "open": any(part.open for part in parts),
        "taken": all(part.taken for part in parts),
        "exact": all(part.exact for part in parts),
        "of_pydantic": any(part.of_pydantic for part in parts),
        "by_pydantic": about.pop("by_pydantic", True) and all(part.by_pydantic for part in parts),
        "symmetric": about.pop("symmetric", True) and all(part.symmetric for part in parts),
        **about,
    }


def either(kind: Kind) -> Values:
    """Values that fit, and values that may not."""
    return kind.fits | kind.misses


# Values of no hint in particular ------------------------------------------------------------------

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


class Stranger:
    """Of no kind that is known."""

    def __str__(self) -> str:
        return "a stranger"


class Word(str):
    __slots__ = ()


class Tenth(Enum):
    PART = 0.1


anything = st.deferred(lambda: _anything)
"""What a function may return in spite of its hint. (Deferred, so that it is short where it is printed.)"""

_anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    text,
    st.sampled_from([float("nan"), float("inf"), -0.0, 2**64, -(2**63) - 1, 10**400, 1j, Tenth.PART]),
    st.sampled_from(["\ud800", "", "null", "{}", "nan", "1/0", Word("word"), b"", b"\xff", b"text"]),
    st.sampled_from([Decimal("NaN"), Decimal("sNaN"), Decimal("1E+400"), date(1, 1, 1), time(1, 2)]),
    st.sampled_from([datetime(2026, 7, 28), datetime(2026, 7, 28, tzinfo=UTC), timedelta(days=-1)]),
    st.sampled_from([(), [], [[]], [None], [1, "a", 2.5], (1, {"a": 2}), set(), frozenset({1, "1"}), deque([1])]),
    st.sampled_from([{}, {"": None}, {1: 2}, {"result": 1}, {None: 0}, {"name": 1}, {"1": 1, 1: 1}]),
    st.sampled_from([..., object, Stranger(), range(2)]),
)
