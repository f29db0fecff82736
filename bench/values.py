"""What a value costs on its way to a result, against the least it could cost: `make bench` prints a table."""

import gc
import platform
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from itertools import starmap
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
import pydantic

from plainmcp import Policy, codec, project
from plainmcp.normalize import Declared, tool_result
from plainmcp.revisions import LATEST

ROWS, ROUNDS = 1_000, 100


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


class Shape(NamedTuple):
    name: str
    value: Any
    encode: Callable[[Any], bytes]  # its own package's fastest way to JSON


SETTINGS: list[tuple[str, Declared]] = [
    ("lean", "schema"), ("fastmcp", "schema"), ("standard", "schema"), ("standard", "nothing")
]  # fmt: skip


def shapes() -> list[Shape]:
    rows = [
        Row(n, f"Person {n}", f"{n}@example.com", n * 1.25, date(2026, 7, 28), ("«là»", None)[n % 2])
        for n in range(ROWS)
    ]
    dicts = [asdict(row) for row in rows]
    models = [RowModel(**row) for row in dicts]
    encode = msgspec.json.Encoder().encode
    dump_rows, dump_table = (pydantic.TypeAdapter(kind).dump_json for kind in (list[RowModel], TableModel))
    return [
        Shape("dataclasses in a list", rows, encode),
        Shape("dataclasses in an object", Table("people", rows), encode),
        Shape("models in a list", models, dump_rows),
        Shape("models in an object", TableModel(title="people", rows=models), dump_table),
        Shape("dicts in a list", dicts, encode),
        Shape("dicts in an object", {"title": "people", "rows": dicts}, encode),
    ]


def floor(shape: Shape) -> bytes:
    """One encode of the value and one escape of the text: what no implementation can leave out."""
    return msgspec.json.encode(shape.encode(shape.value).decode())


def ours(shape: Shape, policy: Policy, declared: Declared) -> bytes:
    """The value as the bytes of a whole result."""
    normalized = tool_result(shape.value, policy, declared=declared)
    return codec.encode(project.tool_result(*normalized, LATEST, policy.wrap_key))


def microseconds(call: Callable[..., bytes], *args: Any) -> float:
    start = perf_counter()
    call(*args)
    return (perf_counter() - start) * 1e6


def peak(call: Callable[..., bytes], *args: Any) -> int:
    """The most memory one call holds at a time."""
    tracemalloc.start()
    call(*args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def line(shape: Shape, name: str, declared: Declared) -> str:
    settings = shape, Policy.of(name), declared
    result = ours(*settings)
    pairs = [(microseconds(ours, *settings), microseconds(floor, shape)) for _ in range(ROUNDS)]
    mine, least = (median(times) for times in zip(*pairs, strict=True))
    low, *_, high = quantiles([one / other for one, other in pairs], n=10)
    plain = Policy.of(name).json_style == "compact" and len(codec.decode(result)["content"]) == 1
    return (
        f"{mine / least:6.2f}{'*' if plain else ' '} {low:5.2f} to {high:<6.2f}"
        f"{peak(ours, *settings) / len(result):6.2f}   {shape.name:<26}{f'{name}, {declared}':<20}"
        f"{mine:6.0f} {least:6.0f} {len(result) / 1000:5.0f}"
    )


LEGEND = f"""
ratio   ours / floor, each the median of {ROUNDS} rounds taken in turn, after as many to warm up
spread  of that ratio in single rounds, from the 1st decile to the 9th; wide when the machine has other work
memory  the peak of one call (tracemalloc) / the size of its result; the target is at most 4
policy  and what the tool declared: an output schema, or nothing
ours    µs from the value to the bytes of a whole result, by normalize, project and encode; size: its kB
floor   µs for one encode of the value by msgspec, or of models by pydantic, and one escape of the text

The target of 1.6 is for the rows marked *: their text is compact JSON in one block. The others do what the
floor does not: `standard` puts spaces into its JSON; it and `fastmcp` make a list's rows a text block each."""


def main() -> None:
    versions = f"Python {platform.python_version()}, msgspec {msgspec.__version__}, pydantic {pydantic.VERSION}"
    print(f"{ROWS:,} rows to the bytes of a tool result; {versions}, {platform.machine()}\n")
    print(" ratio   spread         memory   value                     policy                ours  floor  size")
    gc.disable()  # as timeit does: a collection would fall on whoever happens to run
    rows = [(shape, *setting) for shape in shapes() for setting in SETTINGS]
    list(starmap(line, rows))  # until the allocator has settled, the same call may take half as long again
    print(*starmap(line, rows), sep="\n")
    print(LEGEND)


if __name__ == "__main__":
    main()
