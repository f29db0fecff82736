"""The command line: `plainmcp serve FILE`. Finds a server in a file and runs it; knows not how that is done."""

import argparse
import importlib.util
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .app import Server
from .errors import AuthorError
from .transports import serving, stdio

__all__ = ["LoadError", "load", "main"]

_CODES = """\
exit codes:
  0  the client hung up, or a signal ended the server
  1  the file cannot be loaded, or has no server to serve
  2  the command line is wrong
  3  the server cannot be served there: the port is taken, or uvicorn is missing
"""


class LoadError(Exception):
    """A file gives no server; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.workers != 1 and given.http is None:
        parser.error("--workers goes with --http: on standard input there is one client, and one process for it")
    try:
        if given.http is not None:
            load(given.target).run(http=given.http, workers=given.workers)
        else:
            with stdio.guarded() as streams:  # what the file prints while it loads is no message
                load(given.target).run(streams=streams)
    except LoadError as error:
        return _told(str(error), 1)
    except AuthorError as error:
        return _told(str(error), 3)
    except KeyboardInterrupt:
        return 0
    return 0


def _told(text: str, code: int) -> int:
    print(f"plainmcp: {text}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plainmcp",
        description="Plain Python in, exact MCP out.",
        epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    serve = commands.add_parser(
        "serve",
        help="serve the server in a Python file",
        description="Serve the server in a Python file: to one client on standard input and output, or over HTTP.",
        epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    serve.add_argument(
        "target", metavar="FILE[:OBJECT]", help="a Python file, and the server in it if it has several"
    )
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on standard input and output (the default)")
    where.add_argument("--http", metavar="HOST:PORT", type=_address, help="over HTTP, at http://HOST:PORT/mcp")
    serve.add_argument(
        "--workers", metavar="N", type=int, default=1, help="how many processes serve HTTP (default: 1)"
    )
    return parser


def _address(text: str) -> str:
    try:
        serving.address_of(text)
    except AuthorError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


# Finding the server -------------------------------------------------------------------------------


def load(target: str) -> Server:
    """The server that FILE or FILE:OBJECT names; raises LoadError."""
    file, name = _split(target)
    module = _imported(file)
    if name is not None:
        found = getattr(module, name, None)
        if not isinstance(found, Server):
            what = "there is none" if found is None else f"it is a {type(found).__name__}"
            raise LoadError(f"{file} has no server called {name!r}: {what}")
        return found
    servers = {key: value for key, value in vars(module).items() if isinstance(value, Server)}
    if not servers:
        raise LoadError(f"{file} has no server; write server = Server(...) at its top level")
    if len({id(server) for server in servers.values()}) > 1:
        choices = ", ".join(f"{file}:{key}" for key in servers)
        raise LoadError(f"{file} has several servers; say which: {choices}")
    return next(iter(servers.values()))


def _split(target: str) -> tuple[Path, str | None]:
    whole = Path(target)
    path, colon, name = target.rpartition(":")
    file, named = (Path(path), name) if colon and name.isidentifier() and not whole.exists() else (whole, None)
    if not file.is_file():
        raise LoadError(f"there is no file {file}")
    return file, named


def _imported(file: Path) -> ModuleType:
    """The file as a module, under its own name where that is free; it finds its neighbours as a script does."""
    name = file.stem if file.stem.isidentifier() and file.stem not in sys.modules else f"served_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise LoadError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise LoadError(f"{file} cannot be loaded\n\n{_own_traceback(error, str(spec.origin))}") from error
    return module


def _own_traceback(error: BaseException, file: str) -> str:
    """A traceback that begins in the user's file and ends before ours."""
    seen: Any = error.__traceback__
    while seen is not None and seen.tb_frame.f_code.co_filename != file:
        seen = seen.tb_next
    shown = traceback.TracebackException(type(error), error, seen)
    ours = str(Path(__file__).parent)
    shown.stack = traceback.StackSummary.from_list([frame for frame in shown.stack if ours not in frame.filename])
    return "".join(shown.format()).rstrip()
