"""Reads a command line by its grammar: options in any order, and the arguments that are not options."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ..transports import uvicorn

__all__ = ["parse_options", "positionals_of"]


def parse_options(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command and its options; exits with code 2 if they are wrong.

    What follows `--` are the arguments of a program that the command starts, and for other commands no options.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        parser.print_help(sys.stderr)
        parser.exit(2)
    own, rest = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    options, more = parser.parse_known_args(own)
    if any(word.startswith("-") and word != "-" for word in more):
        options.parser.error(f"unrecognized arguments: {' '.join(more)}")
    options.arguments = rest if options.starts_programs else []
    options.positionals += more if options.starts_programs else [*more, *rest]  # those after an option
    options.root = parser
    if options.name == "serve":
        _check_serving(options)
    return options


_ONE_CLIENT = "on standard input there is one client, and one process for it"
_NEED_HTTP = {
    "store": _ONE_CLIENT,
    "workers": _ONE_CLIENT,
    "hosts": "on standard input and output there are no names",
    "origins": "a page cannot call a server on standard input and output",
    "reload": "on standard input the client starts the server, and has to start it again",
    "ui": "on standard input and output there is no page",
    "auth": "on standard input the only client is the one that starts the server",
}
"""Why options of `serve` have no meaning without --http."""
_NOT_WITH_RELOAD = {
    "store": "serves in one process, for development",
    "hosts": "serves on this machine only, for development",
    "workers": "serves in one process",
}
"""Why `serve --reload` does not take options."""


def _check_serving(options: Any) -> None:
    """Refuse options of `serve` that do not go together, and set its target."""
    error, default_of = options.parser.error, options.parser.get_default
    given = {name for name, value in vars(options).items() if value not in (None, False, default_of(name))}
    (options.target,) = positionals_of(options, "FILE")
    if options.http is None:
        for name, why in _NEED_HTTP.items():
            if name in given:
                error(f"--{name} needs --http: {why}")
        return
    if options.principal is not None:
        error("--principal is for standard input and output: over HTTP, --auth finds out who is calling")
    for name in _NOT_WITH_RELOAD if options.reload else ():
        if name in given:
            error(f"--reload {_NOT_WITH_RELOAD[name]}: leave out --{name}")
    if options.ui is None:
        options.ui = uvicorn.is_loopback_address(options.http)


def positionals_of(options: Any, *names: str, rest: bool = False) -> list[str]:
    """The arguments that are not options: one for each name and, with `rest`, any number after them.

    The first is the target; -m gives it instead, and it is empty if --command takes its place.
    """
    module, command = options.module, getattr(options, "command", None)
    if module is not None and command is not None:
        options.parser.error("-m and --command are two servers: leave one out")
    instead = [module] if module is not None else [] if command is None else [""]
    values = [*instead, *options.positionals]
    if len(values) < len(names):
        options.parser.error(f"the following arguments are required: {', '.join(names[len(values) :])}")
    if len(values) > len(names) and not rest:
        options.parser.error(f"unrecognized arguments: {' '.join(values[len(names) :])}")
    return values
