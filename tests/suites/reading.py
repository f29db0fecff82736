"""Reads what a test of a suite uses of the package: by itself, its fixtures and its helpers, also in other files.

It only reads: nothing of a suite is imported. What a use means, `reasons.py` says.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .sides import PACKAGES, side_of

__all__ = ["Reader", "Uses", "tests_of"]

_PACKAGES = (*PACKAGES, "fastmcp_tasks", "fastmcp_remote", "fastmcp_slim")
_TO_CLIENT = "_mcp_server"
_PUBLIC = ("_meta", "_replace", "_asdict", "_fields", _TO_CLIENT)
"""Attributes that begin with an underscore and are public: of the protocol, of named tuples, the way to a client."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Uses:
    """What a test uses: names of the package by module, private names, and the attributes and keywords it writes."""

    names: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    around: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """The names that only the scaffolding of the suite uses: conftest.py, and helpers that other files share."""
    private: set[str] = field(default_factory=set[str])
    words: set[str] = field(default_factory=set[str])
    """Attributes as ".name", keywords of calls as "name=", calls of a name as "name()"."""

    @property
    def all_names(self) -> set[tuple[str, str]]:
        """The names that the test and its scaffolding use."""
        return self.names | self.around


def tests_of(tree: ast.Module) -> Iterator[tuple[str, Function, tuple[ast.ClassDef, ...]]]:
    """The tests of a module, as "test_x" or "TestClass::test_x", with the classes that they are in."""

    def walk(
        body: list[ast.stmt], classes: tuple[ast.ClassDef, ...]
    ) -> Iterator[tuple[str, Function, tuple[ast.ClassDef, ...]]]:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                yield from walk(node.body, (*classes, node))
            elif isinstance(node, FUNCTIONS) and node.name.startswith("test"):
                yield "::".join([*(one.name for one in classes), node.name]), node, classes

    yield from walk(tree.body, ())


class Reader:
    """The files of a suite, parsed when they are needed."""

    def __init__(self, folder: Path, roots: tuple[str, ...] = ()) -> None:
        self._roots = [folder, *(folder / root for root in roots)]
        self._folder = folder
        self._modules: dict[Path, _Module] = {}
        self._uses: dict[str, dict[str, Uses]] = {}

    def has_client(self, file: str) -> bool:
        """Whether a test of a file has a client, itself or by a fixture."""
        return any(side_of(*one) == "client" for uses in self.uses_of_tests(file).values() for one in uses.all_names)

    def uses_of_tests(self, file: str) -> dict[str, Uses]:
        """What each test of a file uses, by its name."""
        if file not in self._uses:
            module = self._open(self._folder / file)
            tests = tests_of(module.tree)
            self._uses[file] = {name: self._uses_of(module, test, classes) for name, test, classes in tests}
        return self._uses[file]

    def _open(self, path: Path) -> "_Module":
        if path not in self._modules:
            self._modules[path] = _Module(path, self._folder)
        return self._modules[path]

    def _find(self, dotted: str) -> "_Module | None":
        """The module of the suite with a name; None if it is not one of its own."""
        for root in self._roots:
            base = root.joinpath(*dotted.split("."))
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if path.exists():
                    return self._open(path)
        return None

    def _uses_of(self, module: "_Module", test: Function, classes: tuple[ast.ClassDef, ...]) -> Uses:
        uses = Uses()
        members = {one.name: one for cls in classes for one in cls.body if isinstance(one, FUNCTIONS)}
        seen: set[int] = set()
        todo: list[tuple[_Module, ast.AST]] = [(module, test)]
        todo += [(module, one) for one in members.values() if one.name in ("setup_method", "setup")]
        todo += [(module, decorator) for cls in classes for decorator in cls.decorator_list]
        while todo:
            where, node = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            names = uses.around if self._is_scaffolding(where, module) else uses.names
            _add_uses(uses, node, where, names)
            for name in _words_in(node):
                if where is module and name in members and not name.startswith("test"):
                    todo.append((where, members[name]))
                todo += self._resolve(where, name, names)
            for imported in _imports_in(node):
                todo += self._resolve_import(where, imported, names)
        own = {
            f"{source}.{name}".rstrip(".")
            for source, name in uses.names
            if _names_private(f"{source}.{name}".rstrip("."))
        }
        uses.private |= own
        return uses

    def _is_scaffolding(self, where: "_Module", test: "_Module") -> bool:
        """Whether a file only serves the tests of others: it is no example that a test tries."""
        return where is not test and where.path.is_relative_to(self._folder / "tests")

    def _resolve(self, where: "_Module", name: str, names: set[tuple[str, str]]) -> list[tuple["_Module", ast.AST]]:
        """What a name leads to: a definition of its file, an import, or a fixture of a conftest."""
        if name in where.definitions:
            is_test = name.startswith("test") and name not in where.fixtures
            return [] if is_test else [(where, one) for one in where.definitions[name]]
        if name in where.imports:
            return self._resolve_import(where, where.imports[name], names)
        for conftest in where.conftests:
            module = self._open(conftest)
            if name in module.fixtures:
                return [(module, module.fixtures[name])]
        return []

    def _resolve_import(
        self, where: "_Module", imported: tuple[str, str], names: set[tuple[str, str]]
    ) -> list[tuple["_Module", ast.AST]]:
        source, name = imported
        if source.partition(".")[0] in _PACKAGES and self._find(source) is None:
            names.add((source, name))
            return []
        whole = self._find(f"{source}.{name}") if name else self._find(source)
        if whole is not None and whole is not where:
            return [(whole, whole.tree)]
        module = self._find(source)
        return [] if module is None or module is where else self._resolve(module, name, names)


class _Module:
    """A file of a suite: its definitions and its imports, by name."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self._folder = path, folder
        self.tree = ast.parse(path.read_text("utf-8"))

    @cached_property
    def definitions(self) -> dict[str, list[ast.AST]]:
        """What defines each name at the top of the file."""
        found: dict[str, list[ast.AST]] = {}
        for node in self.tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                for name in ast.walk(node):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        found.setdefault(name.id, []).append(node)
        return found

    @cached_property
    def fixtures(self) -> dict[str, ast.AST]:
        """The functions of the file that are fixtures and not used by every test, by name."""
        return {
            node.name: node
            for node in self.tree.body
            if isinstance(node, FUNCTIONS) and any("fixture" in ast.unparse(one) for one in node.decorator_list)
        }

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """The module and the name behind each name that the file imports at its top."""
        return {
            alias: imported
            for node in self.tree.body
            for alias, imported in _aliases_in(node, self.path, self._folder)
        }

    @cached_property
    def conftests(self) -> list[Path]:
        """The conftest.py files for this file, the nearest first."""
        return [folder / "conftest.py" for folder in self.path.parents if (folder / "conftest.py").exists()]

    @cached_property
    def own_attributes(self) -> set[str]:
        """The private names that the file itself gives: no names of the package."""
        found: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
                found.add(node.attr)
            elif isinstance(node, ast.ClassDef):
                found |= {one.name for one in node.body if isinstance(one, FUNCTIONS)}
        return found


def _words_in(node: ast.AST) -> set[str]:
    """The names that a piece of code mentions, also as parameters and in texts: fixtures are named by these."""
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.add(one.id)
        elif isinstance(one, ast.arg):
            found.add(one.arg)
        elif isinstance(one, ast.Attribute) and _is_self(one.value):
            found.add(one.attr)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.isidentifier():
            found.add(one.value)
    return found


def _imports_in(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The imports inside of a function."""
    for one in ast.walk(node):
        if isinstance(one, ast.ImportFrom) and one.module and not one.level:
            yield from ((one.module, alias.name) for alias in one.names)
        elif isinstance(one, ast.Import):
            yield from ((alias.name, "") for alias in one.names)


def _aliases_in(node: ast.stmt, path: Path, folder: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    if isinstance(node, ast.Import):
        for one in node.names:
            yield one.asname or one.name.partition(".")[0], (one.name, "")
    elif isinstance(node, ast.ImportFrom):
        source = node.module or ""
        if node.level:
            package = path.parents[node.level - 1].relative_to(folder).as_posix().replace("/", ".")
            source = f"{package}.{source}".rstrip(".")
        for one in node.names:
            yield one.asname or one.name, (source, one.name)
    elif isinstance(node, ast.If | ast.Try):
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.stmt):
                yield from _aliases_in(inner, path, folder)


def _add_uses(uses: Uses, node: ast.AST, where: _Module, names: set[tuple[str, str]]) -> None:
    """Add the private names, the attributes and the keywords in a piece of code."""
    is_around = names is uses.around
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute):
            chain = _chain_of(one, where)
            if chain:
                names.add(chain)
            if is_around:
                continue
            uses.words.add(f".{one.attr}")
            if isinstance(one.value, ast.Attribute) and one.value.attr == _TO_CLIENT:
                uses.private.add(f".{_TO_CLIENT}")  # more than the way to a client
            if _is_private(one.attr) and not _is_self(one.value) and one.attr not in where.own_attributes:
                uses.private.add(f".{one.attr}")
        elif is_around:
            continue
        elif isinstance(one, ast.keyword) and one.arg:
            uses.words.add(f"{one.arg}=")
        elif isinstance(one, ast.Call) and _is_patch(one):
            uses.private |= {f"patched {text}" for text in _texts_in(one) if _names_private(text)}
            uses.private |= {f".{_TO_CLIENT}" for each in one.args if getattr(each, "attr", "") == _TO_CLIENT}
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            uses.words.add(f"{one.func.id}()")
        elif isinstance(one, ast.ClassDef) and any(_is_of_package(base, where) for base in one.bases):
            own = [inner.name for inner in one.body if isinstance(inner, FUNCTIONS)]
            used_here = {inner.attr for inner in ast.walk(one) if isinstance(inner, ast.Attribute)}
            uses.private |= {f"overridden {name}" for name in own if _is_private(name) and name not in used_here}


def _chain_of(node: ast.Attribute, where: _Module) -> tuple[str, str] | None:
    """The module and the name of `package.module.name`, where the package is imported as a module."""
    parts: list[str] = [node.attr]
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        parts.append(base.attr)
        base = base.value
    if not isinstance(base, ast.Name) or base.id not in where.imports:
        return None
    source, name = where.imports[base.id]
    if source.partition(".")[0] not in _PACKAGES or (name and not name.islower()):
        return None
    root = f"{source}.{name}" if name else (source if len(source.split(".")) == 1 else base.id)
    path = [root, *reversed(parts)]
    return ".".join(path[:-1]), path[-1]


def _is_of_package(base: ast.expr, where: _Module) -> bool:
    inner = base.value if isinstance(base, ast.Subscript) else base
    name = inner.id if isinstance(inner, ast.Name) else ""
    return where.imports.get(name, ("",))[0].partition(".")[0] in _PACKAGES


def _is_patch(call: ast.Call) -> bool:
    text = ast.unparse(call.func)
    return "patch" in text or text.endswith(".setattr")


def _texts_in(node: ast.AST) -> Iterator[str]:
    return (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _names_private(text: str) -> bool:
    return all(part.isidentifier() for part in text.split(".")) and any(map(_is_private, text.split(".")))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _PUBLIC


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
