"""Names that differ, functions that are not too complex, and servers with a type."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from architecture.layers import modules

SOURCES = modules()


# Other packages choose their names in compat.
NOT_OURS = "compat/"

# Participles that do not end in -ed, and are not also the base form of a verb.
IRREGULAR = re.compile(
    "begun|bent|bound|bought|broken|brought|built|caught|chosen|done|drawn|driven|fallen|felt|forgotten|found|frozen|"
    "given|gone|grown|heard|held|hidden|kept|known|laid|left|lent|lost|made|meant|met|paid|said|seen|sent|shown|sought|"
    "spent|spoken|stood|struck|sworn|taken|taught|thought|thrown|told|understood|woken|won|worn|written"
)
# Words that end in -ed and are not participles.
VERBS = re.compile("bleed|breed|embed|exceed|feed|heed|need|proceed|seed|shed|speed|succeed|weed")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """A function, a method or a class, without its tree."""

    name: str
    is_class: bool
    is_property: bool = False
    complexity: int = 0
    takes_any_server: bool = False


@cache
def definitions(source: str) -> list[Definition]:
    """All functions, methods and classes of a module."""
    nodes = ast.walk(ast.parse(source))
    return [define(node) for node in nodes if isinstance(node, Function | ast.ClassDef)]


def define(node: Function | ast.ClassDef) -> Definition:
    if isinstance(node, ast.ClassDef):
        return Definition(node.name, True)
    return Definition(node.name, False, is_property(node), complexity(node), takes_any_server(node))


def is_participle(name: str) -> bool:
    """Whether a name is a single past participle."""
    word = name.strip("_")
    if "_" in word or VERBS.fullmatch(word):
        return False
    return bool(IRREGULAR.fullmatch(word)) or (word.endswith("ed") and len(word) > 4)


def is_property(function: Function) -> bool:
    """Whether a function is a property, which may say what is true: `finished`, `cancelled`."""
    names = {getattr(one, "id", getattr(one, "attr", "")) for one in function.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


def participles(source: str) -> list[str]:
    """The functions of a module that are named by a participle."""
    found = [each for each in definitions(source) if not each.is_class and not each.is_property]
    return [each.name for each in found if is_participle(each.name)]


BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.Assert,
    ast.comprehension,
    ast.match_case,
)


def complexity(node: ast.AST) -> int:
    """One more than the branches of a function; functions inside it count by themselves."""
    return 1 + sum(branches(child) for child in ast.iter_child_nodes(node))


def branches(node: ast.AST) -> int:
    """The branches in a statement or an expression."""
    if isinstance(node, Function | ast.Lambda):
        return 0
    own = len(node.values) - 1 if isinstance(node, ast.BoolOp) else int(isinstance(node, BRANCHES))
    return own + sum(branches(child) for child in ast.iter_child_nodes(node))


def takes_any_server(function: Function) -> bool:
    """Whether a function takes a server and does not say of which type."""
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return any(one.arg in ("server", "core") and getattr(one.annotation, "id", "") == "Any" for one in arguments)


def any_servers(source: str) -> list[str]:
    """The functions of a module that take a server and do not say of which type."""
    return [each.name for each in definitions(source) if each.takes_any_server]


def sources(without: str = "") -> Iterator[tuple[str, str]]:
    """The modules with their sources, without a module or a package."""
    return ((module, source) for module, source in SOURCES.items() if not (without and module.startswith(without)))


def test_no_function_is_named_by_a_participle() -> None:
    names = {f"{module}.{name}" for module, source in sources(NOT_OURS) for name in participles(source)}
    assert not names, f"name these functions by a verb, or noun_of: {', '.join(sorted(names))}"


def test_no_function_is_too_complex() -> None:
    found = [
        f"{module}.{each.name} ({each.complexity})"
        for module, source in sources()
        for each in definitions(source)
        if each.complexity > 15
    ]
    assert not found, f"split these functions, of complexity over 15: {', '.join(found)}"


def test_a_server_has_a_type() -> None:
    names = [f"{module}.{name}" for module, source in sources() for name in any_servers(source)]
    assert not names, f"give the server a type in {', '.join(names)}"


def classes(source: str) -> list[str]:
    """The classes of a module."""
    return [each.name for each in definitions(source) if each.is_class]


def test_no_two_classes_have_one_name() -> None:
    counts = Counter(name for _, source in sources(NOT_OURS) for name in set(classes(source)))
    twice = [name for name, count in counts.items() if count > 1]
    assert not twice, f"these names are used for several classes: {', '.join(twice)}"


def test_no_two_modules_differ_by_an_s() -> None:
    names = {module.rpartition("/")[2] for module in SOURCES if not module.startswith(NOT_OURS)}
    both = [name for name in names if f"{name}s" in names]
    assert not both, f"modules with almost the same name: {', '.join(f'{name} and {name}s' for name in both)}"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def told(): ...", ["told"]),
        ("def _opened(): ...\nasync def begun(): ...", ["_opened", "begun"]),
        ("class A:\n    def made(self): ...\n    @property\n    def finished(self): ...", ["made"]),
        ("def listed_tools(): ...\ndef feed(): ...\ndef embed(): ...\ndef read(): ...\ndef token(): ...", []),
    ],
)
def test_a_participle_is_found(source: str, names: list[str]) -> None:
    assert participles(source) == names


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1", 1),
        ("if a and b or c:\n  return 1\nelse:\n  return 2", 4),
        ("return [x for x in y if x] if z else 0", 3),
        ("try:\n  f()\nexcept A: pass\nexcept B: pass", 3),
        ("def inner():\n  if a: pass\nreturn inner", 1),
        ("match a:\n  case 1: pass\n  case _: pass", 3),
    ],
)
def test_branches_are_counted(body: str, expected: int) -> None:
    [function] = ast.parse("def f():\n" + "\n".join(f"  {line}" for line in body.split("\n"))).body
    assert complexity(function) == expected


def test_a_server_without_a_type_is_found() -> None:
    assert any_servers("def f(server: Any): ...\ndef g(server: Core, other: Any): ...\ndef h(*, core: Any): ...") == [
        "f",
        "h",
    ]
