"""`plainmcp serve`: on standard input and output, over HTTP, over HTTP with reloads, or as its program chooses."""

from typing import Any

from ..server import Server
from ..transports import stdio
from ..transports.log_format import formatted_logs
from ..transports.shutdown import GRACE
from .arguments import UsageError
from .caller_option import principal_of
from .load import load
from .program import is_program, run_program
from .source import find_source
from .store_option import store_of

__all__ = ["serve"]


def serve(options: Any) -> int:
    """Serve until the client disconnects or a signal comes; returns the exit code."""
    target, is_module, arguments = options.target, options.module is not None, options.arguments
    logs: dict[str, Any] = {"access_log": options.access_log, "log_level": options.log_level}
    with formatted_logs(options.log_level):
        if options.reload:
            from . import reload  # multiprocessing takes long to load, and only this needs it

            more: dict[str, Any] = {"is_module": is_module, "drop_in": options.drop_in, "keys": options.auth, **logs}
            more |= {"arguments": arguments, "origins": options.origins}
            grace = GRACE if options.grace is None else options.grace
            reload.serve_with_reload(target, options.http, grace, ui=options.ui, **more)
        elif options.http is not None:
            details = {**logs, **_auth_options(options.auth), "ui": options.ui}
            details |= {name: names for name in ("hosts", "origins") if (names := getattr(options, name))}
            server = load(target, is_module=is_module, arguments=arguments)
            details |= _store_options(options.store)  # it may be an object in the module of the server
            Server.run(server, http=options.http, workers=options.workers, grace=options.grace, **details)
        else:
            principal = principal_of(options.principal)
            source = find_source(target, is_module=is_module)
            if options.drop_in and is_program(source, arguments):
                if principal is not None:
                    raise UsageError("--principal needs a server in FILE: this program starts its own")
                run_program(source, arguments)
            with stdio.guard_stdio() as streams:  # what the file prints while it loads must not reach the client
                server = load(target, is_module=is_module, arguments=arguments)
                Server.run(server, streams=streams, grace=options.grace, principal=principal, **logs)
    return 0


def _auth_options(file: str | None) -> Any:
    """The options of a server whose callers need a key in a file; raises AuthorError."""
    if file is None:
        return {}
    from ..auth.keys import Keys  # brings hashlib

    return {"auth": Keys.from_file(file)}


def _store_options(text: str | None) -> dict[str, Any]:
    """The options of a server that shares its sessions through a store; raises AuthorError or LoadError."""
    return {} if text is None else {"store": store_of(text)}
