"""Whatever hint a tool has and whatever it returns: what is sent keeps what is listed, or is an error with a path.

The hints are generated, and tried under every policy and on every revision. What is listed and sent is judged by a
validator that is not ours, formats included.
"""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

import independent
import official
from plainmcp import Policy, Server
from plainmcp.revisions import LATEST, REVISIONS
from property.generated import LEAVES_AND_FIXED, examples, heard, kinds
from property.kinds import Kind
from property.telling import is_json_of, parsed, tells, unwrapped
from speaking import answer, message

BARE = "bare"
"""A tool whose schema is listed without a wrapper, whatever it is: the JSON of its hint."""

CHECKED = ("standard", "lean", "fastmcp", "kubernetes")
"""The profiles that check every declared return, also where its schema is not listed (V30)."""

PLACE = re.compile(r"(^|: )\$[^ ]*: ")
"""Where a path stands in what the author is told: `tool 'x': $.rows[3]: expected ...`."""


class Offered:
    """One server with a tool of this hint for each policy, and what is listed of it."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.returned: Any = None
        self.server = Server("promise")
        self.judged: set[Any] = set()

        def tool() -> Any:
            return self.returned

        tool.__annotations__["return"] = kind.hint
        for policy in Policy.profiles:
            self.server.tool(tool, name=policy, policy=policy)
        self.server.tool(tool, name=BARE, policy=Policy.standard.replace(output_schema="every", non_object="raw"))
        self.schemas = {revision: self._schemas(revision) for revision in REVISIONS}
        self.declared = self.schemas[LATEST.name].pop(BARE)

    def _schemas(self, revision: str) -> dict[str, Any]:
        tools = answer(self.server, revision, "tools/list")["result"]["tools"]
        return {tool["name"]: tool.get("outputSchema") for tool in tools}

    def call(self, policy: str, revision: str) -> tuple[dict[str, Any], list[str]]:
        """The result, valid by the official schema, and what was logged meanwhile."""
        with heard() as logged:
            raw = self.server.handle(message(revision, "tools/call", {"name": policy}), revision=revision)
        assert raw is not None
        if (revision, raw) not in self.judged:
            official.check_answer(revision, raw, "tools/call")
            self.judged.add((revision, raw))
        answered = parsed(raw)
        assert "result" in answered, answered
        return answered["result"], logged


def check_listed(offered: Offered) -> None:
    """What is listed is valid; the fields of a record are listed, unless they are of families that do not mix."""
    kind = offered.kind
    if kind.named and not kind.open and (kind.by_pydantic or not kind.of_pydantic):
        assert offered.schemas[LATEST.name]["standard"] is not None, f"{kind} is a record, and no schema is listed"
    listed = [schema for schemas in offered.schemas.values() for schema in schemas.values() if schema is not None]
    for schema in {json.dumps(schema): schema for schema in listed}.values():
        independent.check_schema(schema)


def check_sent(result: dict[str, Any], schema: dict[str, Any] | None) -> None:
    """What is sent validates against what is listed, and something is sent if anything is listed."""
    if schema is not None:
        assert "structuredContent" in result, f"nothing structured beside {result['content']}"
        found = independent.problem(schema, result["structuredContent"])
        assert found is None, f"{found}\nsent {json.dumps(result['structuredContent'])}\nlisted {json.dumps(schema)}"


def check_declared(offered: Offered, result: dict[str, Any], policy: Policy) -> None:
    """What is sent on the newest revision is JSON of the declared type, whether its schema is listed or not."""
    schema = offered.declared
    if schema is None or (policy.key_case == "camel" and "_" in json.dumps(schema)):
        return  # the type says nothing of its JSON, or the names at its top may be others
    data = unwrapped(result["structuredContent"], policy) if "structuredContent" in result else []
    if not data:
        texts = [block["text"] for block in result["content"]]
        data = [texts[0], *as_json(texts[0])] if texts else [None]
    problems = [independent.problem(schema, one) for one in data]
    assert None in problems, f"{problems}\nsent {json.dumps(data)}\ndeclared {json.dumps(schema)}"


def as_json(text: str) -> list[Any]:
    try:
        return [parsed(text)]
    except ValueError:
        return []


def check_refused(result: dict[str, Any], logged: list[str]) -> None:
    """An error says where, in the log: it is the author who has to mend it."""
    said = [block["text"] for block in result["content"]]
    assert "incident" not in " ".join(said), "\n".join(logged)
    assert any(PLACE.search(line) for line in (*said, *logged)), f"no path in {said} and {logged}"


def check_told(result: dict[str, Any], newest: dict[str, Any], policy: Policy) -> None:
    """The texts say what the data says; on a revision without data they say what is data on the newest."""
    texts = [block.get("text") for block in result["content"]]
    if None in texts or "structuredContent" not in newest or newest.get("isError"):
        return
    data = unwrapped(newest["structuredContent"], policy)
    moved = "structuredContent" not in result and len(texts) == 1 and is_json_of(texts[0], data[0])
    assert moved or any(tells(texts, one, policy) for one in data), f"{texts} does not tell {data}"


def check_kept(kind: Kind, value: Any, result: dict[str, Any], policy: Policy) -> None:
    """The data is that of the value, as its hint has it: nothing is missing, and nothing is there besides."""
    if "structuredContent" in result and policy.key_case == policy.item_order == "asis" and not policy.drop_none:
        data = unwrapped(result["structuredContent"], policy)
        assert any(kind.told(value, one) for one in data), f"{json.dumps(data)} is not the JSON of {value!r}"


def is_pair(value: Any, policy: Policy) -> bool:
    """Whether an author supplies text and data of their own."""
    return policy.pair == "object" and isinstance(value, tuple) and len(value) == 2


def is_taken(value: Any, policy: Policy) -> bool:
    """Whether a policy takes a value at all: `serializer` takes texts and objects."""
    is_object = isinstance(value, dict | BaseModel) and not isinstance(value, RootModel)
    return policy.accept == "any" or isinstance(value, str) or is_object


def check_call(offered: Offered, value: Any, fits: bool, name: str, revision: str) -> None:
    """All there is to check of one value under one policy on one revision."""
    policy = Policy.of(name)
    result, logged = offered.call(name, revision)
    if result.get("isError"):
        check_refused(result, logged)
        assert not fits or not is_taken(value, policy), f"refused, and it fits: {logged}"
        return
    check_sent(result, offered.schemas[revision][name])
    if name in CHECKED and revision == LATEST.name:
        check_declared(offered, result, policy)
    if not is_pair(value, policy):
        newest, _ = offered.call(name, LATEST.name)
        check_told(result, newest, policy)
        if fits:
            check_kept(offered.kind, value, result, policy)


def check_value(offered: Offered, value: Any, fits: bool) -> None:
    """All there is to check of one value that a tool returns."""
    offered.returned = value
    for policy in Policy.profiles:
        for revision in REVISIONS:
            try:
                check_call(offered, value, fits, policy, revision)
            except AssertionError as error:
                error.add_note(f"under {policy} on {revision}")
                raise


def check_kind(kind: Kind, data: st.DataObject) -> None:
    """All there is to check of one hint, with a few values that fit it and a few that may not."""
    offered = Offered(kind)
    check_listed(offered)
    for value in data.draw(st.lists(kind.fits, min_size=2, max_size=2), "fits"):
        check_value(offered, value, fits=True)
    for value in data.draw(st.lists(kind.misses, min_size=2, max_size=2), "may not fit"):
        check_value(offered, value, fits=False)


@pytest.mark.parametrize("kind", LEAVES_AND_FIXED, ids=str)
@examples(quick=2, long=20)
@given(data=st.data())
def test_what_a_tool_with_this_hint_returns_keeps_what_is_listed(kind: Kind, data: st.DataObject) -> None:
    """S002-21, S002-23, V30"""
    check_kind(kind, data)


@examples(quick=100, long=20_000)
@given(st.data())
def test_what_a_tool_returns_keeps_what_is_listed_or_is_an_error_with_a_path(data: st.DataObject) -> None:
    """S002-21, S002-23, V30"""
    check_kind(data.draw(kinds, "-> "), data)
