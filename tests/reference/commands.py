"""docs/reference/command-line.md: the help of each command as it is printed, exit codes included."""

import argparse
import os
from unittest import mock

from plainmcp.cli import options

from .markdown import headed

__all__ = ["page"]

_INTRO = """\
`plainmcp` has four commands. A file is loaded as Python loads a script. Its server is found automatically, or you
name it: `FILE:OBJECT`. What your code prints goes to standard error. Colours are only for terminals, and only if
`NO_COLOR` is not set.

![plainmcp preview on the weather example](../images/preview.svg)"""

_NOTES = {
    "serve": "On standard input and output there is one client, the program that started the command.",
    "list": "Instead of a file you can pass an `http://` address, or a `--command` that starts a server.",
    "call": (
        "Without `--revision`, a call to a file uses the newest revision; a call to an address or a command uses"
        " the newest that has a handshake."
    ),
    "preview": "`~tokens` is a rough guess, with four characters per token. Use it only to compare.",
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
