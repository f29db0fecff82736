"""docs/reference/command-line.md: the help of each command as it is printed, exit codes included."""

import argparse
import os
import textwrap
from typing import Any
from unittest import mock

from plainmcp.cli import grammar

from .markdown import code, headed, table

__all__ = ["page"]

_INTRO = """\
`plainmcp` serves a file, and is a client for any server: one in a file, at a URL, or behind a command. The server in
a file is found automatically, or you name it: `FILE:OBJECT`. The object may be a function that returns a server. A
file in a package is imported as a part of it, so its relative imports work; `-m package.module` names it as Python
does. What your code prints goes to standard error. Colours are only for terminals, and only if `NO_COLOR` is not set.

![plainmcp preview on the weather example](../images/preview.svg)"""

_NOTES = {
    "serve": (
        "On standard input and output there is one client, the program that started the command. With `--reload`,"
        " requests are answered with status 503 and the error while the file cannot be loaded."
    ),
    "list": (
        "Instead of a file you can pass an `http://` address, or a `--command` that starts a server. An address"
        " without a path is tried at `/mcp` too. For a file the list also has what no client sees: tags, the scopes"
        " that a feature requires, and features that this caller does not see. The last lines say how much of a"
        " model's context each definition takes; tokens are characters / 4, so use them only to compare."
    ),
    "call": (
        "Arguments are pairs or JSON. `days=3` is a number if the tool takes a number, and a text if it takes a text;"
        " `cities=Oslo cities=Rome` is a list if it takes a list; `days:=3` is JSON in any case. `text=@notes.txt` is"
        " the content of a file, in base64 if the tool takes bytes. `@arguments.json` and `-` are whole objects,"
        " from a file and from standard input. Later arguments win.\n\n"
        "A tool may ask questions. On a terminal you are asked; otherwise each `--answer` answers the next question:"
        ' `--answer \'{"name": "Ada"}\'`, `--answer decline`.\n\n'
        "Without `--revision`, a call to a file uses the newest revision; a call to an address or a command uses"
        " the newest that has a handshake."
    ),
    "read": "With `--save DIR`, the contents are also written to files.",
    "prompt": "The arguments of a prompt are texts.",
    "completion": (
        "These are the completions of the server. Those of your shell, for the command `plainmcp` itself, are"
        " installed with `plainmcp shell-completion`."
    ),
    "preview": "`~tokens` is a rough guess, with four characters per token. Use it only to compare.",
    "config": (
        "The configuration is printed on standard output, and the file of the client it belongs to on standard error."
        " A server in a file is started with the Python that runs this command, from any folder."
    ),
    "shell-completion": (
        "The first line of the script says where it belongs. For bash:"
        ' `eval "$(plainmcp shell-completion bash)"` in `~/.bashrc`.'
    ),
}


class OneLayout(argparse.RawDescriptionHelpFormatter):
    """The layout of Python 3.13, which shows an option with its other names once, and aligns subcommands as options.

    So the page is the same on every version; what is said and in which order is as each version prints it.
    """

    def add_argument(self, action: argparse.Action) -> None:
        if action.help is not argparse.SUPPRESS:
            shown = [action, *self._iter_indented_subactions(action)]
            length = max(len(self._format_action_invocation(one)) for one in shown) + self._current_indent
            length += 2 * (len(shown) > 1)  # subcommands are indented
            self._action_max_length = max(self._action_max_length, length)
            self._add_item(self._format_action, [action])

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return str(self._metavar_formatter(action, action.dest)(1)[0])
        value = "" if action.nargs == 0 else " " + self._format_args(action, action.dest.upper())
        return ", ".join(action.option_strings) + value


def page() -> str:
    """The page."""
    parser = grammar.build_parser()
    commands = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    for one in (parser, *commands.choices.values()):
        one.formatter_class = OneLayout
    parts: list[str] = []
    with mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}):
        parts += [f"```text\n{parser.format_help().rstrip()}\n```", _exit_codes(commands.choices)]
        for name, command in commands.choices.items():
            shown = command.format_help().partition("exit codes:\n")[0].rstrip()
            parts.append(f"## plainmcp {name}\n\n{_wrap(_NOTES[name])}\n\n```text\n{shown}\n```")
    return headed("Commands and exit codes", _INTRO, *parts)


def _exit_codes(commands: dict[str, argparse.ArgumentParser]) -> str:
    """A table: what each code means, and for which commands."""
    meanings: dict[tuple[str, str], list[str]] = {}
    for name, command in commands.items():
        codes = (command.epilog or "").partition("exit codes:\n")[2]
        for line in codes.splitlines():
            number, meaning = line.split(None, 1)
            meanings.setdefault((number, meaning), []).append(name)
    if not meanings:
        raise AssertionError("no command has exit codes in its help")
    rows = [
        [code(number), _of(names, commands), meaning]
        for (number, meaning), names in sorted(meanings.items(), key=_by_code)
    ]
    return f"## Exit codes\n\n{table(['code', 'command', 'meaning'], rows)}"


def _by_code(entry: tuple[tuple[str, str], list[str]]) -> int:
    return int(entry[0][0])


def _of(names: list[str], commands: dict[str, Any]) -> str:
    return "all" if len(names) == len(commands) else ", ".join(code(name) for name in names)


def _wrap(text: str) -> str:
    """Paragraphs in lines that fit an editor."""
    return "\n\n".join(textwrap.fill(one, 118, break_on_hyphens=False) for one in text.split("\n\n"))
