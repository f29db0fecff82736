"""Finds the tests that read what no client can see: private attributes, component objects, and patched internals."""

import ast
from collections.abc import Iterator

from .cases import Suite

__all__ = ["hidden_reads_of"]

_PATCHING = ("patch", "monkeypatch", "mocker", "mock")
_PUBLIC = ("_meta", "_replace", "_asdict", "_fields")


def hidden_reads_of(source: str, suite: Suite) -> dict[str, str]:
    """What each test of a file reads that no client can see, by the name of the test; absent where there is none."""
    tree = ast.parse(source)
    functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    inside = _private_imports_of(tree)
    found: dict[str, str] = {}
    for name, function in _tests_of(tree):
        parts = _closure(function, functions)
        reason = next((one for part in parts for one in _hidden_in(part, suite, inside)), None)
        if reason is None and not any(_has_server(part, tree) for part in parts):
            reason = "no server"
        if reason:
            found[name] = reason
    return found


def _private_imports_of(tree: ast.Module) -> set[str]:
    """The private names that a module imports from the packages."""
    return {
        one.asname or one.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("mcp", "fastmcp")
        for one in node.names
        if _is_private(one.name) or any(_is_private(part) for part in (node.module or "").split("."))
    }


_SERVERS = ("FastMCP", "MCPServer", "Server", "connect", "mcp", "server", "app", "client")


def _has_server(function: ast.AST, tree: ast.Module) -> bool:
    """Whether a function uses a server or a client: its class, a fixture, a variable of that name, or an example."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return any(
        one in _SERVERS or "server" in one.lower() or "client" in one.lower() or one.startswith("tutorial")
        for one in names
    )


def _tests_of(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The tests of a module, as "test_x" or "TestClass::test_x"."""

    def walk(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from walk(node.body, f"{prefix}{node.name}::")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                yield f"{prefix}{node.name}", node

    yield from walk(tree.body, "")


def _closure(function: ast.AST, functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> list[ast.AST]:
    """A test, and the fixtures and helpers of its file that it names."""
    seen: list[ast.AST] = []
    todo: list[ast.AST] = [function]
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.append(one)
        names = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
        names |= {node.arg for node in ast.walk(one) if isinstance(node, ast.arg)}
        names |= {str(node.value) for node in ast.walk(one) if isinstance(node, ast.Constant)}  # usefixtures("…")
        todo += [functions[name] for name in names if name in functions and not name.startswith("test")]
    return seen


def _hidden_in(function: ast.AST, suite: Suite, inside: set[str]) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute):
            if _is_private(node.attr) and node.attr not in suite.private_allowed and not _is_own(node.value):
                yield f"private attribute {node.attr}"
            if node.attr in suite.component_getters and not _is_client(node.value):
                yield f"component objects by {node.attr}"
        elif isinstance(node, ast.Name):
            if node.id in suite.component_names or node.id in inside:
                yield f"component {node.id}"
            if node.id in _PATCHING:
                yield "patches internals"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in suite.component_calls:
            yield f"builds a {node.func.id} itself"
        elif isinstance(node, ast.arg) and node.arg in _PATCHING:
            yield "patches internals"
        elif isinstance(node, ast.ClassDef):
            own = [one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
            yield from (f"replaces a private method {name}" for name in own if _is_private(name))
        elif isinstance(node, ast.ImportFrom):
            yield from (f"private {one.name}" for one in node.names if _is_private(one.name))


def _is_private(name: str) -> bool:
    return name == "__fastmcp__" or (name.startswith("_") and not name.startswith("__") and name not in _PUBLIC)


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _is_client(node: ast.expr) -> bool:
    text = ast.unparse(node).lower()
    return any(word in text for word in ("client", "session", "connection"))
