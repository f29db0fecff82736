"""The command line: runs a command, and reports what went wrong. The modules beside this one do the work."""

import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..compat import install
from ..errors import AuthorError
from . import commands, config, shell
from .arguments import UsageError
from .client import ServerError, Unreachable
from .grammar import build_parser
from .load import load
from .options import parse_options
from .serve import serve
from .show import escape_controls
from .source import LoadError

__all__ = ["LoadError", "load", "main"]

_COMMANDS: dict[str, Callable[[Any], int]] = {
    "serve": serve,
    "list": commands.list_features,
    "call": commands.call_tool,
    "read": commands.read_resource,
    "prompt": commands.get_prompt,
    "completion": commands.complete,
    "preview": commands.preview_call,
    "config": config.print_config,
    "shell-completion": shell.print_script,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    options = parse_options(build_parser(), arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a result may contain characters the terminal cannot show
    if getattr(options, "drop_in", False):
        install()
    try:
        code = _COMMANDS[options.name](options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UsageError, LoadError, AuthorError, Unreachable, ServerError) as error:
        print(f"plainmcp: {escape_controls(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1 if isinstance(error, LoadError) else 3
    except KeyboardInterrupt:
        return 0 if options.name == "serve" else 130
