"""`pytest tests/golden --update-goldens` writes what we send into the golden files; nothing else ever does."""

import logging

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite the results in tests/golden")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    # Known only when this directory is named on the command line.
    return bool(request.config.getoption("update_goldens", default=False))


@pytest.fixture(autouse=True)
def no_log(caplog: pytest.LogCaptureFixture) -> None:
    """Keep the log out of the reports: it may have lone surrogates, which xdist cannot pass on."""
    caplog.set_level(logging.CRITICAL + 1, "plainmcp")
