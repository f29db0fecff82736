"""Arrays, tables and rows of other packages as plain lists, dicts and scalars.

Knows how values of numpy, pandas, polars and others are taken apart, and imports none of them. An index is data: only
the default index of pandas, which counts rows from 0, is left out. Knows nothing of policies.
"""

from collections.abc import Callable, Collection
from functools import partial
from operator import attrgetter, methodcaller
from typing import Any

from ..errors import NormalizeError

__all__ = ["OPENERS"]


def _check_names(names: Collection[Any]) -> None:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise NormalizeError("$", f"two columns are both called {name!r}; rename one of them")
        seen.add(name)


# pandas -------------------------------------------------------------------------------------------


def _open_frame(frame: Any) -> list[dict[Any, Any]]:
    """A list of rows; an index comes first in each, a column for each of its levels."""
    names = [_column_name_of(label, frame.columns) for label in frame.columns]
    columns = [_cells_of(column) for _, column in frame.items()]
    if not _is_default(frame.index):
        names = [*_level_names_of(frame.index, names), *names]
        columns = [*_levels_of(frame.index), *columns]
    _check_names(names)
    if not columns:
        return [{} for _ in range(len(frame))]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _open_series(series: Any) -> Any:
    """A list; with an index, an object if its labels are texts, else rows, as for a frame with one column."""
    index = series.index
    if _is_default(index):
        return _cells_of(series)
    labels = index.tolist()
    is_text = all(type(label) is str for label in labels) and index.dtype.kind == "O"
    if is_text and index.names == [None] and index.is_unique:
        return dict(zip(labels, _cells_of(series), strict=True))
    return _open_frame(series.to_frame("value" if series.name is None else series.name))


def _open_index(index: Any) -> list[Any]:
    """The labels; those of several levels are rows."""
    if index.nlevels == 1:
        return _cells_of(index)
    names = _level_names_of(index, [])
    return [dict(zip(names, row, strict=True)) for row in zip(*_levels_of(index), strict=True)]


def _cells_of(values: Any) -> list[Any]:
    """The values of a Series, an Index or an array of pandas; missing ones are None."""
    missing = values.isna().tolist()
    items: list[Any] = values.tolist()
    return (
        [None if is_missing else item for item, is_missing in zip(items, missing, strict=True)]
        if any(missing)
        else items
    )


def _is_default(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and (index.start, index.step, index.name) == (0, 1, None)


def _levels_of(index: Any) -> list[list[Any]]:
    return [_cells_of(index.get_level_values(level)) for level in range(index.nlevels)]


def _level_names_of(index: Any, columns: Collection[Any]) -> list[str]:
    """Names for the levels of an index that no column has: their own, or those of pandas for unnamed levels."""
    used, names = set(map(_to_text, columns)), list[str]()
    for level, name in enumerate(index.names):
        own = [] if name is None else [_to_text(name)]
        usual = ["index"] if index.nlevels == 1 else []
        choices = [*own, *usual, f"level_{level}"]
        names.append(next((one for one in choices if one not in used), choices[0]))
        used.add(names[-1])
    return names


def _column_name_of(label: Any, columns: Any) -> Any:
    """A column's own label; one of several levels is `price.min`, or `price.quarter=1` if a level has a name."""
    if columns.nlevels == 1:
        return label
    # The label is an empty text at a level that does not concern the column, such as a former index.
    texts = [(name, _to_text(part)) for name, part in zip(columns.names, label, strict=True) if _to_text(part)]
    return ".".join(part if name is None else f"{_to_text(name)}={part}" for name, part in texts)


def _to_text(label: Any) -> str:
    if isinstance(label, tuple):
        return ".".join(map(_to_text, label))
    return label.isoformat() if hasattr(label, "isoformat") else str(label)


def _open_moment(moment: Any) -> Any:
    fits = not moment.nanosecond and 0 < moment.year < 10_000
    return moment.to_pydatetime() if fits else moment.isoformat()


def _open_span(span: Any) -> Any:
    return span.isoformat() if span.nanoseconds else span.to_pytimedelta()


def _open_missing(value: Any) -> None:
    """NaT and NA are None."""


# numpy and pyarrow --------------------------------------------------------------------------------


def _open_array(array: Any) -> Any:
    dtype = array.dtype
    if dtype.names is not None:  # a record has field names, which a tuple of its values would lose
        return list(array) if array.ndim else {name: array[name] for name in dtype.names}
    if dtype.kind in "mM":
        return _open_moments(array)
    wide = {"f": 8, "c": 16}.get(dtype.kind)
    return (array.astype(f"{dtype.kind}{wide}") if wide and dtype.itemsize > wide else array).tolist()


def _open_moments(array: Any) -> Any:
    """Dates, moments or spans; as text where Python's own are too coarse for them, or do not reach as far."""
    kind, unit = array.dtype.kind, array.dtype.str.rstrip("]").rpartition("[")[2].lstrip("0123456789")
    if kind == "m" and unit in ("M", "Y"):  # months and years have no fixed length
        return _moments_to_text(array)
    # Numpy gives dates for days and longer units; for units finer than a microsecond it gives bare integers.
    plain = array if kind == "M" and unit in _DATES else array.astype(f"{kind}8[us]")
    lost = (plain != array) & (array == array)
    if lost.any() or any(type(item) is int for item in plain.ravel().tolist()):
        return _moments_to_text(array)
    return plain.tolist()


_DATES = ("D", "W", "M", "Y")


def _moments_to_text(array: Any) -> Any:
    if array.ndim:
        return [_moments_to_text(one) for one in array]
    return str(array) if array == array else None


def _open_arrow_rows(table: Any) -> Any:
    _check_names(table.schema.names)
    return table.to_pylist()


# Rows of databases --------------------------------------------------------------------------------


def _open_row(names: Callable[[Any], Any], row: Any) -> dict[Any, Any]:
    """A row as an object: its values have names, which a list of them would lose."""
    columns = list(names(row))
    _check_names(columns)
    return dict(zip(columns, row, strict=True))


OPENERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("numpy", "ndarray"): _open_array,
    ("numpy", "generic"): _open_array,
    ("pandas", "DataFrame"): _open_frame,
    ("pandas", "Series"): _open_series,
    ("pandas", "Index"): _open_index,
    ("pandas", "ExtensionArray"): _cells_of,
    ("pandas", "Timestamp"): _open_moment,
    ("pandas", "Timedelta"): _open_span,
    ("pandas", "Period"): str,
    ("pandas", "Interval"): str,
    ("pandas", "NaTType"): _open_missing,
    ("pandas", "NAType"): _open_missing,
    ("polars", "DataFrame"): lambda frame: frame.to_dicts(),
    ("polars", "LazyFrame"): lambda frame: frame.collect(),
    ("polars", "Series"): lambda series: series.to_list(),
    ("pyarrow", "Table"): _open_arrow_rows,
    ("pyarrow", "RecordBatch"): _open_arrow_rows,
    ("pyarrow", "_PandasConvertible"): lambda array: array.to_pylist(),
    ("pyarrow", "Scalar"): lambda scalar: scalar.as_py(),
    ("sqlite3", "Row"): partial(_open_row, methodcaller("keys")),
    ("asyncpg", "Record"): partial(_open_row, methodcaller("keys")),
    ("sqlalchemy", "Row"): partial(_open_row, attrgetter("_fields")),
}
"""By package and class: a function that turns a value into a plainer one."""
