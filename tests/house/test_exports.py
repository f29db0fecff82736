"""The names a user may rely on, each once; and what the core does not touch."""

import ast
import importlib

import pytest

import plainmcp
from house.plan import FRONT_DOOR, STOREYS, imports, rooms, storey_of

PUBLIC = {
    "Audio",
    "Context",
    "File",
    "Image",
    "Policy",
    "PromptResult",
    "ResourceResult",
    "Server",
    "ToolError",
    "ToolResult",
    "full",
    "normalize_prompt_result",
    "normalize_resource_payload",
    "normalize_tool_result",
    "structured",
    "text",
}

# A program you can start, rather than a module to import from.
PROGRAMS = {"__main__"}

# The outside world: clocks and loops, threads, streams, sockets belong to edges and shells.
OUTSIDE = {"asyncio", "io", "select", "selectors", "signal", "socket", "sys", "threading"}
ALLOWED = {
    ("codec", "threading"): "a lock around msgspec, which two threads can crash; it starts none",
    ("interrupts", "signal"): "asks who handles Ctrl-C; it changes nothing",
    ("interrupts", "threading"): "asks which thread this is; it starts none",
    ("render", "io"): "csv writes to a StringIO, which is memory",
    ("kinds", "sys"): "the names of the standard library's modules",
    ("refusals", "sys"): "the names of the standard library's modules",
    ("pictures", "io"): "others write their pictures to a BytesIO, which is memory",
}

ROOMS = rooms()
MODULES = sorted(set(ROOMS) - PROGRAMS)


def dotted(room: str) -> str:
    """The name to import a room by."""
    return ".".join(part for part in ["plainmcp", *room.split("/")] if part != "__init__")


def test_the_package_offers_exactly_its_public_names() -> None:
    assert list(plainmcp.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_exists_and_explains_itself(name: str) -> None:
    assert getattr(plainmcp, name).__doc__


@pytest.mark.parametrize("room", MODULES)
def test_a_room_says_what_it_is_and_what_it_offers(room: str) -> None:
    module = importlib.import_module(dotted(room))
    assert module.__doc__, f"{room}.py opens without a sentence"
    names = module.__all__
    assert len(names) == len(set(names)), f"{room}.__all__ names something twice"
    missing = [name for name in names if not hasattr(module, name)]
    assert not missing, f"{room}.__all__ offers what it lacks: {', '.join(missing)}"


@pytest.mark.parametrize("room", MODULES)
def test_everything_offered_has_a_docstring(room: str) -> None:
    offered = set(importlib.import_module(dotted(room)).__all__)
    silent = [name for name, node in definitions(ROOMS[room], offered) if not ast.get_docstring(node)]
    assert not silent, f"{room}.py says nothing about {', '.join(silent)}"


@pytest.mark.parametrize("room", MODULES)
def test_only_edges_and_shells_touch_the_outside_world(room: str) -> None:
    place = storey_of(room)
    if room != FRONT_DOOR and place is not None and STOREYS[place].layer in {"edges", "shells"}:
        return
    found = imports(room, ROOMS[room], set(ROOMS))
    touched = {statement.target.split(".")[0] for statement in found if not statement.ours}
    offenders = {name for name in touched & OUTSIDE if (room, name) not in ALLOWED}
    assert not offenders, f"{room}.py touches {', '.join(sorted(offenders))}"


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def definitions(source: str, offered: set[str]) -> list[tuple[str, Definition]]:
    """The offered functions and classes of a file, and those classes' own public methods."""
    found: list[tuple[str, Definition]] = []
    for node in ast.parse(source).body:
        if isinstance(node, Definition) and node.name in offered and not is_overload(node):
            found.append((node.name, node))
            if isinstance(node, ast.ClassDef):
                methods = [child for child in node.body if isinstance(child, Definition)]
                public = [m for m in methods if not m.name.startswith("_") and not is_overload(m)]
                found += [(f"{node.name}.{method.name}", method) for method in public]
    return found


def is_overload(node: Definition) -> bool:
    """Whether this is one of several signatures, whose docstring stands with the body."""
    return any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in node.decorator_list)
