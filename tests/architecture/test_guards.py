"""Guards that say "a shorter way does the same here" are allow-lists, and the shorter way does do the same.

A policy field that is in neither list of a guard fails here, so its author decides. Until then the long way is taken.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

from plainmcp import Image, Policy, Server
from plainmcp.errors import PlainMCPError
from plainmcp.protocol import plan, project
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client
from plainmcp.types import CallToolResult
from plainmcp.values import encode
from plainmcp.values.encode import Inexact, Rules
from plainmcp.values.normalize import tool_result
from plainmcp.values.walk import Walk

# The guards, each with the fields that it does not let pass.
GUARDS = {
    "encode": (encode._DIRECT, {"drop_none"}),
    "templates of texts": (plan._IN_TEXTS, {"accept"}),
    "templates of records": (plan._IN_RECORDS, {"accept", "drop_none", "item_order", "key_case"}),
}


@pytest.mark.parametrize("guard", GUARDS)
def test_every_policy_field_is_in_exactly_one_list_of_a_guard(guard: str) -> None:
    """G3, G4"""
    passes, stops = GUARDS[guard]
    assert passes & stops == set()
    assert passes | stops == set(Policy.__struct_fields__)


# The same by the shorter and by the longer way ------------------------------------------------------


@dataclass
class Point:
    x_axis: int
    label: str | None = None


class Model(BaseModel):
    some_name: str
    when: float | None = None


VALUES: list[Any] = [
    "text", "", "é", "a\ud800b", "1", '"', 0, 1.5, float("nan"), True, None, b"bytes", b"\xff", [], {}, [[]],
    [1, [2, "x"]], ["a", None], {"a": None}, {"snake_case": 1}, {"b_c": [{"name": "z"}, {"name": "a"}]},
    {"content": []}, {"content": [{"type": "text", "text": "x"}]}, {"content": "mine"}, {1: 2}, {"set": {3, 1}},
    ("text", {"a": 1}), (1, 2), Point(1), Point(2, "p"), [Point(1), Point(2)], Model(some_name="m"),
    [Model(some_name="m")], {"nested": {"p": Point(1)}}, Image(data=b"\x89PNG\r\n\x1a\n"), complex, object(),
    [float("inf")], {"a": "\udc00"},
]  # fmt: skip


def policies() -> Iterator[Any]:
    """Every profile; and `standard` with each answer of each field."""
    for name in Policy.profiles:
        yield pytest.param(Policy.of(name), id=name)
    hints = get_type_hints(Policy)
    for field in Policy.__struct_fields__:
        usual = getattr(Policy.standard, field)
        answers: tuple[Any, ...] = (not usual,) if type(usual) is bool else (f"{usual}x",)
        if get_origin(hints[field]) is Literal:
            answers = tuple(one for one in get_args(hints[field]) if one != usual)
        for answer in answers:
            yield pytest.param(Policy.standard.replace(**{field: answer}), id=f"{field}={answer}")


@pytest.mark.parametrize("policy", list(policies()))
def test_the_encoders_write_what_a_walk_writes(policy: Policy) -> None:
    """G4"""
    rules = Rules()
    for value in VALUES:
        assert outcome(lambda value=value: rules.encode(value, policy)) == outcome(
            lambda value=value: json_of_walk(value, rules, policy)
        )


def json_of_walk(value: Any, rules: Rules, policy: Policy) -> bytes:
    walk = Walk(rules, policy)
    raw = encode.msgspec.json.encode(walk.convert(value))
    return raw if walk.exact else Inexact(raw)


def outcome(run: Any) -> Any:
    try:
        made = run()
    except PlainMCPError as error:
        return str(error)
    return type(made), made


@pytest.mark.parametrize("policy", list(policies()))
def test_a_server_sends_what_a_value_is_normalized_and_projected_to(policy: Policy) -> None:
    """G3"""
    server = Server("s", policy=policy)
    for index, value in enumerate(VALUES):
        server.tool(name=f"t{index}")(returning(value))
    clients = {name: Client(server, name) for name in REVISIONS}
    for (index, value), (name, revision) in itertools.product(enumerate(VALUES), REVISIONS.items()):
        sent = clients[name].call(f"t{index}")
        sent.pop("_meta", None)
        try:
            normalized = tool_result(value, policy)
        except PlainMCPError as error:
            assert sent["isError"] is True and str(error) in sent["content"][0]["text"], value
        else:
            made = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style)
            assert json.dumps(sent) == json.dumps(as_data(made)), value


def returning(value: Any) -> Any:
    def tool():  # type: ignore[no-untyped-def]
        return value

    return tool


def as_data(result: CallToolResult) -> Any:
    return json.loads(encode.codec.encode(result))
