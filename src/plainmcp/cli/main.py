"""The command line: runs a command, and reports what went wrong. The modules beside this one do the work."""

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from ..client import RpcError
from ..compat import install
from ..errors import AuthorError
from .arguments import UsageError
from .client import Unreachable, text_of
from .grammar import build_parser
from .load import load
from .options import parse_options
from .serve import serve
from .show import escape_controls
from .source import LoadError

__all__ = ["LoadError", "load", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    options = parse_options(build_parser(), arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a result may contain characters the terminal cannot show
    if getattr(options, "drop_in", False):
        install()
    try:
        code = _run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UsageError, LoadError, AuthorError, Unreachable, RpcError) as error:
        print(f"plainmcp: {escape_controls(text_of(error))}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1 if isinstance(error, LoadError) else 3
    except KeyboardInterrupt:
        return 0 if options.name == "serve" else 130


def _run(options: Any) -> int:
    """Run the command of the options; serving starts sooner without the modules of the others."""
    match options.name:
        case "serve":
            return serve(options)
        case "config":
            from .config import print_config

            return print_config(options)
        case "shell-completion":
            from .shell import print_script

            return print_script(options)
    from .commands import COMMANDS

    return COMMANDS[options.name](options)
