"""Annotations and signatures are read in one module: from Python 3.14 on, reading them may raise anything."""

import ast
from collections.abc import Iterator

from architecture.layers import modules

READER = "foreign/annotations"
READERS = {"signature": "inspect", "get_annotations": "inspect", "get_type_hints": "typing"}
"""The functions of the standard library that read annotations, and where they come from."""
NAMES = {"__annotations__", "__annotate__", "__annotations_cache__"}


def readings(source: str) -> Iterator[str]:
    """How a module reads annotations itself: by a function, an attribute, a key or an option."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=module, names=aliases) if module in {*READERS.values(), "annotationlib"}:
                yield from (f"from {module} import {one.name}" for one in aliases if one.name in READERS)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if READERS.get(name) == module:
                yield f"{module}.{name}"
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) | ast.keyword(arg=str(name)) if (
                name in NAMES
            ):
                yield name


def test_one_module_reads_annotations_and_signatures() -> None:
    found = {
        f"{module}: {reading}; use a function of plainmcp.foreign.annotations"
        for module, source in modules().items()
        if module != READER
        for reading in readings(source)
    }
    assert not found, "\n".join(sorted(found))


def test_the_check_finds_each_way_to_read_them() -> None:
    source = """
from inspect import signature as read
from typing import get_type_hints
import inspect, typing
inspect.signature(f), inspect.get_annotations(f), typing.get_type_hints(f)
f.__annotations__, vars(f).get("__annotations__"), make(__annotations__={}), getattr(f, "__annotate__")
"""
    assert sorted(readings(source)) == [
        "__annotate__", "__annotations__", "__annotations__", "__annotations__", "from inspect import signature",
        "from typing import get_type_hints", "inspect.get_annotations", "inspect.signature", "typing.get_type_hints",
    ]  # fmt: skip
    assert list(readings(modules()[READER]))
