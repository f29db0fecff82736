"""What may be written on the command line: the commands, their words and options, and the exit codes."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import AuthorError
from ..policy import Policy
from ..revisions import REVISIONS
from ..transports import uvicorn
from ..transports.shutdown import GRACE, LONGEST, check_grace

__all__ = ["parsed", "words"]

_EXAMPLES = """\
examples:
  plainmcp serve app.py                                   to one client, on standard input and output
  plainmcp serve app.py --http 127.0.0.1:8000 --reload    over HTTP, anew whenever a file is saved
  plainmcp list http://127.0.0.1:8000/mcp                 what a server offers, wherever it is
  plainmcp call app.py forecast '{"city": "Oslo"}'        what a tool answers
  plainmcp preview app.py forecast '{"city": "Oslo"}'     what that is on each revision, and what it costs
"""
_FILE = "the file cannot be loaded, or has no server"
_LINE = "the command line is wrong: an unknown option, tool, policy or revision, or arguments that are no JSON object"
_AWAY = "the server cannot be reached, or answers with a protocol error"
_CODES = {
    "serve": {
        0: "the client hung up, or a signal ended the server",
        1: _FILE,
        2: "the command line is wrong",
        3: "it cannot be served there: the port is taken, uvicorn is missing, or its workers cannot start",
    },
    "list": {0: "done", 1: _FILE, 2: _LINE, 3: _AWAY, 130: "interrupted"},
    "call": {0: "done", 1: f"{_FILE}; or the tool's result is an error", 2: _LINE, 3: _AWAY, 130: "interrupted"},
    "preview": {0: "done", 1: f"{_FILE}; or every result is an error", 2: _LINE, 3: _AWAY, 130: "interrupted"},
}
_SEVERAL = "a Python file, and the server in it if it has several"
_ANYWHERE = f"{_SEVERAL}; or the http:// address of a server"
_CALL = f"{_ANYWHERE}; then the name of a tool, and its arguments as a JSON object"
_PREVIEW = """\
Preview a call: what it puts on the wire on each revision, and what that costs.

The tool of a file runs once, whatever is shown of it. A server elsewhere has to be asked again on each
revision, so its tool runs as often; its policy is its own, and only revisions are shown.
"""


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command and its options, in any order; leaves with code 2 when they are wrong."""
    parser = _parser()
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.print_help(sys.stderr)
        parser.exit(2)
    given, more = parser.parse_known_args(arguments)
    if more and ("words" not in given or any(word.startswith("-") for word in more)):
        given.parser.error(f"unrecognized arguments: {' '.join(more)}")
    if "words" in given:
        given.words += more  # those that stand behind an option
    elif given.http is None and given.workers != 1:
        given.parser.error(
            "--workers goes with --http: on standard input there is one client, and one process for it"
        )
    elif given.http is None and given.reload:
        given.parser.error(
            "--reload goes with --http: on standard input the client starts the server, and has to start it anew"
        )
    elif given.reload and given.workers != 1:
        given.parser.error("--reload serves in one process: leave out --workers while you write")
    return given


def words(given: Any, *names: str) -> list[str]:
    """What was said besides options, with an empty word for the file where a command stands in its place."""
    command = getattr(given, "command", None)
    said = [*([] if command is None else [""]), *given.words]
    least = min(len(names), 2)
    if len(said) < least:
        given.parser.error(f"the following arguments are required: {', '.join(names[len(said) : least])}")
    if len(said) > len(names):
        given.parser.error(f"unrecognized arguments: {' '.join(said[len(names) :])}")
    return said


def _codes(codes: dict[int, str]) -> str:
    return "\n".join(["exit codes:", *(f"  {code:<3}  {told}" for code, told in codes.items())])


def _parser() -> argparse.ArgumentParser:
    raw: Any = argparse.RawDescriptionHelpFormatter
    last = "exit codes: 0 for done, 1 to 3 for what went wrong; each COMMAND --help tells which"
    parser = argparse.ArgumentParser(
        prog="plainmcp",
        description="Plain Python in, exact MCP out.",
        epilog=f"{_EXAMPLES}\n{last}",
        formatter_class=raw,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, told: str, usage: str | None = None) -> argparse.ArgumentParser:
        short, codes = told.partition(":")[0].lower(), _codes(_CODES[name])
        made = commands.add_parser(name, help=short, description=told, usage=usage, epilog=codes, formatter_class=raw)
        made.set_defaults(name=name, parser=made)
        return made

    serve = command("serve", "Serve a file: to one client on standard input and output, or over HTTP.")
    serve.add_argument("target", metavar="FILE[:OBJECT]", help=_SEVERAL)
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on standard input and output (the default)")
    where.add_argument("--http", metavar="HOST:PORT", type=_address, help="over HTTP, at http://HOST:PORT/mcp")
    workers = "how many processes serve HTTP (default: 1); of several, none keeps sessions"
    serve.add_argument("--workers", metavar="N", type=int, default=1, help=workers)
    reload = "serve HTTP anew whenever a Python file in the folder of FILE is saved; sessions end with that"
    serve.add_argument("--reload", action="store_true", help=reload)
    grace = f"within how many seconds it ends when told to (default: {GRACE:g}); what runs longer is given up"
    serve.add_argument("--grace", metavar="SECONDS", type=_seconds, default=GRACE, help=grace)

    usage = "plainmcp list [options] FILE[:OBJECT] | URL | --command COMMAND"
    listed = command("list", "List what a server offers: tools, resources, templates and prompts.", usage)
    listed.add_argument("words", metavar="FILE[:OBJECT]", nargs="*", help=_ANYWHERE)

    usage = "plainmcp call [options] (FILE[:OBJECT] | URL | --command COMMAND) TOOL [ARGS]"
    told = "Call a tool: prints what it says; progress and log messages go to standard error."
    call = command("call", told, usage)
    call.add_argument("words", metavar="FILE[:OBJECT] TOOL ARGS", nargs="*", help=_CALL)

    usage = "plainmcp preview [options] (FILE[:OBJECT] | URL | --command COMMAND) TOOL [ARGS]"
    preview = command("preview", _PREVIEW, usage)
    preview.add_argument("words", metavar="FILE[:OBJECT] TOOL ARGS", nargs="*", help=_CALL)
    preview.add_argument("--policies", action="store_true", help="with the server's policy and every profile")
    repeat = "for a URL or a command: the tool may run once on each revision, even if it does more than read"
    preview.add_argument("--repeat", action="store_true", help=repeat)
    preview.add_argument("--lines", metavar="N", type=_count, default=12, help="lines of text to show (default: 12)")
    preview.add_argument("--full", action="store_true", help="show all of the text")
    for one in (listed, call, preview):
        one.add_argument("--command", metavar="COMMAND", help="start this command, and talk to it on its pipes")
    for one in (call, preview):
        one.add_argument(
            "--policy", metavar="P", choices=Policy.profiles, help=f"one of {', '.join(Policy.profiles)}"
        )
    for one in (listed, call, preview):
        one.add_argument("--revision", metavar="R", choices=REVISIONS, help=f"one of {', '.join(REVISIONS)}")
        what = "the exact result, as JSON" if one is call else "JSON, for machines"
        one.add_argument("--json", action="store_true", help=f"print {what}")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
        check_grace(seconds)
    except (ValueError, AuthorError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, from 0 to {LONGEST}") from None
    return seconds


def _address(text: str) -> str:
    try:
        uvicorn.address_of(text)
    except AuthorError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
