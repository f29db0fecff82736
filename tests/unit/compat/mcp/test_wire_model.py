"""The types of the official SDK: built, read and dumped as there."""

import subprocess
import sys
from typing import Any

import msgspec
import pydantic
import pytest
from mcp import types as real

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.wire_model import Uri, to_wire


def test_a_field_has_the_names_of_both_versions() -> None:
    hints = types.ToolAnnotations(read_only_hint=True, destructiveHint=False)
    assert (hints.readOnlyHint, hints.destructive_hint) == (True, False)
    assert hints.model_dump(exclude_none=True) == {"readOnlyHint": True, "destructiveHint": False}


def test_dicts_inside_become_models_by_their_type() -> None:
    result = types.CallToolResult(
        content=[{"type": "text", "text": "a"}, {"type": "image", "data": "", "mimeType": "image/png"}]
    )
    assert [type(block).__name__ for block in result.content] == ["TextContent", "ImageContent"]
    assert result.content[1].mime_type == "image/png"


def test_a_missing_field_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="Tool needs inputSchema="):
        types.Tool(name="x")


def test_a_model_dumps_as_the_real_one_does() -> None:
    fields: dict[str, Any] = {"name": "x", "description": "d", "inputSchema": {"type": "object"}, "_meta": {"a": 1}}
    ours, theirs = types.Tool(**fields), real.Tool(**fields)
    dumped = theirs.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert ours.model_dump(by_alias=True, exclude_none=True) == dumped
    assert msgspec.json.decode(ours.model_dump_json(by_alias=True, exclude_none=True)) == dumped
    assert to_wire(ours) == to_wire(theirs) == dumped


def test_an_unknown_field_is_kept() -> None:
    assert types.ToolAnnotations(custom="x").custom == "x"


def test_a_copy_has_other_fields() -> None:
    text = types.TextContent(type="text", text="a")
    assert text.model_copy(update={"text": "b"}) == types.TextContent(text="b")
    assert text.text == "a"


def test_a_pydantic_model_may_have_a_field_of_these_types() -> None:
    class Page(pydantic.BaseModel):
        block: types.TextContent

    page = Page.model_validate({"block": {"type": "text", "text": "hello"}})
    assert page.block.text == "hello"
    assert page.model_dump(mode="json") == {"block": {"type": "text", "text": "hello"}}


def test_a_uri_is_a_text_with_parts() -> None:
    uri = Uri("memo://user@host:80/a/b?x=1#top")
    assert (uri.scheme, uri.host, uri.path, uri.query, uri.fragment) == ("memo", "host", "/a/b", "x=1", "top")
    assert str(uri) == "memo://user@host:80/a/b?x=1#top"


@pytest.mark.slow
def test_the_types_do_not_load_pydantic() -> None:
    program = "import sys, plainmcp.compat.mcp.server.fastmcp; print('pydantic' in sys.modules, 'mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_an_object_equals_one_of_the_real_package_with_the_same_fields() -> None:
    ours, theirs = types.TextContent(type="text", text="a"), real.TextContent(type="text", text="a")
    assert ours == theirs and theirs == ours
    assert ours != real.TextContent(type="text", text="b")
    assert ours != real.ImageContent(type="image", data="", mime_type="image/png")
    assert ours != {"type": "text", "text": "a"}
