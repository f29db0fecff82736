"""The public names of the packages behind the facades, as data: which modules they have, and what can be imported.

The data is written by tests/suites/names.py. A line is a module, the names it defines, and after each `<` a module
and the names that it has from there; `a=b` is the b of that module under the name a. `!` marks exceptions, and `~`
type variables.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["PublishedName", "find_name", "is_module", "names_in"]

_FILE = Path(__file__).with_suffix(".txt")
_SAME_MODULES = {"mcp_types": "mcp.types"}
"""Modules with the types of the protocol: in `mcp` 2 they are a package of their own."""


class PublishedName(NamedTuple):
    """A public name of a module: where it is defined, its name there, and whether it is an exception, for example."""

    origin: str
    name: str
    mark: str


def is_module(module: str) -> bool:
    """Whether one of the packages has a module of this name."""
    return module in _lines()


def names_in(module: str) -> list[str]:
    """The public names of a module; none for a module that no package has."""
    return list(dict.fromkeys(name for name, _ in _entries_of(module)))


def find_name(module: str, name: str) -> list[PublishedName]:
    """Where a public name of a module comes from: several places if the packages differ, none if it is unknown."""
    return [found for known, found in _entries_of(module) if known == name]


@cache
def _lines() -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for line in _FILE.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            module, _, names = line.partition(" ")
            lines.setdefault(_to_one_name(module), []).append(names)
    return lines


@cache
def _entries_of(module: str) -> list[tuple[str, PublishedName]]:
    entries: list[tuple[str, PublishedName]] = []
    for names in _lines().get(module, ()):
        for group in names.split("<"):
            words = group.split()
            is_own = group is names or names.startswith(group)
            origin = module if is_own else _to_one_name(words.pop(0))
            for word in words:
                plain, mark = (word[:-1], word[-1]) if word[-1] in "!~" else (word, "")
                name, _, original = plain.partition("=")
                entries.append((name, PublishedName(origin, original or name, mark)))
    return entries


def _to_one_name(module: str) -> str:
    top, dot, rest = module.partition(".")
    return f"{_SAME_MODULES.get(top, top)}{dot}{rest}"
