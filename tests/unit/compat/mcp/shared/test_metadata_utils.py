"""What to show people for a feature, as the official SDK has it."""

import mcp_types
import pytest
from mcp.shared import metadata_utils as official

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.shared.metadata_utils import get_display_name


@pytest.mark.parametrize("title", [None, "", "A title"])
@pytest.mark.parametrize("hint", [None, "", "A hint"])
def test_a_tool_shows_what_it_shows_there(title: str | None, hint: str | None) -> None:
    schema = {"type": "object"}
    ours = types.Tool(name="a", title=title, inputSchema=schema, annotations=types.ToolAnnotations(title=hint))
    theirs = mcp_types.Tool(
        name="a", title=title, input_schema=schema, annotations=mcp_types.ToolAnnotations(title=hint)
    )
    assert get_display_name(ours) == official.get_display_name(theirs)


@pytest.mark.parametrize("title", [None, "", "A title"])
def test_a_prompt_shows_what_it_shows_there(title: str | None) -> None:
    theirs = official.get_display_name(mcp_types.Prompt(name="a", title=title))
    assert get_display_name(types.Prompt(name="a", title=title)) == theirs
