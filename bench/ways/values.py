"""From a value to the bytes of a whole result, against the least that could cost; in this process.

Twice: by `normalize_tool_result`, and by `handle()` of a server, which has templates for records and checks the value
against the output schema. The floor does not put spaces into JSON, as `standard` does, nor make each row of a list a
block, as `standard` and `fastmcp` do: "compact" settings are those that need neither.
"""

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import msgspec
import pydantic

import payloads
import workload
from plainmcp import Policy, Server
from plainmcp.protocol import project
from plainmcp.revisions import LATEST
from plainmcp.values.normalize import tool_result
from plainmcp.values.payload import Declared, Output
from plainmcp.wire import codec
from rounds import Timed
from ways.handle import timed
from workload import Case, request

__all__ = ["Setting", "settings"]

DECLARED: list[tuple[str, Declared]] = [
    ("lean", "schema"), ("fastmcp", "schema"), ("standard", "schema"), ("standard", "nothing")
]  # fmt: skip


class Setting(NamedTuple):
    """A value, a policy, and what the tool declared: an output schema, or nothing."""

    shape: str
    value: Any
    hint: Any
    dump: Callable[[Any], bytes]  # its own package's fastest way to JSON
    policy: str
    declared: Declared

    @property
    def name(self) -> str:
        return f"{self.shape}; {self.policy}, {self.declared}"

    def ours(self) -> bytes:
        """The value as the bytes of a whole result, by normalize, project and encode."""
        policy = Policy.of(self.policy)
        output = Output(declared=self.declared, wrap=False if policy.non_object == "raw" else None)
        normalized = tool_result(self.value, policy, output=output)
        return codec.encode(project.tool_result(*normalized, LATEST, policy.wrap_key, policy.json_style))

    def served(self) -> Callable[[], bytes]:
        """A call of a tool of a server that returns the value."""
        server, promised = Server("bench", policy=self.policy), self.declared == "schema"

        def table() -> Any:
            return self.value

        table.__annotations__ = {"return": self.hint} if promised else {}
        server.tool(table, output_schema=promised)
        body = request(Case("table", "tools/call", {"name": "table", "arguments": {}}, bool), workload.LATEST)

        def call() -> bytes:
            response = server.handle(body)
            assert response is not None
            return response

        result, ours = codec.decode(call())["result"], codec.decode(self.ours())
        assert {key: result[key] for key in ours} == ours
        return call

    def floor(self) -> Callable[[], Any]:
        """One encode of the value and one escape of the text, as it is sent: what no implementation can leave out."""
        value, dump, encode = self.value, self.dump, msgspec.json.encode
        text = codec.format_json(dump(value), Policy.of(self.policy).json_style).encode()
        return lambda: (dump(value), encode(text.decode()))

    @property
    def comparable(self) -> bool:
        """Whether the floor does all that is asked: the text is compact JSON in one block."""
        blocks = codec.decode(self.ours())["content"]
        return Policy.of(self.policy).json_style == "compact" and len(blocks) == 1

    def contestants(self) -> dict[str, Timed]:
        """All three, to be timed in turns."""
        calls = {"plainmcp": self.ours, "server": self.served(), "floor": self.floor()}
        return {name: partial(timed, call) for name, call in calls.items()}

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
    shapes: list[tuple[str, Any, Any, Callable[[Any], bytes]]] = [
        ("dataclasses in a list", table.rows, list[payloads.Row], encode),
        ("dataclasses in an object", table, payloads.Table, encode),
        ("models in a list", models.rows, list[payloads.RowModel], dump_rows),
        ("models in an object", models, payloads.TableModel, dump_table),
        ("dicts in a list", dicts["rows"], list[dict[str, Any]], encode),
        ("dicts in an object", dicts, dict[str, Any], encode),
    ]
    for shape in shapes:
        for declared in DECLARED:
            yield Setting(*shape, *declared)
