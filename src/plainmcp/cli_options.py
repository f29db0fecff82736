"""What may be written on the command line: the commands, their words and options, and the exit codes."""

import argparse
from collections.abc import Sequence
from typing import Any

from .errors import AuthorError
from .policy import Policy
from .revisions import REVISIONS
from .transports import serving

__all__ = ["parsed", "words"]

_CODES = """\
exit codes:
  0  done; for serve: the client hung up, or a signal ended the server
  1  the file cannot be loaded or has no server, or the tool's result is an error
  2  the command line is wrong: an unknown option, tool, policy or revision, or arguments that are no JSON object
  3  the server cannot be served there (the port is taken, uvicorn is missing); or it cannot be reached, or answers
     with a protocol error
"""

_SEVERAL = "a Python file, and the server in it if it has several"
_ANYWHERE = f"{_SEVERAL}; or the http:// address of a server"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command and its options, in any order; leaves with code 2 when they are wrong."""
    given, more = _parser().parse_known_args(arguments)
    if more and ("words" not in given or any(word.startswith("-") for word in more)):
        given.parser.error(f"unrecognized arguments: {' '.join(more)}")
    if "words" in given:
        given.words += more  # those that stand behind an option
    elif given.workers != 1 and given.http is None:
        given.parser.error(
            "--workers goes with --http: on standard input there is one client, and one process for it"
        )
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


def _parser() -> argparse.ArgumentParser:
    shown: dict[str, Any] = {"epilog": _CODES, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(prog="plainmcp", description="Plain Python in, exact MCP out.", **shown)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, told: str, usage: str | None = None) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=told.partition(":")[0].lower(), description=told, usage=usage, **shown)
        made.set_defaults(name=name, parser=made)
        return made

    serve = command("serve", "Serve a file: to one client on standard input and output, or over HTTP.")
    serve.add_argument("target", metavar="FILE[:OBJECT]", help=_SEVERAL)
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on standard input and output (the default)")
    where.add_argument("--http", metavar="HOST:PORT", type=_address, help="over HTTP, at http://HOST:PORT/mcp")
    workers = "how many processes serve HTTP (default: 1)"
    serve.add_argument("--workers", metavar="N", type=int, default=1, help=workers)

    usage = "plainmcp list [options] FILE[:OBJECT] | URL | --command COMMAND"
    listed = command("list", "List what a server offers: tools, resources, templates and prompts.", usage)
    listed.add_argument("words", metavar="FILE[:OBJECT]", nargs="*", help=_ANYWHERE)

    usage = "plainmcp call [options] (FILE[:OBJECT] | URL | --command COMMAND) TOOL [ARGS]"
    told = "Call a tool: prints what it says; progress and log messages go to standard error."
    call = command("call", told, usage)
    call.add_argument(
        "words", metavar="FILE[:OBJECT] TOOL ARGS", nargs="*", help=f"{_ANYWHERE}; a tool; a JSON object"
    )

    usage = "plainmcp preview [options] FILE[:OBJECT] TOOL [ARGS]"
    told = "Preview a call: what it puts on the wire on each revision, and what that costs. The tool runs once."
    preview = command("preview", told, usage)
    preview.add_argument(
        "words", metavar="FILE[:OBJECT] TOOL ARGS", nargs="*", help=f"{_SEVERAL}; a tool; a JSON object"
    )
    preview.add_argument("--policies", action="store_true", help="with the server's policy and every profile")
    preview.add_argument("--lines", metavar="N", type=_count, default=12, help="lines of text to show (default: 12)")
    preview.add_argument("--full", action="store_true", help="show all of the text")
    for one in (listed, call):
        one.add_argument("--command", metavar="COMMAND", help="start this command, and talk to it on its pipes")
    for one in (call, preview):
        one.add_argument(
            "--policy", metavar="P", choices=Policy.profiles, help=f"one of {', '.join(Policy.profiles)}"
        )
    for one in (listed, call, preview):
        one.add_argument("--revision", metavar="R", choices=REVISIONS, help=f"one of {', '.join(REVISIONS)}")
        one.add_argument("--json", action="store_true", help="print JSON; for call, the exact result")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines")
    return int(text)


def _address(text: str) -> str:
    try:
        serving.address_of(text)
    except AuthorError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
