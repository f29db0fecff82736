"""Programs that start their server themselves: files, modules and installed scripts that are run as Python runs them.

Such a program reads its own arguments, and chooses its transport.
"""

import ast
import importlib
import runpy
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from .load import format_user_traceback, prepare
from .requirements import advise_install
from .source import LoadError, ServerSource

__all__ = ["is_program", "run_program"]


def is_program(source: ServerSource, arguments: Sequence[str] = ()) -> bool:
    """Whether a source is run, and not imported for the server in it. Runs no code.

    A script and a package with `__main__.py` are run. A file is run if it has no server at its top level, or if it
    gets arguments and has a part for `__name__ == "__main__"`, which reads them.
    """
    if source.script is not None:
        return True
    file = None if source.name is not None else source.main_file
    if file is None or file.name == "__main__.py":
        return file is not None
    try:
        statements = ast.parse(file.read_bytes()).body
    except (OSError, ValueError, SyntaxError):  # loading the file reports this better
        return False
    if any(map(_is_server, statements)):
        return bool(arguments) and any(map(_is_main_part, statements))
    return not all(map(_is_definition, statements))


def run_program(source: ServerSource, arguments: Sequence[str] = ()) -> NoReturn:
    """Run a program with its arguments, and exit as it does; raises LoadError if it fails."""
    prepare(source, arguments)
    try:
        if source.script is not None:
            sys.exit(_function_of(source)())
        if "." in source.module or source.file is None:
            runpy.run_module(source.module, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(str(source.file), run_name="__main__")
    except LoadError:
        raise
    except Exception as error:
        problem = f"{source.where} failed\n\n{format_user_traceback(error)}{advise_install(error)}"
        raise LoadError(problem) from error
    sys.exit(0)


def _function_of(source: ServerSource) -> Any:
    """The function that an installed script calls."""
    value: Any = importlib.import_module(source.module)
    for part in (source.script or "").split("."):
        value = getattr(value, part)
    return value


# What a file does when it is run ------------------------------------------------------------------


def _is_server(statement: ast.stmt) -> bool:
    """Whether a statement is `name = Server(…)`, with any name that a server's class, or a function, may have."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if not isinstance(value, ast.Call):
        return False
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return any(part in called.lower() for part in ("mcp", "server"))


def _is_main_part(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    return isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test)


def _is_definition(statement: ast.stmt) -> bool:
    """Whether a statement only defines or imports names."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)  # a docstring
    return isinstance(statement, _DEFINITIONS)


_DEFINITIONS = (
    ast.AnnAssign,
    ast.Assign,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.FunctionDef,
    ast.Import,
    ast.ImportFrom,
)
