"""What the handlers of the benchmark return: the same values for every system. Knows no system."""

from dataclasses import asdict, dataclass
from datetime import date

import pydantic

__all__ = [
    "MODEL",
    "NOTE",
    "ORDINARY",
    "PICTURE",
    "READING",
    "TEXT",
    "Model",
    "Reading",
    "Row",
    "RowModel",
    "Table",
    "TableModel",
]
__all__ += ["rows", "table", "table_model"]

TEXT = "The quick brown fox jumps over the lazy dog, «là» and back.\n" * (64 * 1024 // 62)
NOTE = "hello"
ORDINARY = ("All sunny days are the same; each rainy one rains in its own way. " * 5)[:300]
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4096  # 1 MiB and a signature


@dataclass
class Reading:
    station: str
    high: float
    low: float
    calm: bool
    note: str


class Model(pydantic.BaseModel):
    station: str
    high: float
    low: float
    calm: bool
    note: str


@dataclass
class Row:
    id: int
    name: str
    email: str
    amount: float
    joined: date
    note: str | None


@dataclass
class Table:
    title: str
    rows: list[Row]


class RowModel(pydantic.BaseModel):
    id: int
    name: str
    email: str
    amount: float
    joined: date
    note: str | None


class TableModel(pydantic.BaseModel):
    title: str
    rows: list[RowModel]


READING = Reading("Oslo", 21.5, 12.0, True, "dry")
MODEL = Model(**asdict(READING))


def rows(count: int) -> list[Row]:
    """So many rows, some of them with a character that is not ASCII and some with a null."""
    return [
        Row(n, f"Person {n}", f"{n}@example.com", n * 1.25, date(2026, 7, 28), ("«là»", None)[n % 2])
        for n in range(count)
    ]


def table(count: int) -> Table:
    """A table of dataclasses."""
    return Table("people", rows(count))


def table_model(count: int) -> TableModel:
    """The same table of pydantic models."""
    return TableModel(title="people", rows=[RowModel(**asdict(row)) for row in rows(count)])
