"""`pytest tests/golden --update-goldens` writes what we send into the golden files; nothing else ever does."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite the results in tests/golden")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    # Known only when this directory is named on the command line.
    return bool(request.config.getoption("update_goldens", default=False))
