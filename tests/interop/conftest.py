"""examples/everything.py for other people's clients: one server on HTTP for all tests, on stdio one for each."""

import sys
from collections.abc import Iterator

import pytest

from serving import EXAMPLES, served


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """Where the example is served."""
    with served("everything") as address:
        yield address


@pytest.fixture(params=["http", "stdio"])
def target(request: pytest.FixtureRequest) -> list[str]:
    """A URL, or a command and its arguments."""
    if request.param == "http":
        return [request.getfixturevalue("url")]
    return [sys.executable, str(EXAMPLES / "everything.py")]
