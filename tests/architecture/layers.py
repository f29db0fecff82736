"""The layers of the package, and what each module imports, as `ast` reads it.

A layer is a package, or modules of the top level that stand together. Imports go down, never up; the modules of one
layer may import one another, but never in a circle.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["LAYERS", "OUTER", "PACKAGE", "ROOT", "Import", "imports", "layer_of", "modules"]

PACKAGE = Path(__file__).parents[2] / "src" / "plainmcp"

# The package itself: it may import any module, and only the outer layers may import it.
ROOT = "__init__"

# From the outside in. A name that ends in a slash is a package and all that is in it.
LAYERS = {
    "program": ("__main__",),
    "cli": ("cli/",),
    "compat": ("compat/",),
    "testing": ("testing",),
    "otel": ("otel/",),
    "redis": ("redis/",),
    "server": ("server", "middleware", "observe/"),
    "ui": ("ui/",),
    "preview": ("preview/",),
    "transports": ("transports/",),
    "replicas": ("replicas/",),
    "limits": ("limits/",),
    "auth": ("auth/",),
    "protocol": ("protocol/", "context"),
    "schema": ("schema/",),
    "values": ("values/",),
    "foreign": ("foreign/",),
    "client": ("client",),
    "vocabulary": ("questions", "results", "media", "types", "web"),
    "files": ("files/",),
    "store": ("store/",),
    "wire": ("wire/",),
    "facts": ("errors", "policy", "revisions"),
}

# The layers that do I/O.
OUTER = (
    "program", "cli", "compat", "testing", "otel", "redis", "server", "ui", "preview", "transports", "replicas",
    "store", "limits", "auth",
)  # fmt: skip


@dataclass(frozen=True)
class Import:
    """One import statement's target: a module of ours, or the dotted name of someone else's."""

    target: str
    ours: bool
    line: int
    inside: str | None  # the function it stands in


def modules() -> dict[str, str]:
    """Every file of the package: its module ("context", "protocol/registry") and its source."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {file.relative_to(PACKAGE).with_suffix("").as_posix(): file.read_text("utf-8") for file in files}


def layer_of(module: str) -> int | None:
    """How far in a module's layer stands; None where it has none."""
    for position, members in enumerate(LAYERS.values()):
        if any(module.startswith(member) if member.endswith("/") else module == member for member in members):
            return position
    return None


def imports(module: str, source: str, known: set[str]) -> Iterator[Import]:
    """Everything a module imports: at the top, under TYPE_CHECKING, inside functions, by import_module()."""
    for name, line, function in _statements(module, source):
        top, _, rest = name.partition(".")
        ours = top == "plainmcp"
        yield Import(_module(rest, known) if ours else name, ours, line, function)


@cache
def _statements(module: str, source: str) -> list[tuple[str, int, str | None]]:
    """The dotted names that a module imports, with their lines and functions; reading them takes most of the time."""
    return [
        (name, getattr(node, "lineno", 0), function)
        for node, function in _walk(ast.parse(source), None)
        for name in dict.fromkeys(_names(module, node))
    ]


def _names(module: str, node: ast.AST) -> list[str]:
    """The dotted names a statement or a call imports."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            base = _absolute(module, node)
            ours = base.split(".")[0] == "plainmcp"
            return [f"{base}.{alias.name}" if ours else base for alias in node.names]
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            if called in {"import_module", "__import__"}:
                name = node.args[0]
                return [name.value if isinstance(name, ast.Constant) else "a module chosen while running"]
    return []


def _walk(node: ast.AST, function: str | None) -> Iterator[tuple[ast.AST, str | None]]:
    for child in ast.iter_child_nodes(node):
        yield child, function
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _walk(child, child.name if named else function)


def _absolute(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = ["plainmcp", *module.split("/")[:-1]]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _module(dotted: str, known: set[str]) -> str:
    """The module a dotted name leads to: "errors.ToolError" is errors, "Policy" is the package itself."""
    parts = dotted.split(".") if dotted else []
    while parts:
        for candidate in ("/".join(parts), "/".join([*parts, "__init__"])):
            if candidate in known:
                return candidate
        parts.pop()
    return ROOT
