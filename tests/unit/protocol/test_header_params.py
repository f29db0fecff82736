"""x-mcp-header annotations, checked when a tool is registered."""

from typing import Any

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.protocol import header_params


def tool_with(schema: dict[str, Any]) -> Server:
    server = Server("s")
    server.tool(name="t", input_schema=schema)(lambda **given: "")
    return server


def noted(kind: str = "string", name: Any = "Region") -> dict[str, Any]:
    return {"type": kind, "x-mcp-header": name}


def test_annotated_properties_are_found_at_any_depth_of_properties() -> None:
    """R26-HDR-13"""
    schema = {
        "type": "object",
        "properties": {
            "region": noted(),
            "where": {"type": "object", "properties": {"floor": noted("integer", "Floor")}},
            "x-mcp-header": {"type": "string"},
        },
    }
    found = {"Mcp-Param-Region": ("region",), "Mcp-Param-Floor": ("where", "floor")}
    assert header_params.paths_of(schema, "it") == found
    assert tool_with(schema).registry.tools.get("t", None).headers == found


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"properties": {"a": noted(name="")}}, "header name"),
        ({"properties": {"a": noted(name="two words")}}, "header name"),
        ({"properties": {"a": noted(name=3)}}, "header name"),
        ({"properties": {"a": noted(name="Å")}}, "header name"),
        ({"properties": {"a": noted("number")}}, "string, an integer or a boolean"),
        ({"properties": {"a": noted("array")}}, "string, an integer or a boolean"),
        ({"properties": {"a": {"type": ["string", "null"], "x-mcp-header": "A"}}}, "string, an integer or a boo"),
        ({"properties": {"a": noted(), "b": noted(name="REGION")}}, "twice"),
        ({"properties": {"a": {"type": "array", "items": noted()}}}, "only stand on a property"),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": noted()}}, "only stand on a property"),
        ({"properties": {"a": {"oneOf": [noted()]}}}, "only stand on a property"),
        ({"x-mcp-header": "A"}, "only stand on a property"),
    ],
)
def test_an_annotation_that_clients_would_drop_the_tool_for_is_refused(schema: Any, complaint: str) -> None:
    """R26-HDR-13"""
    with pytest.raises(AuthorError, match=complaint):
        tool_with({"type": "object", **schema})
