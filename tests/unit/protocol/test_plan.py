"""A response from a template equals the response that the rules make, byte for byte."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pydantic
import pytest

from plainmcp import Policy, Server
from plainmcp.policy import _ALLOWED
from plainmcp.protocol.plan import _project as project_result
from plainmcp.protocol.plan import _Writers as Writers
from plainmcp.revisions import REVISIONS
from plainmcp.wire import jsonrpc


@dataclass
class Row:
    id: int
    name: str
    note: str | None = None


class Model(pydantic.BaseModel):
    id: int
    name: str


class Weight(pydantic.BaseModel):
    kg: float


class Packed(msgspec.Struct):
    id: int
    tags: list[str]


@dataclass
class Table:
    rows: list[Row]


class Stranger:
    def __str__(self) -> str:
        return "a stranger"


JOINTS = [
    '}, {"',
    '}","text":"',
    '},{"id":1',
    "}, {",
    "},\n  {",
    "]",
    "[",
    "\\",
    '"',
    "@@the-text-goes-here@@",
    "null",
]
WRONG_NUMBERS: list[Any] = [True, "1.5", None, 10**20, msgspec.Raw(b"1"), Decimal("1.5")]
WRONG_TEXTS: list[Any] = [b"x", timedelta(hours=1), None, 1, UUID(int=1), "a\ud800"]
VALUES: list[Any] = [
    "hello", "", "«là» \U0001f600", 'a "quoted" \\ text\n', "@@the-text-goes-here@@", "a\ud800b",
    Row(1, "Ada"), Row(2, "", "dry"), Model(id=1, name="Ada"), Packed(1, ["a", "b"]), {"a": 1}, {}, {"content": []},
    {"content": [{"type": "text", "text": "t"}]}, {"1": [], "2": {}}, {"a": float("inf")}, {1: 2},
    [], [Row(1, "Ada")], [Row(1, "Ada"), Row(2, "Bob", "dry")], [Model(id=1, name="x")] * 3, [{}], [{}, {}],
    [{"a": [{"b": 1}, {"b": 2}]}, {"a": []}], [Row(1, "Ada"), {"a": None}], [{"a": 1}, 2], ["a", "b"], [[{"a": 1}]],
    *[[Row(1, joint), {joint: joint}, Row(3, "x", joint)] for joint in JOINTS],
    [Row(1, "Ada"), Row(float("nan"), "x")],  # type: ignore[arg-type]
    Row(Stranger(), "x"), Row(1, Stranger()),  # type: ignore[arg-type]
    None, 42, True, 1.5, (Row(1, "Ada"), Row(2, "Bob")), ["a"], [1.5], [[1]], [{"a": 1}, {"content": 2}],
    *[Row(wrong, "x") for wrong in WRONG_NUMBERS], *[Row(1, wrong) for wrong in WRONG_TEXTS],
    *[Model.model_construct(id=wrong, name="x") for wrong in WRONG_NUMBERS],
    *[Model.model_construct(id=1, name=wrong) for wrong in WRONG_TEXTS],
    *[Weight.model_construct(kg=kg) for kg in (*WRONG_NUMBERS, 1, 1e16, -1e300, float("nan"), float("inf"))],
    Model.model_construct(id=1), Model.model_construct(name="x", id=1), Weight(kg=1.5),
    {"content": 1.5}, Table([]), Table([Row(1, "Ada"), Row(2, "}, {", "dry")]), [Row(1, "Ada"), None],
]  # fmt: skip
VARIANTS = [
    Policy.standard.replace(**{name: value})
    for name, allowed in _ALLOWED.items()
    for value in (allowed if isinstance(allowed, tuple) else [True, False] if allowed is bool else ["other"])
]
POLICIES = [Policy.of(name) for name in Policy.profiles] + VARIANTS


def outcome(make: Any) -> Any:
    try:
        return msgspec.json.decode(make())
    except Exception as error:  # the same complaint, whoever makes it
        return type(error), str(error)


ID = msgspec.Raw(b"1")


def assert_alike(server: Server, name: str) -> None:
    """Whatever a tool returns, on every revision: by template as by the rules."""
    tool = server.registry.tools.get(name, None)
    for revision in REVISIONS.values():
        writers = Writers(server, tool, revision)
        for value in VALUES:

            def by_template(writers: Any = writers, value: Any = value) -> bytes:
                return writers[type(value)](ID, value)  # type: ignore[no-any-return]

            def by_rules(revision: Any = revision, value: Any = value) -> bytes:
                return jsonrpc.encode_result(ID, project_result(server, tool, tool.normalize(value), revision))

            assert outcome(by_template) == outcome(by_rules), (revision.name, value)


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
def test_a_template_makes_what_the_rules_make(policy: Policy) -> None:
    server = Server("s", policy=policy)

    @server.tool
    def any_value() -> Any: ...

    assert_alike(server, "any_value")


HINTS: list[Any] = [
    list[Row], list[Model], Row, Model, Weight, Table, Row | None, list[Row | None], list[dict[str, Any]],
    list[dict[str, int]], dict[str, Any], dict[str, float], list[float], list[str], list[list[int]], str, int,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("hint", HINTS, ids=str)
@pytest.mark.parametrize("policy", Policy.profiles)
def test_and_of_what_an_output_schema_promises(policy: str, hint: Any) -> None:
    server = Server("s", policy=policy)

    def typed() -> Any: ...

    typed.__annotations__ = {"return": hint}
    server.tool(typed)
    assert_alike(server, "typed")


def test_a_serializer_that_comes_later_is_asked_all_the_same() -> None:
    server = Server("s")

    @server.tool
    def t() -> Row:
        return Row(1, "Ada")

    @server.tool
    def table() -> Table:
        return Table([Row(2, "Bob")])

    assert called(server)["structuredContent"] == {"id": 1, "name": "Ada", "note": None}
    assert called(server, "table")["structuredContent"] == {"rows": [{"id": 2, "name": "Bob", "note": None}]}
    server.serializer(Row, lambda row: {"id": row.id, "name": row.name.upper()})
    assert called(server)["structuredContent"] == {"id": 1, "name": "ADA"}
    assert called(server, "table")["structuredContent"] == {"rows": [{"id": 2, "name": "BOB"}]}


# What must not be lost on the way -------------------------------------------------------------------


class Line(msgspec.Struct, array_like=True):
    items: Any


def called(server: Server, name: str = "t") -> Any:
    raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}})
    return msgspec.json.decode(raw or b"")["result"]


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (lambda: [{"of": iter([1, 2])}, {"x": [{"y": 1}, {"z": 2}]}], [{"of": [1, 2]}, {"x": [{"y": 1}, {"z": 2}]}]),
        (lambda: [{"of": iter([1, 2]), "t": "}, {"}], [{"of": [1, 2], "t": "}, {"}]),
        (lambda: Line(iter([1, 2])), [[1, 2]]),
        (lambda: [Line([{"a": 1}, {"b": 2}]), Line(3)], [[[{"a": 1}, {"b": 2}]], [3]]),
    ],
)
def test_an_iterator_that_was_read_is_not_read_again(make: Any, data: Any) -> None:
    server = Server("s")
    server.tool(name="t")(lambda: make())
    assert called(server)["structuredContent"] == {"result": data}


def test_nor_beside_what_has_no_form() -> None:
    server = Server("s")
    server.tool(name="t")(lambda: {"of": iter([1, 2]), "and": Stranger()})
    assert called(server) == {"content": [{"type": "text", "text": '{"of": [1, 2], "and": "a stranger"}'}]}


@pytest.mark.parametrize("kind", [dict, list])
def test_a_serializer_for_what_templates_are_made_of_never_meets_a_mark(kind: type) -> None:
    server, met = Server("s"), []
    values: dict[str, Any] = {"text": "text", "number": 5, "record": {"a": 1}, "rows": [{"a": 1}]}
    for name, value in values.items():
        server.tool(name=name)(lambda value=value: value)
    before = {name: called(server, name) for name in values}

    def told(value: Any) -> str:
        met.append(value)
        return f"{len(value)} inside"

    server.serializer(kind, told)
    assert called(server, "text") == before["text"] and called(server, "number") == before["number"]
    name = "record" if kind is dict else "rows"
    assert called(server, name)["structuredContent"] == {"result": "1 inside"}
    assert all(value in values.values() or value == {"a": 1} for value in met)
