"""From a value to the bytes of a whole result, against the least that could cost; in this process.

The target of 1.6 is for tables of dataclasses and models whose text is compact JSON in one block. The other settings
do what the floor does not: `standard` puts spaces into its JSON; it and `fastmcp` make a list's rows a block each.
"""

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import msgspec
import pydantic

import payloads
from plainmcp import Policy, codec, project
from plainmcp.normalize import Declared, tool_result
from plainmcp.revisions import LATEST
from rounds import Timed
from ways.handle import timed

__all__ = ["Setting", "settings"]

DECLARED: list[tuple[str, Declared]] = [
    ("lean", "schema"), ("fastmcp", "schema"), ("standard", "schema"), ("standard", "nothing")
]  # fmt: skip


class Setting(NamedTuple):
    """A value, a policy, and what the tool declared: an output schema, or nothing."""

    shape: str
    value: Any
    dump: Callable[[Any], bytes]  # its own package's fastest way to JSON
    policy: str
    declared: Declared

    @property
    def name(self) -> str:
        return f"{self.shape}; {self.policy}, {self.declared}"

    def ours(self) -> bytes:
        """The value as the bytes of a whole result, by normalize, project and encode."""
        policy = Policy.of(self.policy)
        normalized = tool_result(self.value, policy, declared=self.declared)
        return codec.encode(project.tool_result(*normalized, LATEST, policy.wrap_key, policy.json_style))

    def floor(self) -> bytes:
        """One encode of the value and one escape of the text: what no implementation can leave out."""
        return msgspec.json.encode(self.dump(self.value).decode())

    @property
    def comparable(self) -> bool:
        """Whether the floor does all that is asked: the text is compact JSON in one block."""
        blocks = codec.decode(self.ours())["content"]
        return Policy.of(self.policy).json_style == "compact" and len(blocks) == 1

    def contestants(self) -> dict[str, Timed]:
        """Both, to be timed in turns."""
        return {"plainmcp": lambda calls: timed(self.ours, calls), "floor": lambda calls: timed(self.floor, calls)}

    def memory(self) -> float:
        """The most memory one call holds at a time, in sizes of its result."""
        size = len(self.ours())
        tracemalloc.start()
        self.ours()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most / size


def settings(rows: int = 1_000) -> Iterator[Setting]:
    """Every value with every policy."""
    table, models = payloads.table(rows), payloads.table_model(rows)
    dicts = asdict(table)
    encode = msgspec.json.Encoder().encode
    dump_rows, dump_table = (pydantic.TypeAdapter(kind).dump_json for kind in (list[payloads.RowModel], type(models)))
    shapes: list[tuple[str, Any, Callable[[Any], bytes]]] = [
        ("dataclasses in a list", table.rows, encode),
        ("dataclasses in an object", table, encode),
        ("models in a list", models.rows, dump_rows),
        ("models in an object", models, dump_table),
        ("dicts in a list", dicts["rows"], encode),
        ("dicts in an object", dicts, encode),
    ]
    for shape in shapes:
        for declared in DECLARED:
            yield Setting(*shape, *declared)
