"""The reader of each error, and its text."""

import pytest

from plainmcp import errors
from plainmcp.errors import AuthorError, NormalizeError, PlainMCPError, ToolError


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_ours_and_drawn_in_the_tree(name):
    assert issubclass(getattr(errors, name), PlainMCPError)
    assert name in errors.__doc__


def test_a_value_without_a_form_is_the_authors_business_and_a_failed_tool_the_models():
    assert issubclass(NormalizeError, AuthorError)
    assert not issubclass(ToolError, AuthorError)
    assert not issubclass(AuthorError, ToolError)


def test_a_value_without_a_form_says_where_and_why():
    error = NormalizeError("$.rows[3].when", "a lone surrogate")
    assert (error.path, error.problem) == ("$.rows[3].when", "a lone surrogate")
    assert str(error) == "$.rows[3].when: a lone surrogate"


def test_a_tool_error_says_what_it_was_given():
    assert str(ToolError("no such city")) == "no such city"


def test_one_except_clause_catches_them_all():
    for error in (AuthorError("a"), NormalizeError("$", "a"), ToolError("a")):
        with pytest.raises(PlainMCPError):
            raise error
