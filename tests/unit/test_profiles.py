"""What the documents behind the profiles state, as a client of each revision meets it."""

from dataclasses import dataclass
from typing import Any, Literal

import jsonschema_rs
import pytest
from pydantic import BaseModel

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

every_revision = pytest.mark.parametrize("revision", REVISIONS)


# MCP Serializer: members that are None ------------------------------------------------------------


class Station(BaseModel):
    name: str
    note: str | None
    unit: Literal["c"] | None = None
    parts: list["Station | None"] = []


STATION = Station(name="Oslo", note=None, parts=[Station(name="North", note="new"), None])


@every_revision
def test_a_model_is_sent_without_its_members_that_are_none_and_keeps_its_schema(revision: str) -> None:
    """S003-68, S003-22: an item of a list that is None is no member, and stays."""
    server = Server("weather", policy="serializer")

    @server.tool
    def station() -> Station:
        return STATION

    client = Client(server, revision)
    (tool,) = client.list_tools()
    result = client.call("station")
    sent = {"name": "Oslo", "parts": [{"name": "North", "note": "new", "parts": []}, None]}
    if "outputSchema" in tool:
        assert result["structuredContent"] == sent
        assert jsonschema_rs.is_valid(tool["outputSchema"], sent)
        assert not {"note", "unit"} & set(tool["outputSchema"]["$defs"]["Station"]["required"])
    else:
        assert "note" not in result["content"][0]["text"].partition("North")[0]


def test_what_a_schema_written_by_hand_requires_is_sent_even_if_it_is_none() -> None:
    """S002-23 before S003-68: what is sent keeps the schema that is listed."""
    server = Server("weather", policy="serializer")
    promised = {"type": "object", "properties": {"note": {"type": ["string", "null"]}}, "required": ["note"]}

    @server.tool(output_schema=promised)
    def station() -> dict[str, Any]:
        return {"note": None}

    assert Client(server).call("station")["structuredContent"] == {"note": None}


@every_revision
def test_the_other_profiles_keep_members_that_are_none(revision: str) -> None:
    """S000-26"""

    @dataclass
    class Row:
        note: str | None

    for policy in ("standard", "openmcp", "fastmcp", "kubernetes", "lean"):
        server = Server("weather", policy=policy)
        server.tool(name="row")(lambda: Row(None))
        assert "null" in Client(server, revision).call("row")["content"][0]["text"]
