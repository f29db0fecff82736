"""Docstrings: what is prose, and what describes parameters; at the wire as clients list it."""

import inspect

import pytest

from plainmcp import Server
from plainmcp.schema.docstring import parse_docstring
from speaking import ALL, client

every_revision = pytest.mark.parametrize("revision", ALL)


def described(revision: str, docstring: str) -> dict[str, str | None]:
    """The description of a tool, under "", and those of its parameters."""
    server = Server("s", "1")

    def tool(city: str, days: int = 3, *, units: str = "c") -> str:
        return city

    tool.__doc__ = docstring
    server.tool(tool)
    [listed] = client(server, revision).list_tools()
    properties = listed["inputSchema"]["properties"]
    return {"": listed.get("description")} | {name: one.get("description") for name, one in properties.items()}


# Text around sections -----------------------------------------------------------------------------

AFTER = {
    "google": """Get weather.

        Args:
            city: The city

        Returns:
            The weather
            as text

        Use it sparingly.

        Note:
            It is slow.
        """,
    "google, no indentation below Returns": """Get weather.

        Args:
            city: The city

        Returns:
        The weather as text

        Use it sparingly.
        """,
    "google, between sections": """Get weather.

        Args:
            city: The city

        Use it sparingly.

        Raises:
            ValueError: if there is no such city
        """,
    "numpy": """Get weather.

        Parameters
        ----------
        city : str
            The city

        Returns
        -------
        str
            The weather

        Use it sparingly, as it is slow.

        Notes
        -----
        It may rain.
        """,
    "sphinx": """Get weather.

        :param city: The city
        :returns: The weather
            as text
        :raises ValueError: if there is no such city

        Use it sparingly.
        """,
    "epydoc": """Get weather.

        @param city: The city
        @return: The weather

        Use it sparingly.
        """,
}
PROSE = {
    "google": "Get weather.\n\nUse it sparingly.\n\nNote:\n    It is slow.",
    "google, no indentation below Returns": "Get weather.\n\nReturns:\nThe weather as text\n\nUse it sparingly.",
    "numpy": "Get weather.\n\nUse it sparingly, as it is slow.\n\nNotes\n-----\nIt may rain.",
}


@every_revision
@pytest.mark.parametrize("style", list(AFTER))
def test_text_after_a_section_stays_in_the_description(revision, style):
    """V43: text after an unindented `Returns:` was dropped."""
    assert described(revision, AFTER[style]) == {
        "": PROSE.get(style, "Get weather.\n\nUse it sparingly."),
        "city": "The city",
        "days": None,
        "units": None,
    }


def test_the_first_paragraph_may_be_a_title_and_the_rest_has_the_text_after_sections():
    """V43"""
    prose = parse_docstring(AFTER["google"])
    assert (prose.first, prose.rest) == ("Get weather.", "Use it sparingly.\n\nNote:\n    It is slow.")
    assert prose.returns == "The weather as text"


def test_a_docstring_that_is_one_section_has_no_prose():
    prose = parse_docstring("Args:\n    city: The city")
    assert (prose.whole, prose.first, prose.parameters) == (None, None, {"city": "The city"})


@pytest.mark.parametrize(
    "text",
    [
        "Get :class:`Weather` objects.\n\n:class:`Weather` is below.",
        "Send mail.\n\n@ada: is who gets it",
        "Usage:\n    do this\n\nReturns: the weather",
        "A table:\n\n----\n\nof lines",
        "Args:\n",
        "Parameters\n----------",
        "Get weather.\n\nArgs:\n    all of them are texts",
    ],
)
def test_what_only_looks_like_a_section_is_prose(text):
    """V43"""
    prose = parse_docstring(text)
    assert prose.whole == text.strip()
    assert prose.parameters == {}


# Lines that are malformed -------------------------------------------------------------------------

MALFORMED = {
    "a line without a name": """Get weather.

        Args:
            city: The city
            of the user
            days: How many
            units (Literal["c", "f"], optional): Which: c or f
                are known
        """,
    "a line before the first name": """Get weather.

        Args:
            All of them are optional
            city: The city of the user
            days: How many
            units: Which: c or f are known
        """,
    "dashes": """Get weather.

        Args:
            city - The city of the user
            - days: How many
            * `units`: Which: c or f are known
        """,
    "without indentation": """Get weather.

        Args:
        city: The city of the user
        days (int): How many
        units: Which: c or f are known
        """,
    "uneven indentation": """Get weather.

        Args:
            city: The city
          of the user
            days: How many
             units: not a name, but more of it
            units: Which: c or f are known
        """,
    "two sections": """Get weather.

        Args:
            city: The city of the user
            days: How many

        Keyword Args:
            units: Which: c or f are known
        """,
    "sphinx": """Get weather.

        :param city: The city
        of the user
        :param days
        :param days: How many
        :param str units: Which: c or f are known
        """,
    "numpy": """Get weather.

        Parameters
        ----------
        city: The city of the user
        city : str
            The city of the user
        days
            How many

        units : {"c", "f"}, optional
            Which: c or f

            are known
        """,
}
DESCRIBED = {
    "": "Get weather.",
    "city": "The city of the user",
    "days": "How many",
    "units": "Which: c or f are known",
}
OTHERS = {
    "a line before the first name": {"": "Get weather.\n\nAll of them are optional"},
    "uneven indentation": {"days": "How many units: not a name, but more of it"},
    "sphinx": {"": "Get weather.\n\n:param days"},
}


@every_revision
@pytest.mark.parametrize("what", list(MALFORMED))
def test_a_malformed_line_costs_no_other_line(revision, what):
    """V43: one line without a colon under `Args:` lost the descriptions of all parameters."""
    assert described(revision, MALFORMED[what]) == DESCRIBED | OTHERS.get(what, {})


def test_names_in_one_line_of_numpy_are_described_each():
    text = "It.\n\nParameters\n----------\ncity, days : int\n    Both\n*rest\n    More"
    assert parse_docstring(text).parameters == {"city": "Both", "days": "Both", "rest": "More"}


def test_the_lines_of_a_description_may_be_kept():
    """As FastMCP lists it: descriptions of parameters in their lines, and the prose before the first section."""
    prose = parse_docstring("Get it.\n\nMore.\n\nArgs:\n    city: The city\n        here\n\nAfter.", keep_lines=True)
    assert (prose.whole, prose.parameters) == ("Get it.\n\nMore.", {"city": "The city\nhere"})


# Classes ------------------------------------------------------------------------------------------


class Parent:
    """A parent.

    Attributes:
        name: Its name
        size: How large
    """


class Child(Parent):
    """A child.

    :ivar size: How small
    :var age: How old

    More about it.
    """


class Silent(Child): ...


def test_a_class_describes_its_fields_and_inherits_their_descriptions():
    """V43"""
    from plainmcp.schema.docstring import prose_of_class

    fields = {"name": "Its name", "size": "How small", "age": "How old"}
    assert prose_of_class(Parent).parameters == {"name": "Its name", "size": "How large"}
    assert (prose_of_class(Child).whole, prose_of_class(Child).parameters) == ("A child.\n\nMore about it.", fields)
    assert (prose_of_class(Silent).whole, prose_of_class(Silent).parameters) == (None, fields)
    assert prose_of_class(Parent, split=False).whole == inspect.getdoc(Parent)
