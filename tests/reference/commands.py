"""docs/reference/command-line.md: the help of each command as it is printed, exit codes included."""

import argparse
import os
from unittest import mock

from plainmcp.cli import options

from .markdown import headed

__all__ = ["page"]

_INTRO = """\
`plainmcp` has four commands. A file is loaded as Python loads a script; the server in it is found by itself, or
named: `FILE:OBJECT`. What your code prints goes to standard error. Colours are for terminals only, and not
where `NO_COLOR` is set.

![plainmcp preview on the weather example](../images/preview.svg)"""

_NOTES = {
    "serve": "On standard input and output there is one client, the program that started the command.",
    "list": "An `http://` address, or a `--command` that starts a server, may stand where the file does.",
    "call": (
        "With a file, a call is made on the newest revision unless `--revision` says otherwise; with an address or a"
        " command, on the newest that has a handshake."
    ),
    "preview": "`~tokens` is a guess: four characters to a token. It is there to compare, not to be billed by.",
}


def page() -> str:
    """The page."""
    parser = options.build_parser()
    commands = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    parts: list[str] = []
    with mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}):
        text, _, codes = parser.format_help().partition("exit codes:\n")
        parts += [f"```text\n{text.rstrip()}\n```", f"## Exit codes\n\n```text\n{codes.rstrip()}\n```"]
        for name, command in commands.choices.items():
            shown = command.format_help().partition("exit codes:\n")[0].rstrip()
            parts.append(f"## plainmcp {name}\n\n{_NOTES[name]}\n\n```text\n{shown}\n```")
    return headed("The command line", _INTRO, *parts)
