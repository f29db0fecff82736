"""The public names, each once, and what the core does not import."""

import ast
import importlib

import pytest

import plainmcp
from architecture.layers import LAYERS, OUTER, imports, layer_of, modules

PUBLIC = {
    "Audio",
    "Context",
    "Depends",
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

# The outside world: clocks and loops, threads, streams, sockets belong to the outer layers.
OUTSIDE = {"asyncio", "io", "select", "selectors", "signal", "socket", "sys", "threading"}
ALLOWED = {
    ("wire/codec", "threading"): "a lock around msgspec, which two threads can crash; it starts none",
    ("protocol/interrupts", "signal"): "asks who handles Ctrl-C; it changes nothing",
    ("protocol/interrupts", "threading"): "asks which thread this is; it starts none",
    ("values/render", "io"): "csv writes to a StringIO, which is memory",
    ("values/rules", "sys"): "the names of the standard library's modules",
    ("schema/coercion_errors", "sys"): "the names of the standard library's modules",
    ("foreign/pictures", "io"): "others write their pictures to a BytesIO, which is memory",
}

SOURCES = modules()
MODULES = sorted(set(SOURCES) - PROGRAMS)


def dotted(module: str) -> str:
    """The name to import a module by."""
    return ".".join(part for part in ["plainmcp", *module.split("/")] if part != "__init__")


def test_the_package_offers_exactly_its_public_names() -> None:
    assert list(plainmcp.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_exists_and_explains_itself(name: str) -> None:
    assert getattr(plainmcp, name).__doc__


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_is_and_what_it_offers(name: str) -> None:
    module = importlib.import_module(dotted(name))
    assert module.__doc__, f"{name}.py opens without a sentence"
    names = module.__all__
    assert len(names) == len(set(names)), f"{name}.__all__ names something twice"
    missing = [name for name in names if not hasattr(module, name)]
    assert not missing, f"{name}.__all__ offers what it lacks: {', '.join(missing)}"


@pytest.mark.parametrize("name", MODULES)
def test_everything_offered_has_a_docstring(name: str) -> None:
    offered = set(importlib.import_module(dotted(name)).__all__)
    silent = [name for name, node in definitions(SOURCES[name], offered) if not ast.get_docstring(node)]
    assert not silent, f"{name}.py says nothing about {', '.join(silent)}"


@pytest.mark.parametrize("name", MODULES)
def test_only_the_outer_layers_touch_the_outside_world(name: str) -> None:
    place = layer_of(name)
    if place is not None and list(LAYERS)[place] in OUTER:
        return
    found = imports(name, SOURCES[name], set(SOURCES))
    touched = {statement.target.split(".")[0] for statement in found if not statement.ours}
    offenders = {other for other in touched & OUTSIDE if (name, other) not in ALLOWED}
    assert not offenders, f"{name}.py touches {', '.join(sorted(offenders))}"


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
