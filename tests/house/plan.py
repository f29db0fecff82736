"""The plan of the house: which room stands where, and what each file imports, as `ast` reads it.

Imports run from left to right. A new room gets its place here in the commit that brings it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

__all__ = ["FRONT_DOOR", "PACKAGE", "STOREYS", "Import", "Storey", "imports", "rooms", "storey_of"]

PACKAGE = Path(__file__).parents[2] / "src" / "plainmcp"

# The package itself: it may import any room, and only a shell may import it.
FRONT_DOOR = "__init__"


@dataclass(frozen=True)
class Storey:
    """Rooms side by side: they may import one another, without going round, unless they are strangers."""

    layer: str
    rooms: tuple[str, ...]
    strangers: bool = False


# From left to right; a layer of two lines has an inner order.
STOREYS = (
    Storey("shells", ("__main__",)),
    Storey("shells", ("cli", "cli_*", "compat/*", "app")),
    Storey("edges", ("testing", "transports/__init__", "transports/[aw]sgi", "transports/stdio")),
    Storey("edges", ("transports/turns", "transports/serving", "transports/http_server", "transports/endpoint")),
    Storey("edges", ("transports/opened", "transports/door"), strangers=True),
    Storey("edges", ("transports/sessions",)),
    Storey("edges", ("transports/connection", "transports/lent")),
    Storey("edges", ("transports/drive",)),
    Storey("edges", ("transports/looped",)),
    Storey("edges", ("transports/streamable", "transports/streams")),
    Storey(
        "edges",
        (
            "transports/calling",
            "transports/threads",
            "transports/sse",
            "transports/guard",
            "transports/workers",
            "transports/path",
        ),
    ),
    Storey("edges", ("transports/headers", "transports/shutdown")),
    Storey("edges", ("transports/lines", "transports/log_format")),
    Storey("protocol", ("server",)),
    Storey("protocol", ("exchange", "session")),
    Storey("protocol", ("methods/*",)),
    Storey("offer", ("registry", "features", "options", "option_check", "context", "request", "pace")),
    Storey(
        "translators",
        ("signature", "schema", "arguments", "outputs", "normalize", "render", "project", "describe", "paging"),
        strangers=True,
    ),
    # What the translators build on: values, and the hints and schemas that speak of values.
    Storey(
        "values",
        (
            "content",
            "payload",
            "ready",
            "conform",
            "unpack",
            "records",
            "schema_types",
            "jsonable",
            "walk",
            "kinds",
            "fitting",
            "native",
            "conversion",
            "choosing",
            "leniency",
            "refusals",
            "typetree",
            "constructors",
            "generics",
            "limits",
            "nodes",
            "texts",
            "shapes",
            "treeschema",
            "adapters",
            "hints",
            "foreign",
            "frames",
            "pictures",
            "docstring",
            "judge",
            "explain",
            "keywords",
            "wording",
            "schemapaths",
            "phrases",
            "subschemas",
            "headings",
        ),
    ),
    Storey(
        "words",
        (
            "types",
            "media",
            "mime",
            "files",
            "places",
            "results",
            "steps",
            "questions",
            "seal",
            "codec",
            "jsonrpc",
            "uritemplate",
            "uripiece",
            "tracebacks",
        ),
    ),
    Storey("facts", ("errors", "interrupts", "revisions", "policy")),
)


@dataclass(frozen=True)
class Import:
    """One import statement's target: a room of ours, or the dotted name of someone else's module."""

    target: str
    ours: bool
    line: int
    inside: str | None  # the function it stands in


def rooms() -> dict[str, str]:
    """Every file of the package: its room ("normalize", "methods/tools") and its source."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {file.relative_to(PACKAGE).with_suffix("").as_posix(): file.read_text("utf-8") for file in files}


def storey_of(room: str) -> int | None:
    """How far to the right a room stands; None when the plan does not know it."""
    for position, storey in enumerate(STOREYS):
        if any(fnmatch(room, pattern) for pattern in storey.rooms):
            return position
    return None


def imports(room: str, source: str, known: set[str]) -> Iterator[Import]:
    """Everything a room imports: at the top, under TYPE_CHECKING, inside functions, by import_module()."""
    for node, function in _walk(ast.parse(source), None):
        for name in dict.fromkeys(_names(room, node)):
            top, _, rest = name.partition(".")
            ours = top == "plainmcp"
            yield Import(_room(rest, known) if ours else name, ours, getattr(node, "lineno", 0), function)


def _names(room: str, node: ast.AST) -> list[str]:
    """The dotted names a statement or a call imports."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            base = _absolute(room, node)
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


def _absolute(room: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = ["plainmcp", *room.split("/")[:-1]]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _room(dotted: str, known: set[str]) -> str:
    """The room a dotted name leads to: "project.tool_result" is project, "Policy" is the front door."""
    parts = dotted.split(".") if dotted else []
    while parts:
        for candidate in ("/".join(parts), "/".join([*parts, "__init__"])):
            if candidate in known:
                return candidate
        parts.pop()
    return FRONT_DOOR
