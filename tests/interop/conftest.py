"""examples/everything.py for other people's clients: one server on HTTP for all tests, one process on stdio for each."""

from collections.abc import Iterator

import pytest
from serving import served


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """Where the example is served."""
    with served("everything") as address:
        yield address
