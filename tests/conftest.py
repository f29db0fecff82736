"""Profiles of Hypothesis, and what `make test-fast` leaves out.

Hypothesis is quick and the same on every run; `--hypothesis-profile=long` explores.
"""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("fast", max_examples=10, deadline=None, derandomize=True, database=None)
settings.register_profile("quick", max_examples=100, deadline=None, derandomize=True, database=None)
settings.register_profile("long", max_examples=10_000, deadline=None)
settings.load_profile("quick")

# Hundreds of processes start here, and each would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts its background jobs, and so their children
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m "not slow"`, do not even import a module that is slow as a whole."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return True if "\npytestmark = pytest.mark.slow" in collection_path.read_text("utf-8") else None
