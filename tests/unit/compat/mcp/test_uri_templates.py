"""The URI templates of the official SDK 2, as objects of a program (D18)."""

from typing import Any

import pytest

from plainmcp.compat.mcp.shared.uri_template import InvalidUriTemplate, UriTemplate


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("db://{table}/{row}", "db://users/a%20b", {"table": "users", "row": "a b"}),
        ("db://{table}", "db://a/b", None),
        ("file://{+path}", "file://a/b.txt", {"path": "a/b.txt"}),
        ("api://{/path*}", "api:///a/b", {"path": ["a", "b"]}),
        ("api://x{?q,page}", "api://x?page=2&q=a", {"q": "a", "page": "2"}),
        ("api://x{?q}", "api://x", {}),
        ("log://{day}{.ext}", "log://1.txt", {"day": "1", "ext": "txt"}),
        ("a://x{#part}", "a://x#end", {"part": "end"}),
    ],
)
def test_the_values_of_a_uri_come_back_as_they_went_in(template: str, uri: str, values: Any) -> None:
    """D18."""
    parsed = UriTemplate.parse(template)
    assert parsed.match(uri) == values
    if values:
        assert parsed.match(parsed.expand(values)) == values


@pytest.mark.parametrize("template", ["a://{", "a://{}", "a://{x}{x}", "a://{!x}", "a://{+x}/{+y}"])
def test_a_template_with_a_mistake_says_where_it_is(template: str) -> None:
    """D18."""
    with pytest.raises(InvalidUriTemplate) as caught:
        UriTemplate.parse(template)
    assert caught.value.template == template and 0 <= caught.value.position <= len(template)


def test_values_that_are_no_texts_are_refused() -> None:
    with pytest.raises(TypeError, match="must be str or a sequence of str"):
        UriTemplate.parse("a://{x}").expand({"x": 3})


def test_a_long_uri_takes_time_in_proportion_to_its_length() -> None:
    """D18. No place is tried twice; a URI over the limit fits nothing."""
    template = UriTemplate.parse("a://{+x}/b/{y}/c")
    assert template.match("a://" + "b/" * 20_000) is None
    assert template.match("a://" + "x" * 70_000) is None
