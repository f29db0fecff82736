"""The command line's grammar: the commands, their arguments and options, and the exit codes."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import AuthorError
from ..policy import Policy
from ..revisions import REVISIONS
from ..transports import uvicorn
from ..transports.log_format import LOG_LEVELS
from ..transports.shutdown import GRACE, MAX_GRACE, check_grace

__all__ = ["build_parser", "parse_options", "positionals_of"]

_EXAMPLES = """\
examples:
  plainmcp serve app.py                                   to one client, on standard input and output
  plainmcp serve app.py --http 127.0.0.1:8000 --reload    over HTTP, reloaded when a file is saved
  plainmcp list http://127.0.0.1:8000/mcp                 what a server offers
  plainmcp call app.py forecast '{"city": "Oslo"}'        the result of a tool
  plainmcp preview app.py forecast '{"city": "Oslo"}'     that result on each revision, and what it costs
"""
_FILE = "the file cannot be loaded, or has no server"
_LINE = (
    "the command line is wrong: an unknown option, tool, policy or revision, or arguments that are not a JSON object"
)
_AWAY = "the server cannot be reached, or answers with a protocol error"
_CODES = {
    "serve": {
        0: "the client disconnected, or a signal ended the server",
        1: _FILE,
        2: "the command line is wrong",
        3: "it cannot be served at this address: the port is in use, uvicorn is missing, or its workers cannot start",
    },
    "list": {0: "done", 1: _FILE, 2: _LINE, 3: _AWAY, 130: "interrupted"},
    "call": {0: "done", 1: f"{_FILE}; or the tool's result is an error", 2: _LINE, 3: _AWAY, 130: "interrupted"},
    "preview": {0: "done", 1: f"{_FILE}; or every result is an error", 2: _LINE, 3: _AWAY, 130: "interrupted"},
}
_SEVERAL = "a Python file, and the name of the server if the file has several"
_ANYWHERE = f"{_SEVERAL}; or the http:// address of a server"
_CALL = f"{_ANYWHERE}; then the name of a tool, and its arguments as a JSON object"
_PREVIEW = """\
Preview a call: the messages it becomes on each revision, and what they cost.

A tool in a file runs once, for all revisions and policies. The tool of a remote server runs once for each
revision, because the server has to be called on each; it keeps the server's policy.
"""


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command and its options, in any order; exits with code 2 if they are wrong."""
    parser = build_parser()
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.print_help(sys.stderr)
        parser.exit(2)
    options, more = parser.parse_known_args(arguments)
    if more and ("positionals" not in options or any(word.startswith("-") for word in more)):
        options.parser.error(f"unrecognized arguments: {' '.join(more)}")
    if "positionals" in options:
        options.positionals += more  # those after an option
    else:
        _check_serving(options)
    return options


def _check_serving(options: Any) -> None:
    """Refuse options of `serve` that do not go together."""
    error = options.parser.error
    if options.http is None:
        if options.workers != 1:
            error("--workers needs --http: on standard input there is one client, and one process for it")
        if options.reload:
            error("--reload needs --http: on standard input the client starts the server, and has to start it again")
        if options.ui:
            error("--ui needs --http: on standard input and output there is no page")
        if options.auth is not None:
            error("--auth needs --http: on standard input the only client is the one that starts the server")
        return
    if options.reload and options.workers != 1:
        error("--reload serves in one process: leave out --workers")
    if options.ui is None:
        options.ui = uvicorn.is_loopback_address(options.http)


def positionals_of(options: Any, *names: str) -> list[str]:
    """The arguments that are not options; the first is empty if --command takes the place of the file."""
    command = getattr(options, "command", None)
    values = [*([] if command is None else [""]), *options.positionals]
    least = min(len(names), 2)
    if len(values) < least:
        options.parser.error(f"the following arguments are required: {', '.join(names[len(values) : least])}")
    if len(values) > len(names):
        options.parser.error(f"unrecognized arguments: {' '.join(values[len(names) :])}")
    return values


def _format_codes(codes: dict[int, str]) -> str:
    return "\n".join(["exit codes:", *(f"  {code:<3}  {meaning}" for code, meaning in codes.items())])


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    raw: Any = argparse.RawDescriptionHelpFormatter
    last = "exit codes: 0 for success, 1 to 3 for failures; each COMMAND --help lists its own"
    parser = argparse.ArgumentParser(
        prog="plainmcp",
        description="Plain Python in, exact MCP out.",
        epilog=f"{_EXAMPLES}\n{last}",
        formatter_class=raw,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, description: str, usage: str | None = None) -> argparse.ArgumentParser:
        short, codes = description.partition(":")[0].lower(), _format_codes(_CODES[name])
        subparser = commands.add_parser(
            name, help=short, description=description, usage=usage, epilog=codes, formatter_class=raw
        )
        subparser.set_defaults(name=name, parser=subparser)
        return subparser

    serve = command("serve", "Serve a file: to one client on standard input and output, or over HTTP.")
    serve.add_argument("target", metavar="FILE[:OBJECT]", help=_SEVERAL)
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on standard input and output (the default)")
    where.add_argument("--http", metavar="HOST:PORT", type=_address, help="over HTTP, at http://HOST:PORT/mcp")
    workers = "how many processes serve HTTP (default: 1); with several, there are no sessions"
    serve.add_argument("--workers", metavar="N", type=int, default=1, help=workers)
    page = "a page at / for people to try the server (default: only if HOST is loopback)"
    serve.add_argument("--ui", action=argparse.BooleanOptionalAction, help=page)
    keys = "only for callers with a key in FILE; each line is a name, a key and perhaps scopes"
    serve.add_argument("--auth", metavar="FILE", help=keys)
    reload = "start again whenever a Python file in the folder of FILE is saved; sessions end with that"
    serve.add_argument("--reload", action="store_true", help=reload)
    grace = f"how long running calls may take after a signal to stop (default: {GRACE:g}); then they are abandoned"
    serve.add_argument("--grace", metavar="SECONDS", type=_seconds, default=GRACE, help=grace)
    access = "log one line for each request, to standard error: plain (the default) or json"
    serve.add_argument("--access-log", metavar="FORMAT", nargs="?", const="plain", type=_access_format, help=access)
    level = f"the lowest level that is logged: {', '.join(LOG_LEVELS)} (default: warning)"
    serve.add_argument("--log-level", metavar="LEVEL", choices=LOG_LEVELS, help=level)

    usage = "plainmcp list [options] FILE[:OBJECT] | URL | --command COMMAND"
    list_ = command("list", "List what a server offers: tools, resources, templates and prompts.", usage)
    list_.add_argument("positionals", metavar="FILE[:OBJECT]", nargs="*", help=_ANYWHERE)

    usage = "plainmcp call [options] (FILE[:OBJECT] | URL | --command COMMAND) TOOL [ARGS]"
    description = "Call a tool: prints its result; progress and log messages go to standard error."
    call = command("call", description, usage)
    call.add_argument("positionals", metavar="FILE[:OBJECT] TOOL ARGS", nargs="*", help=_CALL)

    usage = "plainmcp preview [options] (FILE[:OBJECT] | URL | --command COMMAND) TOOL [ARGS]"
    preview = command("preview", _PREVIEW, usage)
    preview.add_argument("positionals", metavar="FILE[:OBJECT] TOOL ARGS", nargs="*", help=_CALL)
    preview.add_argument("--policies", action="store_true", help="show the server's policy and every profile")
    repeat = "for a URL or a command: run the tool once on each revision, even if it does more than read"
    preview.add_argument("--repeat", action="store_true", help=repeat)
    preview.add_argument("--lines", metavar="N", type=_count, default=12, help="lines of text to show (default: 12)")
    preview.add_argument("--full", action="store_true", help="show all of the text")
    drop_in = "import mcp and import fastmcp lead to plainmcp.compat, whether or not these packages are installed"
    for one in (serve, list_, call, preview):
        one.add_argument("--drop-in", action="store_true", help=drop_in)
    for one in (list_, call, preview):
        one.add_argument(
            "--command", metavar="COMMAND", help="start this command and talk to it on its standard input and output"
        )
        one.add_argument("--key", metavar="KEY", help="for a URL: a key or token, sent as Authorization: Bearer KEY")
    for one in (call, preview):
        one.add_argument(
            "--policy", metavar="P", choices=Policy.profiles, help=f"one of {', '.join(Policy.profiles)}"
        )
    for one in (list_, call, preview):
        one.add_argument("--revision", metavar="R", choices=REVISIONS, help=f"one of {', '.join(REVISIONS)}")
        format = "the exact result, as JSON" if one is call else "JSON, for programs"
        one.add_argument("--json", action="store_true", help=f"print {format}")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of lines")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
        check_grace(seconds)
    except (ValueError, AuthorError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, from 0 to {MAX_GRACE}") from None
    return seconds


def _access_format(text: str) -> str:
    if text not in ("plain", "json"):
        raise argparse.ArgumentTypeError(f"{text!r} is not plain or json; write FILE before --access-log")
    return text


def _address(text: str) -> str:
    try:
        uvicorn.address_of(text)
    except AuthorError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
