"""What a client receives for arrays, tables and rows of other packages: all of their data, with labels."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pytest

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

WEATHER = pd.DataFrame(
    {"city": ["Oslo", "Rome", "Oslo"], "high": [4.0, 18.0, None], "day": [1, 1, 2]},
)
HOURS = pd.Series([1, 2, 3], index=pd.date_range("2026-01-01", periods=3, freq="12h"))


class Own(pd.DataFrame):
    """As geopandas and others have it."""


def sent(value: Any, revision: str = "2026-07-28", policy: str = "standard") -> Any:
    """The data a tool's client gets for a value; where there is no place for data, what its text says."""
    server = Server("tables", policy=policy)
    server.tool(name="table")(lambda: {"value": value})
    result = Client(server, revision).call("table")
    assert not result.get("isError"), result
    told = json.loads(result["content"][0]["text"])
    assert result.get("structuredContent", told) == told
    return told["value"]


def refused(value: Any, caplog: pytest.LogCaptureFixture) -> str:
    """What the author reads in the log of a result that is withheld."""
    server = Server("tables")
    server.tool(name="table")(lambda: {"value": value})
    caplog.clear()
    result = Client(server).call("table")
    assert result["isError"] and "structuredContent" not in result
    return caplog.messages[0].partition(": ")[2]


# An index is data ---------------------------------------------------------------------------------

FRAMES: dict[str, tuple[Callable[[], Any], Any]] = {
    "the index pandas makes by itself": (
        lambda: WEATHER[["city", "day"]],
        [{"city": "Oslo", "day": 1}, {"city": "Rome", "day": 1}, {"city": "Oslo", "day": 2}],
    ),
    "groupby().sum()": (
        lambda: WEATHER.groupby("city").sum(),
        [{"city": "Oslo", "high": 4.0, "day": 3}, {"city": "Rome", "high": 18.0, "day": 1}],
    ),
    "groupby() by two columns": (
        lambda: WEATHER.groupby(["city", "day"]).max(),
        [
            {"city": "Oslo", "day": 1, "high": 4.0},
            {"city": "Oslo", "day": 2, "high": None},
            {"city": "Rome", "day": 1, "high": 18.0},
        ],
    ),
    "agg() with several functions": (
        lambda: WEATHER.groupby("city").agg({"high": ["min", "max"], "day": "count"}),
        [
            {"city": "Oslo", "high.min": 4.0, "high.max": 4.0, "day.count": 2},
            {"city": "Rome", "high.min": 18.0, "high.max": 18.0, "day.count": 1},
        ],
    ),
    "agg() and reset_index()": (
        lambda: WEATHER.groupby("city").agg({"day": ["min"]}).reset_index(),
        [{"city": "Oslo", "day.min": 1}, {"city": "Rome", "day.min": 1}],
    ),
    "describe()": (
        lambda: WEATHER[["day"]].describe().loc[["count", "max"]],
        [{"index": "count", "day": 3.0}, {"index": "max", "day": 2.0}],
    ),
    "pivot_table()": (
        lambda: WEATHER.pivot_table(index="day", columns="city", values="high"),
        [{"day": 1, "Oslo": 4.0, "Rome": 18.0}],
    ),
    "pivot_table() of several values": (
        lambda: WEATHER.pivot_table(index="day", columns="city", values=["high"]),
        [{"day": 1, "high.city=Oslo": 4.0, "high.city=Rome": 18.0}],
    ),
    "crosstab()": (
        lambda: pd.crosstab(WEATHER.city, WEATHER.day),
        [{"city": "Oslo", "1": 1, "2": 1}, {"city": "Rome", "1": 1, "2": 0}],
    ),
    "rows that were chosen": (
        lambda: WEATHER[WEATHER.city == "Oslo"][["day"]],
        [{"index": 0, "day": 1}, {"index": 2, "day": 2}],
    ),
    "the last rows": (lambda: WEATHER[["day"]].tail(1), [{"index": 2, "day": 2}]),
    "rows in another order": (
        lambda: WEATHER[["day"]].sort_values("day", ascending=False).head(1),
        [{"index": 2, "day": 2}],
    ),
    "a range that has a name": (
        lambda: pd.DataFrame({"n": [5]}, index=pd.RangeIndex(1, name="row")),
        [{"row": 0, "n": 5}],
    ),
    "a range with other steps": (
        lambda: pd.DataFrame({"n": [5, 6]}, index=pd.RangeIndex(0, 4, 2)),
        [{"index": 0, "n": 5}, {"index": 2, "n": 6}],
    ),
    "a class of one's own": (lambda: Own({"n": [5]}, index=["a"]), [{"index": "a", "n": 5}]),
    "a frame on its side": (
        lambda: WEATHER[["day"]].T,
        [{"index": "day", "0": 1, "1": 1, "2": 2}],
    ),
    "resample()": (
        lambda: HOURS.to_frame("rain").resample("D").sum(),
        [{"index": "2026-01-01T00:00:00", "rain": 3}, {"index": "2026-01-02T00:00:00", "rain": 3}],
    ),
    "periods": (
        lambda: pd.DataFrame({"n": [1]}, index=pd.PeriodIndex(["2026Q1"], freq="Q", name="quarter")),
        [{"quarter": "2026Q1", "n": 1}],
    ),
    "intervals": (
        lambda: pd.DataFrame({"n": [1]}, index=pd.IntervalIndex.from_tuples([(0, 5)])),
        [{"index": "(0, 5]", "n": 1}],
    ),
    "categories": (
        lambda: pd.DataFrame({"n": [1, 2]}, index=pd.CategoricalIndex(["a", None], name="kind")),
        [{"kind": "a", "n": 1}, {"kind": None, "n": 2}],
    ),
    "levels without names": (
        lambda: pd.DataFrame({"n": [1]}, index=pd.MultiIndex.from_tuples([("a", 1)])),
        [{"level_0": "a", "level_1": 1, "n": 1}],
    ),
    "levels of one name": (
        lambda: pd.DataFrame({"n": [1]}, index=pd.MultiIndex.from_tuples([("a", 1)], names=["x", "x"])),
        [{"x": "a", "level_1": 1, "n": 1}],
    ),
    "an index named like a column": (
        lambda: WEATHER.groupby("city").agg(city=("day", "size")),
        [{"index": "Oslo", "city": 2}, {"index": "Rome", "city": 1}],
    ),
    "an index without a name beside a column of its name": (
        lambda: pd.DataFrame({"index": [7]}, index=["a"]),
        [{"level_0": "a", "index": 7}],
    ),
    "an index that repeats": (
        lambda: pd.DataFrame({"n": [1, 2]}, index=["a", "a"]),
        [{"index": "a", "n": 1}, {"index": "a", "n": 2}],
    ),
    "names that are no text": (
        lambda: pd.DataFrame([[1, 2]], columns=[pd.Timestamp("2026-01-01"), 1.5], index=pd.Index([3], name=7)),
        [{"7": 3, "2026-01-01T00:00:00": 1, "1.5": 2}],
    ),
    "no rows": (lambda: WEATHER.set_index("city").iloc[:0], []),
    "nothing at all": (lambda: pd.DataFrame(), []),
    "an index and no columns": (lambda: pd.DataFrame(index=["a"]), [{"index": "a"}]),
    "missing values of every kind": (
        lambda: pd.DataFrame(
            {
                "a": pd.array([1, None], dtype="Int64"),
                "b": pd.array([True, None], dtype="boolean"),
                "c": pd.to_datetime(["2026-01-01", None]),
                "d": pd.Categorical(["x", None]),
                "e": ["y", None],
                "f": [1.5, float("nan")],
            }
        ),
        [
            {"a": 1, "b": True, "c": "2026-01-01T00:00:00", "d": "x", "e": "y", "f": 1.5},
            dict.fromkeys("abcdef"),
        ],
    ),
}

SERIES: dict[str, tuple[Callable[[], Any], Any]] = {
    "the index pandas makes by itself": (lambda: WEATHER.high, [4.0, 18.0, None]),
    "labels that are text": (lambda: WEATHER.day.describe().loc[["count", "max"]], {"count": 3.0, "max": 2.0}),
    "the sum of each column": (lambda: WEATHER[["high", "day"]].sum(), {"high": 22.0, "day": 4.0}),
    "one row of a frame": (lambda: WEATHER.iloc[0], {"city": "Oslo", "high": 4.0, "day": 1}),
    "groupby().sum()": (
        lambda: WEATHER.groupby("city").high.sum(),
        [{"city": "Oslo", "high": 4.0}, {"city": "Rome", "high": 18.0}],
    ),
    "groupby().count() of its own column": (
        lambda: WEATHER.groupby("city").city.count(),
        [{"index": "Oslo", "city": 2}, {"index": "Rome", "city": 1}],
    ),
    "value_counts()": (
        lambda: WEATHER.city.value_counts(),
        [{"city": "Oslo", "count": 2}, {"city": "Rome", "count": 1}],
    ),
    "value_counts() of ranges": (
        lambda: pd.cut(WEATHER.day, [0, 1, 2]).value_counts(),
        [{"day": "(0, 1]", "count": 2}, {"day": "(1, 2]", "count": 1}],
    ),
    "several levels": (
        lambda: WEATHER.groupby(["city", "day"]).high.sum().head(1),
        [{"city": "Oslo", "day": 1, "high": 4.0}],
    ),
    "values that were chosen": (lambda: WEATHER.day[WEATHER.day > 1], [{"index": 2, "day": 2}]),
    "moments": (lambda: HOURS.head(1), [{"index": "2026-01-01T00:00:00", "value": 1}]),
    "labels that repeat": (
        lambda: pd.Series([1, 2], index=["a", "a"]),
        [{"index": "a", "value": 1}, {"index": "a", "value": 2}],
    ),
    "labels of mixed kinds": (
        lambda: pd.Series([1, 2], index=[1, "1"]),
        [{"index": 1, "value": 1}, {"index": "1", "value": 2}],
    ),
    "a name with levels": (
        lambda: pd.Series([1], index=pd.Index(["a"], name="x"), name=("high", "max")),
        [{"x": "a", "high.max": 1}],
    ),
    "nothing": (lambda: pd.Series([], dtype=float), []),
    "nothing that has text for labels": (lambda: WEATHER.iloc[0][:0], {}),
}

LABELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "columns": (lambda: WEATHER.columns, ["city", "high", "day"]),
    "a range": (lambda: pd.RangeIndex(1, 3), [1, 2]),
    "moments": (lambda: HOURS.index[:1], ["2026-01-01T00:00:00"]),
    "one that is missing": (lambda: pd.Index([1.5, None]), [1.5, None]),
    "several levels": (
        lambda: pd.MultiIndex.from_tuples([("a", 1)], names=["x", None]),
        [{"x": "a", "level_1": 1}],
    ),
    "categories": (lambda: pd.Categorical(["a", None]), ["a", None]),
    "an array": (lambda: pd.array([1, None], dtype="Int64"), [1, None]),
    "an array that is sparse": (lambda: pd.arrays.SparseArray([0, 1]), [0, 1]),
}

SCALARS: dict[str, tuple[Callable[[], Any], Any]] = {
    "a moment": (lambda: pd.Timestamp("2026-01-01", tz="UTC"), "2026-01-01T00:00:00Z"),
    "a nanosecond": (lambda: pd.Timestamp("2026-01-01T00:00:00.000000001"), "2026-01-01T00:00:00.000000001"),
    "a far year": (lambda: pd.Timestamp(np.datetime64("20000-01-01", "s")), "20000-01-01T00:00:00"),
    "a span": (lambda: pd.Timedelta("1h"), "PT3600S"),
    "a span of a nanosecond": (lambda: pd.Timedelta("1ns"), "P0DT0H0M0.000000001S"),
    "NaT": (lambda: pd.NaT, None),
    "NA": (lambda: pd.NA, None),
    "a period": (lambda: pd.Period("2026-01"), "2026-01"),
    "an interval": (lambda: pd.Interval(0, 1, closed="left"), "[0, 1)"),
}

ARRAYS: dict[str, tuple[Callable[[], Any], Any]] = {
    "records": (lambda: np.array([(1, "a")], dtype=[("n", "i4"), ("s", "U3")]), [{"n": 1, "s": "a"}]),
    "one record": (lambda: np.rec.array([(1, 2.5)], names="n,x")[0], {"n": 1, "x": 2.5}),
    "records in a grid": (lambda: np.zeros((1, 1), dtype=[("n", "i4")]), [[{"n": 0}]]),
    "a long double": (lambda: np.longdouble(1.5), 1.5),
    "nanoseconds": (
        lambda: np.array([["2026-01-01T00:00:00.000000001", "NaT"]], dtype="M8[ns]"),
        [["2026-01-01T00:00:00.000000001", None]],
    ),
    "whole seconds in nanoseconds": (lambda: np.array(["2026-01-01"], dtype="M8[ns]"), ["2026-01-01T00:00:00"]),
    "a far year": (lambda: np.datetime64("20000-01-01"), "20000-01-01"),
    "months": (lambda: np.timedelta64(2, "M"), "2 months"),
    "a mask": (lambda: np.ma.array([1, 2], mask=[False, True]), [1, None]),
    "a lazy frame": (lambda: pl.LazyFrame({"a": [1, 2]}).filter(pl.col("a") > 1), [{"a": 2}]),
    "a frame of polars": (lambda: pl.DataFrame({"a": [1], "b": [None]}), [{"a": 1, "b": None}]),
    "a series of polars": (lambda: pl.Series("a", [1, 2]), [1, 2]),
}


def each(given: dict[str, tuple[Callable[[], Any], Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("make", "data"), given.values(), ids=given.keys())


@each(FRAMES)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_data_frame_is_sent_with_its_index(make: Callable[[], Any], data: Any, revision: str) -> None:
    assert sent(make(), revision) == data


@each(FRAMES)
def test_the_columns_of_a_data_frame_keep_their_order_behind_the_index(make: Callable[[], Any], data: Any) -> None:
    assert [list(row) for row in sent(make())] == [list(row) for row in data]


@each(SERIES)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_series_is_sent_with_its_index(make: Callable[[], Any], data: Any, revision: str) -> None:
    assert sent(make(), revision) == data


@each(LABELS)
def test_an_index_or_an_array_of_pandas_is_the_list_of_its_values(make: Callable[[], Any], data: Any) -> None:
    assert sent(make()) == data


@each(SCALARS)
def test_a_scalar_of_pandas_is_data(make: Callable[[], Any], data: Any) -> None:
    assert sent(make()) == data
    assert sent([{"in": make()}]) == [{"in": data}]


@each(ARRAYS)
def test_arrays_and_frames_of_others_are_data(make: Callable[[], Any], data: Any) -> None:
    assert sent(make()) == data


@pytest.mark.parametrize("policy", ["standard", "openmcp", "fastmcp", "kubernetes", "lean"])
def test_a_frame_that_is_returned_by_itself_is_one_text_with_every_label(policy: str) -> None:
    server = Server("tables", policy=policy)
    server.tool(name="table")(lambda: WEATHER.groupby("city").day.sum())
    for revision in REVISIONS:
        result = Client(server, revision).call("table")
        (block,) = result["content"]
        rows = [{"city": "Oslo", "day": 3}, {"city": "Rome", "day": 1}]
        assert json.loads(block["text"]) == rows
        assert result.get("structuredContent", {"result": rows}) in ({"result": rows}, rows)


def test_a_series_with_text_for_labels_is_structured_data_as_it_is() -> None:
    server = Server("tables")
    server.tool(name="table")(lambda: WEATHER[["day"]].sum())
    assert Client(server).call("table")["structuredContent"] == {"day": 4}


def test_a_frame_keeps_its_index_in_records_and_models() -> None:
    @dataclass
    class Record:
        table: Any

    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        table: pd.DataFrame

    table = WEATHER.set_index("city")[["day"]].head(1)
    data = {"table": [{"city": "Oslo", "day": 1}]}
    assert sent([Record(table), Model(table=table)]) == [data, data]


def test_a_frame_is_the_json_of_a_resource_and_of_a_prompt() -> None:
    server = Server("tables")
    server.resource("table://1")(lambda: WEATHER.groupby("city").day.sum())
    server.prompt(name="table")(lambda: WEATHER.groupby("city").day.sum())
    rows = [{"city": "Oslo", "day": 3}, {"city": "Rome", "day": 1}]
    assert json.loads(Client(server).read("table://1")["contents"][0]["text"]) == rows
    assert json.loads(Client(server).get_prompt("table")["messages"][0]["content"]["text"]) == rows


# What cannot be told apart is refused -------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are both called 'a'; rename one of them"),
        (
            lambda: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a.b", "c"), ("a", "b.c")])),
            "two columns are both called 'a.b.c'; rename one of them",
        ),
        (
            lambda: pd.DataFrame({"index": [1], "level_0": [2]}, index=["x"]),
            "two columns are both called 'index'; rename one of them",
        ),
    ],
)
def test_two_columns_of_one_name_are_refused(
    make: Callable[[], Any], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert refused(make(), caplog) == f"$.value: {why}"


def test_two_columns_that_are_one_in_json_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    frame = pd.DataFrame([[1, 2]], columns=[1, "1"])
    assert refused(frame, caplog) == "$.value[0]: two keys are both '1' in JSON"


def test_a_lazy_frame_that_fails_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    lazy = pl.LazyFrame({"a": [1]}).select("b")
    assert refused(lazy, caplog) == "$.value: converting LazyFrame raised ColumnNotFoundError"


# Rows of databases --------------------------------------------------------------------------------


@pytest.fixture
def database() -> Any:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.row_factory = sqlite3.Row
    yield connection
    connection.close()


def test_a_row_of_sqlite_keeps_the_names_of_its_columns(database: sqlite3.Connection) -> None:
    query = "select 'Oslo' as city, 4 as high union select 'Rome', 18"
    rows = [{"city": "Oslo", "high": 4}, {"city": "Rome", "high": 18}]
    assert sent(database.execute(query).fetchall()) == rows
    assert sent(database.execute(query)) == rows
    assert sent(database.execute(query).fetchone()) == rows[0]


def test_a_row_of_sqlite_with_two_columns_of_one_name_is_refused(
    database: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    row = database.execute("select 1 as a, 2 as a").fetchone()
    assert refused(row, caplog) == "$.value: two columns are both called 'a'; rename one of them"


# Packages that are not installed here -------------------------------------------------------------


def belonging_to(package: str, kind: type) -> type:
    kind.__module__ = package
    return kind


class Table:
    """What pyarrow calls so."""

    def __init__(self, *names: str) -> None:
        self.schema = type("Schema", (), {"names": names})

    def __dataframe__(self) -> None: ...

    def to_pylist(self) -> list[dict[str, int]]:
        return [dict.fromkeys(self.schema.names, 1)]


class Row:
    """What SQLAlchemy calls so."""

    _fields = ("city", "high")

    def __iter__(self) -> Any:
        return iter(["Oslo", 4])


class Tensor:
    """An array that can be lent to others, as torch's and jax's can."""

    def __dlpack__(self) -> None: ...

    def __array__(self) -> None: ...

    def __iter__(self) -> Any:
        return iter([self])

    def tolist(self) -> list[float]:
        return [1.5]


def test_a_table_of_pyarrow_is_its_rows(caplog: pytest.LogCaptureFixture) -> None:
    table = belonging_to("pyarrow.lib", Table)
    assert sent(table("a", "b")) == [{"a": 1, "b": 1}]
    assert refused(table("a", "a"), caplog) == "$.value: two columns are both called 'a'; rename one of them"


def test_a_row_of_sqlalchemy_keeps_the_names_of_its_columns() -> None:
    assert sent(belonging_to("sqlalchemy.engine.row", Row)()) == {"city": "Oslo", "high": 4}


def test_an_array_of_numbers_alone_is_a_list() -> None:
    assert sent({"weights": Tensor()}) == {"weights": [1.5]}


# Names of columns and units of time, as their own packages have them ------------------------------

PIVOTS: dict[str, Callable[[], Any]] = {
    "texts": lambda: WEATHER.pivot_table(index="day", columns="city", values="high"),
    "numbers": lambda: WEATHER.pivot_table(index="city", columns="day", values="high"),
    "dates": lambda: WEATHER.assign(on=pd.Timestamp("2026-01-02")).pivot_table(
        index="city", columns="on", values="day"
    ),
    "counts": lambda: pd.crosstab(WEATHER.city, WEATHER.day),
    "a level that was stacked": lambda: WEATHER.groupby(["day", "city"]).size().unstack(),
    "bins": lambda: pd.crosstab(WEATHER.day, pd.cut(WEATHER.high, [0, 10, 20])),
}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("make", PIVOTS.values(), ids=PIVOTS)
def test_columns_of_one_level_have_the_names_that_pandas_gives_them(make: Callable[[], Any], revision: str) -> None:
    """V49"""
    rows = [
        {name.isoformat() if hasattr(name, "isoformat") else str(name): cell for name, cell in row.items()}
        for row in make().reset_index().to_dict("records")
    ]
    rows = [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]
    assert sent(make(), revision) == rows


UNITS = {
    "Y": "2026-01-01", "M": "2026-07-01", "W": "2026-07-23", "D": "2026-07-28", "7D": "2026-07-23",
    "h": "2026-07-28T12:00:00", "m": "2026-07-28T12:30:00", "s": "2026-07-28T12:30:15",
    "ms": "2026-07-28T12:30:15.123000", "us": "2026-07-28T12:30:15.123456", "ns": "2026-07-28T12:30:15.123456789",
}  # fmt: skip


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("unit", "form"), UNITS.items())
def test_a_moment_of_numpy_is_a_date_if_its_unit_is_a_day_or_longer(unit: str, form: str, revision: str) -> None:
    """V49"""
    moment = np.datetime64("2026-07-28T12:30:15.123456789", "ns").astype(f"datetime64[{unit}]")
    none = np.datetime64("NaT", unit)
    assert sent(moment, revision) == form
    assert sent(none, revision) is None
    assert sent(np.array([[moment, none]]), revision) == [[form, None]]
    assert sent(np.array([], f"datetime64[{unit}]"), revision) == []
    assert sent(np.array((moment, 1), [("when", f"datetime64[{unit}]"), ("n", int)]), revision) == {
        "when": form,
        "n": 1,
    }


def test_a_date_that_python_does_not_reach_is_a_text() -> None:
    """V49"""
    far = np.array(["20000-01-01", "2026-07-28"], "datetime64[D]")
    assert sent(far) == ["20000-01-01", "2026-07-28"]
    assert sent(np.datetime64("20000-01", "M")) == "20000-01"
