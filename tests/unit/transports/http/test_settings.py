"""What the settings of HTTP may be."""

from typing import Any

import pytest

from plainmcp.errors import AuthorError
from plainmcp.transports.http.settings import Settings


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"origins": "https://a.example"}, "origins is a list"),
        ({"origins": ["a.example"]}, "origins such as"),
        ({"origins": ["https://a.example/"]}, "without a path"),
        ({"hosts": ["https://a.example"]}, "hosts holds names"),
        ({"hosts": "a.example"}, "hosts is a list"),
        ({"hosts": ["a.example:http"]}, "hosts holds names"),
        ({"hosts": ["*.example"]}, "hosts holds names"),
        ({"max_body": 0}, "max_body is a number"),
        ({"max_sessions": -1}, "max_sessions is a number"),
        ({"keep_alive_seconds": 0}, "keep_alive_seconds is a number"),
        ({"session_seconds": float("nan")}, "session_seconds is a number"),
        ({"session_idle_seconds": "60"}, "session_idle_seconds is a number"),
        ({"stateless": "yes"}, "stateless is True or False"),
    ],
)
def test_a_setting_that_makes_no_sense_is_the_authors_mistake(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AuthorError, match=complaint):
        Settings(**given)
