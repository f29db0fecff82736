"""What is counted of a call, and in which order its copies are called."""

import json
from typing import Any

import pytest

from plainmcp import Policy, Server
from plainmcp.preview.calls import _shape_of, copies_of, in_order, policies_of, read_preview
from plainmcp.revisions import REVISIONS

ROWS = list(REVISIONS.values())


def offer(policy: Policy | str = "lean") -> tuple[Server, list[int]]:
    server, runs = Server("s"), list[int]()

    @server.tool(policy=policy)
    def roll() -> int:
        runs.append(1)
        return len(runs)

    return server, runs


def test_the_policy_of_a_tool_comes_first() -> None:
    server, _ = offer()
    feature = server.registry.tools.find("roll", None)
    assert feature is not None
    assert list(policies_of(feature, every=False)) == ["lean"]
    assert list(policies_of(feature, every=True)) == ["lean", *(name for name in Policy.profiles if name != "lean")]
    server, _ = offer(Policy.lean.replace(wrap_key="other"))
    feature = server.registry.tools.find("roll", None)
    assert feature is not None
    assert list(policies_of(feature, every=False)) == ["of its own"]


def test_the_tool_runs_in_the_first_copy_which_is_on_the_newest_revision() -> None:
    server, runs = offer()
    policies = {"lean": Policy.lean, "standard": Policy.standard}
    copies = list(copies_of(server, "roll", policies, ROWS))
    assert [(name, revision.name) for name, _, revision in copies] == [
        (name, revision) for name in policies for revision in reversed(REVISIONS)
    ]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "roll"}}
    values = [json.loads(copy.handle(call, revision="2025-06-18") or b"")["result"] for _, copy, _ in copies]
    assert runs == [1] and all(value["content"][0]["text"] == "1" for value in values)


def test_previews_are_shown_by_policy_and_then_by_revision() -> None:
    names = ["2024-11-05", "2026-07-28"]
    rows = [REVISIONS[name] for name in names]
    previews = [read_preview(policy, name, b"{}", 2) for name in reversed(names) for policy in ("b", "a")]
    ordered = in_order(previews, ["b", "a"], rows)
    assert [(one.policy, one.revision) for one in ordered] == [(p, name) for p in "ba" for name in names]


def test_text_and_data_are_counted() -> None:
    raw = b'{"content":[{"type":"text","text":"12345"},{"type":"resource","resource":{"text":"123"}}],' \
        b'"structuredContent":{"a":1.0},"isError":true}'  # fmt: skip
    preview = read_preview("lean", "2025-06-18", raw, 200)
    assert (preview.text, preview.data, preview.tokens) == (8, '{"a":1.0}', 5)
    assert (preview.blocks, preview.failed, preview.bytes, preview.raw) == (["text", "resource"], True, 200, raw)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ({}, "{}"),
        ({"a": 1, "b": [1]}, "{a, b: 1 item}"),
        (dict.fromkeys("abcdef", 1), "{a, b, c, d, …}"),
        ([], "0 items"),
        ("a", "string"),
        (True, "boolean"),
        (None, "null"),
        (1.5, "number"),
    ],
)
def test_the_shape_of_structured_content(value: Any, shape: str) -> None:
    assert _shape_of(value) == shape
