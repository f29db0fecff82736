"""The public names of the published packages, read from their source: what a program can import from them.

    python -m suites.names [--cache FOLDER] [--write]

Each package is installed into a folder of its own, without what it depends on. The names are compared with the data
of the facades, src/plainmcp/compat/published_names.txt, or written there.
"""

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["RELEASES", "check", "install", "read_names", "text_of"]

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "src" / "plainmcp" / "compat" / "published_names.txt"

RELEASES = (
    ("fastmcp==2.14.7",),
    ("fastmcp-slim==3.4.11",),
    ("fastmcp-slim==4.1.6",),
    ("mcp==1.30.0",),
    ("mcp==2.3.0", "mcp-types==2.3.0"),
)
"""The newest release of each line of a package, as what pip installs; fastmcp-slim is what fastmcp installs."""

_FAMILY = ("mcp", "mcp_types", "fastmcp")
_EXCEPTION, _TYPE_VARIABLE = "!", "~"
"""What is written after the name of an exception, which has to be a class, and of a type variable."""

Names = dict[str, dict[str, set[str]]]
"""The public names of each module, by the module that defines them; `a=b` for the b there that is called a."""


def main() -> int:
    """Compare or write the names of all packages; returns 1 if they differ."""
    parser = argparse.ArgumentParser(description="the public names of the published packages")
    parser.add_argument("--cache", type=Path, default=ROOT / ".suites")
    parser.add_argument("--write", action="store_true", help="write the data of the facades")
    options = parser.parse_args()
    if options.write:
        PUBLISHED.write_text(text_of(options.cache), "utf-8")
    return 0 if check(options.cache) else 1


def check(cache: Path) -> bool:
    """Whether the data of the facades has the names of the packages; says what to do if it does not."""
    is_same = PUBLISHED.read_text("utf-8") == text_of(cache)
    if not is_same:
        print(f"{PUBLISHED.relative_to(ROOT)} is not what the packages have: run python -m suites.names --write")
    return is_same


def text_of(cache: Path) -> str:
    """The file of the names: a line for each module, with the names it defines, and those it has from each other."""
    names: Names = {}
    for release in RELEASES:
        for module, by_origin in read_names(install(release, cache)).items():
            merged = names.setdefault(module, {module: set()})
            for origin, found in by_origin.items():
                merged.setdefault(origin, set()).update(found)
    shown = ", ".join(" ".join(release) for release in RELEASES)
    head = f"# The public names of {shown}.\n# Written by `python -m suites.names --write` in tests.\n"
    return head + "".join(f"{_line_of(module, names[module])}\n" for module in sorted(names))


def _line_of(module: str, by_origin: dict[str, set[str]]) -> str:
    own = by_origin.get(module, set())
    others = [
        " ".join(["<", origin, *sorted(found - own)])
        for origin, found in sorted(by_origin.items())
        if origin != module and found - own
    ]
    return " ".join([module, *sorted(own), *others])


def install(release: tuple[str, ...], cache: Path) -> Path:
    """A folder with the packages of a release, made only once."""
    folder = cache / "-".join(["names", *release])
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--target", str(folder), *release], check=True)
    return folder


def read_names(folder: Path) -> Names:
    """The public names of each public module below a folder, with a mark for those that are no plain names."""
    package = _Package(folder)
    read: Names = {}
    for module in package.modules:
        if any(part.startswith("_") for part in module.split(".")):
            continue
        by_origin = read[module] = {module: set[str]()}
        for name in package.names_of(module):
            origin, original = package.origin_of(module, name)
            if any(part.startswith("_") for part in (*origin.split("."), original)):
                origin, original = module, name
            shown = name if name == original else f"{name}={original}"
            by_origin.setdefault(origin, set()).add(shown + package.mark_of(module, name))
    return read


@dataclass
class _Source:
    """What a module defines and imports at its top."""

    defined: dict[str, ast.AST] = field(default_factory=dict[str, ast.AST])
    imported: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    stars: list[str] = field(default_factory=list[str])
    exported: list[str] | None = None
    """The names in `__all__`."""


class _Package:
    """The modules below a folder, parsed when they are needed."""

    def __init__(self, folder: Path) -> None:
        self.files: dict[str, Path] = {}
        for top in _FAMILY:
            for path in sorted((folder / top).rglob("*.py")):
                parts = list(path.relative_to(folder).with_suffix("").parts)
                self.files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        folders = (module.rpartition(".")[0] for module in self.files)
        self.modules = dict.fromkeys([*self.files, *filter(None, folders)])  # a folder needs no __init__.py
        self._sources: dict[str, _Source] = {}

    def names_of(self, module: str) -> set[str]:
        """The public names of a module: what it defines, what it has from other modules, and what it exports."""
        source = self._source_of(module)
        found = set(source.defined) | {
            name for name, (origin, _) in source.imported.items() if origin.partition(".")[0] in _FAMILY
        }
        found |= set(source.exported or ())
        for star in source.stars:
            inner = self._source_of(star)
            found |= set(inner.exported) if inner.exported is not None else self.names_of(star)
        return {name for name in found if not name.startswith("_")}

    def origin_of(self, module: str, name: str) -> tuple[str, str]:
        """The module that defines a name, and the name that it has there."""
        seen: list[str] = []
        while module not in seen:
            seen.append(module)
            source = self._source_of(module)
            if name in source.defined:
                break
            origin, original = source.imported.get(name, ("", name))
            if not origin:
                origin = next((star for star in source.stars if name in self.names_of(star)), "")
            if origin not in self.files:
                break
            module, name = origin, original
        return module, name

    def mark_of(self, module: str, name: str, seen: tuple[str, ...] = ()) -> str:
        """The mark of a name, which may come from another module."""
        if module not in self.files or module in seen:
            return ""
        source = self._source_of(module)
        if name in source.defined:
            return self._mark_of_node(module, source.defined[name])
        if name in source.imported:
            origin, original = source.imported[name]
            return self.mark_of(origin, original, (*seen, module))
        return next((mark for star in source.stars if (mark := self.mark_of(star, name, (*seen, module)))), "")

    def _mark_of_node(self, module: str, node: ast.AST) -> str:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).rpartition(".")[2] for base in (*node.bases,)]
            is_exception = any(one.endswith(("Error", "Exception", "Warning", "ExceptionGroup")) for one in bases)
            return _EXCEPTION if is_exception or any(self.mark_of(module, base) for base in bases) else ""
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in ("TypeVar", "ParamSpec"):
            return _TYPE_VARIABLE
        if isinstance(value, ast.Name) and isinstance(node, ast.Assign):  # another name of the same thing
            return self.mark_of(module, value.id, (module,) if value.id in map(ast.unparse, node.targets) else ())
        return ""

    def _source_of(self, module: str) -> _Source:
        if module not in self._sources:
            source = self._sources[module] = _Source()
            path = self.files.get(module)
            if path is not None:
                self._read(source, ast.parse(path.read_text("utf-8")).body, module, path.name == "__init__.py")
        return self._sources[module]

    def _read(self, source: _Source, body: list[ast.stmt], module: str, is_package: bool) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                source.defined[node.name] = node
                if node.name == "__getattr__":  # it imports what the module has when it is asked for it
                    inner = [one for one in ast.walk(node) if isinstance(one, ast.ImportFrom)]
                    self._read(source, [*inner], module, is_package)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)):
                    source.defined[name] = node
                    if name == "__all__" and node.value is not None:
                        source.exported = _texts_in(node.value)
            elif isinstance(node, ast.ImportFrom):
                origin = _origin_of(node, module, is_package)
                for one in node.names:
                    if one.name == "*":
                        source.stars.append(origin)
                    else:
                        source.imported[one.asname or one.name] = (origin, one.name)
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                shown = [one for one in node.body if isinstance(one, ast.ImportFrom) and _is_shown(one)]
                self._read(source, [*shown, *node.orelse], module, is_package)
            elif isinstance(node, ast.If | ast.Try):
                self._read(source, list(_blocks_of(node)), module, is_package)


def _blocks_of(node: ast.If | ast.Try) -> Iterator[ast.stmt]:
    yield from node.body
    yield from node.orelse
    for handler in getattr(node, "handlers", ()):
        yield from handler.body


def _is_shown(node: ast.ImportFrom) -> bool:
    """Whether an import for type checkers only says that the module has the name: `import x as x`."""
    return all(one.asname == one.name for one in node.names)


def _origin_of(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *([node.module] if node.module else [])])


def _texts_in(node: ast.expr) -> list[str]:
    return [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


if __name__ == "__main__":
    sys.exit(main())
