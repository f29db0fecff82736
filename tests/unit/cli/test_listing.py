"""What `plainmcp list` prints: nested fields, limits, tags, who may use what, and the cost of definitions."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli import schema_text
from plainmcp.cli.listing import bill_of

SHOP = '''
from dataclasses import dataclass, field
from typing import Annotated
from plainmcp import Server
import msgspec

server = Server("shop")

@dataclass
class Item:
    name: str
    count: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1
    parts: "list[Item]" = field(default_factory=list)

@server.tool(tags=["orders", "admin"], requires=["shop:write", "shop:read"])
def order(items: list[Item], note: Annotated[str, msgspec.Meta(max_length=80)] = "") -> None:
    """Order some items."""

def only_staff(principal: object) -> bool:
    return getattr(principal, "subject", None) == "ada"

@server.tool(visible=only_staff)
def refund(number: int) -> None:
    """Pay back."""

@server.tool(tags=["old"])
def legacy() -> None:
    """No longer offered."""

server.disable(tags=["old"])
'''
LISTED = """\
shop 0.0.0, on 2026-07-28

tools
  order   Order some items.
      tags: admin, orders; requires: shop:write shop:read
      items    array of Item, required
        name   string, required
        count  integer, 1 to 9 = 1
        parts  array of Item, optional
      note     string, at most 80 characters = ""
  refund  not listed for this caller
      visible: where only_staff() is true
  legacy  not listed for this caller
      tags: old; disabled
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    file = tmp_path / "shop_server.py"
    file.write_text(SHOP, "utf-8")
    return str(file)


def test_fields_limits_tags_and_callers_are_shown(run: Any, shop: str) -> None:
    code, out, err = run("list", shop)
    assert (code, err) == (0, "")
    assert out.partition("\napproximate tokens")[0] == LISTED


def test_a_caller_sees_more(run: Any, shop: str) -> None:
    out = run("list", shop, "--principal", "ada")[1]
    assert "  refund  Pay back.\n      visible: where only_staff() is true\n      number  integer, required\n" in out


def test_json_has_the_cost_and_the_callers(run: Any, shop: str) -> None:
    listed = json.loads(run("list", shop, "--json")[1])
    [line] = listed["definitions"]["each"]
    characters = len(json.dumps(listed["tools"][0], separators=(",", ":"), ensure_ascii=False))
    assert line == {
        "kind": "tools",
        "name": "order",
        "characters": characters,
        "approximateTokens": -(-characters // 4),
    }
    assert listed["definitions"]["approximateTokens"] == line["approximateTokens"]
    assert listed["access"]["tools"] == {
        "order": {"tags": ["admin", "orders"], "requires": ["shop:write", "shop:read"]},
        "refund": {"visible": "only_staff"},
        "legacy": {"tags": ["old"], "enabled": False},
    }


def test_the_sum_is_the_same_in_lines_and_in_json(run: Any, shop: str) -> None:
    listed = json.loads(run("list", shop, "--principal", "ada", "--json")[1])["definitions"]
    total = -(-sum(line["characters"] for line in listed["each"]) // 4)
    assert len(listed["each"]) == 2 and listed["approximateTokens"] == total
    assert run("list", shop, "--principal", "ada")[1].endswith(f"~{total:,}  all\n")


def test_the_heaviest_definition_comes_first() -> None:
    features: dict[str, list[dict[str, Any]]] = {
        "tools": [{"name": "a"}, {"name": "b", "description": "long" * 10}],
        "resources": [{"uri": "x://y", "description": "medium"}],
        "resourceTemplates": [],
        "prompts": [],
    }
    assert [(line["name"], line["approximateTokens"]) for line in bill_of(features)] == [
        ("b", 18),
        ("x://y", 10),
        ("a", 3),
    ]


@pytest.mark.parametrize(
    ("schema", "limits"),
    [
        ({"minimum": 1}, ["at least 1"]),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1.5}, ["more than 0", "less than 1.5"]),
        ({"minimum": 1, "maximum": 7, "multipleOf": 2}, ["1 to 7", "a multiple of 2"]),
        ({"minLength": 1, "pattern": "^a"}, ["at least 1 character", "pattern ^a"]),
        ({"minLength": 1, "maxLength": 40}, ["1 to 40 characters"]),
        ({"minItems": 1, "maxProperties": 2}, ["at least 1 item", "at most 2 keys"]),
        ({"format": "date"}, ["date"]),
        (
            {"minItems": 1, "maxItems": 2, "uniqueItems": True},
            ["1 to 2 items", "no two equal"],
        ),
        ({"type": "string"}, []),
    ],
)
def test_limits_are_said_in_words(schema: dict[str, Any], limits: list[str]) -> None:
    assert schema_text.limits_of(schema) == limits


def test_a_schema_of_a_stranger_is_shown_without_a_failure() -> None:
    schema = {"properties": {"a": True, "b": {"$ref": "#/$defs/Gone"}, "c": {"items": [1]}, "d": {"anyOf": []}}}
    assert [line.name for line in schema_text.fields_of(schema)] == ["a", "b", "c", "d"]
