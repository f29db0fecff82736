"""The command line's grammar: the commands, their arguments and options, and the exit codes."""

import argparse
from typing import Any

from ..policy import Policy
from ..revisions import REVISIONS
from ..transports.log_format import LOG_LEVELS
from ..transports.shutdown import GRACE, STDIO_GRACE
from ..ui import client_config
from .option_types import to_access_format, to_address, to_count, to_grace, to_header, to_seconds, to_variable

__all__ = ["CLIENTS", "SHELLS", "build_parser"]

CLIENTS = tuple(client_config.CLIENTS)
"""The clients whose configuration `plainmcp config` prints."""
SHELLS = ("bash", "zsh", "fish")
"""The shells whose script `plainmcp shell-completion` prints."""

_EXAMPLES = """\
examples:
  plainmcp serve app.py                                   to one client, on standard input and output
  plainmcp serve app.py --http 127.0.0.1:8000 --reload    over HTTP, reloaded when a file is saved
  plainmcp serve --drop-in mcp-server-git -- --verbose    an installed server of another package, with its arguments
  plainmcp list http://127.0.0.1:8000                     what a server offers, and what it costs
  plainmcp call app.py forecast city=Oslo days:=2         the result of a tool
  plainmcp preview app.py forecast city=Oslo              that result on each revision, and what it costs
  plainmcp config claude-desktop app.py                   what to paste into the settings of a client
"""
_FILE = "the file or module cannot be loaded, or has no server"
_LINE = (
    "the command line is wrong: an unknown option or name, arguments that are not JSON, a question without an answer"
)
_AWAY = "the server cannot be reached, or answers with a protocol error"
_ASKING = {0: "done", 1: _FILE, 2: _LINE, 3: _AWAY, 130: "interrupted"}
_CODES = {
    "serve": {
        0: "the client disconnected, or a signal ended the server",
        1: _FILE,
        2: "the command line is wrong",
        3: "it cannot be served: the port is in use, a package or a key is missing, or --store is wrong",
    },
    "call": {**_ASKING, 1: f"{_FILE}; or the tool's result is an error"},
    "preview": {**_ASKING, 1: f"{_FILE}; or every result is an error"},
    "config": {0: "done", 1: _FILE, 2: "the command line is wrong, or the client cannot use such a server"},
    "shell-completion": {0: "done", 2: "the command line is wrong"},
}
_SOURCE = "a Python file or module, and the name of the server, or of a function that returns it"
_PROGRAM = "or, with --drop-in, an installed script; what follows -- are its own arguments"
_ANYWHERE = f"{_SOURCE}; or the http:// address of a server"
_WORDS = "key=text, key:=JSON, key=@file, or a JSON object, also from @file or - (standard input)"
_PREVIEW = """\
Preview a call: the messages it becomes on each revision, and what they cost.

A tool in a file runs once, for all revisions and policies. The tool of a remote server runs once for each
revision, because the server has to be called on each; it keeps the server's policy.
"""
_TARGET = "FILE[:OBJECT]"
_USAGE = f"({_TARGET} | URL | -m MODULE | --command COMMAND)"
_ARGUMENTS = "[-- ARGS ...]"


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    last = "exit codes: 0 for success, 1 to 3 for failures; each COMMAND --help lists its own"
    parser = argparse.ArgumentParser(
        prog="plainmcp",
        description="Plain Python in, exact MCP out.",
        epilog=f"{_EXAMPLES}\n{last}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_serve(commands)
    _add_list(commands)
    _add_call(commands)
    _add_read(commands)
    _add_prompt(commands)
    _add_completion(commands)
    _add_preview(commands)
    _add_config(commands)
    _add_shell_completion(commands)
    return parser


class _PrintVersion(argparse.Action):
    """Prints the version and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib import metadata  # takes long to load, and only this needs it

        try:
            print("plainmcp", metadata.version("plainmcp"))
        except metadata.PackageNotFoundError:
            print("plainmcp, from a copy that is not installed")
        parser.exit()


# The commands -------------------------------------------------------------------------------------


def _add_serve(commands: Any) -> None:
    description = "Serve a file: to one client on standard input and output, or over HTTP."
    usage = f"plainmcp serve [options] ({_TARGET} | -m MODULE | SCRIPT) {_ARGUMENTS}"
    serve = _command(commands, "serve", description, usage)
    serve.set_defaults(starts_programs=True)
    _add_positionals(serve, _TARGET, f"{_SOURCE}; {_PROGRAM}")
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on standard input and output (the default)")
    where.add_argument("--http", metavar="HOST:PORT", type=to_address, help="over HTTP, at http://HOST:PORT/mcp")
    workers = "how many processes serve HTTP (default: 1); with several, sessions are signed ids"
    serve.add_argument("--workers", metavar="N", type=to_count, default=1, help=workers)
    store = (
        "share sessions with other workers and replicas: redis://host:6379/0, or on one machine sqlite:///notes.db; "
    )
    store += "or module:object, for a store of your own"
    serve.add_argument("--store", "--redis", metavar="STORE", help=store)
    hosts = "another name of this server, such as that of a proxy before it: mcp.example.com; may be repeated"
    serve.add_argument("--hosts", metavar="NAME", action="append", default=[], help=hosts)
    origins = "a site whose pages may call, such as http://localhost:6274 for the Inspector; may be repeated"
    serve.add_argument("--origins", metavar="ORIGIN", action="append", default=[], help=origins)
    page = "a page at / for people to try the server (default: only if HOST is loopback)"
    serve.add_argument("--ui", action=argparse.BooleanOptionalAction, help=page)
    keys = "only for callers with a key in FILE; each line is a name, a key and perhaps scopes"
    serve.add_argument("--auth", metavar="FILE", help=keys)
    _add_principal(serve, "on standard input and output")
    reload = "start again whenever a Python file in the folder of FILE is saved; sessions end with that"
    serve.add_argument("--reload", action="store_true", help=reload)
    default = f"(default: {GRACE:g} over HTTP, {STDIO_GRACE:g} otherwise)"
    grace = f"how long running calls may take after a signal to stop {default}; then they are abandoned"
    serve.add_argument("--grace", metavar="SECONDS", type=to_grace, help=grace)
    access = "log one line for each request, to standard error: plain (the default) or json"
    serve.add_argument("--access-log", metavar="FORMAT", nargs="?", const="plain", type=to_access_format, help=access)
    level = f"the lowest level that is logged: {', '.join(LOG_LEVELS)} (default: warning)"
    serve.add_argument("--log-level", metavar="LEVEL", choices=LOG_LEVELS, help=level)
    _add_loading(serve)


def _add_list(commands: Any) -> None:
    description = "List what a server offers: its features, who may use them, and what their definitions cost."
    list_ = _command(commands, "list", description, f"plainmcp list [options] {_USAGE}")
    _add_positionals(list_, _TARGET, _ANYWHERE)
    _add_client(list_)


def _add_call(commands: Any) -> None:
    description = "Call a tool: prints its result; progress and log messages go to standard error."
    call = _command(commands, "call", description, f"plainmcp call [options] {_USAGE} TOOL [ARGS ...]")
    _add_positionals(
        call, f"{_TARGET} TOOL ARGS", f"{_ANYWHERE}; then the name of a tool, and its arguments: {_WORDS}"
    )
    _add_client(call)
    _add_request(call)
    _add_policy(call)


def _add_read(commands: Any) -> None:
    usage = f"plainmcp read [options] {_USAGE} URI"
    read = _command(commands, "read", "Read a resource: prints its contents.", usage)
    _add_positionals(read, f"{_TARGET} URI", f"{_ANYWHERE}; then the URI of a resource")
    _add_client(read)
    _add_request(read)


def _add_prompt(commands: Any) -> None:
    usage = f"plainmcp prompt [options] {_USAGE} PROMPT [ARGS ...]"
    prompt = _command(commands, "prompt", "Get a prompt: prints its messages.", usage)
    _add_positionals(
        prompt, f"{_TARGET} PROMPT ARGS", f"{_ANYWHERE}; then the name of a prompt, and its arguments: {_WORDS}"
    )
    _add_client(prompt)
    _add_request(prompt)


def _add_completion(commands: Any) -> None:
    usage = f"plainmcp completion [options] {_USAGE} (PROMPT | URI-TEMPLATE) ARGUMENT=TEXT [OTHER=TEXT ...]"
    description = "Complete an argument: prints what the server suggests for a prompt or a resource template."
    completion = _command(commands, "completion", description, usage)
    words = "then a prompt or a template, the argument with the text so far, and the other arguments"
    _add_positionals(completion, f"{_TARGET} PROMPT ARGUMENT=TEXT", f"{_ANYWHERE}; {words}")
    _add_client(completion)
    completion.set_defaults(answer=[], save=None)


def _add_preview(commands: Any) -> None:
    usage = f"plainmcp preview [options] {_USAGE} TOOL [ARGS ...]"
    preview = _command(commands, "preview", _PREVIEW, usage)
    words = f"{_ANYWHERE}; then the name of a tool, and its arguments: {_WORDS}"
    _add_positionals(preview, f"{_TARGET} TOOL ARGS", words)
    preview.add_argument("--policies", action="store_true", help="show the server's policy and every profile")
    repeat = "for a URL or a command: run the tool once on each revision, even if it does more than read"
    preview.add_argument("--repeat", action="store_true", help=repeat)
    preview.add_argument(
        "--lines", metavar="N", type=to_count, default=12, help="lines of text to show (default: 12)"
    )
    preview.add_argument("--full", action="store_true", help="show all of the text")
    _add_client(preview)
    _add_policy(preview)


def _add_config(commands: Any) -> None:
    usage = f"plainmcp config [options] CLIENT {_USAGE} {_ARGUMENTS}"
    description = "Print a client's configuration for a server: ready to paste."
    config = _command(commands, "config", description, usage)
    clients = f"one of {', '.join(CLIENTS)}; then {_ANYWHERE}; {_PROGRAM}"
    _add_positionals(config, f"CLIENT {_TARGET}", clients)
    config.set_defaults(words=CLIENTS, starts_programs=True)
    config.add_argument("--server-name", metavar="NAME", help="what the client calls it (default: the server's name)")
    _add_remote(config)
    variable = "for a URL: the client gets the key or token from this variable, so that its file has none"
    config.add_argument("--bearer-env", metavar="NAME", type=to_variable, help=variable)
    config.add_argument("--json", action="store_true", help="print JSON, for programs")
    _add_loading(config)


def _add_shell_completion(commands: Any) -> None:
    description = "Print the completion script of a shell: for the commands and options of plainmcp."
    shell = _command(commands, "shell-completion", description, "plainmcp shell-completion SHELL")
    _add_positionals(shell, "SHELL", f"one of {', '.join(SHELLS)}")
    shell.set_defaults(module=None, words=SHELLS)


# Their options ------------------------------------------------------------------------------------


def _command(commands: Any, name: str, description: str, usage: str) -> argparse.ArgumentParser:
    codes = _CODES.get(name, _ASKING)
    epilog = "\n".join(["exit codes:", *(f"  {code:<3}  {meaning}" for code, meaning in codes.items())])
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description.partition(":")[0].lower(),
        description=description,
        usage=usage,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(name=name, parser=parser, starts_programs=False)
    return parser


def _add_positionals(parser: argparse.ArgumentParser, names: str, help: str) -> None:
    parser.add_argument("positionals", metavar=names, nargs="*", help=help)


def _add_loading(parser: argparse.ArgumentParser) -> None:
    module = (
        "instead of FILE: a module, such as package.module or package.module:server, as Python imports or runs it"
    )
    parser.add_argument("-m", dest="module", metavar="MODULE[:OBJECT]", help=module)
    drop_in = "import mcp and import fastmcp lead to plainmcp.compat, whether or not these packages are installed"
    parser.add_argument("--drop-in", action="store_true", help=drop_in)


def _add_remote(parser: argparse.ArgumentParser) -> None:
    command = "instead of FILE: start this command and talk to it on its standard input and output"
    parser.add_argument("--command", metavar="COMMAND", help=command)
    bearer = "for a URL: a key or token, sent as Authorization: Bearer TOKEN; @FILE reads it from a file"
    parser.add_argument("--bearer", "--key", dest="bearer", metavar="TOKEN", help=bearer)
    header = "for a URL: an HTTP header for each request; may be repeated"
    parser.add_argument("--header", metavar="'NAME: VALUE'", type=to_header, action="append", default=[], help=header)


def _add_principal(parser: argparse.ArgumentParser, where: str) -> None:
    principal = f"{where}: who calls, as a name and perhaps scopes ('ada notes:read'), or JSON"
    parser.add_argument("--principal", metavar="WHO", help=principal)


def _add_client(parser: argparse.ArgumentParser) -> None:
    _add_loading(parser)
    _add_remote(parser)
    _add_principal(parser, "for a file")
    timeout = "give up if the server sends nothing for so long (default: wait)"
    parser.add_argument("--timeout", metavar="SECONDS", type=to_seconds, help=timeout)
    parser.add_argument("--revision", metavar="R", choices=REVISIONS, help=f"one of {', '.join(REVISIONS)}")
    is_exact = parser.get_default("name") not in ("list", "preview")
    format = "the exact result, as JSON" if is_exact else "JSON, for programs"
    parser.add_argument("--json", action="store_true", help=f"print {format}")


def _add_request(parser: argparse.ArgumentParser) -> None:
    answer = "the answer to the next question of the server: JSON, a text, decline or cancel; may be repeated"
    parser.add_argument("--answer", metavar="JSON", action="append", default=[], help=answer)
    parser.add_argument("--save", metavar="DIR", help="save images, sounds and files of the result in this folder")


def _add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="P", choices=Policy.profiles, help=f"one of {', '.join(Policy.profiles)}")
