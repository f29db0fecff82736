"""Templates of FastMCP, as a program matches and expands them itself (D18)."""

import asyncio
from typing import Any

import pytest

from plainmcp.compat.fastmcp.resources import FunctionResource, ResourceTemplate
from plainmcp.compat.fastmcp.resources.template import build_regex, expand_uri_template, match_uri_template


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("a://{x}/b", "a://1-2/b", {"x": "1-2"}),
        ("a://{x}/b", "a://1/2/b", None),
        ("a://{x*}/{y}", "a://1/2/b", {"x": "1/2", "y": "b"}),
        ("a://{user-id}", "a://ann%20b", {"user_id": "ann b"}),
        ("a://x{?q,tags*}", "a://x?tags=1&tags=2&q=c", {"q": "c", "tags": ["1", "2"]}),
        ("a://{x}/{x}", "a://1/1", None),
        ("a://{1x}", "a://1", None),
    ],
)
def test_a_uri_has_the_values_of_its_template(template: str, uri: str, values: Any) -> None:
    """D18."""
    assert match_uri_template(uri, template) == values
    if values:
        assert match_uri_template(expand_uri_template(template, values), template) == values


def test_a_text_that_is_no_template_has_no_pattern() -> None:
    assert build_regex("a://{x}/{x}") is None


def test_a_template_creates_the_resource_of_its_values() -> None:
    """D18. The values are read as a call would read them."""

    def double(n: int) -> int:
        return 2 * n

    template: Any = ResourceTemplate.from_function(double, uri_template="math://{n}")
    assert (template.matches("math://4"), template.matches("other://4")) == ({"n": "4"}, None)
    resource = asyncio.run(template.create_resource("math://4", {"n": "4"}))
    assert (type(resource), resource.uri, resource.name) == (FunctionResource, "math://4", "double")
    assert asyncio.run(resource.read()) == 8
