"""docs/topics/replicas.md names modules, classes and functions: each of them exists."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from plainmcp import replicas
from plainmcp.protocol import store_steps
from plainmcp.transports.http import sessions, shared

PAGE = (Path(__file__).parents[2] / "docs" / "topics" / "replicas.md").read_text("utf-8")
NAMES = sorted(set(re.findall(r"`([A-Za-z_]+(?:\.[a-z_]+)?)`", PAGE)))
MODULES = {
    one.name: importlib.import_module(f"{package.__name__}.{one.name}")
    for package in (replicas, sessions, shared)
    for one in pkgutil.iter_modules(package.__path__)
} | {"store_steps": store_steps}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_on_the_page_exists(name: str) -> None:
    first, _, second = name.partition(".")
    found = [getattr(module, first) for module in MODULES.values() if hasattr(module, first)]
    assert first in MODULES or found, name
    assert not second or any(hasattr(one, second) for one in found), name


def test_the_page_names_something() -> None:
    assert len(NAMES) > 25
